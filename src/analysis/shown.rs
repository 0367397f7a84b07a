use crate::run_dir::Position;
use crate::session::{Call, Ix, Link, SessionModel, Standing, Trust};
use crate::transcript::{Defect, Entry, Parent, Readable};
use crate::unit::{Diagnosis, Timestamp};
use serde::Serialize;
use std::collections::HashMap;

/// One entry with its surroundings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShownEntry {
    /// Session.
    pub store_key: String,
    /// Sequence number.
    pub seq: i64,
    /// `type`.
    pub kind: String,
    /// Subtype of a system entry or type of an attachment.
    pub subtype: Option<String>,
    /// `uuid`.
    pub uuid: Option<String>,
    /// `timestamp`.
    pub timestamp: Option<Timestamp>,
    /// Bytes of the payload.
    pub bytes: u64,
    /// Beginning of its text.
    pub text: String,
    /// Where it stands.
    pub standing: Standing,
    /// Part of what the model sees.
    pub loaded: bool,
    /// `parentUuid`, whether or not it leads anywhere; null for a recorded root.
    pub parent_uuid: Option<String>,
    /// The entry that it hangs below.
    pub parent: Option<ShownLink>,
    /// The entry before it in the file, where the parent is missing: a guess.
    pub guess: Option<ShownLink>,
    /// The entries that hang below it.
    pub children: Vec<ShownLink>,
    /// The other entries of its turn; only in the view of one entry.
    pub turn: Vec<Neighbour>,
    /// The entries that were written before it; only in the view of one entry.
    pub before: Vec<Neighbour>,
    /// The entries that were written after it; only in the view of one entry.
    pub after: Vec<Neighbour>,
    /// Calls and results in it, with their counterparts.
    pub calls: Vec<ShownCall>,
    /// The payload; only in the view of one entry.
    pub content: Option<Readable>,
}

/// A link with how it is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShownLink {
    /// The other entry.
    #[serde(flatten)]
    pub entry: Neighbour,
    /// How the link is known.
    pub trust: Trust,
    /// The same in words.
    pub known: &'static str,
}

/// Another entry in one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Neighbour {
    /// Sequence number.
    pub seq: i64,
    /// `type`, with its subtype.
    pub kind: String,
    /// Beginning of its text.
    pub text: String,
}

/// A call and its result, seen from one of the two.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShownCall {
    /// Id of the call.
    pub id: Option<String>,
    /// Name of the tool.
    pub tool: String,
    /// Entry with the call.
    pub call_seq: i64,
    /// Entry with the result; null for an orphan.
    pub result_seq: Option<i64>,
    /// The result is marked as an error.
    pub is_error: bool,
    /// `toolDenialKind`.
    pub denial: Option<String>,
}

/// One row that is no entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShownDefect {
    /// Session.
    pub store_key: String,
    /// Sequence number, where it has one.
    pub seq: Option<i64>,
    /// Line in its file, counted from 1.
    pub line: Option<u64>,
    /// What is wrong.
    pub code: &'static str,
    /// The same in a sentence.
    pub message: String,
    /// What stands there; only in the view of one row. Bytes that are not UTF-8 are U+FFFD.
    pub content: Option<String>,
}

/// Every row of a session that is no entry.
pub fn shown_defects(session: &SessionModel) -> Vec<ShownDefect> {
    session.session.defects.iter().map(|defect| shown_defect(session, defect)).collect()
}

/// One row that is no entry, without its content.
pub fn shown_defect(session: &SessionModel, defect: &Defect) -> ShownDefect {
    ShownDefect {
        store_key: session.store_key().to_owned(),
        seq: defect.seq,
        line: if let Position::Line { line, .. } = defect.position { Some(line) } else { None },
        code: defect.kind.code(),
        message: defect.kind.sentence(),
        content: None,
    }
}

/// How many entries before and after are shown.
const NEIGHBOURS: usize = 2;

