use super::ErrorRow;
use crate::analysis::{FailureClass, FailureKind, Judged, Source};
use crate::run_dir::names::MANIFEST;
use crate::session::{Classified, PatternMatch, Verdict};
use crate::unit::{Diagnosis, Finding, Level, Place};
use strum::IntoStaticStr;
use thiserror::Error;

/// Where flower's verdict and what is recorded disagree, and what passes for something else (spec/errors.md, The analyzer's
/// verdict).
#[derive(Debug, Clone, PartialEq, Eq, Error, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum ErrorFinding {
    /// Fatal, but flower tries again.
    #[error("{kind}: trying again cannot help, but flower reads the text as {verdict} and makes up to six attempts")]
    FatalRetried {
        /// The kind.
        kind: FailureKind,
        /// Flower's verdict.
        verdict: Verdict,
    },
    /// Transient, but flower gives up.
    #[error("{kind}: trying again may help, but flower gives up: `{}` matches {:?} at character {}", found.pattern, found.text, found.position)]
    TransientGivenUp {
        /// The kind.
        kind: FailureKind,
        /// What decided.
        found: PatternMatch,
    },
    /// Transient, and no pattern of flower's knows it.
    #[error(
        "{kind}: no pattern of flower's knows this text; it tries again only because it does so with everything unknown"
    )]
    TransientNotKnown {
        /// The kind.
        kind: FailureKind,
    },
    /// A number in other text decides.
    #[error("flower takes {:?} at character {} for a status and reads {verdict}; it is a number in other text, recorded is {kind}", found.text, found.position)]
    DigitsReadAsStatus {
        /// The kind.
        kind: FailureKind,
        /// Flower's verdict.
        verdict: Verdict,
        /// What decided.
        found: PatternMatch,
    },
    /// Flower decides what nothing recorded tells.
    #[error("flower reads {verdict}: `{}` matches {:?} at character {}; whether trying again helps is not known of {kind}", found.pattern, found.text, found.position)]
    UnknownDecided {
        /// The kind.
        kind: FailureKind,
        /// Flower's verdict.
        verdict: Verdict,
        /// What decided.
        found: PatternMatch,
    },
    /// Type and status contradict each other.
    #[error("the type {error_type} comes with status {expected}, found {status}; the type is taken: {kind}")]
    TypeAgainstStatus {
        /// The type.
        error_type: String,
        /// The usual status.
        expected: u64,
        /// As recorded.
        status: u64,
        /// What is made of it.
        kind: FailureKind,
    },
    /// A conversation that is too long, sent as an error of the server.
    #[error(
        "the conversation is too long for the model, but the API answered with status {status}: a retry sends the same again"
    )]
    TooLongAsServerError {
        /// As recorded.
        status: u64,
    },
    /// A quota: retries before its reset are waste.
    #[error("a quota is used up{}: a retry before its reset is waste", reset.as_ref().map(|reset| format!(" ({reset})")).unwrap_or_default())]
    QuotaUsedUp {
        /// As the text tells it.
        reset: Option<String>,
    },
    /// A 400 that tells nothing.
    #[strum(serialize = "bare-400")]
    #[error("status 400 without a type or a telling text: look at the request that led to it")]
    Bare400,
    /// An announced retry without a reason.
    #[error("the CLI announces a retry without a reason: the kind is not known")]
    RetryWithoutReason,
    /// A cut stream that passes as success.
    #[error(
        "this answer has no stop reason, which others of the session have: the stream was likely cut, and passes as success; or the entry was written before its end was known"
    )]
    CutStream,
    /// A dead subagent that passes as completed.
    #[error("the subagent died of an API error, but its result is marked as a success: {text}")]
    DeadAgentAsCompleted {
        /// Its result.
        text: String,
    },
}

impl Diagnosis for ErrorFinding {
    fn code(&self) -> &'static str {
        self.into()
    }

    fn level(&self) -> Level {
        match self {
            Self::TransientNotKnown { .. } | Self::RetryWithoutReason => Level::Info,
            Self::FatalRetried { .. }
            | Self::TransientGivenUp { .. }
            | Self::DigitsReadAsStatus { .. }
            | Self::UnknownDecided { .. }
            | Self::TypeAgainstStatus { .. }
            | Self::TooLongAsServerError { .. }
            | Self::QuotaUsedUp { .. }
            | Self::Bare400
            | Self::CutStream
            | Self::DeadAgentAsCompleted { .. } => Level::Warning,
        }
    }

    fn sentence(&self) -> String {
        self.to_string()
    }
}

