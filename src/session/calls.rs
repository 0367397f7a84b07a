use super::{Chain, Ix, PerEntry, Standing, TurnId};
use crate::transcript::{Block, CallInput, Entry, Label, Session};
use crate::unit::{Diagnosis, Level};
use foldhash::{HashMap, HashMapExt, HashSet};
use std::collections::BTreeMap;
use std::sync::Arc;
use strum::IntoStaticStr;
use thiserror::Error;

/// The API refuses tool names that are longer, in characters.
const MAX_TOOL_NAME: usize = 200;

/// Calls with one id that a stray result is compared with. Ids repeat a few times at most; more is an attack.
const MAX_REPEATS_OF_ID: usize = 64;

/// A tool call and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The entry with the call.
    pub at: Ix,
    /// Its turn.
    pub turn: Option<TurnId>,
    /// Id of the call.
    pub id: Option<Label>,
    /// Name of the tool.
    pub name: Label,
    /// The telling part of the input.
    pub input: Box<str>,
    /// The skill or the type of agent that it names.
    pub target: Option<Label>,
    /// What tells the call from another; `None` for inputs without text.
    pub identity: Option<Arc<CallInput>>,
    /// The result; `None` for an orphan.
    pub answer: Option<Answer>,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The entry with the result.
    pub at: Ix,
    /// `is_error`.
    pub is_error: bool,
    /// Characters of the result.
    pub characters: u64,
    /// `toolDenialKind`: the call was denied.
    pub denial: Option<Label>,
    /// Beginning of the result.
    pub excerpt: Box<str>,
}

/// What is wrong with the pairing of a call and its result.
#[derive(Debug, Clone, PartialEq, Eq, Error, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum CallFaultKind {
    /// The call never got a result.
    #[error(
        "the {name} call {id} has no result{}. In flight: {input}",
        if *live { ": the API refuses such a history (400), healing adds one" } else { "; it is not on the live chain" }
    )]
    OrphanCall {
        /// The call is on the live chain.
        live: bool,
        /// Tool.
        name: Label,
        /// Call id.
        id: String,
        /// The telling part of the input.
        input: String,
    },
    /// A result whose call is not in its turn.
    #[error(
        "the result for {id} answers no call of its turn. The API refuses such a history (400); healing does not help"
    )]
    ResultWithoutCall {
        /// Call id.
        id: String,
    },
    /// A second result for the same call.
    #[error(
        "a second result for {id}, the first one is at {first}. The API refuses such a history (400); healing does not help"
    )]
    SecondResult {
        /// Call id.
        id: String,
        /// Sequence number of the first result.
        first: i64,
    },
    /// The first result was made up, a later one is real.
    #[error(
        "the result for {id} at {first} stands in for an interrupted call and hides this real one. The API refuses two results (400); healing does not help"
    )]
    HiddenResult {
        /// Call id.
        id: String,
        /// Sequence number of the first result.
        first: i64,
    },
    /// The result was written before its call.
    #[error(
        "the result for {id} was written before its call at {call}. The API is given the order of the links, not of the rows, so it is not refused for that; healing is not needed"
    )]
    ResultBeforeCall {
        /// Call id.
        id: String,
        /// Sequence number of the call.
        call: i64,
    },
    /// Call and result stand on different lines.
    #[error(
        "the result for {id} is on another branch than its call at {call}. On the live path the API misses it (400); healing does not help, since there is one"
    )]
    ResultOnOtherBranch {
        /// Call id.
        id: String,
        /// Sequence number of the call.
        call: i64,
    },
    /// Something else comes between a turn and its result.
    #[error(
        "the result for {id} is not in the next user message after its call at {call}. The API refuses such a history (400); healing does not help, since there is one"
    )]
    ResultNotNext {
        /// Call id.
        id: String,
        /// Sequence number of the call.
        call: i64,
    },
    /// The tool's name is too long for the API.
    #[error("a tool name of {characters} characters, the API allows 200 (400); healing does not help")]
    ToolNameTooLong {
        /// Length.
        characters: usize,
    },
}

impl Diagnosis for CallFaultKind {
    fn code(&self) -> &'static str {
        self.into()
    }

    fn level(&self) -> Level {
        match self {
            Self::OrphanCall { .. } | Self::ResultBeforeCall { .. } | Self::ResultOnOtherBranch { .. } => {
                Level::Warning
            }
            Self::ResultWithoutCall { .. }
            | Self::SecondResult { .. }
            | Self::HiddenResult { .. }
            | Self::ResultNotNext { .. }
            | Self::ToolNameTooLong { .. } => Level::Error,
        }
    }

    fn sentence(&self) -> String {
        self.to_string()
    }
}

/// A fault, at the entry that shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFault {
    /// The entry.
    pub at: Ix,
    /// What is wrong.
    pub kind: CallFaultKind,
}

