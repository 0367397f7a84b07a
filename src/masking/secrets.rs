//! Masks key-shaped strings, so that a report can be passed on.

use regex::{Captures, Regex, RegexBuilder};
use std::borrow::Cow;

/// Masks secrets in text. Built once, because the patterns take a while to compile.
#[derive(Debug, Clone)]
pub struct Masker(Rule);

#[derive(Debug, Clone)]
enum Rule {
    Reveal,
    Mask(Box<Patterns>),
    /// The patterns did not compile: nothing is shown, because a secret may be anywhere. A test holds that they compile.
    Hide,
}

#[derive(Debug, Clone)]
struct Patterns {
    /// Literals of which every secret has one; quick to search, and most text has none.
    sign: Regex,
    /// All shapes.
    all: Shapes,
    /// Those whose head is proof enough.
    sure: Shapes,
}

impl Masker {
    /// Masks.
    pub fn masking() -> Self {
        Self(Patterns::new().map_or(Rule::Hide, |patterns| Rule::Mask(Box::new(patterns))))
    }

    /// Shows everything, for `--reveal`.
    pub const fn revealing() -> Self {
        Self(Rule::Reveal)
    }

    /// `text` with the body of every secret replaced by `…[masked 93 chars]`; its head stays, so that it can be found.
    pub fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match &self.0 {
            Rule::Mask(patterns) if patterns.sign.is_match(text) => patterns.mask(text),
            Rule::Mask(_) | Rule::Reveal => Cow::Borrowed(text),
            Rule::Hide => Cow::Owned(mark(text)),
        }
    }

    /// Masks the whole of `value` if `name` is the name of a field that holds a secret, such as `authorization`.
    pub fn mask_field<'a>(&self, name: &str, value: &'a str) -> Cow<'a, str> {
        let name = name.to_ascii_lowercase().replace(['-', '_'], "");
        let reveals = matches!(self.0, Rule::Reveal);
        if reveals || value.is_empty() || value.starts_with('…') || !SECRET_FIELDS.contains(&name.as_str()) {
            return self.mask(value);
        }
        Cow::Owned(mark(value))
    }
}

/// Names of fields whose value is a secret, whatever its shape; lower case, without separators.
const SECRET_FIELDS: [&str; 8] = [
    "apikey",
    "authorization",
    "awssecretaccesskey",
    "clientsecret",
    "password",
    "privatekey",
    "secretaccesskey",
    "xapikey",
];

/// What a body must have beyond its shape, because prose has the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    /// The head is proof enough.
    Head,
    /// A digit.
    Digit,
    /// A digit, or more letters than a word has.
    DigitOrLong,
}

impl Proof {
    fn holds(self, body: &str) -> bool {
        let digit = body.bytes().any(|b| b.is_ascii_digit());
        match self {
            Self::Head => true,
            Self::Digit => digit,
            Self::DigitOrLong => digit || body.len() >= 20,
        }
    }
}

/// A shape: what stays, what is masked, what stays behind it, and the proof.
struct Shape {
    head: &'static str,
    body: &'static str,
    tail: &'static str,
    proof: Proof,
}

const fn shape(head: &'static str, body: &'static str) -> Shape {
    Shape { head, body, tail: "", proof: Proof::Head }
}

const fn proved(head: &'static str, body: &'static str, proof: Proof) -> Shape {
    Shape { head, body, tail: "", proof }
}

