use super::span::Unplaced;
use crate::session::SessionModel;
use crate::transcript::Entry;
use crate::unit::{Timestamp, without_overlaps};

/// Milliseconds without an entry and without an open call after which a session counts as idle: longer than the longest
/// wait of the CLI between two of its own retries, shorter than what a person calls a break.
const IDLE_AFTER: i64 = 5 * 60 * 1000;

/// A time in which a session wrote entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Active {
    pub(super) start: Timestamp,
    pub(super) end: Timestamp,
    /// First entry, by time.
    pub(super) seq: i64,
    pub(super) entries: usize,
}

/// The times in which a session wrote entries of its own, in the order of the clock; and what has no time.
pub(super) fn activity(session: &SessionModel, is_own: impl Fn(&Entry) -> bool) -> (Vec<Active>, Option<Unplaced>) {
    let entries = || session.session.entries.iter().filter(|entry| is_own(entry));
    let mut moments: Vec<(Timestamp, i64)> = entries().filter_map(|e| Some((e.timestamp?, e.seq))).collect();
    // By the clock, since the axis is a clock; that rows stand in another order is a finding of its own.
    moments.sort_unstable();
    let calls = open_times(session);
    let mut active: Vec<Active> = Vec::new();
    for (time, seq) in moments {
        match active.last_mut() {
            Some(last) if time.since(last.end).millis() <= IDLE_AFTER || is_inside(&calls, last.end, time) => {
                last.end = time;
                last.entries += 1;
            }
            _ => active.push(Active { start: time, end: time, seq, entries: 1 }),
        }
    }
    // Side entries often have no time, which says nothing; an entry of the chain should have one.
    let mut undated = entries().filter(|entry| entry.timestamp.is_none() && entry.in_chain());
    let unplaced = undated.next().map(|first| Unplaced {
        kind: "entry".to_owned(),
        name: String::new(),
        store_key: Some(session.store_key().to_owned()),
        seq: Some(first.seq),
        count: 1 + undated.count(),
        why: "no time stamp that can be read",
    });
    (active, unplaced)
}

/// Times in which a call was open, merged and in order.
fn open_times(session: &SessionModel) -> Vec<(Timestamp, Timestamp)> {
    let time = |at| session.entry(at).and_then(|entry| entry.timestamp);
    let open = session.calls.iter().filter_map(|call| time(call.at).zip(time(call.answer.as_ref()?.at)));
    without_overlaps(open.filter(|(start, end)| start <= end).collect())
}

/// Whether one of the times spans from `start` to `end`.
fn is_inside(times: &[(Timestamp, Timestamp)], start: Timestamp, end: Timestamp) -> bool {
    let next = times.partition_point(|(from, _)| *from <= start);
    next.checked_sub(1).and_then(|at| times.get(at)).is_some_and(|(_, to)| *to >= end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_open_call_bridges_a_pause() {
        let at = |millis| Timestamp::from_millis(millis).unwrap();
        let times = [(at(0), at(30)), (at(50), at(60))];
        let inside =
            [(0, 30), (5, 30), (30, 50), (55, 60), (55, 61)].map(|(from, to)| is_inside(&times, at(from), at(to)));
        assert_eq!(inside, [true, true, false, true, false]);
    }
}