/// Pairs the calls of a session with their results, turn by turn: ids can repeat across turns.
pub(super) fn calls(session: &Session, chain: &Chain) -> (Vec<Call>, Vec<CallFault>) {
    let entries: PerEntry<&Entry> = session.entries.iter().collect();
    let mut pairing =
        Pairing { entries: &entries, chain, calls: Vec::new(), faults: Vec::new(), waiting: HashMap::new() };
    // A row that stands twice is one call; that it stands twice is told as a break.
    let repeats: HashSet<Ix> = chain.forest.duplicates.iter().map(|(_, later)| *later).collect();
    let chain_entries = || entries.iter().filter(|(ix, entry)| entry.in_chain() && !repeats.contains(ix));
    for (ix, entry) in chain_entries() {
        entry.calls().for_each(|block| pairing.call(ix, block));
    }
    for (ix, entry) in chain_entries() {
        entry.results().for_each(|block| pairing.result(ix, entry, block));
    }
    pairing.orphans();
    pairing.faults.sort_by_key(|fault| fault.at);
    (pairing.calls, pairing.faults)
}

struct Pairing<'a> {
    entries: &'a PerEntry<&'a Entry>,
    chain: &'a Chain,
    calls: Vec<Call>,
    faults: Vec<CallFault>,
    /// Calls by id, in the order of their turns.
    waiting: HashMap<Label, BTreeMap<Option<TurnId>, usize>>,
}

impl Pairing<'_> {
    fn call(&mut self, at: Ix, block: &Block) {
        let name = block.name.clone().unwrap_or_else(|| "(unnamed)".into());
        let characters = name.chars().count();
        if characters > MAX_TOOL_NAME {
            self.faults.push(CallFault { at, kind: CallFaultKind::ToolNameTooLong { characters } });
        }
        let turn = self.chain.turns.of(at);
        if let Some(id) = &block.id {
            self.waiting.entry(id.clone()).or_default().entry(turn).or_insert(self.calls.len());
        }
        self.calls.push(Call {
            at,
            turn,
            id: block.id.clone(),
            name,
            input: block.excerpt().into(),
            target: block.target.clone(),
            identity: block.input.clone(),
            answer: None,
        });
    }

    fn result(&mut self, at: Ix, entry: &Entry, block: &Block) {
        let id = block.id.as_deref().unwrap_or("(none)").to_owned();
        let same_id = block.id.as_ref().and_then(|id| self.waiting.get(id));
        let own_turn = self.chain.turns.of(at);
        let in_turn = own_turn.and_then(|turn| same_id?.get(&Some(turn)));
        // Outside of its turn, the last unanswered call with this id before it is meant, else the first after it.
        let elsewhere = || {
            let unanswered = |slot: &&usize| self.calls.get(**slot).is_some_and(|call| call.answer.is_none());
            let before = |slot: &&usize| self.calls.get(**slot).is_some_and(|call| call.at < at);
            let slots = || same_id.into_iter().flat_map(BTreeMap::values);
            let earlier = slots().rev().filter(before).take(MAX_REPEATS_OF_ID).find(unanswered);
            earlier.or_else(|| slots().take(MAX_REPEATS_OF_ID).find(unanswered))
        };
        let Some(slot) = in_turn.or_else(elsewhere).copied() else {
            self.faults.push(CallFault { at, kind: CallFaultKind::ResultWithoutCall { id } });
            return;
        };
        let answer = Answer {
            at,
            is_error: block.is_error,
            characters: block.characters,
            denial: entry.denial().map(Label::from),
            excerpt: block.excerpt().into(),
        };
        self.answer(slot, answer, id);
    }

    fn answer(&mut self, slot: usize, answer: Answer, id: String) {
        let Some(call) = self.calls.get_mut(slot) else { return };
        let at = answer.at;
        if let Some(first) = &call.answer {
            let kind = if is_stand_in(first, self.entries) && !answer.is_error {
                CallFaultKind::HiddenResult { id, first: self.entries[first.at].seq }
            } else {
                CallFaultKind::SecondResult { id, first: self.entries[first.at].seq }
            };
            self.faults.push(CallFault { at, kind });
            return;
        }
        let (call_seq, standing) = (self.entries[call.at].seq, &self.chain.standing);
        let split = (standing[call.at] == Standing::Live) != (standing[at] == Standing::Live);
        if at < call.at {
            self.faults.push(CallFault { at, kind: CallFaultKind::ResultBeforeCall { id, call: call_seq } });
        } else if self.chain.turns.of(at) != call.turn {
            let kind = if split {
                CallFaultKind::ResultOnOtherBranch { id, call: call_seq }
            } else {
                CallFaultKind::ResultNotNext { id, call: call_seq }
            };
            self.faults.push(CallFault { at, kind });
        }
        call.answer = Some(answer);
    }

    fn orphans(&mut self) {
        for call in self.calls.iter().filter(|call| call.answer.is_none()) {
            let id = call.id.as_deref().unwrap_or("(none)").to_owned();
            let live = self.chain.standing[call.at] == Standing::Live;
            let kind = CallFaultKind::OrphanCall { live, name: call.name.clone(), id, input: call.input.to_string() };
            self.faults.push(CallFault { at: call.at, kind });
        }
    }
}

/// A result that the harness or a load layer wrote for a call that was interrupted.
fn is_stand_in(answer: &Answer, entries: &PerEntry<&Entry>) -> bool {
    let healed = entries[answer.at].uuid.as_ref().is_some_and(|uid| uid.to_string().starts_with("heal-"));
    healed || answer.excerpt.contains("[Request interrupted") || answer.excerpt.starts_with("The user doesn't want")
}
