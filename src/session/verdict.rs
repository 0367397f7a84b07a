use regex::{Regex, RegexBuilder};
use serde::Serialize;
use std::sync::LazyLock;

/// What flower makes of the text of a failure; it decides whether flower tries again (spec/errors.md, classify).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::Display, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Verdict {
    /// Trying again cannot help.
    Fatal,
    /// Trying again may help.
    Transient,
    /// No pattern matches. Flower tries again.
    Unknown,
}

/// Flower's verdict with the reason for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Classified {
    /// The verdict.
    pub verdict: Verdict,
    /// The pattern that decided; null for unknown.
    pub matched: Option<PatternMatch>,
}

/// Where a pattern matched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PatternMatch {
    /// The pattern as flower has it, case-insensitive.
    pub pattern: &'static str,
    /// Characters before the match.
    pub position: usize,
    /// The text that matched.
    pub text: String,
}

/// Patterns that end a step at once, in flower's order.
const FATAL: [&str; 11] = [
    r"\b(400|401|403|404)\b",
    r"invalid.?api.?key",
    "authentication",
    "unauthorized",
    "permission denied",
    "invalid_request",
    "credit balance",
    "quota exceeded",
    "budget",
    "max_turns",
    "CLINotFound",
];

/// Patterns that make flower try again, in flower's order.
const TRANSIENT: [&str; 21] = [
    "ENOTFOUND",
    "EAI_AGAIN",
    "ECONNRESET",
    "ECONNREFUSED",
    "ETIMEDOUT",
    "EPIPE",
    "EHOSTUNREACH",
    "ENETDOWN",
    "socket hang up",
    "fetch failed",
    "network error",
    "Connection error",
    "Can't reach the API server",
    r"\b(429|500|502|503|504|529)\b",
    "overloaded",
    r"rate.?limit",
    "too many requests",
    "timeout|timed out",
    "temporarily unavailable",
    "service unavailable",
    "internal server error",
];

static PATTERNS: LazyLock<(Patterns, Patterns)> = LazyLock::new(|| (Patterns::new(&FATAL), Patterns::new(&TRANSIENT)));

/// Classifies `text` by flower's rule: fatal patterns first, then transient ones, else unknown; so is the empty text.
pub fn classify(text: &str) -> Classified {
    let (fatal, transient) = &*PATTERNS;
    let found = |patterns: &Patterns, verdict| Some(Classified { verdict, matched: Some(patterns.find(text)?) });
    found(fatal, Verdict::Fatal)
        .or_else(|| found(transient, Verdict::Transient))
        .unwrap_or(Classified { verdict: Verdict::Unknown, matched: None })
}

struct Patterns(Vec<(&'static str, Regex)>);

impl Patterns {
    fn new(sources: &[&'static str]) -> Self {
        let build = |source: &&'static str| {
            let regex = RegexBuilder::new(source).case_insensitive(true).build().ok()?;
            Some((*source, regex))
        };
        Self(sources.iter().filter_map(build).collect())
    }

    /// The leftmost match; of several at one place the first of the list, as one regex of alternatives would have it.
    fn find(&self, text: &str) -> Option<PatternMatch> {
        let matches = self.0.iter().filter_map(|(pattern, regex)| Some((*pattern, regex.find(text)?)));
        let (pattern, found) = matches.min_by_key(|(_, found)| found.start())?;
        let position = text.get(..found.start()).map_or(0, |before| before.chars().count());
        Some(PatternMatch { pattern, position, text: found.as_str().to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_built() {
        assert_eq!((PATTERNS.0.0.len(), PATTERNS.1.0.len()), (FATAL.len(), TRANSIENT.len()));
    }

    #[test]
    fn fatal_comes_before_transient() {
        let verdict = |text| classify(text).verdict;
        assert_eq!(verdict("API Error: 529 overloaded, status 401"), Verdict::Fatal);
        assert_eq!(verdict("API Error: 529 Overloaded"), Verdict::Transient);
        assert_eq!(verdict("Request Timed Out"), Verdict::Transient);
        assert_eq!(verdict("Reached maximum number of turns (3)"), Verdict::Unknown);
        assert_eq!(verdict(""), Verdict::Unknown);
    }

    #[test]
    fn a_status_is_a_word() {
        assert_eq!(classify("took 1429 ms").verdict, Verdict::Unknown);
        assert_eq!(classify("req_429abc").verdict, Verdict::Unknown);
        assert_eq!(classify("line 12:429:").verdict, Verdict::Transient);
        assert_eq!(classify("错误429").verdict, Verdict::Unknown, "a Chinese character is a letter of a word");
    }

    #[test]
    fn the_match_is_told() {
        let matched = classify("错误: Rate-Limit, then 503").matched.unwrap();
        assert_eq!((matched.pattern, matched.position, matched.text.as_str()), ("rate.?limit", 4, "Rate-Limit"));
    }
}
