use super::Ix;
use super::requests::Requests;
use crate::run_dir::{Kind, Position, StoreKey};
use crate::transcript::{Entry, Label, Service, Session, Uid, Usage};
use crate::unit::Timestamp;
use foldhash::{HashMap, HashMapExt, HashSet};
use serde::Serialize;
use std::collections::BTreeMap;

/// One message of the API, counted once over the whole store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelTurn {
    /// The session it was written to first: its spend belongs there.
    pub home: usize,
    /// Its first entry there.
    pub at: Ix,
    /// Its place in the order in which the store was written.
    pub position: Position,
    /// Time of that entry.
    pub timestamp: Option<Timestamp>,
    /// The model that answered.
    pub model: Label,
    /// Field by field the largest usage of all copies.
    pub usage: Usage,
    /// What else decides its price.
    pub service: Service,
    /// A copy says why the answer ended. Without, the stream was cut and the output count may be a placeholder.
    pub ended: bool,
    /// Characters of the answer: text, thinking, tool input as JSON.
    pub characters: u64,
    /// Entries that repeat the usage, copies in other sessions included.
    pub entries_with_usage: u64,
    /// Other sessions that hold copies.
    pub shared_with: Vec<usize>,
    /// The home is a guess: files do not tell in which order they were written.
    pub home_guessed: bool,
}

/// Tokens by class with the counts they come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Distinct messages.
    pub model_turns: u64,
    /// What a count per entry would add up.
    pub entries_with_usage: u64,
    /// Tokens by class.
    #[serde(flatten)]
    pub usage: Usage,
}

impl Totals {
    /// Adds one model turn.
    pub fn add(&mut self, turn: &ModelTurn) {
        self.model_turns += 1;
        self.entries_with_usage += turn.entries_with_usage;
        self.usage = self.usage.plus(turn.usage);
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            model_turns: self.model_turns + other.model_turns,
            entries_with_usage: self.entries_with_usage + other.entries_with_usage,
            usage: self.usage.plus(other.usage),
        }
    }
}

/// The usage of a whole store, every message counted once (spec/entries.md, One API message, several entries).
#[derive(Debug, Clone, Default)]
pub struct StoreUsage {
    /// Every model turn, in the order in which the store was written.
    pub turns: Vec<ModelTurn>,
}

/// The name of a model that a message does not name.
const UNNAMED_MODEL: &str = "(unnamed)";

struct Copy<'a> {
    session: usize,
    ix: Ix,
    entry: &'a Entry,
    request: Option<&'a Label>,
    usage: Usage,
}

impl Copy<'_> {
    /// The copy that was written first; a copy outside of a sidechain beats one inside.
    fn rank(&self) -> (bool, Position, u32) {
        (self.entry.flags.sidechain, self.entry.position, self.entry.part)
    }
}

impl StoreUsage {
    /// Counts the messages of all sessions.
    pub fn count(sessions: &[Session]) -> Self {
        let mut copies: HashMap<&Label, Vec<Copy<'_>>> = HashMap::new();
        let mut turns = Vec::new();
        let mut ages = Ages { sessions, known: HashMap::new() };
        for (session, entries) in sessions.iter().enumerate().map(|(at, session)| (at, &session.entries)) {
            for (ix, entry) in Ix::all(entries.len()).zip(entries) {
                let Some(message) = entry.message.as_ref().filter(|_| entry.is_answer()) else { continue };
                let Some(usage) = message.usage else { continue };
                let request = entry.message.as_ref().and_then(|message| message.request_id.as_ref());
                let copy = Copy { session, ix, entry, request, usage };
                match &message.id {
                    Some(id) => copies.entry(id).or_default().push(copy),
                    None => turns.extend(turn(&[copy], &mut ages)),
                }
            }
        }
        for copies in copies.into_values() {
            turns.extend(by_request(copies).iter().filter_map(|same| turn(same, &mut ages)));
        }
        turns.sort_by_key(|turn| (turn.position, turn.at));
        Self { turns }
    }

    /// The sum over the turns that `keep` takes.
    pub fn totals(&self, keep: impl Fn(&ModelTurn) -> bool) -> Totals {
        let mut totals = Totals::default();
        self.turns.iter().filter(|turn| keep(turn)).for_each(|turn| totals.add(turn));
        totals
    }

    /// Sums by what `key` says of each turn.
    pub fn by<K: Ord>(&self, key: impl Fn(&ModelTurn) -> K) -> BTreeMap<K, Totals> {
        let mut sums: BTreeMap<K, Totals> = BTreeMap::new();
        for turn in &self.turns {
            sums.entry(key(turn)).or_default().add(turn);
        }
        sums
    }

