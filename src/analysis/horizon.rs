//! Times that cannot be: a clock that ran years ahead.

use crate::session::Model;
use crate::unit::{Span, Timestamp};
use std::collections::BTreeMap;

const DAY: i64 = 24 * 60 * 60 * 1000;

/// Times that lie apart are sorted into drawers of this width.
const DRAWER: i64 = 30 * DAY;

/// What comes so long after everything else, and is less than that, was written by a wrong clock: nobody takes up a run
/// after years, and writes less than before.
const TOO_FAR: Span = Span::from_millis(3 * 365 * DAY);

/// The times of one drawer.
#[derive(Debug, Clone, Copy)]
struct Drawer {
    times: usize,
    first: Timestamp,
    last: Timestamp,
}

/// The moment after which no time can be believed; `None` where all can.
pub(in crate::analysis) fn horizon(model: &Model) -> Option<Timestamp> {
    let entries = model.sessions.iter().flat_map(|session| &session.session.entries);
    let last = last_believable(entries.filter_map(|entry| entry.timestamp))?;
    Timestamp::from_millis(last.millis().saturating_add(TOO_FAR.millis()))
}

/// Whether a time can be believed where nothing after `horizon` can.
pub(in crate::analysis) fn is_believed(time: Timestamp, horizon: Option<Timestamp>) -> bool {
    horizon.is_none_or(|horizon| time <= horizon)
}

/// The last time before the gap; `None` without one.
fn last_believable(times: impl Iterator<Item = Timestamp>) -> Option<Timestamp> {
    let mut drawers: BTreeMap<i64, Drawer> = BTreeMap::new();
    let mut all = 0;
    for time in times {
        all += 1;
        let new = Drawer { times: 0, first: time, last: time };
        let drawer = drawers.entry(time.millis().div_euclid(DRAWER)).or_insert(new);
        drawer.times += 1;
        drawer.first = drawer.first.min(time);
        drawer.last = drawer.last.max(time);
    }
    let mut before = 0;
    let mut last: Option<Timestamp> = None;
    for drawer in drawers.values() {
        let is_far = last.is_some_and(|last| drawer.first.since(last) > TOO_FAR);
        if is_far && all - before < before {
            return last;
        }
        before += drawer.times;
        last = Some(drawer.last);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_times_that_lie_years_after_all_others_are_not_believed() {
        let at = |year: i64| Timestamp::from_millis(year * 365 * DAY).unwrap();
        let of = |years: &[i64]| last_believable(years.iter().map(|year| at(*year)));
        assert_eq!(of(&[56, 56, 56, 130]), Some(at(56)));
        assert_eq!(of(&[56, 130, 56, 140, 56]), Some(at(56)), "in any order");
        assert_eq!(of(&[56, 57, 59, 60]), None, "a pause of two years");
        assert_eq!(of(&[10, 56, 56]), None, "what is early is no future");
        assert_eq!((of(&[]), of(&[56, 130])), (None, None));
    }
}
