use super::Ending;
use super::steps_of::StepsOf;
use crate::analysis::failures::plain_limit;
use crate::analysis::{Failure, Failures, Source};
use crate::run_dir::Kind as KeyKind;
use crate::run_dir::StoreKey;
use crate::session::{Ix, Model, SessionModel};
use crate::transcript::{Entry, Kind};
use crate::unit::Timestamp;
use foldhash::{HashMap, HashMapExt};
use std::ops::Range;

/// Entries of a main thread from one prompt to the next: what one process of the CLI wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) session: usize,
    pub(super) first: Ix,
    pub(super) start: Option<Timestamp>,
    pub(super) end: Option<Timestamp>,
    /// The latest time of an entry that is dated after the end of the step: it counts for nothing.
    pub(super) ahead: Option<Timestamp>,
    pub(super) ending: Ending,
    /// The failure that ended it; of one that was answered, that the stream of its last answer was likely cut.
    pub(super) failure: Option<usize>,
    /// The session has one before.
    pub(super) follows: bool,
}

/// The segments of every main thread, in order.
pub(super) fn segments(model: &Model, failures: &Failures, steps: &StepsOf<'_>) -> Vec<Segment> {
    let signs = signs_of_subagents(model);
    let mains = model.sessions.iter().enumerate().filter(|(_, session)| session.kind() != KeyKind::Subagent);
    mains.flat_map(|(at, session)| of_session(at, session, failures, &signs, steps)).collect()
}

fn of_session(
    at: usize,
    session: &SessionModel,
    failures: &Failures,
    signs: &HashMap<(&str, &str), Vec<Timestamp>>,
    steps: &StepsOf<'_>,
) -> Vec<Segment> {
    let key = StoreKey::parse(session.store_key());
    let signs = signs.get(&(key.project, key.session)).map(Vec::as_slice).unwrap_or_default();
    let starts = starts(session);
    let ends = starts.iter().skip(1).copied().chain([session.session.entries.len()]);
    let mut segments: Vec<Segment> = starts
        .iter()
        .zip(ends)
        .filter_map(|(start, end)| {
            let entries = session.session.entries.get(*start..end)?;
            let times = || entries.iter().filter_map(|entry| entry.timestamp);
            let (ending, failure) = ending(session, *start..end, failures, at);
            let begun = times().next();
            let latest = steps.latest(key.session, begun);
            Some(Segment {
                session: at,
                first: Ix::new(*start)?,
                start: begun,
                end: times().filter(|time| latest.is_none_or(|latest| *time <= latest)).max(),
                ahead: times().max().filter(|time| latest.is_some_and(|latest| *time > latest)),
                ending,
                failure,
                follows: *start > starts.first().copied().unwrap_or_default(),
            })
        })
        .collect();
    // A subagent's last sign of life counts for the attempt in which it ran.
    let next: Vec<Option<Timestamp>> = segments.iter().skip(1).map(|segment| segment.start).chain([None]).collect();
    for (segment, next) in segments.iter_mut().zip(next) {
        let latest = steps.latest(key.session, segment.start);
        let is_own = |sign: &Timestamp| next.is_none_or(|next| *sign < next) && latest.is_none_or(|at| *sign <= at);
        let before_next = signs.partition_point(is_own);
        let sign = before_next.checked_sub(1).and_then(|last| signs.get(last)).copied();
        segment.end = segment.end.max(sign.filter(|sign| segment.start.is_some_and(|start| *sign >= start)));
    }
    segments
}

/// Time stamps of the subagents of each main thread, in order.
fn signs_of_subagents(model: &Model) -> HashMap<(&str, &str), Vec<Timestamp>> {
    let mut signs: HashMap<(&str, &str), Vec<Timestamp>> = HashMap::new();
    for session in model.sessions.iter().filter(|session| session.kind() == KeyKind::Subagent) {
        let key = StoreKey::parse(session.store_key());
        let times = session.session.entries.iter().filter_map(|entry| entry.timestamp);
        signs.entry((key.project, key.session)).or_default().extend(times);
    }
    for times in signs.values_mut() {
        times.sort_unstable();
    }
    signs
}

/// Where processes begin: at a prompt, with what the CLI writes before it when it resumes.
fn starts(session: &SessionModel) -> Vec<usize> {
    let entries = &session.session.entries;
    let mut starts = Vec::new();
    let mut begin = 0;
    for (at, entry) in entries.iter().enumerate() {
        if is_opening(entry) && !is_local(entries, at) {
            starts.push(if starts.is_empty() { 0 } else { begin });
        }
        if !is_prelude(entry) {
            begin = at + 1;
        }
    }
    starts
}

