use super::frontmatter::{Document, trimmed};
use crate::unit::Tokens;
use std::borrow::Cow;

/// Longest description that is taken from a body, in UTF-16 units, and what is kept of a longer one before `...`.
const MAX_DERIVED: usize = 100;
const KEPT_OF_DERIVED: usize = 97;

/// How the CLI shows what it estimates from lengths (spec/plugins.md, Estimate).
pub struct Estimate;

impl Estimate {
    /// As the CLI shows a part: below twenty only that, then tens, then thousands with one decimal.
    pub fn part(tokens: Tokens) -> String {
        let tens = tokens.0.saturating_add(5) / 10 * 10;
        match tokens.0 {
            0..20 => "< 20".to_owned(),
            _ if tens < 1000 => format!("~{tens}"),
            _ => match (tens / 1000, tens.saturating_add(50) % 1000 / 100, tens.saturating_add(50) / 1000) {
                (_, 0, whole) => format!("~{whole}k"),
                (_, tenth, whole) => format!("~{whole}.{tenth}k"),
            },
        }
    }

    /// As the CLI shows the total: every digit, in groups of three.
    pub fn total(tokens: Tokens) -> String {
        let digits = tokens.0.to_string();
        let mut shown = String::from("~");
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                shown.push(',');
            }
            shown.push(digit);
        }
        shown + " tok"
    }
}

/// Length as JavaScript counts it.
fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Units of what the CLI puts in the place of a description, where neither the head nor the body has one.
const NO_DESCRIPTION: usize = 5;

/// UTF-16 units of what the model is given in every session of a component that is listed under a name. Skills and commands
/// are listed in a form in which angle brackets are escaped, agents as they are.
pub(super) fn always_on(listed: &str, text: &str, is_escaped: bool) -> u64 {
    let document = Document::parse(text);
    let described = document.shown("description").filter(|description| !description.is_empty());
    let described = described.unwrap_or_else(|| derived(document.body));
    let when = document.joined("when_to_use").unwrap_or_default();
    let length = |text: &str| {
        let brackets = if is_escaped { text.matches(['<', '>']).count() * (ESCAPED - 1) } else { 0 };
        units(text) + brackets
    };
    let described = if described.is_empty() { NO_DESCRIPTION } else { length(&described) };
    let parts = [units(listed), described, length(&when)];
    let total: usize = parts.iter().filter(|part| **part > 0).map(|part| part + 1).sum();
    u64::try_from(total.saturating_sub(1)).unwrap_or(u64::MAX)
}

/// Units of an escaped bracket: `&lt;`.
const ESCAPED: usize = 4;

/// The first line of a body that says something, without the mark of a heading, cut.
fn derived(body: &str) -> Cow<'_, str> {
    let line = body.lines().map(trimmed).find(|line| !line.is_empty()).unwrap_or_default();
    let heading = line.trim_start_matches('#');
    let is_heading =
        heading.len() < line.len() && heading.starts_with(char::is_whitespace) && !trimmed(heading).is_empty();
    let line = if is_heading { trimmed(heading) } else { line };
    if units(line) <= MAX_DERIVED {
        return Cow::Borrowed(line);
    }
    let kept: Vec<u16> = line.encode_utf16().take(KEPT_OF_DERIVED).collect();
    Cow::Owned(format!("{}...", String::from_utf16_lossy(&kept)))
}

/// Tokens of the body: what each use adds.
pub(super) fn on_invoke(text: &str) -> Tokens {
    Tokens::estimated(u64::try_from(units(trimmed(Document::parse(text).body))).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_the_cli_shows_them() {
        let parts = [0, 19, 20, 25, 994, 995, 1050, 1049, 10_028, 10_540, 101_300];
        let parts = parts.map(|tokens| Estimate::part(Tokens(tokens)));
        assert_eq!(parts, ["< 20", "< 20", "~20", "~30", "~990", "~1k", "~1.1k", "~1.1k", "~10k", "~10.5k", "~101.3k"]);
        assert_eq!(
            [0, 999, 1001, 1_234_567].map(|n| Estimate::total(Tokens(n))),
            ["~0 tok", "~999 tok", "~1,001 tok", "~1,234,567 tok"]
        );
        assert_eq!([1, 2, 5, 6].map(|units| Tokens::estimated(units).0), [0, 1, 1, 2]);
    }

    #[test]
    fn lengths_are_those_of_javascript() {
        assert_eq!(always_on("p:n", "---\ndescription: é漢😀\nwhen_to_use: now\n---\n", true), 3 + 1 + 4 + 1 + 3);
        let body = |body: &str| always_on("n", &format!("---\na: b\n---\n{body}"), true);
        assert_eq!(["\n# Title\n\nMore", "###x", "#", "#  x  ", ""].map(body), [7, 6, 3, 3, 7]);
        assert_eq!(body(&"x".repeat(101)), 1 + 1 + 100);
        let tagged = "---\ndescription: <x>\nwhen_to_use: [a, 5]\n---\n";
        assert_eq!([true, false].map(|is_escaped| always_on("n", tagged, is_escaped)), [15, 9]);
        assert_eq!(on_invoke("---\na: b\n---\n\n  12345678 \n"), Tokens(2));
    }
}