/// No body can start with the mark `…`, and no part of a masked text is long enough to be a body: masking twice changes
/// nothing. `(?-u:\b)|\\[nrt]` is the start of a word also in text that is itself escaped JSON, where a line end is `\n`.
const SHAPES: [Shape; 19] = [
    Shape {
        head: r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----",
        body: r"(?s:[^…].*?)",
        tail: r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\z",
        proof: Proof::Head,
    },
    shape(
        r#"(?i-u:authorization)["'\\]*\s*[:=]\s*["'\\]*(?i-u:basic|bearer|token|digest|negotiate|apikey)\s+"#,
        r"[A-Za-z0-9._~+/=:-]{8,}",
    ),
    proved(r#"(?i-u:authorization|api[_-]?key)["'\\]*\s*[:=]\s*["'\\]*"#, r"[A-Za-z0-9._~+/=-]{16,}", Proof::Digit),
    proved(
        r#"(?i-u:(?:auth|access|refresh|session)[_-]?token|client[_-]?secret|passw(?:or)?d|passphrase)["'\\]*\s*[:=]\s*["'\\]*"#,
        r#"[^\s"'\\…,;&]{8,}"#,
        Proof::Digit,
    ),
    proved(r"(?i-u:bearer)\s+", r"[A-Za-z0-9._~+/=-]{8,}", Proof::DigitOrLong),
    shape(
        r#"(?i-u:aws_?secret(?:_?access)?(?:_?key)?|secret_?access_?key)["'\\]*\s*[:=]\s*["'\\]*"#,
        r"[A-Za-z0-9/+=]{30,}",
    ),
    // A character of no width in the middle of a key does not end it.
    shape(
        r"(?:\\[nrt])?sk-ant-(?:api|oat|ort|admin|sid|fake)[0-9]{0,2}-",
        r"[A-Za-z0-9_\u{200b}-\u{200d}\u{2060}\u{feff}-]{2,}",
    ),
    shape(
        r"(?:\\[nrt])?sk-ant-",
        r"[A-Za-z0-9_\u{200b}-\u{200d}\u{2060}\u{feff}-]{7,}[A-Za-z0-9][A-Za-z0-9_\u{200b}-\u{200d}\u{2060}\u{feff}-]*",
    ),
    proved(r"(?:(?-u:\b)|\\[nrt])sk-(?:proj-|svcacct-|admin-|or-v1-)?", r"[A-Za-z0-9_-]{20,}", Proof::Digit),
    shape(r"(?:(?-u:\b)|\\[nrt])[rs]k_(?:live|test)_", r"[A-Za-z0-9]{16,}"),
    shape(r"(?:(?-u:\b)|\\[nrt])(?:AKIA|ASIA)", r"[A-Z0-9]{16}"),
    shape(r"gh[pousr]_", r"[A-Za-z0-9]{20,}"),
    shape(r"github_pat_", r"[A-Za-z0-9_]{20,}"),
    shape(r"gl(?:pat|dt|rt|ptt|cbt|oas)-", r"[A-Za-z0-9_.-]{16,}"),
    shape(r"(?:(?-u:\b)|\\[nrt])(?:xox[abeoprs]|xapp)-", r"[A-Za-z0-9-]{10,}"),
    shape(r"(?:(?-u:\b)|\\[nrt])AIza", r"[A-Za-z0-9_-]{30,}"),
    shape(r"(?:(?-u:\b)|\\[nrt])(?:npm|hf)_", r"[A-Za-z0-9]{30,}"),
    shape(r"(?:(?-u:\b)|\\[nrt])eyJ", r"[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*)?"),
    Shape { head: r#"://[^\s/:@"'\\]*:"#, body: r#"[^\s/@"'\\…]+"#, tail: "@", proof: Proof::Head },
];

/// Memory that the compiled shapes may take; the default of 10 MB is for patterns from outside.
const SIZE_LIMIT: usize = 64 << 20;

const SIGN: &str = "-----BEGIN|(?i-u:authorization|bearer|api[_-]?key|aws_?secret|secret_?access_?key|token|client[_-]?secret|passw|passphrase)|sk-|[rs]k_|AKIA|ASIA|\
                    gh[pousr]_|github_pat_|gl(?:pat|dt|rt|ptt|cbt|oas)-|xox[abeoprs]-|xapp-|AIza|npm_|hf_|eyJ|://";

impl Patterns {
    fn new() -> Result<Self, regex::Error> {
        Ok(Self {
            sign: Regex::new(SIGN)?,
            all: Shapes::new(|_| true)?,
            sure: Shapes::new(|shape| shape.proof == Proof::Head)?,
        })
    }

    fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.all.replace(text, |unproven| {
            // What turned out to be a word may still hold a secret: `bearer sk-ant-…`.
            self.sure.replace(unproven, str::to_owned).into_owned()
        })
    }
}

/// Shapes as one alternation, so that a text is passed once and nothing is masked twice.
#[derive(Debug, Clone)]
struct Shapes {
    regex: Regex,
    proofs: Vec<Proof>,
}

impl Shapes {
    fn new(wanted: impl Fn(&Shape) -> bool) -> Result<Self, regex::Error> {
        let shapes: Vec<&Shape> = SHAPES.iter().filter(|s| wanted(s)).collect();
        let groups: Vec<String> = shapes.iter().map(|s| format!("({})({})({})", s.head, s.body, s.tail)).collect();
        let regex = RegexBuilder::new(&groups.join("|")).size_limit(SIZE_LIMIT).build()?;
        Ok(Self { regex, proofs: shapes.iter().map(|s| s.proof).collect() })
    }

    fn replace<'a>(&self, text: &'a str, otherwise: impl Fn(&str) -> String) -> Cow<'a, str> {
        self.regex.replace_all(text, |found: &Captures<'_>| {
            let part = |group| found.get(group).map_or("", |m| m.as_str());
            // Each shape has three groups; group 0 is the whole.
            let matched = (1..).step_by(3).zip(&self.proofs).find(|(first, _)| found.get(*first).is_some());
            let Some((first, proof)) = matched else { return part(0).to_owned() };
            let (head, body, tail) = (part(first), part(first + 1), part(first + 2));
            let hidden = if proof.holds(body) { mark(body) } else { otherwise(body) };
            format!("{head}{hidden}{tail}")
        })
    }
}

