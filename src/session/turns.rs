use super::requests::Requests;
use super::{Forest, Ix, PerEntry};
use crate::transcript::{Entry, Kind, Label};
use foldhash::{HashMap, HashMapExt, HashSet};

/// A turn of one session: the entries of one message and the results of its calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TurnId(usize);

/// The turns of one session.
///
/// Parallel calls are written as a chain of entries, and each result hangs off its own call, so the bare walk from the
/// next entry skips most of them. A shared parent inside of a turn is no fork (spec/entries.md, Chains).
#[derive(Debug, Clone)]
pub struct Turns {
    of: PerEntry<Option<TurnId>>,
    members: Vec<Vec<Ix>>,
}

impl Turns {
    /// Groups the entries of a session.
    pub fn build(entries: &PerEntry<&Entry>, forest: &Forest) -> Self {
        let mut turns = Self { of: entries.iter().map(|_| None).collect(), members: Vec::new() };
        turns.group_messages(entries);
        turns.group_results(entries, forest);
        turns
    }

    /// The turn of an entry; `None` for prompts, attachments and everything else that is no part of an answer.
    pub fn of(&self, ix: Ix) -> Option<TurnId> {
        self.of[ix]
    }

    /// The entries of a turn, in order: the message's own first, then the results.
    pub fn members(&self, turn: TurnId) -> &[Ix] {
        self.members.get(turn.0).map(Vec::as_slice).unwrap_or_default()
    }

    /// All turns in the order of their first entries.
    pub fn all(&self) -> impl Iterator<Item = (TurnId, &[Ix])> {
        self.members.iter().enumerate().map(|(id, members)| (TurnId(id), members.as_slice()))
    }

    fn group_messages(&mut self, entries: &PerEntry<&Entry>) {
        let mut by_message: HashMap<&Label, (Requests<'_>, Vec<TurnId>)> = HashMap::new();
        for (ix, entry) in entries.iter().filter(|(_, entry)| entry.kind == Kind::Assistant && entry.in_chain()) {
            let id = entry.message.as_ref().and_then(|message| message.id.as_ref());
            let request = entry.message.as_ref().and_then(|message| message.request_id.as_ref());
            let fresh = TurnId(self.members.len());
            let turn = id.map_or(fresh, |id| {
                let (requests, turns) = by_message.entry(id).or_default();
                let known = turns.get(requests.message(request)).copied();
                known.unwrap_or_else(|| {
                    turns.push(fresh);
                    fresh
                })
            });
            self.join(ix, turn);
        }
    }

    /// A result belongs to the turn that it hangs below, over other results and attachments, if that turn made the call.
    fn group_results(&mut self, entries: &PerEntry<&Entry>, forest: &Forest) {
        let made: HashSet<(TurnId, &Label)> = entries
            .iter()
            .filter_map(|(ix, entry)| {
                self.of[ix].map(|turn| entry.calls().filter_map(move |c| Some((turn, c.id.as_ref()?))))
            })
            .flatten()
            .collect();
        let mut above: PerEntry<Option<TurnId>> = self.of.clone();
        let mut results = Vec::new();
        for ix in forest.top_down() {
            let entry = entries[*ix];
            let is_result = entry.results().next().is_some();
            if self.of[*ix].is_none() && (is_result || is_between(&entry.kind)) {
                above[*ix] = forest.links[*ix].and_then(|link| above[link.to]);
            }
            let answers =
                |turn: &TurnId| entry.results().filter_map(|r| r.id.as_ref()).any(|id| made.contains(&(*turn, id)));
            results.extend(above[*ix].filter(|turn| is_result && answers(turn)).map(|turn| (*ix, turn)));
        }
        results.sort_unstable();
        for (ix, turn) in results {
            self.join(ix, turn);
        }
    }

    fn join(&mut self, ix: Ix, turn: TurnId) {
        if turn.0 == self.members.len() {
            self.members.push(Vec::new());
        }
        self.of[ix] = Some(turn);
        if let Some(members) = self.members.get_mut(turn.0) {
            members.push(ix);
        }
    }
}

/// Entries that the harness writes between a call and its result.
fn is_between(kind: &Kind) -> bool {
    matches!(kind, Kind::Attachment | Kind::System | Kind::Progress | Kind::Other(_))
}
