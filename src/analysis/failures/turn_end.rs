//! Turns that end early without an error: cut streams, limits, refusals, calls of a process that was killed.

use super::plain_limit::plain_limit;
use super::{Basis, Evidence, Failure, FailureKind, Judged, Source, judge};
use crate::session::{Call, Ix, SessionModel, TurnId};
use crate::transcript::Entry;
use std::collections::BTreeMap;

/// How a result begins that a later process writes for a call whose process died.
const STAND_IN: &str = "[Tool call interrupted: the session ended";

/// Ends that are as they should be.
const GOOD_ENDS: [&str; 4] = ["end_turn", "tool_use", "stop_sequence", "pause_turn"];

/// The first version of the CLI that is known to write the end of every answer: there null is a cut stream
/// (spec/errors.md, What errors look like in a transcript). Of older ones null tells nothing.
const FIRST_THAT_TELLS: [u64; 3] = [2, 1, 197];

/// Answers that ended early, by their last entry. That the reason is missing tells something where it is null in a version
/// that always writes it, or where other answers of the session have one; a key that is absent may have been left out by
/// whoever made the file.
pub(super) fn early_ends(at: usize, session: &SessionModel) -> Vec<Failure> {
    let answers = |members: &[Ix]| {
        // A call that was run had come through to its end.
        let ran = members.iter().filter_map(|ix| session.entry(*ix)).any(|entry| entry.results().next().is_some());
        let entries = members.iter().filter_map(|ix| Some((*ix, session.entry(*ix)?)));
        let answers = entries.filter(|(_, entry)| entry.is_answer() && plain_limit(entry).is_none());
        answers.max_by_key(|(ix, _)| *ix).map(|(ix, entry)| (ix, entry, ran))
    };
    let turns = session.chain.turns.all().filter_map(|(_, members)| answers(members));
    let ends: Vec<(Ix, &Entry, bool)> = turns.collect();
    let told = ends.iter().any(|(_, entry, _)| stop_reason(entry).is_some());
    let early = |(ix, entry, ran): (Ix, &Entry, bool)| match stop_reason(entry) {
        Some(reason) if GOOD_ENDS.contains(&reason) => None,
        Some(reason) => {
            let judged = judge(&Evidence { stop_reason: Some(reason), ..Evidence::default() });
            // Reasons that are not known here are no failures.
            (judged.kind != FailureKind::Unknown).then(|| failure(at, ix, entry, Source::StopReason, judged, reason))
        }
        None => ((told || is_cut(entry)) && !ran).then(|| {
            let judged = likely(FailureKind::Network);
            failure(at, ix, entry, Source::CutStream, judged, "the answer ends without a stop reason")
        }),
    };
    ends.into_iter().filter_map(early).collect()
}

fn is_cut(entry: &Entry) -> bool {
    let version = entry.version.as_ref().and_then(|version| {
        let mut numbers = version.split('.').map(str::parse::<u64>);
        Some([numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?])
    });
    entry.message.as_ref().is_some_and(|message| message.is_open) && version >= Some(FIRST_THAT_TELLS)
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
    Judged { kind, basis: Basis::Absence, reset: None, status: None, is_bare_400: false, contradiction: None }
}

fn failure(session: usize, at: Ix, entry: &Entry, source: Source, judged: Judged, text: &str) -> Failure {
    Failure { source, session, at, timestamp: entry.timestamp, judged, text: text.into(), open_calls: 0, repeats: None }
}
