use super::{Agent, Call, CallFault, Chain, Forest, Ix, SessionFinding, Standing, StoreUsage};
use super::{agents, calls};
use crate::run_dir::{Kind, StoreKey};
use crate::transcript::{Entry, Notes, Parent, Session, Transcripts, Uid};
use crate::unit::{Diagnosis, Finding, Place, Timestamp};
use foldhash::{HashMap, HashMapExt};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// One session of the store with everything that is derived from its entries.
#[derive(Debug, Clone)]
pub struct SessionModel {
    /// Store key, entries, defects.
    pub session: Session,
    /// Order.
    pub chain: Chain,
    /// Tool calls with their results.
    pub calls: Vec<Call>,
    /// What is wrong with the pairing.
    pub call_faults: Vec<CallFault>,
    /// A subagent's description and origin.
    pub agent: Option<Agent>,
}

/// The whole store.
#[derive(Debug)]
pub struct Model {
    /// Sessions in the order of their store keys.
    pub sessions: Vec<SessionModel>,
    /// Usage counted once.
    pub usage: StoreUsage,
    /// Counts of the reading.
    pub notes: Notes,
}

impl SessionModel {
    /// Store key.
    pub fn store_key(&self) -> &str {
        &self.session.store_key
    }

    /// Main thread, subagent or other.
    pub fn kind(&self) -> Kind {
        StoreKey::parse(&self.session.store_key).kind()
    }

    /// The entry at `ix`.
    pub fn entry(&self, ix: Ix) -> Option<&Entry> {
        self.session.entries.get(ix.position())
    }

    /// Sequence number of the entry at `ix`.
    pub fn seq(&self, ix: Ix) -> i64 {
        self.entry(ix).map_or(-1, |entry| entry.seq)
    }

    /// Time of the entry at `ix`; `None` if it has none that can be read.
    pub fn time(&self, ix: Ix) -> Option<Timestamp> {
        self.entry(ix)?.timestamp
    }

    /// Entries with their index.
    pub fn entries(&self) -> impl Iterator<Item = (Ix, &Entry)> {
        Ix::all(self.session.entries.len()).zip(&self.session.entries)
    }

    fn place(&self, ix: Ix) -> Place {
        Place::entry(self.store_key(), self.seq(ix))
    }

    /// Every finding of this session.
    pub fn findings(&self) -> Vec<Finding> {
        let mut findings: Vec<Finding> = self.session.findings().collect();
        findings.extend(self.chain.breaks.iter().map(|found| found.kind.at(self.place(found.at))));
        findings.extend(self.call_faults.iter().map(|fault| fault.kind.at(self.place(fault.at))));
        findings.extend(self.chain.branches.iter().map(|branch| {
            let parts = SessionFinding::RealBranch { lines: branch.lines.len(), how: branch.kind.description() };
            parts.at(self.place(branch.at))
        }));
        findings.extend(self.chain_findings());
        findings.extend(self.row_findings());
        findings.extend(self.agent_finding());
        findings
    }

    fn chain_findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for leaf in self.chain.disagreeing_leaves() {
            let uuid = leaf.uuid.as_ref().map(ToString::to_string).unwrap_or_default();
            findings.push(match leaf.ix {
                Some(ix) => SessionFinding::LeafDisagrees { witness: leaf.witness, uuid }.at(self.place(ix)),
                None => SessionFinding::LeafNotHere { uuid }.at(Place::session(self.store_key())),
            });
        }
        let detached: Vec<Ix> =
            self.chain.standing.iter().filter(|(_, s)| **s == Standing::Detached).map(|(ix, _)| ix).collect();
        if let Some(first) = detached.first() {
            findings.push(SessionFinding::DetachedEntries { entries: detached.len() }.at(self.place(*first)));
        }
        for segment in self.chain.segments.iter().filter(|segment| segment.preserved_lost > 0) {
            let lost = SessionFinding::PreservedLost { entries: segment.preserved_lost };
            findings.push(lost.at(self.place(segment.boundary)));
        }
        findings
    }

    fn row_findings(&self) -> Vec<Finding> {
        let marked = |is: fn(&Entry) -> bool| {
            let mut marked = self.entries().filter(move |(_, entry)| is(entry)).map(|(ix, _)| ix);
            marked.next().map(|first| (first, 1 + marked.count()))
        };
        let differs = marked(|entry| entry.flags.uid_differs)
            .map(|(first, entries)| SessionFinding::UidDiffers { entries }.at(self.place(first)));
        let repaired = marked(|entry| entry.flags.repaired_utf8)
            .map(|(first, entries)| SessionFinding::RepairedUtf8 { entries }.at(self.place(first)));
        differs.into_iter().chain(repaired).collect()
    }

    fn agent_finding(&self) -> Option<Finding> {
        if self.kind() != Kind::Subagent {
            return None;
        }
        let finding = match &self.agent {
            None => SessionFinding::NoAgentMetadata,
            Some(Agent { metadata, spawn: None }) => {
                SessionFinding::SpawnNotFound { call: metadata.tool_use_id.as_deref().unwrap_or("(none)").to_owned() }
            }
            Some(_) => return None,
        };
        Some(finding.at(Place::session(self.store_key())))
    }
}

