use super::by_text::{by_words, named_type, status};
use super::{Basis, FailureKind, Reset};
use crate::transcript::FailureFields;
use std::ops::RangeInclusive;

/// What is known of a failure, whoever recorded it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Evidence<'a> {
    /// HTTP status.
    pub status: Option<u64>,
    /// The API's type of the error, such as `overloaded_error`.
    pub error_type: Option<&'a str>,
    /// The CLI's word for it, such as `rate_limit`.
    pub error: Option<&'a str>,
    /// There was no answer: the code of the connection.
    pub connection: Option<&'a str>,
    /// The API's `stop_reason` of an answer that ended early.
    pub stop_reason: Option<&'a str>,
    /// What was said to a person.
    pub text: &'a str,
    /// The answer of the API behind a short text.
    pub details: &'a str,
}

/// The kind of a failure and how it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The kind.
    pub kind: FailureKind,
    /// How it is known.
    pub basis: Basis,
    /// When a quota opens again, where the text tells.
    pub reset: Option<Reset>,
    /// The HTTP status, recorded or named as one in the text.
    pub status: Option<u64>,
    /// A 400 without anything that tells more.
    pub is_bare_400: bool,
    /// A specific type, and the status it would have, where the status is another.
    pub contradiction: Option<Contradiction>,
}

/// A type or a word of the CLI that comes with another status than the recorded one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// The type, or the word.
    pub named: String,
    /// The status that it usually comes with.
    pub expected: u64,
}

impl<'a> From<&'a FailureFields> for Evidence<'a> {
    fn from(fields: &'a FailureFields) -> Self {
        Self {
            status: fields.status,
            error_type: fields.error_type.as_deref(),
            error: fields.error.as_deref(),
            connection: fields.connection.as_deref(),
            stop_reason: None,
            text: &fields.text,
            details: fields.details.as_deref().unwrap_or_default(),
        }
    }
}

impl<'a> Evidence<'a> {
    /// Nothing but a text.
    pub fn text(text: &'a str) -> Self {
        Self { text, ..Self::default() }
    }

    /// What its words tell.
    fn words(&self) -> Option<FailureKind> {
        by_words(self.text).or_else(|| by_words(self.details))
    }
}

/// The kind of a failure: machine fields first, text last; a specific type beats the status (spec/errors.md, The analyzer's
/// verdict).
pub fn judge(evidence: &Evidence<'_>) -> Judged {
    let (kind, basis) = by_fields(evidence)
        .map(|kind| (narrowed(kind, evidence), Basis::Fields))
        .or_else(|| by_text(evidence).map(|kind| (kind, Basis::Text)))
        .unwrap_or((FailureKind::Unknown, Basis::Nothing));
    let status = evidence.status.or_else(|| status(evidence.text));
    Judged {
        kind,
        basis,
        reset: (kind == FailureKind::Quota).then(|| Reset::parse(evidence.text)).flatten(),
        status,
        is_bare_400: kind == FailureKind::Unknown && status == Some(400),
        contradiction: status.and_then(|status| contradiction(evidence, status)),
    }
}

/// Whoever names the type: a field, the word of the CLI, or the answer of the API that a text quotes.
fn contradiction(evidence: &Evidence<'_>, status: u64) -> Option<Contradiction> {
    let quoted = || named_type(evidence.text).or_else(|| named_type(evidence.details));
    let named = [evidence.error_type.or_else(quoted), evidence.error];
    let differs = |named: &str| {
        let (possible, expected) = own_status(named)?;
        (!possible.contains(&status)).then(|| Contradiction { named: named.to_owned(), expected })
    };
    named.into_iter().flatten().find_map(differs)
}

fn by_fields(evidence: &Evidence<'_>) -> Option<FailureKind> {
    let stopped = match evidence.stop_reason {
        Some("refusal") => Some(FailureKind::Refusal),
        Some("max_tokens") => Some(FailureKind::OutputLimit),
        Some("model_context_window_exceeded") => Some(FailureKind::ContextTooLong),
        _ => None,
    };
    stopped
        .or_else(|| evidence.connection.map(|_| FailureKind::Network))
        .or_else(|| by_type(evidence.error_type?))
        .or_else(|| by_word(evidence.error?))
        .or_else(|| by_status(evidence.status?, evidence))
        .or_else(|| general(evidence))
}

