use crate::session::{Call, SessionModel};
use crate::unit::Span;
use serde::Serialize;

/// How long calls took: from the time stamp of the entry with the call to that of the entry with its result.
///
/// That holds the wait for a permission, and of parallel calls the wait for each other. Percentiles are by nearest rank.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Durations {
    /// Calls with a duration.
    pub timed: usize,
    /// Answered calls of which a time stamp is missing.
    pub untimed: usize,
    /// Answered calls whose result is older than the call: the clock went back, so their duration is not known.
    pub backwards: usize,
    /// Half of the calls took no longer, in seconds; null without any.
    pub p50_s: Option<Span>,
    /// Nine of ten calls took no longer.
    pub p90_s: Option<Span>,
    /// The longest.
    pub max_s: Option<Span>,
    /// All together; parallel calls add up.
    pub total_s: Span,
}

/// Collects the durations of calls.
#[derive(Debug, Clone, Default)]
pub(super) struct Stopwatch {
    spans: Vec<Span>,
    untimed: usize,
    backwards: usize,
}

impl Stopwatch {
    /// Adds a call; one without a result has no duration.
    pub(super) fn add(&mut self, session: &SessionModel, call: &Call) {
        let Some(answer) = &call.answer else { return };
        let time = |at| session.entry(at).and_then(|entry| entry.timestamp);
        match (time(call.at), time(answer.at)) {
            (Some(start), Some(end)) if end < start => self.backwards += 1,
            (Some(start), Some(end)) => self.spans.push(end.since(start)),
            _ => self.untimed += 1,
        }
    }

    pub(super) fn read(mut self) -> Durations {
        self.spans.sort_unstable();
        let rank = |percent: usize| {
            let at = (self.spans.len() * percent).div_ceil(100).checked_sub(1)?;
            self.spans.get(at).copied()
        };
        let total = self.spans.iter().map(|span| span.millis()).fold(0, i64::saturating_add);
        Durations {
            timed: self.spans.len(),
            untimed: self.untimed,
            backwards: self.backwards,
            p50_s: rank(50),
            p90_s: rank(90),
            max_s: rank(100),
            total_s: Span::from_millis(total),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let read = |count: i64| {
            let spans = (1..=count).rev().map(Span::from_millis).collect();
            let read = Stopwatch { spans, ..Stopwatch::default() }.read();
            [read.p50_s, read.p90_s, read.max_s].map(|span| span.map(Span::millis))
        };
        assert_eq!(read(0), [None; 3]);
        assert_eq!(read(1), [Some(1); 3]);
        assert_eq!(read(10), [Some(5), Some(9), Some(10)]);
        assert_eq!(read(11), [Some(6), Some(10), Some(11)]);
    }
}
