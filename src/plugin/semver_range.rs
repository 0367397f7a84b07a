use regex::Regex;
use std::sync::LazyLock;

/// Whether a text is a range of versions as npm writes them: comparators side by side, alternatives with `||`, a span with ` - `.
pub(super) fn is_range(text: &str) -> bool {
    static COMPARATOR: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let part = r"(?:\d+|[xX*])";
        let version = format!(r"v?{part}(?:\.{part}(?:\.{part}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)?)?");
        Regex::new(&format!(r"^\s*(?:(?:\^|~>?|>=?|<=?|=)?\s*{version}(?:\s+-\s+{version})?\s*)*$")).ok()
    });
    text.split("||").all(|part| COMPARATOR.as_ref().is_some_and(|comparator| comparator.is_match(part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_npm() {
        for text in [">=2.1.0", "^1", "~1.2", "1.x || >=2.5.0 <3", "1.2.3 - 2.0.0", "*", "", ">=2.0.0-beta.1"] {
            assert!(is_range(text), "{text}");
        }
        for text in ["new", ">=", "1.2.3.4", ">> 1"] {
            assert!(!is_range(text), "{text}");
        }
    }
}
