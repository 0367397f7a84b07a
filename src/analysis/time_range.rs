use crate::unit::Timestamp;
use serde::Serialize;

/// The time that a report is about; an open end is `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct TimeRange {
    /// First moment.
    pub since: Option<Timestamp>,
    /// First moment after it.
    pub until: Option<Timestamp>,
}

impl TimeRange {
    /// Everything, also what has no time.
    pub fn is_all(self) -> bool {
        self.since.is_none() && self.until.is_none()
    }

    /// Whether something at `at` is in it. What has no time is in no range but that of everything.
    pub fn holds(self, at: Option<Timestamp>) -> bool {
        let Some(at) = at else { return self.is_all() };
        self.since.is_none_or(|since| since <= at) && self.until.is_none_or(|until| at < until)
    }
}