    /// Messages found in more than one session.
    pub fn shared_turns(&self) -> usize {
        self.turns.iter().filter(|turn| !turn.shared_with.is_empty()).count()
    }
}

/// Copies with one message id are one message, unless both carry a request id and these differ.
fn by_request(mut copies: Vec<Copy<'_>>) -> Vec<Vec<Copy<'_>>> {
    if copies.len() == 1 {
        return vec![copies];
    }
    copies.sort_by_key(Copy::rank);
    let mut requests = Requests::default();
    let mut groups: Vec<Vec<Copy<'_>>> = Vec::new();
    for copy in copies {
        match groups.get_mut(requests.message(copy.request)) {
            Some(group) => group.push(copy),
            None => groups.push(vec![copy]),
        }
    }
    groups
}

fn turn(copies: &[Copy<'_>], ages: &mut Ages<'_>) -> Option<ModelTurn> {
    let first = copies.iter().min_by_key(|copy| copy.rank())?;
    let mut holders: Vec<usize> = copies.iter().map(|copy| copy.session).collect();
    holders.sort_unstable();
    holders.dedup();
    let in_files = matches!(first.entry.position, Position::Line { .. });
    let (home, home_guessed) = if in_files && holders.len() > 1 {
        ages.oldest(&holders, ages.main_only(&holders))
    } else {
        (first.session, false)
    };
    let at_home = || copies.iter().filter(|copy| copy.session == home);
    let first = at_home().min_by_key(|copy| copy.rank())?;
    let model = first.entry.message.as_ref().and_then(|message| message.model.clone());
    let model = model.filter(|model| !model.trim().is_empty());
    let messages = || copies.iter().filter_map(|copy| copy.entry.message.as_deref());
    let services = messages().filter_map(|message| message.service.as_deref());
    Some(ModelTurn {
        home,
        at: first.ix,
        position: first.entry.position,
        timestamp: first.entry.timestamp,
        model: model.unwrap_or_else(|| UNNAMED_MODEL.into()),
        usage: copies.iter().fold(Usage::default(), |usage, copy| usage.largest(copy.usage)),
        service: services.fold(Service::default(), Service::largest),
        ended: messages().any(|message| message.stop_reason.is_some()),
        characters: at_home().map(|copy| copy.entry.characters()).fold(0, u64::saturating_add),
        entries_with_usage: u64::try_from(copies.len()).unwrap_or(u64::MAX),
        shared_with: holders.into_iter().filter(|holder| *holder != home).collect(),
        home_guessed,
    })
}

/// Which of several files was written first: the one whose own entries, not shared with the others, are older.
struct Ages<'a> {
    sessions: &'a [Session],
    known: HashMap<Vec<usize>, (usize, bool)>,
}

impl Ages<'_> {
    /// The holders that are no subagents, or all if there are only subagents.
    fn main_only(&self, holders: &[usize]) -> Vec<usize> {
        let is_main =
            |at: &usize| self.sessions.get(*at).is_some_and(|s| StoreKey::parse(&s.store_key).kind() != Kind::Subagent);
        let mains: Vec<usize> = holders.iter().copied().filter(is_main).collect();
        if mains.is_empty() { holders.to_vec() } else { mains }
    }

    fn oldest(&mut self, all: &[usize], holders: Vec<usize>) -> (usize, bool) {
        if let ([only], false) = (holders.as_slice(), all.is_empty()) {
            return (*only, false);
        }
        if let Some(known) = self.known.get(&holders) {
            return *known;
        }
        let mut ages: Vec<(Option<Timestamp>, usize)> =
            holders.iter().map(|at| (self.own_age(*at, &holders), *at)).collect();
        ages.sort_by_key(|(age, at)| (age.is_none(), *age, *at));
        let guessed = matches!(ages.as_slice(), [(a, _), (b, _), ..] if a.is_none() || a == b);
        // Without ages that differ the first file by path is taken; sessions are in the order of their keys.
        let home = if guessed { holders.first().copied() } else { ages.first().map(|(_, at)| *at) };
        let answer = (home.unwrap_or_default(), guessed);
        self.known.insert(holders, answer);
        answer
    }

    fn own_age(&self, at: usize, holders: &[usize]) -> Option<Timestamp> {
        let entries = |at: usize| self.sessions.get(at).map(|session| session.entries.as_slice()).unwrap_or_default();
        let others: HashSet<&Uid> = holders
            .iter()
            .filter(|other| **other != at)
            .flat_map(|other| entries(*other))
            .filter_map(|e| e.uuid.as_ref())
            .collect();
        let own = entries(at).iter().filter(|entry| entry.uuid.as_ref().is_some_and(|uid| !others.contains(uid)));
        own.filter_map(|entry| entry.timestamp).min()
    }
}
