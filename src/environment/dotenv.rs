use super::trap::Trap;
use std::collections::BTreeMap;

/// One setting of a `.env` file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// Everything before the first `=`.
    pub key: String,
    /// The value without quotes at its ends.
    pub value: String,
    /// Line, counted from 1.
    pub line: u64,
}

/// Reads a `.env` file (spec/runner.md, section 4): its settings, the first of each key only, and the traps by line. A trap
/// without a line concerns the whole file.
pub fn parse(bytes: &[u8]) -> (Vec<Assignment>, Vec<(Option<u64>, Trap)>) {
    let Ok(text) = std::str::from_utf8(bytes) else { return (Vec::new(), vec![(None, Trap::NotUtf8)]) };
    let mut traps = Vec::new();
    let text = text.strip_prefix('\u{feff}').map_or(text, |rest| {
        traps.push((None, Trap::ByteOrderMark));
        rest
    });
    let mut assignments: Vec<Assignment> = Vec::new();
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    // `\r\n` is one line end, a lone `\r` is one too.
    for (number, line) in (1_u64..).zip(text.replace("\r\n", "\n").split(['\n', '\r'])) {
        let Some((key, raw)) = setting(line) else { continue };
        let value = raw.trim_matches(['\'', '"']);
        if key.is_empty() {
            traps.push((Some(number), Trap::NoKey));
            continue;
        }
        if key.contains('\0') || value.contains('\0') {
            traps.push((Some(number), Trap::ZeroByte { key: key.replace('\0', "\u{fffd}") }));
            continue;
        }
        if let Some(first) = lines.get(key) {
            traps.push((Some(number), Trap::Duplicate { key: key.to_owned(), first: *first }));
            continue;
        }
        traps.extend(traps_of(key, raw, value).map(|trap| (Some(number), trap)));
        lines.insert(key.to_owned(), number);
        assignments.push(Assignment { key: key.to_owned(), value: value.to_owned(), line: number });
    }
    (assignments, traps)
}

/// Key and raw value of a line; `None` for a blank line, a comment, or one without `=`.
fn setting(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    if line.starts_with('#') {
        return None;
    }
    let (key, raw) = line.split_once('=')?;
    Some((key.trim(), raw.trim()))
}

fn traps_of(key: &str, raw: &str, value: &str) -> impl Iterator<Item = Trap> {
    let named = key.to_owned();
    let exported = key.strip_prefix("export").filter(|rest| rest.starts_with(char::is_whitespace));
    let is_quote = |c: Option<char>| c.filter(|c| matches!(c, '"' | '\''));
    let (first, last) = (is_quote(raw.chars().next()), is_quote(raw.chars().next_back()));
    let is_alone = raw.chars().count() == 1;
    let literal = first == Some('\'') && last == Some('\'');
    [
        exported.map(|rest| Trap::ExportPrefix { key: rest.trim().to_owned() }),
        (raw.contains(" #") || raw.contains("\t#")).then(|| Trap::InlineComment { key: named.clone() }),
        (!literal && has_reference(value)).then(|| Trap::NotInterpolated { key: named.clone() }),
        (first.is_some() && (last.is_none() || is_alone)).then(|| Trap::OpenQuote { key: named.clone() }),
        (!is_alone && last.is_some() && first != last).then(|| Trap::StrippedQuote { key: named.clone() }),
        value.is_empty().then_some(Trap::EmptyClaim { key: named }),
    ]
    .into_iter()
    .flatten()
}

/// `$NAME` or `${`, as a shell would replace it.
fn has_reference(value: &str) -> bool {
    let mut rest = value;
    while let Some((_, after)) = rest.split_once('$') {
        if after.starts_with(|c: char| c == '{' || c == '_' || c.is_ascii_alphabetic()) {
            return true;
        }
        rest = after;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::Diagnosis;
    use proptest::prelude::*;

    /// Settings as `key=value`, then the codes of the traps with their lines.
    fn read(text: &[u8]) -> (Vec<String>, Vec<String>) {
        let (assignments, traps) = parse(text);
        let line = |line: Option<u64>| line.map(|line| format!(" {line}")).unwrap_or_default();
        (
            assignments.iter().map(|a| format!("{}={}", a.key, a.value)).collect(),
            traps.iter().map(|(at, trap)| format!("{}{}", trap.code(), line(*at))).collect(),
        )
    }

    #[test]
    fn every_trap_of_the_grammar() {
        let cases: [(&str, &[&str], &[&str]); 16] = [
            ("K=v", &["K=v"], &[]),
            (" K = v \n\n# K=w\nnothing", &["K=v"], &[]),
            ("export K=V", &["export K=V"], &["env-export-prefix 1"]),
            ("K=v # note", &["K=v # note"], &["env-inline-comment 1"]),
            ("K=v#note", &["K=v#note"], &[]),
            ("K=$OTHER", &["K=$OTHER"], &["env-not-interpolated 1"]),
            ("K=\"one\ntwo\"", &["K=one"], &["env-open-quote 1"]),
            ("K=\"one\nL=two\"", &["K=one", "L=two"], &["env-open-quote 1", "env-stripped-quote 2"]),
            ("K=", &["K="], &["env-empty-claim 1"]),
            ("K=''", &["K="], &["env-empty-claim 1"]),
            ("K=1\nK=2", &["K=1"], &["env-duplicate 2"]),
            ("K=\"it's\"", &["K=it's"], &[]),
            ("K=abc'", &["K=abc"], &["env-stripped-quote 1"]),
            ("\u{feff}K=v", &["K=v"], &["env-byte-order-mark"]),
            ("=v\nL=w", &["L=w"], &["env-no-key 1"]),
            ("K=a\0b\nL=w", &["L=w"], &["env-zero-byte 1"]),
        ];
        for (text, settings, traps) in cases {
            assert_eq!(read(text.as_bytes()), (own(settings), own(traps)), "{text:?}");
        }
        assert_eq!(read(b"K=\xff"), (Vec::new(), vec!["env-not-utf8".to_owned()]));
    }

    fn own(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn every_line_end_counts() {
        assert_eq!(read(b"A=1\r\nB=2\rC=3\nD==4").0, ["A=1", "B=2", "C=3", "D==4"]);
        let lines: Vec<u64> = parse(b"A=1\r\nB=2\rC=3").0.iter().map(|a| a.line).collect();
        assert_eq!(lines, [1, 2, 3]);
    }

    #[test]
    fn mixed_runs_of_quotes_are_stripped() {
        assert_eq!(read(b"K='\"v\"''").0, ["K=v"]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            parse(&bytes);
        }

        #[test]
        fn no_value_breaks_a_variable(text in "[ =#'\"\\x00a\n\r$]{0,60}") {
            for a in parse(text.as_bytes()).0 {
                prop_assert!(!a.key.is_empty() && !a.key.contains(['=', '\0']) && !a.value.contains('\0'));
            }
        }
    }
}
