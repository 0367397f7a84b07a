//! Kinds by what a text says. Only where no machine field tells; numbers count only where they stand as a status.

use super::FailureKind;
use regex::{Regex, RegexBuilder};
use std::sync::LazyLock;

/// Patterns by kind; the first kind that matches holds, so the more telling ones come first.
const PATTERNS: [(FailureKind, &str); 16] = [
    (
        FailureKind::ContextTooLong,
        r"prompt is too long|context[ _-]?length[ _-]?exceeded|maximum context length|exceeds? (?:the )?context (?:window|limit)|too many total text bytes|input length and `?max_tokens`? exceed",
    ),
    (
        FailureKind::Quota,
        r"(?:session|usage|weekly|daily|monthly|\d+-hour|opus|sonnet|spend) limit|hit your limit|insufficient_quota|quota exceeded|exceeded your (?:current )?quota",
    ),
    (FailureKind::Billing, r"credit balance|billing_error|payment required"),
    (FailureKind::Budget, r"maximum budget|budget_exhausted|error_max_budget"),
    (FailureKind::Turns, r"maximum number of turns|max_turns"),
    (
        FailureKind::Killed,
        r"killed-by-signal|exit(?: code)?:? (?:-\d+|129|130|137|143)\b|killed by signal|\bsig(?:kill|term|hup)\b",
    ),
    (FailureKind::Interrupted, r"request interrupted|\[ede_diagnostic\]|aborted_tools|interrupted by user"),
    (
        FailureKind::Auth,
        r"invalid.?(?:x-)?api.?key|failed to authenticate|authentication|unauthorized|oauth token|please run /login|permission_error",
    ),
    (FailureKind::ModelNotFound, r"issue with the selected model|model_not_found|model not found|not_found_error"),
    (FailureKind::OutputLimit, r"output token maximum|max_output_tokens|output token limit"),
    (FailureKind::Refusal, r"usage policy|unable to respond to this request|declined to"),
    (
        FailureKind::Network,
        r"ENOTFOUND|EAI_AGAIN|ECONN(?:RESET|REFUSED|ABORTED)|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETDOWN|ENETUNREACH|ConnectionRefused|unable to connect|can't reach the api|connection (?:error|lost|refused|dropped|closed|reset)|socket (?:hang up|connection)|fetch failed|network error|timed? ?out|网络在.*未恢复",
    ),
    (FailureKind::Overloaded, r"overloaded"),
    (FailureKind::RateLimit, r"rate.?limit|too many requests"),
    (
        FailureKind::Server,
        r"internal server error|service unavailable|temporarily unavailable|bad gateway|gateway time-?out|api_error",
    ),
    (
        FailureKind::Request,
        r"invalid_request|request_too_large|no conversation found|no message found with|\b400 (?:messages|tools|system|model|max_tokens|thinking|tool_choice|temperature|metadata)\b",
    ),
];

static KINDS: LazyLock<Vec<(FailureKind, Regex)>> = LazyLock::new(|| {
    let build = |(kind, pattern): &(FailureKind, &str)| Some((*kind, insensitive(pattern)?));
    PATTERNS.iter().filter_map(build).collect()
});

/// Where a number in a text is a status: behind `API Error`, `status` or `HTTP`, in brackets behind a word, or at the start.
static STATUS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    insensitive(
        r"(?:API Error:?(?: Repeated)? |\bstatus(?: code)?[ :=]+|\bHTTP(?:/[\d.]+)? |\brejected \(|^)([45]\d\d)(?:\b|\))",
    )
});

/// The type of an error in an answer of the API, wherever it is quoted.
static TYPE: LazyLock<Option<Regex>> =
    LazyLock::new(|| insensitive(r#"\\?"type\\?"\s*:\s*\\?"(\w+_error|request_too_large)\b"#));

fn insensitive(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern).case_insensitive(true).build().ok()
}

/// The kind that the words of `text` tell.
pub(super) fn by_words(text: &str) -> Option<FailureKind> {
    KINDS.iter().find(|(_, pattern)| pattern.is_match(text)).map(|(kind, _)| *kind)
}

/// The HTTP status that `text` names as one.
pub(super) fn status(text: &str) -> Option<u64> {
    STATUS.as_ref()?.captures(text)?.get(1)?.as_str().parse().ok()
}

/// The type of an error that `text` quotes.
pub(super) fn named_type(text: &str) -> Option<&str> {
    TYPE.as_ref()?.captures(text)?.get(1).map(|found| found.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_built() {
        assert_eq!(KINDS.len(), PATTERNS.len());
        assert!(STATUS.is_some() && TYPE.is_some());
    }

    #[test]
    fn a_quoted_answer_tells_its_type() {
        let answer = r#"500 {"type":"error","error":{"type": "rate_limit_error","message":"slow down"}}"#;
        assert_eq!(named_type(answer), Some("rate_limit_error"));
        assert_eq!(named_type(&answer.replace('"', "\\\"")), Some("rate_limit_error"));
        assert_eq!(named_type("rate_limit_error"), None);
    }

    #[test]
    fn a_number_is_a_status_only_where_it_stands_as_one() {
        let table = [
            ("API Error: 529 Overloaded", Some(529)),
            ("API Error: Repeated 529 Overloaded errors", Some(529)),
            ("API Error: Request rejected (429) · slow down", Some(429)),
            ("500 Internal server error", Some(500)),
            ("status code: 503", Some(503)),
            ("took 1429 ms", None),
            ("src/main.rs:429: unexpected end", None),
            ("req_429abc failed", None),
            ("exit code 400", None),
            ("wrote 500 lines", None),
            ("line 12:429:", None),
        ];
        for (text, expected) in table {
            assert_eq!(status(text), expected, "{text}");
        }
    }
}