/// One entry with its surroundings and its payload.
pub fn shown_entry(session: &SessionModel, ix: Ix, payload: &[u8]) -> Option<ShownEntry> {
    let mut shown = Surroundings::of(session).shown(ix)?;
    shown.content = Some(Readable::of(payload));
    let turn = session.chain.turns.of(ix).map(|turn| session.chain.turns.members(turn)).unwrap_or_default();
    let others = turn.iter().filter(|other| **other != ix).filter_map(|other| session.entry(*other));
    shown.turn = others.map(neighbour).collect();
    let at = ix.position();
    let all = &session.session.entries;
    let line = |entry: &Entry| neighbour(entry);
    shown.before = all.get(at.saturating_sub(NEIGHBOURS)..at).unwrap_or_default().iter().map(line).collect();
    shown.after = all.iter().skip(at + 1).take(NEIGHBOURS).map(line).collect();
    Some(shown)
}

/// Every entry of a session with its links, without payloads.
pub fn shown_entries(session: &SessionModel) -> Vec<ShownEntry> {
    let surroundings = Surroundings::of(session);
    session.entries().filter_map(|(ix, _)| surroundings.shown(ix)).collect()
}

/// What is looked up for every entry, found once.
struct Surroundings<'a> {
    session: &'a SessionModel,
    calls: HashMap<Ix, Vec<&'a Call>>,
    guesses: HashMap<Ix, Ix>,
}

impl<'a> Surroundings<'a> {
    fn of(session: &'a SessionModel) -> Self {
        let mut calls: HashMap<Ix, Vec<&Call>> = HashMap::new();
        for call in &session.calls {
            calls.entry(call.at).or_default().push(call);
            if let Some(answer) = &call.answer {
                calls.entry(answer.at).or_default().push(call);
            }
        }
        let guesses = session.chain.breaks.iter().filter_map(|found| Some((found.at, found.guess?))).collect();
        Self { session, calls, guesses }
    }

    fn shown(&self, ix: Ix) -> Option<ShownEntry> {
        let session = self.session;
        let entry = session.entry(ix)?;
        let chain = &session.chain;
        let link = |to: Ix, trust: Trust| {
            session.entry(to).map(|other| ShownLink { entry: neighbour(other), trust, known: trust.description() })
        };
        let trust_of = |child: Ix| chain.forest.links[child].map_or(Trust::Recorded, |link: Link| link.trust);
        Some(ShownEntry {
            store_key: session.store_key().to_owned(),
            seq: entry.seq,
            kind: entry.kind.name().to_owned(),
            subtype: entry.subtype().map(ToOwned::to_owned),
            uuid: entry.uuid.as_ref().map(ToString::to_string),
            timestamp: entry.timestamp,
            bytes: entry.bytes,
            text: neighbour(entry).text,
            standing: chain.standing[ix],
            loaded: chain.loaded[ix],
            parent_uuid: if let Parent::Of(uid) = &entry.parent { Some(uid.to_string()) } else { None },
            parent: chain.forest.links[ix].and_then(|found| link(found.to, found.trust)),
            guess: self.guesses.get(&ix).and_then(|guess| link(*guess, Trust::FileOrder)),
            children: chain.forest.children(ix).iter().filter_map(|child| link(*child, trust_of(*child))).collect(),
            turn: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            calls: self.calls.get(&ix).into_iter().flatten().map(|call| shown_call(session, call)).collect(),
            content: None,
        })
    }
}

fn shown_call(session: &SessionModel, call: &Call) -> ShownCall {
    ShownCall {
        id: call.id.as_ref().map(ToString::to_string),
        tool: call.name.to_string(),
        call_seq: session.seq(call.at),
        result_seq: call.answer.as_ref().map(|answer| session.seq(answer.at)),
        is_error: call.answer.as_ref().is_some_and(|answer| answer.is_error),
        denial: call.answer.as_ref().and_then(|answer| answer.denial.as_ref()).map(ToString::to_string),
    }
}

fn neighbour(entry: &Entry) -> Neighbour {
    let subtype = entry.subtype().map(|subtype| format!("/{subtype}")).unwrap_or_default();
    let called = || entry.calls().next().map(crate::transcript::Block::excerpt).unwrap_or_default();
    let text = if entry.excerpt().is_empty() { called() } else { entry.excerpt() };
    Neighbour { seq: entry.seq, kind: format!("{}{subtype}", entry.kind.name()), text: text.to_owned() }
}
