use super::Ix;
use crate::transcript::Label;
use crate::unit::{Diagnosis, Level};
use strum::IntoStaticStr;
use thiserror::Error;

/// What is wrong with the pairing of a call and its result.
#[derive(Debug, Clone, PartialEq, Eq, Error, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum CallFaultKind {
    /// The call never got a result.
    #[error(
        "the {name} call {id} has no result{}. In flight: {input}",
        match (*live, *healable) {
            (true, true) => ": the API refuses such a history (400), healing adds one",
            (true, false) =>
                ": the API refuses such a history (400); healing adds none, since it goes by the id and finds no call of this id without a result",
            (false, _) => "; it is not on the live chain",
        }
    )]
    OrphanCall {
        /// The call is on the live chain.
        live: bool,
        /// Healing gives it a result: it has an id, and nothing in the session answers a call of this id.
        healable: bool,
        /// Tool.
        name: Label,
        /// Call id.
        id: String,
        /// The telling part of the input.
        input: String,
    },
    /// A result whose call is not in its turn.
    #[error(
        "the result for {id} answers no call of its turn. The API refuses such a history (400); healing does not help"
    )]
    ResultWithoutCall {
        /// Call id.
        id: String,
    },
    /// A second result for the same call.
    #[error(
        "a second result for {id}, the first one is at {first}. The API refuses such a history (400); healing does not help"
    )]
    SecondResult {
        /// Call id.
        id: String,
        /// Sequence number of the first result.
        first: i64,
    },
    /// The first result was made up, a later one is real.
    #[error(
        "the result for {id} at {first} stands in for an interrupted call and hides this real one. The API refuses two results (400); healing does not help"
    )]
    HiddenResult {
        /// Call id.
        id: String,
        /// Sequence number of the first result.
        first: i64,
    },
    /// The result was written before its call.
    #[error(
        "the result for {id} {}",
        if *linked {
            format!("hangs above its call at {call}: the links are in the wrong order. The API refuses such a history (400); healing does not help")
        } else {
            format!("was written before its call at {call}. The API is given the order of the links, not of the rows, so it is not refused for that; healing is not needed")
        }
    )]
    ResultBeforeCall {
        /// Call id.
        id: String,
        /// Sequence number of the call.
        call: i64,
        /// The links have this order too.
        linked: bool,
    },
    /// Call and result stand on different lines.
    #[error(
        "the result for {id} is on another branch than its call at {call}. On the live path the API misses it (400); healing does not help, since there is one"
    )]
    ResultOnOtherBranch {
        /// Call id.
        id: String,
        /// Sequence number of the call.
        call: i64,
    },
    /// Something else comes between a turn and its result.
    #[error(
        "the result for {id} is not in the next user message after its call at {call}. The API refuses such a history (400); healing does not help, since there is one"
    )]
    ResultNotNext {
        /// Call id.
        id: String,
        /// Sequence number of the call.
        call: i64,
    },
    /// The tool's name is too long for the API.
    #[error("a tool name of {characters} characters, the API allows 200 (400); healing does not help")]
    ToolNameTooLong {
        /// Length.
        characters: usize,
    },
}

impl Diagnosis for CallFaultKind {
    fn code(&self) -> &'static str {
        self.into()
    }

    fn level(&self) -> Level {
        match self {
            Self::OrphanCall { healable: false, live: true, .. } | Self::ResultBeforeCall { linked: true, .. } => {
                Level::Error
            }
            Self::OrphanCall { .. } | Self::ResultBeforeCall { .. } | Self::ResultOnOtherBranch { .. } => {
                Level::Warning
            }
            Self::ResultWithoutCall { .. }
            | Self::SecondResult { .. }
            | Self::HiddenResult { .. }
            | Self::ResultNotNext { .. }
            | Self::ToolNameTooLong { .. } => Level::Error,
        }
    }

    fn sentence(&self) -> String {
        self.to_string()
    }
}

/// A fault, at the entry that shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFault {
    /// The entry.
    pub at: Ix,
    /// What is wrong.
    pub kind: CallFaultKind,
}
