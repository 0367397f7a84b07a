//! Turns that end early without an error: cut streams, limits, refusals, calls of a process that was killed.

use super::{Basis, Evidence, Failure, FailureKind, Judged, Source, judge};
use crate::session::{Call, Ix, SessionModel, TurnId};
use crate::transcript::Entry;
use std::collections::BTreeMap;

/// How a result begins that a later process writes for a call whose process died.
const STAND_IN: &str = "[Tool call interrupted: the session ended";

/// Ends that are as they should be.
const GOOD_ENDS: [&str; 4] = ["end_turn", "tool_use", "stop_sequence", "pause_turn"];

/// Answers that ended early, by their last entry.
pub(super) fn early_ends(at: usize, session: &SessionModel) -> Vec<Failure> {
    let answers = |members: &[Ix]| {
        // A call that was run had come through to its end.
        let ran = members.iter().filter_map(|ix| session.entry(*ix)).any(|entry| entry.results().next().is_some());
        let entries = members.iter().filter_map(|ix| Some((*ix, session.entry(*ix)?)));
        entries.filter(|(_, entry)| entry.is_answer()).max_by_key(|(ix, _)| *ix).map(|(ix, entry)| (ix, entry, ran))
    };
    let turns = session.chain.turns.all().filter_map(|(_, members)| answers(members));
    let ends: Vec<(Ix, &Entry, bool)> = turns.collect();
    // Older versions write no stop reason at all: there its absence tells nothing.
    let told = ends.iter().any(|(_, entry, _)| stop_reason(entry).is_some());
    let early = |(ix, entry, ran): (Ix, &Entry, bool)| match stop_reason(entry) {
        Some(reason) if GOOD_ENDS.contains(&reason) => None,
        Some(reason) => {
            let judged = judge(&Evidence { stop_reason: Some(reason), ..Evidence::default() });
            // Reasons that are not known here are no failures.
            (judged.kind != FailureKind::Unknown).then(|| failure(at, ix, entry, Source::StopReason, judged, reason))
        }
        None => (told && !ran).then(|| {
            let judged = likely(FailureKind::Network);
            failure(at, ix, entry, Source::CutStream, judged, "the answer ends without a stop reason")
        }),
    };
    ends.into_iter().filter_map(early).collect()
}

fn stop_reason(entry: &Entry) -> Option<&str> {
    entry.message.as_ref()?.stop_reason.as_deref()
}

/// Calls without a real result, one failure a turn: killed processes leave no text.
pub(super) fn open_calls(at: usize, session: &SessionModel) -> Vec<Failure> {
    let mut open: BTreeMap<(Option<TurnId>, Option<Ix>), Vec<&Call>> = BTreeMap::new();
    for call in session.calls.iter().filter(|call| is_open(call)) {
        let alone = call.turn.is_none().then_some(call.at);
        open.entry((call.turn, alone)).or_default().push(call);
    }
    let of_turn = |calls: Vec<&Call>| {
        let first = calls.first()?;
        let entry = session.entry(first.at)?;
        let in_flight = calls.iter().map(|call| format!("{} {}", call.name, call.input).trim_end().to_owned());
        let text = format!("no result of {}", in_flight.collect::<Vec<_>>().join("; "));
        let failure = failure(at, first.at, entry, Source::OpenCalls, likely(FailureKind::Killed), &text);
        Some(Failure { open_calls: calls.len(), ..failure })
    };
    open.into_values().filter_map(of_turn).collect()
}

fn is_open(call: &Call) -> bool {
    call.answer.as_ref().is_none_or(|answer| answer.excerpt.starts_with(STAND_IN))
}

fn likely(kind: FailureKind) -> Judged {
    Judged { kind, basis: Basis::Absence, reset: None, status: None, is_bare_400: false, contradicts_status: None }
}

fn failure(session: usize, at: Ix, entry: &Entry, source: Source, judged: Judged, text: &str) -> Failure {
    Failure { source, session, at, timestamp: entry.timestamp, judged, text: text.into(), open_calls: 0, repeats: None }
}
