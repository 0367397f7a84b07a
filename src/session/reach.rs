use super::{Forest, Ix, PerEntry, Trust, Turns};
use foldhash::{HashSet, HashSetExt};
use serde::Serialize;

/// How much of a session's chain is reached from its live leaf.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Reachable {
    /// Chain entries in all.
    pub of: usize,
    /// Reached by the bare walk over `parentUuid`, with the entries that healing adds at every load.
    pub plain: usize,
    /// Reached when turns are taken as groups, up to the last compaction: what the model sees.
    pub loaded: usize,
    /// The same across compactions: what happened.
    pub history: usize,
}

/// The bare walk from `leaf` over recorded parents, with the entries that healing adds at every load.
pub(super) fn plain(forest: &Forest, leaf: Ix) -> Vec<Ix> {
    let recorded = |ix: &Ix| {
        forest.links[*ix].filter(|link| matches!(link.trust, Trust::Recorded | Trust::ByHealedCall)).map(|link| link.to)
    };
    std::iter::successors(Some(leaf), recorded).collect()
}

/// Everything that is reached from `leaf` when a turn counts as one; `across` also follows logical parents.
pub(super) fn grouped(forest: &Forest, turns: &Turns, leaf: Ix, across: bool) -> PerEntry<bool> {
    let mut reached: PerEntry<bool> = forest.links.iter().map(|_| false).collect();
    let mut opened = HashSet::new();
    let mut waiting = vec![leaf];
    while let Some(ix) = waiting.pop() {
        if std::mem::replace(&mut reached[ix], true) {
            continue;
        }
        waiting.extend(forest.links[ix].filter(|link| across || link.trust != Trust::Logical).map(|link| link.to));
        // Only the first member that is met opens its turn: the others would look at the same list again.
        if let Some(turn) = turns.of(ix).filter(|turn| opened.insert(*turn)) {
            waiting.extend(turns.members(turn).iter().filter(|member| !reached[**member]));
        }
    }
    reached
}