impl Model {
    /// Builds the model of everything that was read.
    pub fn build(transcripts: Transcripts) -> Self {
        let Transcripts { sessions, notes } = transcripts;
        let (usage, built) = rayon::join(|| StoreUsage::count(&sessions), || built(&sessions));
        let described: Vec<_> =
            sessions.iter().enumerate().filter_map(|(at, session)| Some((at, agents::metadata(session)?))).collect();
        let views: Vec<_> =
            sessions.iter().zip(&built).map(|(session, (_, calls, _))| (session, calls.as_slice())).collect();
        let spawns = agents::spawns(&views, &described);
        let mut agents: HashMap<usize, Agent> =
            described.into_iter().zip(spawns).map(|((at, metadata), spawn)| (at, Agent { metadata, spawn })).collect();
        let sessions = sessions
            .into_iter()
            .zip(built)
            .enumerate()
            .map(|(at, (session, (chain, calls, call_faults)))| SessionModel {
                session,
                chain,
                calls,
                call_faults,
                agent: agents.remove(&at),
            })
            .collect();
        Self { sessions, usage, notes }
    }

    /// The session with this store key.
    pub fn session(&self, store_key: &str) -> Option<&SessionModel> {
        self.indexed(store_key).map(|(_, session)| session)
    }

    /// The session with this store key and its index.
    pub fn indexed(&self, store_key: &str) -> Option<(usize, &SessionModel)> {
        let at = self.sessions.binary_search_by(|session| session.store_key().cmp(store_key)).ok()?;
        self.sessions.get(at).map(|session| (at, session))
    }

    /// Every finding of the store: sessions in order, then what concerns several.
    pub fn findings(&self) -> Vec<Finding> {
        let mut findings: Vec<Finding> = self.sessions.iter().flat_map(SessionModel::findings).collect();
        let mut guessed: BTreeMap<usize, usize> = BTreeMap::new();
        self.usage
            .turns
            .iter()
            .filter(|turn| turn.home_guessed)
            .for_each(|turn| *guessed.entry(turn.home).or_default() += 1);
        for (home, turns) in guessed {
            let key = self.sessions.get(home).map(SessionModel::store_key).unwrap_or_default();
            findings.push(SessionFinding::HomeGuessed { turns }.at(Place::session(key)));
        }
        findings
    }
}

/// Chain and calls of every session, side by side.
fn built(sessions: &[Session]) -> Vec<(Chain, Vec<Call>, Vec<CallFault>)> {
    let forest = |session: &Session| Forest::build(&session.entries.iter().collect());
    let forests: Vec<Forest> = sessions.par_iter().map(forest).collect();
    let elsewhere = elsewhere(sessions, &forests);
    let nowhere = HashMap::default();
    let build = |(at, (session, forest))| {
        let chain = Chain::build(session, forest, elsewhere.get(&at).unwrap_or(&nowhere));
        let (calls, faults) = calls::calls(session, &chain);
        (chain, calls, faults)
    };
    sessions.par_iter().zip(forests).enumerate().map(build).collect()
}

/// For every session the uuids that its entries name as parents but that only another session has.
fn elsewhere(sessions: &[Session], forests: &[Forest]) -> HashMap<usize, HashMap<Uid, String>> {
    let mut missing: HashMap<&Uid, Vec<usize>> = HashMap::new();
    for (at, (session, forest)) in sessions.iter().zip(forests).enumerate() {
        for entry in forest.dangling.iter().filter_map(|ix| session.entries.get(ix.position())) {
            if let Parent::Of(parent) = &entry.parent {
                missing.entry(parent).or_default().push(at);
            }
        }
    }
    let mut found: HashMap<usize, HashMap<Uid, String>> = HashMap::new();
    if missing.is_empty() {
        return found;
    }
    for session in sessions {
        for uid in session.entries.iter().filter_map(|entry| entry.uuid.as_ref()) {
            for wanting in missing.get(uid).into_iter().flatten() {
                found.entry(*wanting).or_default().entry(uid.clone()).or_insert_with(|| session.store_key.clone());
            }
        }
    }
    found
}
