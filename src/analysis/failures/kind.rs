use crate::session::Verdict;
use serde::Serialize;

/// What failed (spec/errors.md, The analyzer's verdict).
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    strum::Display,
    strum::EnumIter,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum FailureKind {
    /// No answer: no connection, or one that broke.
    Network,
    /// The API has no capacity (529).
    Overloaded,
    /// Too much in too short a time (429).
    RateLimit,
    /// A session, weekly or plan limit that opens again at a known time.
    Quota,
    /// The API itself failed (5xx).
    Server,
    /// The credentials are wrong or not allowed.
    Auth,
    /// There is no money.
    Billing,
    /// The model does not exist, or not for this account.
    ModelNotFound,
    /// The API refuses the request as it is.
    Request,
    /// The conversation does not fit into the model's context.
    ContextTooLong,
    /// The answer was longer than the limit of output.
    OutputLimit,
    /// The model declined.
    Refusal,
    /// A person or the harness stopped it.
    Interrupted,
    /// The process was ended from outside.
    Killed,
    /// The step's own budget is used up.
    Budget,
    /// The step's own number of turns is used up.
    Turns,
    /// Nothing tells.
    Unknown,
}

/// Whether trying again can help.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::Display, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum FailureClass {
    /// Trying again may help.
    Transient,
    /// Trying again cannot help, of a quota not before its reset.
    Fatal,
    /// It depends on what nobody recorded.
    Unknown,
}

/// How a kind is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::Display, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Basis {
    /// From machine fields: recorded.
    Fields,
    /// Read from the text: likely.
    Text,
    /// From what is missing, such as the results of a killed process: likely.
    Absence,
    /// Nothing tells.
    Nothing,
}

impl FailureKind {
    /// Its class.
    pub fn class(self) -> FailureClass {
        match self {
            Self::Network | Self::Overloaded | Self::RateLimit | Self::Server => FailureClass::Transient,
            Self::Quota
            | Self::Auth
            | Self::Billing
            | Self::ModelNotFound
            | Self::Request
            | Self::ContextTooLong
            | Self::OutputLimit
            | Self::Refusal
            | Self::Budget
            | Self::Turns => FailureClass::Fatal,
            Self::Interrupted | Self::Killed | Self::Unknown => FailureClass::Unknown,
        }
    }

    /// The service or the way to it failed, not one request, one account or one process: whoever asks at the same time is hit
    /// too. A used-up quota, an empty account and a wrong key are answers of a service that works.
    pub fn is_of_the_service(self) -> bool {
        match self {
            Self::Network | Self::Overloaded | Self::RateLimit | Self::Server => true,
            Self::Quota
            | Self::Auth
            | Self::Billing
            | Self::ModelNotFound
            | Self::Request
            | Self::ContextTooLong
            | Self::OutputLimit
            | Self::Refusal
            | Self::Interrupted
            | Self::Killed
            | Self::Budget
            | Self::Turns
            | Self::Unknown => false,
        }
    }
}

impl FailureClass {
    /// The verdict of flower that says the same.
    pub fn verdict(self) -> Verdict {
        match self {
            Self::Transient => Verdict::Transient,
            Self::Fatal => Verdict::Fatal,
            Self::Unknown => Verdict::Unknown,
        }
    }
}

impl Basis {
    /// Not recorded: a guess, to be shown as likely.
    pub fn is_guess(self) -> bool {
        match self {
            Self::Text | Self::Absence => true,
            Self::Fields | Self::Nothing => false,
        }
    }
}
