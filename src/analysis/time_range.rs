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

/// What a range leaves out of a report; nothing where there is no range.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Before or after the range.
    pub outside: usize,
    /// Of no known time.
    pub without_time: usize,
}

impl TimeRange {
    /// Everything, also what has no time.
    pub fn is_all(self) -> bool {
        self.since.is_none() && self.until.is_none()
    }

    /// Whether something at `at` is in it. What has no time is in no range but that of everything.
    pub fn holds(self, at: Option<Timestamp>) -> bool {
        self.meets(at, None)
    }

    /// Whether a part of something that lasts is in it; one end may be unknown.
    pub fn meets(self, start: Option<Timestamp>, end: Option<Timestamp>) -> bool {
        let Some((start, end)) = start.or(end).zip(end.or(start)) else { return self.is_all() };
        self.since.is_none_or(|since| since <= end) && self.until.is_none_or(|until| start < until)
    }
}

impl LeftOut {
    /// Whether something at `at` is in the range; counts it if not.
    pub fn takes(&mut self, range: TimeRange, at: Option<Timestamp>) -> bool {
        self.takes_span(range, at, None)
    }

    /// Whether a part of something that lasts is in the range; counts it if not.
    pub fn takes_span(&mut self, range: TimeRange, start: Option<Timestamp>, end: Option<Timestamp>) -> bool {
        let taken = range.meets(start, end);
        if !taken {
            let count = if start.or(end).is_some() { &mut self.outside } else { &mut self.without_time };
            *count += 1;
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lasts_is_in_a_range_that_meets_it() {
        let at = |millis: i64| Timestamp::from_millis(millis);
        let range = TimeRange { since: at(100), until: at(200) };
        let mut left = LeftOut::default();
        let spans = [(0, 99), (0, 100), (150, 160), (199, 500), (200, 500)];
        let taken = spans.map(|(start, end)| left.takes_span(range, at(start), at(end)));
        assert_eq!(taken, [false, true, true, true, false]);
        assert!(left.takes_span(range, None, at(100)) && left.takes_span(range, at(100), None));
        assert!(!left.takes(range, None) && left.takes(TimeRange::default(), None));
        assert_eq!(left, LeftOut { outside: 2, without_time: 1 });
    }
}
