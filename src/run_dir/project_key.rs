use super::names::MAX_PROJECT_KEY;

/// The project part of a store key, as Claude Code makes it from the real path of a workspace: every UTF-16 unit outside
/// `[A-Za-z0-9]` becomes `-`, and what is longer than 200 is cut and ends in a hash of the path
/// (spec/runner.md, section 12).
pub fn project_key(path: &str) -> String {
    let plain = |unit: u16| match u8::try_from(unit) {
        Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
        Ok(_) | Err(_) => '-',
    };
    let key: String = path.encode_utf16().map(plain).collect();
    match key.split_at_checked(MAX_PROJECT_KEY) {
        Some((head, rest)) if !rest.is_empty() => format!("{head}-{}", base36(path_hash(path).unsigned_abs())),
        Some(_) | None => key,
    }
}

/// The names under which the sessions of a workspace may be stored: Claude Code's own first, then those of the Python SDK,
/// which looks at characters instead of UTF-16 units, and of flower.
pub fn project_keys(path: &str) -> Vec<String> {
    let characters = path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let mut keys = vec![project_key(path), characters, flower_project_key(path)];
    keys.dedup();
    keys
}

/// The project part as flower makes it: it agrees with Claude Code only for plain paths.
pub fn flower_project_key(path: &str) -> String {
    path.replace(['/', '_', '.'], "-")
}

/// `h = h·31 + unit` over UTF-16 units, in 32 bits.
fn path_hash(path: &str) -> i32 {
    path.encode_utf16().fold(0_i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    while number > 0 || digits.is_empty() {
        digits.extend(char::from_digit(number % 36, 36));
        number /= 36;
    }
    digits.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_not_characters_are_replaced() {
        assert_eq!(project_key("/tmp/a😀b"), "-tmp-a--b");
        assert_eq!(project_key("/tmp/é"), "-tmp--", "composed");
        assert_eq!(project_key("/tmp/e\u{301}"), "-tmp-e-", "decomposed: not normalised");
        assert_eq!(flower_project_key("/tmp/a_b.c d"), "-tmp-a-b-c d");
        assert_eq!(project_keys("/tmp/a😀 b"), ["-tmp-a---b", "-tmp-a--b", "-tmp-a😀 b"]);
        assert_eq!(project_keys("/tmp/a"), ["-tmp-a"]);
    }

    #[test]
    fn paths_that_were_checked_live_have_their_key() {
        let rows: Vec<serde_json::Value> =
            serde_json::from_str(include_str!("../../fixtures/protocol/project_keys.json")).unwrap();
        assert!(rows.len() >= 6);
        for row in rows {
            let path = row["path"].as_str().unwrap();
            assert_eq!(project_key(path), row["cli_key"].as_str().unwrap());
            assert_eq!(flower_project_key(path), row["flower_key"].as_str().unwrap());
        }
    }

    #[test]
    fn long_paths_end_in_their_hash() {
        let exactly = format!("/{}", "a".repeat(199));
        assert_eq!(project_key(&exactly).len(), 200);
        let longer = project_key(&format!("{exactly}b"));
        assert!(longer.starts_with(&format!("-{}-", "a".repeat(199))), "{longer}");
        assert_eq!((base36(0), base36(35), base36(36)), ("0".to_owned(), "z".to_owned(), "10".to_owned()));
    }
}