/// Kinds of the API's types that are specific; `api_error` and `invalid_request_error` are said of many things.
fn by_type(error_type: &str) -> Option<FailureKind> {
    Some(match error_type {
        "overloaded_error" => FailureKind::Overloaded,
        "rate_limit_error" => FailureKind::RateLimit,
        "authentication_error" | "permission_error" => FailureKind::Auth,
        "billing_error" => FailureKind::Billing,
        "not_found_error" => FailureKind::ModelNotFound,
        "timeout_error" => FailureKind::Server,
        "request_too_large" => FailureKind::Request,
        _ => return None,
    })
}

/// Kinds of the CLI's words that are specific; `server_error` is said of networks too, `unknown` of a bare 400.
fn by_word(error: &str) -> Option<FailureKind> {
    Some(match error {
        "authentication_failed" | "oauth_org_not_allowed" => FailureKind::Auth,
        "billing_error" => FailureKind::Billing,
        "model_not_found" => FailureKind::ModelNotFound,
        "rate_limit" => FailureKind::RateLimit,
        "overloaded" => FailureKind::Overloaded,
        "max_output_tokens" => FailureKind::OutputLimit,
        _ => return None,
    })
}

/// Without a word of a model, 404 tells only that the address is wrong.
fn by_status(status: u64, evidence: &Evidence<'_>) -> Option<FailureKind> {
    Some(match status {
        401 | 403 => FailureKind::Auth,
        402 => FailureKind::Billing,
        404 if evidence.words() == Some(FailureKind::ModelNotFound) => FailureKind::ModelNotFound,
        408 | 409 | 500..=528 | 530..=599 => FailureKind::Server,
        404 | 413 | 422 => FailureKind::Request,
        429 => FailureKind::RateLimit,
        529 => FailureKind::Overloaded,
        _ => return None,
    })
}

/// What is left when no specific field tells: the type or word for a request that is refused, or for the server.
fn general(evidence: &Evidence<'_>) -> Option<FailureKind> {
    match (evidence.error_type, evidence.error) {
        (Some("invalid_request_error"), _) | (_, Some("invalid_request")) => Some(FailureKind::Request),
        (Some("api_error"), _) => Some(FailureKind::Server),
        // Without a status it may be anything between here and there: the text tells more.
        (_, Some("server_error")) if by_text(evidence).is_none() => Some(FailureKind::Server),
        _ => None,
    }
}

/// Fields that say the same of several things are told apart by the text: a limit in time from a quota, a request that is
/// too long from any other.
fn narrowed(kind: FailureKind, evidence: &Evidence<'_>) -> FailureKind {
    match (kind, evidence.words()) {
        (FailureKind::RateLimit, Some(FailureKind::Quota)) => FailureKind::Quota,
        (FailureKind::Request | FailureKind::Server, Some(FailureKind::ContextTooLong)) => FailureKind::ContextTooLong,
        (FailureKind::Request, Some(telling @ (FailureKind::Billing | FailureKind::Quota))) => telling,
        _ => kind,
    }
}

fn by_text(evidence: &Evidence<'_>) -> Option<FailureKind> {
    evidence.words().or_else(|| by_status(status(evidence.text)?, evidence))
}

/// The statuses that a type, or a specific word of the CLI, comes with, and the usual one.
fn own_status(error_type: &str) -> Option<(RangeInclusive<u64>, u64)> {
    Some(match error_type {
        "overloaded_error" | "overloaded" => (503..=529, 529),
        "rate_limit_error" | "rate_limit" => (429..=429, 429),
        "authentication_error" | "authentication_failed" => (401..=403, 401),
        "permission_error" => (401..=403, 403),
        "billing_error" => (400..=403, 402),
        "not_found_error" | "model_not_found" => (404..=404, 404),
        "request_too_large" => (413..=413, 413),
        "invalid_request_error" => (400..=499, 400),
        "api_error" => (500..=599, 500),
        "timeout_error" => (408..=504, 504),
        _ => return None,
    })
}