/// What is to be said of one failure. Of one that is told again, only what its own text adds; of one after which the step
/// `was_given_up`, not that it is tried again.
pub(super) fn of_row(row: &ErrorRow, judged: &Judged, was_given_up: bool) -> Vec<Finding> {
    let place = Place {
        file: row.line.map(|_| MANIFEST.to_owned()),
        line: row.line,
        store_key: row.store_key.clone(),
        seq: row.seq,
    };
    let told_before = row.repeats.is_some();
    let passing = match row.source {
        Source::AgentResult if row.text.starts_with("API Error:") => {
            Some(ErrorFinding::DeadAgentAsCompleted { text: row.text.clone() })
        }
        Source::CutStream if !told_before => Some(ErrorFinding::CutStream),
        Source::CliRetry if row.kind == FailureKind::Unknown && !told_before => Some(ErrorFinding::RetryWithoutReason),
        Source::AgentResult
        | Source::CliRetry
        | Source::Final
        | Source::PlainLimit
        | Source::StopReason
        | Source::Interruption
        | Source::OpenCalls
        | Source::CutStream
        | Source::Manifest => None,
    };
    let verdict = ErrorFinding::between(row.kind, judged.status, &row.flower.classified).filter(|_| row.flower.decides);
    let verdict = verdict.filter(|found| !(was_given_up && matches!(found, ErrorFinding::FatalRetried { .. })));
    let fields = match (told_before, row.source == Source::CliRetry) {
        (true, _) => Vec::new(),
        // The CLI goes on by itself: no more is worth a word.
        (false, true) => type_against_status(judged).into_iter().collect(),
        (false, false) => of_fields(row, judged),
    };
    passing.into_iter().chain(verdict).chain(fields).map(|found| found.at(place.clone())).collect()
}

fn type_against_status(judged: &Judged) -> Option<ErrorFinding> {
    let (contradiction, status) = judged.contradiction.as_ref().zip(judged.status)?;
    let (error_type, expected) = (contradiction.named.clone(), contradiction.expected);
    Some(ErrorFinding::TypeAgainstStatus { error_type, expected, status, kind: judged.kind })
}

/// What the fields say that somebody should know.
fn of_fields(row: &ErrorRow, judged: &Judged) -> Vec<ErrorFinding> {
    let mut findings = Vec::new();
    findings.extend(type_against_status(judged));
    if row.kind == FailureKind::ContextTooLong {
        let server = row.status.filter(|status| *status >= 500);
        findings.extend(server.map(|status| ErrorFinding::TooLongAsServerError { status }));
    }
    if row.kind == FailureKind::Quota {
        findings.push(ErrorFinding::QuotaUsedUp { reset: row.reset.as_ref().map(|reset| reset.text.clone()) });
    }
    if judged.is_bare_400 {
        findings.push(ErrorFinding::Bare400);
    }
    findings
}

impl ErrorFinding {
    /// Where flower's verdict is another than the class of `kind`; a number counts as a status if it is the recorded one.
    pub(super) fn between(kind: FailureKind, status: Option<u64>, flower: &Classified) -> Option<Self> {
        let verdict = flower.verdict;
        if verdict == kind.class().verdict() {
            return None;
        }
        match (flower.matched.clone(), kind.class()) {
            (Some(found), _) if is_number(&found) && status.is_none_or(|status| status.to_string() != found.text) => {
                Some(Self::DigitsReadAsStatus { kind, verdict, found })
            }
            (_, FailureClass::Fatal) => Some(Self::FatalRetried { kind, verdict }),
            (Some(found), FailureClass::Transient) => Some(Self::TransientGivenUp { kind, found }),
            (Some(found), FailureClass::Unknown) => Some(Self::UnknownDecided { kind, verdict, found }),
            (None, FailureClass::Transient) => Some(Self::TransientNotKnown { kind }),
            (None, FailureClass::Unknown) => None,
        }
    }
}

fn is_number(found: &PatternMatch) -> bool {
    found.text.chars().all(|c| c.is_ascii_digit())
}
