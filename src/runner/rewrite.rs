use super::json::{list, quoted, text};
use crate::transcript::fields;

/// Deeper values are left as they are.
const MAX_DEPTH: u32 = 32;

/// What is done with lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lists {
    /// They stay as they are.
    Keep,
    /// Their elements are looked at too.
    Enter,
}

/// The JSON value with some of its strings replaced: those for which `replace` has another text. `None` if there is none.
pub(super) fn strings(raw: &str, lists: Lists, replace: &mut impl FnMut(&str) -> Option<String>) -> Option<String> {
    value(raw, lists, MAX_DEPTH, replace)
}

fn value(raw: &str, lists: Lists, depth: u32, replace: &mut impl FnMut(&str) -> Option<String>) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    match raw.as_bytes().first()? {
        b'"' => replace(&text(raw)?).map(|new| quoted(&new)),
        b'{' => {
            let mut is_changed = false;
            let mut members = Vec::new();
            for (name, raw) in fields(raw)? {
                let new = value(raw, lists, depth, replace);
                is_changed |= new.is_some();
                members.push(format!("{}:{}", quoted(&name), new.as_deref().unwrap_or(raw)));
            }
            is_changed.then(|| format!("{{{}}}", members.join(",")))
        }
        b'[' if lists == Lists::Enter => {
            let elements = list(raw);
            let new: Vec<Option<String>> =
                elements.iter().map(|element| value(element, lists, depth, replace)).collect();
            let is_changed = new.iter().any(Option::is_some);
            let joined = || {
                let both = new.iter().zip(&elements).map(|(new, old)| new.as_deref().unwrap_or(old));
                format!("[{}]", both.collect::<Vec<_>>().join(","))
            };
            is_changed.then(joined)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shout(raw: &str, lists: Lists) -> Option<String> {
        strings(raw, lists, &mut |text| text.starts_with('x').then(|| text.to_uppercase()))
    }

    #[test]
    fn only_what_is_replaced_changes() {
        let raw = r#"{"b":"xa","a":{"n":1e400,"s":"\ud83d","t":"x\n"},"l":["xb"]}"#;
        assert_eq!(
            shout(raw, Lists::Keep).as_deref(),
            Some(r#"{"b":"XA","a":{"n":1e400,"s":"\ud83d","t":"X\n"},"l":["xb"]}"#)
        );
        assert!(shout(raw, Lists::Enter).unwrap().ends_with(r#""l":["XB"]}"#));
        assert_eq!(shout(r#"["xb"]"#, Lists::Keep), None);
        assert_eq!(shout(r#"{"a":1}"#, Lists::Enter), None);
    }

    #[test]
    fn depth_is_bounded() {
        let deep = format!("{}\"x\"{}", "[".repeat(100), "]".repeat(100));
        assert_eq!(shout(&deep, Lists::Enter), None);
    }
}
