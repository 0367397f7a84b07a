use super::outline::{OutlineLine, View, outline};
use crate::run_dir::Kind;
use crate::session::{Branch, BranchKind, Break, Ix, LeafWitness, Reachable, Segment, SessionModel, Standing};
use crate::transcript::Usage;
use crate::unit::{Diagnosis, Level, Timestamp, Tokens};
use serde::Serialize;
use std::collections::BTreeMap;

/// The chains of the chosen sessions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Chains {
    /// Which part is outlined.
    pub view: View,
    /// In the order of their store keys.
    pub sessions: Vec<ChainSession>,
}

/// The chain of one session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChainSession {
    /// Store key.
    pub store_key: String,
    /// Main thread, subagent or other.
    pub kind: Kind,
    /// Entries, side entries included.
    pub entries: usize,
    /// Chain entries without a link to an entry before: recorded roots, compaction boundaries, missing and cut parents.
    pub roots: usize,
    /// Their sequence numbers.
    pub root_seqs: Vec<i64>,
    /// How much the live leaf reaches.
    pub reachable: Reachable,
    /// How many entries stand where; the sum is `entries`.
    pub standing: BTreeMap<Standing, usize>,
    /// Candidates for the live leaf; the live one first.
    pub leaves: Vec<LeafResult>,
    /// Compactions.
    pub segments: Vec<SegmentResult>,
    /// Real branches.
    pub branches: Vec<BranchResult>,
    /// Breaks.
    pub breaks: Vec<BreakResult>,
    /// The forest as lines.
    pub outline: Vec<OutlineLine>,
}

/// A candidate for the live leaf.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeafResult {
    /// Who names it.
    pub witness: LeafWitness,
    /// Its sequence number; null if the named entry is not in this session.
    pub seq: Option<i64>,
    /// Its uuid.
    pub uuid: Option<String>,
    /// Where it stands.
    pub standing: Option<Standing>,
    /// The path from it up to its root, by sequence number, if it is not on the live chain.
    pub path: Vec<i64>,
}

/// A compaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SegmentResult {
    /// The boundary.
    pub seq: i64,
    /// `manual` or `auto`.
    pub trigger: Option<String>,
    /// Context before, as the CLI counted it.
    pub pre_tokens: Option<Tokens>,
    /// Context after, as the CLI counted it.
    pub post_tokens: Option<Tokens>,
    /// The entry before it in the history view.
    pub before_seq: Option<i64>,
    /// The summary.
    pub summary_seq: Option<i64>,
    /// Entries that the model keeps seeing verbatim.
    pub preserved_seqs: Vec<i64>,
}

/// A real branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BranchResult {
    /// The entry under which the lines part.
    pub seq: i64,
    /// In which way.
    pub code: BranchKind,
    /// The lines.
    pub lines: Vec<BranchLineResult>,
}

/// One line of a branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BranchLineResult {
    /// Its first entry.
    pub seq: i64,
    /// The live leaf is on it.
    pub live: bool,
    /// Entries on it.
    pub entries: usize,
    /// Turns on it.
    pub turns: usize,
    /// Oldest time stamp.
    pub first: Option<Timestamp>,
    /// Newest time stamp.
    pub last: Option<Timestamp>,
    /// Usage of its turns.
    pub usage: Usage,
    /// Beginning of its text.
    pub text: String,
}

/// A break.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BreakResult {
    /// The entry.
    pub seq: i64,
    /// The cause.
    pub code: &'static str,
    /// How much it matters.
    pub level: Level,
    /// The cause in a sentence.
    pub message: String,
    /// The entry before it in the file: a guess at its parent, never followed.
    pub guess_seq: Option<i64>,
}

/// The chains of `sessions`, outlined in `view`.
pub fn chains<'a>(sessions: impl IntoIterator<Item = &'a SessionModel>, view: View) -> Chains {
    Chains { view, sessions: sessions.into_iter().map(|session| chain(session, view)).collect() }
}

fn chain(session: &SessionModel, view: View) -> ChainSession {
    let chain = &session.chain;
    let mut standing = BTreeMap::new();
    chain.standing.iter().for_each(|(_, at)| *standing.entry(*at).or_insert(0) += 1);
    ChainSession {
        store_key: session.store_key().to_owned(),
        kind: session.kind(),
        entries: session.session.entries.len(),
        roots: chain.roots.len(),
        root_seqs: chain.roots.iter().map(|ix| session.seq(*ix)).collect(),
        reachable: chain.reachable,
        standing,
        leaves: leaves(session),
        segments: chain.segments.iter().map(|found| segment(session, found)).collect(),
        branches: chain.branches.iter().map(|found| branch(session, found)).collect(),
        breaks: chain.breaks.iter().map(|found| broken(session, found)).collect(),
        outline: outline(session, view),
    }
}

fn leaves(session: &SessionModel) -> Vec<LeafResult> {
    let result = |leaf: &crate::session::Leaf| {
        let standing = leaf.ix.map(|ix| session.chain.standing[ix]);
        let off = leaf.ix.filter(|_| matches!(standing, Some(Standing::Branch | Standing::Detached)));
        let path = off.into_iter().flat_map(|ix| session.chain.forest.ancestors(ix));
        LeafResult {
            witness: leaf.witness,
            seq: leaf.ix.map(|ix| session.seq(ix)),
            uuid: leaf.uuid.as_ref().map(ToString::to_string),
            standing,
            path: path.map(|ix| session.seq(ix)).collect(),
        }
    };
    session.chain.leaves.iter().map(result).collect()
}

fn segment(session: &SessionModel, found: &Segment) -> SegmentResult {
    let seq = |ix: Ix| session.seq(ix);
    SegmentResult {
        seq: seq(found.boundary),
        trigger: found.trigger.as_ref().map(ToString::to_string),
        pre_tokens: found.pre_tokens,
        post_tokens: found.post_tokens,
        before_seq: found.before.map(seq),
        summary_seq: found.summary.map(seq),
        preserved_seqs: found.preserved.iter().copied().map(seq).collect(),
    }
}

fn branch(session: &SessionModel, found: &Branch) -> BranchResult {
    let line = |line: &crate::session::BranchLine| BranchLineResult {
        seq: session.seq(line.head),
        live: line.live,
        entries: line.extent.entries,
        turns: line.extent.turns,
        first: line.extent.times.map(|(first, _)| first),
        last: line.extent.times.map(|(_, last)| last),
        usage: line.extent.usage,
        text: session.entry(line.head).map(|entry| entry.excerpt().to_owned()).unwrap_or_default(),
    };
    BranchResult { seq: session.seq(found.at), code: found.kind, lines: found.lines.iter().map(line).collect() }
}

fn broken(session: &SessionModel, found: &Break) -> BreakResult {
    BreakResult {
        seq: session.seq(found.at),
        code: found.kind.code(),
        level: found.kind.level(),
        message: found.kind.sentence(),
        guess_seq: found.guess.map(|ix| session.seq(ix)),
    }
}
