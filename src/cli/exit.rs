use crate::unit::{Finding, Level};
use std::process::ExitCode;

/// The one list of exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// Done.
    Done,
    /// Findings at or above `--fail-on`.
    Findings,
    /// Usage error, or evidence that cannot be opened.
    Failed,
    /// Interrupted by a signal.
    Interrupted,
}

impl Exit {
    /// Done, or findings at or above `fail_on`.
    pub(super) fn of(findings: &[Finding], fail_on: Option<Level>) -> Self {
        match fail_on {
            Some(level) if findings.iter().any(|finding| finding.level >= level) => Self::Findings,
            _ => Self::Done,
        }
    }

    /// The number.
    pub(super) const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Findings => 1,
            Self::Failed => 2,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