fn mark(secret: &str) -> String {
    format!("…[masked {} chars]", secret.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn secrets_keep_their_head_only() {
        let masker = Masker::masking();
        assert!(matches!(masker.0, Rule::Mask(_)));
        let long = "Ab3".repeat(31);
        for (text, shown) in [
            (format!("key sk-ant-api03-{long} end"), "key sk-ant-api03-…[masked 93 chars] end"),
            ("sk-ant-fake-0000".into(), "sk-ant-fake-…[masked 4 chars]"),
            ("{\\nsk-ant-oat01-abcdEFGH1234\\n}".into(), "{\\nsk-ant-oat01-…[masked 12 chars]\\n}"),
            ("sk-proj-abcdefghij0123456789".into(), "sk-proj-…[masked 20 chars]"),
            ("Authorization: Bearer abcdefgh".into(), "Authorization: Bearer …[masked 8 chars]"),
            ("authorization: Basic dXNlcjpwYXNz".into(), "authorization: Basic …[masked 12 chars]"),
            (
                "\"Authorization\": \"Bearer sk-ant-api03-abcdefgh\"".into(),
                "\"Authorization\": \"Bearer …[masked 21 chars]\"",
            ),
            ("curl -H 'x-api-key: 0123456789abcdef'".into(), "curl -H 'x-api-key: …[masked 16 chars]'"),
            ("ANTHROPIC_API_KEY=sk-ant-api03-0123456789abcdef".into(), "ANTHROPIC_API_KEY=…[masked 29 chars]"),
            ("ANTHROPIC_AUTH_TOKEN=abcd1234efgh5678ijkl".into(), "ANTHROPIC_AUTH_TOKEN=…[masked 20 chars]"),
            ("password: hunter2hunter2xyz,".into(), "password: …[masked 17 chars],"),
            ("sk-ant-api03-Qw3r\u{200b}Ty9Zx".into(), "sk-ant-api03-…[masked 10 chars]"),
            ("bearer sk-ant-fake-abcd".into(), "bearer sk-ant-fake-…[masked 4 chars]"),
            ("bearer abc.def-123".into(), "bearer …[masked 11 chars]"),
            ("AKIAIOSFODNN7EXAMPLE".into(), "AKIA…[masked 16 chars]"),
            (
                "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".into(),
                "aws_secret_access_key = …[masked 40 chars]",
            ),
            (
                "\\\"aws_secret_access_key\\\": \\\"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\\\"".into(),
                "\\\"aws_secret_access_key\\\": \\\"…[masked 40 chars]\\\"",
            ),
            ("ghp_abcdefghijklmnopqrstuvwxyz0123456789".into(), "ghp_…[masked 36 chars]"),
            ("github_pat_11ABCDEFG0abcdefghijkl_xyz".into(), "github_pat_…[masked 26 chars]"),
            ("glpat-abcdefghij0123456789".into(), "glpat-…[masked 20 chars]"),
            ("xoxb-1234567890-abcdef".into(), "xoxb-…[masked 17 chars]"),
            ("AIzaSyA0123456789abcdefghijklmnopqrstuv".into(), "AIza…[masked 35 chars]"),
            ("npm_abcdefghijklmnopqrstuvwxyz0123456789".into(), "npm_…[masked 36 chars]"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl".into(), "eyJ…[masked 46 chars]"),
            ("postgres://bob:s3cret@db:5432/x".into(), "postgres://bob:…[masked 6 chars]@db:5432/x"),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- after".into(),
                "-----BEGIN RSA PRIVATE KEY-----…[masked 6 chars]-----END RSA PRIVATE KEY----- after",
            ),
            ("-----BEGIN PRIVATE KEY-----\nMIIE cut".into(), "-----BEGIN PRIVATE KEY-----…[masked 9 chars]"),
        ] {
            assert_eq!(masker.mask(&text), shown);
            assert_eq!(masker.mask(shown), shown, "masking twice");
            assert_eq!(Masker::revealing().mask(&text), text);
        }
    }

    #[test]
    fn ordinary_text_is_borrowed_or_left() {
        let masker = Masker::masking();
        for text in [
            "d46720da-f3d3-4005-8b19-cfc09b3256c9",
            "toolu_01A09q90qw90lq917835lq9 msg_01XFDUDYJgAACzvnptvVoYEL req_011CSHoEeqs5C35K2UUqR7Fy",
            "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "task-0123456789-0123456789-0123",
            "sk-some-long-kebab-branch-name-of-words",
            "the bearer of this letter; Bearer authentication is used",
            "authorization: required for administrators",
            "https://example.com:8080/a@b http://[::1]:80/ git@github.com:o/r",
            "npm_config_registry max_tokens: 4096 api_key: none",
            "eyJ is how they start; -----BEGIN CERTIFICATE-----",
        ] {
            assert_eq!(masker.mask(text), text);
        }
        assert!(matches!(masker.mask("no secrets here"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_secret_field_is_masked_whole() {
        let masker = Masker::masking();
        assert_eq!(masker.mask_field("Authorization", "hunter2"), "…[masked 7 chars]");
        assert_eq!(masker.mask_field("aws-secret_access_key", "x"), "…[masked 1 chars]");
        assert_eq!(masker.mask_field("name", "hunter2"), "hunter2");
        assert_eq!(Masker::revealing().mask_field("password", "hunter2"), "hunter2");
    }

    proptest! {
        #[test]
        fn masking_twice_changes_nothing(
            parts in prop::collection::vec(
                prop_oneof![
                    prop::sample::select(vec![
                        "sk-ant-", "api03-", "admin01-", "sk-", "proj-", "Authorization: ", "Bearer ", "api_key=", "://u:",
                        "@", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "AKIA", "ghp_", "eyJ", ".",
                        "aws_secret_access_key=", "…", "…[masked 12 chars]", "xoxb-", "\n", "\\n",
                    ]).prop_map(str::to_owned),
                    "[A-Za-z0-9_-]{1,24}",
                ],
                0..10,
            )
        ) {
            let masker = Masker::masking();
            let once = masker.mask(&parts.concat()).into_owned();
            prop_assert_eq!(masker.mask(&once), once.as_str());
        }
    }
}