fn is_opening(entry: &Entry) -> bool {
    entry.is_prompt() && entry.in_chain() && !entry.flags.meta && !entry.flags.sidechain && !entry.is_interrupt_note()
}

/// A command that the CLI ran by itself, such as `/compact`, and what it printed: no model was asked.
fn is_local(entries: &[Entry], at: usize) -> bool {
    let begins = |at: usize, mark: &str| {
        let entry = entries.get(at).filter(|entry| entry.is_prompt());
        entry.is_some_and(|entry| entry.blocks().first().is_some_and(|block| block.excerpt().starts_with(mark)))
    };
    let printed = |at: usize| begins(at, "<local-command-");
    printed(at) || (begins(at, "<command-name>") && printed(at.saturating_add(1)))
}

/// What a process writes before its prompt: its queue, results that stand in for calls of the process before, an answer
/// that nobody asked for.
fn is_prelude(entry: &Entry) -> bool {
    let stands_in =
        || entry.results().any(|result| result.excerpt().starts_with("[Tool call interrupted: the session ended"));
    match &entry.kind {
        Kind::User => stands_in() || (entry.is_prompt() && entry.flags.meta),
        Kind::Assistant => !entry.is_answer() && !entry.flags.api_error && plain_limit(entry).is_none(),
        Kind::Other(name) => &**name == "queue-operation",
        Kind::System | Kind::Attachment | Kind::Progress => false,
    }
}

fn ending(session: &SessionModel, range: Range<usize>, failures: &Failures, at: usize) -> (Ending, Option<usize>) {
    let speaks = |entry: &Entry| !entry.flags.sidechain && matches!(entry.kind, Kind::User | Kind::Assistant);
    let entries = || range.clone().filter_map(|at| Some((Ix::new(at)?, session.session.entries.get(at)?)));
    let is_own = |ix: Ix, entry: &Entry| {
        !entry.flags.meta && !entry.flags.compact_summary && !is_local(&session.session.entries, ix.position())
    };
    let speaking = || entries().filter(|(ix, entry)| speaks(entry) && is_own(*ix, entry));
    let answer = speaking().filter(|(_, entry)| entry.is_answer() && plain_limit(entry).is_none());
    let answer = answer.map(|(ix, _)| ix).next_back();
    let turn = answer.and_then(|ix| session.chain.turns.of(ix));
    // What ends an attempt stands behind its last answer, or in the turn of it.
    let ends = |failure: &Failure| match failure.source {
        Source::Final | Source::PlainLimit | Source::Interruption => answer.is_none_or(|answer| failure.at > answer),
        Source::StopReason | Source::OpenCalls => turn.is_some() && session.chain.turns.of(failure.at) == turn,
        // That a stream was cut is only likely: it stays a success.
        Source::CutStream | Source::CliRetry | Source::AgentResult | Source::Manifest => false,
    };
    let last = failures
        .within(at, &range)
        .filter(|(_, failure)| ends(failure))
        .max_by_key(|(_, failure)| (order(failure.source), failure.at));
    match (last, speaking().next_back()) {
        (Some((index, failure)), _) => {
            let ending = match failure.source {
                Source::Interruption => Ending::Interrupted,
                Source::OpenCalls => Ending::Unfinished,
                Source::Final
                | Source::PlainLimit
                | Source::CliRetry
                | Source::AgentResult
                | Source::CutStream
                | Source::StopReason
                | Source::Manifest => Ending::Failed,
            };
            (ending, Some(index))
        }
        (None, Some((_, entry))) if entry.is_answer() => {
            let cut = |failure: &Failure| {
                failure.source == Source::CutStream && turn.is_some() && session.chain.turns.of(failure.at) == turn
            };
            let cut = failures.within(at, &range).find(|(_, failure)| cut(failure));
            (Ending::Answered, cut.map(|(index, _)| index))
        }
        (None, _) => (Ending::Unfinished, None),
    }
}

/// Which of several failures tells how it ended: what was said beats what is missing.
fn order(source: Source) -> u8 {
    match source {
        Source::Final | Source::PlainLimit => 2,
        Source::Interruption => 1,
        Source::CliRetry
        | Source::AgentResult
        | Source::CutStream
        | Source::StopReason
        | Source::OpenCalls
        | Source::Manifest => 0,
    }
}
