use super::{Evidence, Failure, Source, judge, plain_limit, turn_end};
use crate::run_dir::Kind as KeyKind;
use crate::session::{Ix, Model, SessionModel};
use crate::transcript::{BlockKind, Entry, Uid};
use crate::unit::Tokens;
use foldhash::{HashMap, HashMapExt};
use std::ops::Range;

/// Tools that start a subagent.
const AGENT_TOOLS: [&str; 2] = ["Agent", "Task"];

/// Every failure of a store: sessions in order, entries in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Failures {
    /// All of them.
    pub all: Vec<Failure>,
    by_session: Vec<Range<usize>>,
}

impl Failures {
    /// Those of one session, with their indices.
    pub fn of(&self, session: usize) -> impl DoubleEndedIterator<Item = (usize, &Failure)> {
        let range = self.by_session.get(session).cloned().unwrap_or_default();
        range.clone().zip(self.all.get(range).unwrap_or_default())
    }

    /// Those of one session whose entries stand in `entries`, with their indices.
    pub fn within(&self, session: usize, entries: &Range<usize>) -> impl DoubleEndedIterator<Item = (usize, &Failure)> {
        let range = self.by_session.get(session).cloned().unwrap_or_default();
        let own = self.all.get(range.clone()).unwrap_or_default();
        let from = own.partition_point(|failure| failure.at.position() < entries.start);
        let to = own.partition_point(|failure| failure.at.position() < entries.end).max(from);
        (range.start + from..range.start + to).zip(own.get(from..to).unwrap_or_default())
    }
}

/// Every failure that the transcripts record (spec/errors.md, What errors look like in a transcript).
pub fn failures(model: &Model) -> Failures {
    let mut failures = Failures::default();
    for (at, session) in model.sessions.iter().enumerate() {
        let mut own = of_session(at, session);
        own.sort_by_key(|failure| failure.at);
        let start = failures.all.len();
        failures.all.extend(own);
        failures.by_session.push(start..failures.all.len());
    }
    mark_copies(model, &mut failures.all);
    mark_agent_results(model, &mut failures);
    failures
}

fn of_session(at: usize, session: &SessionModel) -> Vec<Failure> {
    let mut found: Vec<Failure> = session.entries().filter_map(|(ix, entry)| of_entry(at, ix, entry)).collect();
    found.extend(agent_results(at, session));
    found.extend(turn_end::early_ends(at, session));
    found.extend(turn_end::open_calls(at, session));
    found
}

/// What an entry says by itself.
fn of_entry(session: usize, at: Ix, entry: &Entry) -> Option<Failure> {
    let source = match () {
        () if entry.flags.api_error => Source::Final,
        () if entry.is_retry_notice() => Source::CliRetry,
        () if entry.is_interrupt_note() => Source::Interruption,
        () if plain_limit(entry).is_some() => Source::PlainLimit,
        () => return None,
    };
    let note = || entry.blocks().iter().find(|block| block.kind == BlockKind::Text).map_or("", |block| block.excerpt());
    let evidence = entry.failure().map_or_else(|| Evidence::text(note()), Evidence::from);
    Some(Failure {
        source,
        session,
        at,
        timestamp: entry.timestamp,
        judged: judge(&evidence),
        text: evidence.text.into(),
        open_calls: 0,
        repeats: None,
    })
}

/// Results of subagents that died. A result that only begins like an error is one if the subagent used no tokens, or none
/// are told; otherwise it is what the subagent had to say.
fn agent_results(at: usize, session: &SessionModel) -> Vec<Failure> {
    let calls = session.calls.iter().filter(|call| AGENT_TOOLS.contains(&&*call.name));
    let failed = calls.filter_map(|call| {
        let answer = call.answer.as_ref()?;
        let entry = session.entry(answer.at)?;
        let fields = entry.failure()?;
        let died = answer.is_error || fields.agent_tokens.is_none_or(|tokens| tokens == Tokens(0));
        (died && fields.text.starts_with(&*answer.excerpt)).then(|| Failure {
            source: Source::AgentResult,
            session: at,
            at: answer.at,
            timestamp: entry.timestamp,
            judged: judge(&Evidence::from(fields)),
            text: fields.text.clone(),
            open_calls: 0,
            repeats: None,
        })
    });
    failed.collect()
}

/// Copies of one entry in several sessions: all but the one that was written first tell it again.
fn mark_copies(model: &Model, all: &mut [Failure]) {
    let entry = |failure: &Failure| model.sessions.get(failure.session).and_then(|s| s.entry(failure.at));
    let mut firsts: HashMap<(&Uid, Source), usize> = HashMap::new();
    let position = |at: usize, all: &[Failure]| all.get(at).and_then(entry).map(|entry| entry.position);
    for (at, failure) in all.iter().enumerate() {
        let Some(uid) = entry(failure).and_then(|entry| entry.uuid.as_ref()) else { continue };
        let first = firsts.entry((uid, failure.source)).or_insert(at);
        if position(at, all) < position(*first, all) {
            *first = at;
        }
    }
    for (at, failure) in all.iter_mut().enumerate() {
        let uid = entry(failure).and_then(|entry| entry.uuid.as_ref());
        failure.repeats = uid.and_then(|uid| firsts.get(&(uid, failure.source))).copied().filter(|first| *first != at);
    }
}

/// What the parent is told of a dead subagent stands in the subagent's own session too.
fn mark_agent_results(model: &Model, failures: &mut Failures) {
    let mut ends: HashMap<(usize, Ix), usize> = HashMap::new();
    for (at, session) in model.sessions.iter().enumerate().filter(|(_, session)| session.kind() == KeyKind::Subagent) {
        let Some((last, _)) = failures.of(at).rfind(|(_, failure)| failure.source == Source::Final) else { continue };
        let result = session.agent.as_ref().and_then(|agent| {
            let spawn = agent.spawn.as_ref()?;
            let (parent, parent_session) = model.indexed(&spawn.store_key)?;
            let id = agent.metadata.tool_use_id.as_ref();
            let started = parent_session.calls.partition_point(|call| call.at < spawn.at);
            let calls = parent_session.calls.iter().skip(started).take_while(|call| call.at == spawn.at);
            let answer = calls.filter(|call| call.id.as_ref() == id).find_map(|call| call.answer.as_ref())?;
            Some((parent, answer.at))
        });
        ends.extend(result.map(|result| (result, last)));
    }
    let results = failures.all.iter_mut().filter(|failure| failure.source == Source::AgentResult);
    for failure in results.filter(|failure| failure.repeats.is_none()) {
        failure.repeats = ends.get(&(failure.session, failure.at)).copied();
    }
}
