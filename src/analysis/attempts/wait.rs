use super::{Attempt, Ending};
use crate::session::Backoff;
use crate::unit::Span;
use serde::Serialize;

/// The time between two attempts, held against flower's waits (spec/errors.md, Retries).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Wait {
    /// From the last sign of life of the one to the first of the next: the backoff, the probe, the end of one process and
    /// the start of the other.
    pub observed_s: Span,
    /// Shortest wait by the formula; null where flower does not wait.
    pub shortest_s: Option<Span>,
    /// Longest wait by the formula, without the probe.
    pub longest_s: Option<Span>,
    /// What the CLI took to start for the first attempt of the step, ten seconds at most: how much of the wait may be that.
    /// Null if not known.
    pub start_up_s: Option<Span>,
    /// What is to be made of it.
    pub verdict: WaitVerdict,
}

/// What is to be made of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::Display, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum WaitVerdict {
    /// As the formula says, with the start of the CLI on top.
    InWindow,
    /// Longer: flower waited for the network, or the machine was busy.
    Longer,
    /// Shorter than the formula: other settings, or another program.
    Shorter,
    /// The next attempt began before this one ended.
    Impossible,
    /// After an interruption flower goes on at once.
    NoBackoff,
}

impl Wait {
    /// The wait between an attempt and the next one of the same step.
    pub(super) fn between(attempt: &Attempt, next: &Attempt, start_up: Option<Span>) -> Option<Self> {
        let observed = next.start?.since(attempt.end?);
        let window = (attempt.ending != Ending::Interrupted).then(|| Backoff::FLOWER.window(attempt.n));
        Some(Self {
            observed_s: observed,
            shortest_s: window.map(|(shortest, _)| shortest),
            longest_s: window.map(|(_, longest)| longest),
            start_up_s: start_up,
            verdict: verdict(observed, window, start_up.unwrap_or_default()),
        })
    }
}

impl Wait {
    /// Longer than flower ever waits by itself: the longest wait, an hour offline and one more probe.
    pub fn is_beyond_limit(&self) -> bool {
        let parts =
            [self.longest_s.unwrap_or_default(), self.start_up_s.unwrap_or_default(), Backoff::OFFLINE, Backoff::PROBE];
        let limit = parts.into_iter().fold(0_i64, |sum, part| sum.saturating_add(part.millis()));
        self.verdict == WaitVerdict::Longer && self.observed_s.millis() > limit
    }
}

fn verdict(observed: Span, window: Option<(Span, Span)>, start_up: Span) -> WaitVerdict {
    match window {
        _ if observed < Span::default() => WaitVerdict::Impossible,
        None => WaitVerdict::NoBackoff,
        Some((shortest, _)) if observed < shortest => WaitVerdict::Shorter,
        Some((_, longest)) if observed.millis() > longest.millis().saturating_add(start_up.millis()) => {
            WaitVerdict::Longer
        }
        Some(_) => WaitVerdict::InWindow,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_held_against_the_window_and_the_start_of_the_cli() {
        let judged = |observed: i64, start_up: i64| {
            let window = Some(Backoff::FLOWER.window(1));
            verdict(Span::from_millis(observed), window, Span::from_millis(start_up))
        };
        assert_eq!([judged(2_999, 0), judged(3_000, 0)], [WaitVerdict::Shorter, WaitVerdict::InWindow]);
        assert_eq!([judged(5_000, 0), judged(5_001, 0)], [WaitVerdict::InWindow, WaitVerdict::Longer]);
        assert_eq!([judged(7_000, 2_000), judged(7_001, 2_000)], [WaitVerdict::InWindow, WaitVerdict::Longer]);
        assert_eq!(judged(-1, 0), WaitVerdict::Impossible);
        let beyond = |observed: i64| {
            let span = |millis| Some(Span::from_millis(millis));
            let observed_s = Span::from_millis(observed);
            let (shortest_s, longest_s, start_up_s) = (span(3_000), span(5_000), span(1_000));
            Wait { observed_s, shortest_s, longest_s, start_up_s, verdict: WaitVerdict::Longer }.is_beyond_limit()
        };
        assert_eq!([beyond(3_621_000), beyond(3_621_001)], [false, true]);
        assert_eq!(verdict(Span::from_millis(1), None, Span::default()), WaitVerdict::NoBackoff);
    }
}
