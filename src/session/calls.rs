use super::ancestry::Ancestry;
use super::{CallFault, CallFaultKind, Chain, Ix, PerEntry, Standing, TurnId};
use crate::transcript::{Block, CallInput, Entry, Label, Session, Uid};
use foldhash::{HashMap, HashMapExt, HashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The API refuses tool names that are longer, in characters.
const MAX_TOOL_NAME: usize = 200;

/// Calls with one id that a stray result is compared with. Ids repeat a few times at most; more is an attack.
const MAX_REPEATS_OF_ID: usize = 64;

/// The kind of a denial that only the mark of the runner tells.
const BY_RUNNER: &str = "flower-run";

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

/// Pairs the calls of a session with their results, turn by turn: ids can repeat across turns.
pub(super) fn calls(session: &Session, chain: &Chain) -> (Vec<Call>, Vec<CallFault>) {
    let entries: PerEntry<&Entry> = session.entries.iter().collect();
    let mut pairing = Pairing {
        entries: &entries,
        chain,
        ancestry: Ancestry::of(&chain.forest, entries.len()),
        calls: Vec::new(),
        faults: Vec::new(),
        waiting: HashMap::new(),
    };
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
    ancestry: Ancestry,
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
            let kind = CallFaultKind::ToolNameTooLong { characters };
            self.faults.push(CallFault { at, kind });
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
            denial: entry.denial().or((block.is_denial && block.is_error).then_some(BY_RUNNER)).map(Label::from),
            excerpt: block.excerpt().into(),
        };
        self.answer(slot, answer, id);
    }

    fn answer(&mut self, slot: usize, answer: Answer, id: String) {
        let Some(call) = self.calls.get_mut(slot) else { return };
        let at = answer.at;
        let kind = if let Some(first) = &call.answer {
            let is_hidden = is_stand_in(first, self.entries) && !answer.is_error;
            let first = self.entries[first.at].seq;
            let second = |id| CallFaultKind::SecondResult { id, first };
            Some(if is_hidden { CallFaultKind::HiddenResult { id, first } } else { second(id) })
        } else {
            let same_turn = self.chain.turns.of(at) == call.turn;
            let (called, seq, standing) = (call.at, self.entries[call.at].seq, &self.chain.standing);
            call.answer = Some(answer);
            let split = (standing[called] == Standing::Live) != (standing[at] == Standing::Live);
            match (self.ancestry.is_above(at, called), same_turn) {
                (true, _) => Some(CallFaultKind::ResultBeforeCall { id, call: seq, linked: true }),
                (false, true) if at < called => Some(CallFaultKind::ResultBeforeCall { id, call: seq, linked: false }),
                (false, true) => None,
                (false, false) if split => Some(CallFaultKind::ResultOnOtherBranch { id, call: seq }),
                (false, false) => Some(CallFaultKind::ResultNotNext { id, call: seq }),
            }
        };
        self.faults.extend(kind.map(|kind| CallFault { at, kind }));
    }

    fn orphans(&mut self) {
        let results = self.entries.iter().flat_map(|(_, entry)| entry.results());
        let answered: HashSet<&Label> = results.filter_map(|block| block.id.as_ref()).collect();
        for call in self.calls.iter().filter(|call| call.answer.is_none()) {
            let kind = CallFaultKind::OrphanCall {
                live: self.chain.standing[call.at] == Standing::Live,
                healable: call.id.as_ref().is_some_and(|id| !answered.contains(id)),
                name: call.name.clone(),
                id: call.id.as_deref().unwrap_or("(none)").to_owned(),
                input: call.input.to_string(),
            };
            self.faults.push(CallFault { at: call.at, kind });
        }
    }
}

/// A result that the harness or a load layer wrote for a call that was interrupted.
fn is_stand_in(answer: &Answer, entries: &PerEntry<&Entry>) -> bool {
    let healed = entries[answer.at].uuid.as_ref().is_some_and(Uid::is_healed);
    healed || answer.excerpt.contains("[Request interrupted") || answer.excerpt.starts_with("The user doesn't want")
}
