use super::breaks::Scene;
use super::{Branch, Break, Forest, Ix, Leaf, LeafWitness, PerEntry, Reachable, Segment, Turns};
use super::{branches, leaf, reach, segments};
use crate::run_dir::{Kind as KeyKind, StoreKey};
use crate::transcript::{Entry, Session, Uid};
use foldhash::HashMap;
use serde::Serialize;

/// Where an entry stands. Each entry stands in exactly one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// On the live chain, compactions crossed and turns taken as groups.
    Live,
    /// On an abandoned branch: it hangs below the live chain and a prompt, answer or result is on it.
    Branch,
    /// In a tree that the live chain does not touch.
    Detached,
    /// Beside the conversation: side entries, notices at the end of a path, sidechains in a main thread.
    Side,
}

/// Everything about the order of one session.
#[derive(Debug, Clone)]
pub struct Chain {
    /// Links and their reverse.
    pub forest: Forest,
    /// Turns.
    pub turns: Turns,
    /// Candidates for the live leaf; the live one first.
    pub leaves: Vec<Leaf>,
    /// How much is reached.
    pub reachable: Reachable,
    /// Entries reached in the loaded view.
    pub loaded: PerEntry<bool>,
    /// Where each entry stands; live is the history view.
    pub standing: PerEntry<Standing>,
    /// Compactions.
    pub segments: Vec<Segment>,
    /// Real branches.
    pub branches: Vec<Branch>,
    /// Breaks.
    pub breaks: Vec<Break>,
    /// Chain entries without a link to an entry before: recorded roots, boundaries, cut and missing parents.
    pub roots: Vec<Ix>,
}

impl Chain {
    /// Builds the chain of a session; `elsewhere` tells which other session has a uuid that is missing here.
    pub fn build(session: &Session, forest: Forest, elsewhere: &HashMap<Uid, String>) -> Self {
        let entries: PerEntry<&Entry> = session.entries.iter().collect();
        let aside = aside(session, &entries);
        let turns = Turns::build(&entries, &forest);
        let leaves = leaf::leaves(&entries, &forest, &aside);
        let none = || PerEntry::filled(false, session.entries.len());
        let live = leaves.first().and_then(|leaf| leaf.ix);
        let grouped = |across| live.map_or_else(none, |leaf| reach::grouped(&forest, &turns, leaf, across));
        let (loaded, history) = (grouped(false), grouped(true));
        let branches = branches::branches(&entries, &forest, &turns, &aside, &history);
        let breaks = Scene::new(session, &entries, &forest, &aside, &branches, elsewhere).breaks();
        let count = |reached: &PerEntry<bool>| reached.iter().filter(|(_, reached)| **reached).count();
        let recorded_root = |ix: &Ix| {
            let link = forest.links[*ix];
            entries[*ix].in_chain() && link.is_none_or(|link| link.trust == super::Trust::Logical)
        };
        Self {
            reachable: Reachable {
                of: entries.iter().filter(|(_, entry)| entry.in_chain()).count(),
                plain: live.map_or(0, |leaf| reach::plain(&forest, leaf).len()),
                loaded: count(&loaded),
                history: count(&history),
            },
            segments: segments::segments(&entries, &forest),
            standing: standings(&entries, &forest, &aside, &history),
            roots: entries.iter().map(|(ix, _)| ix).filter(recorded_root).collect(),
            forest,
            turns,
            leaves,
            loaded,
            branches,
            breaks,
        }
    }

    /// The live leaf; `None` for a session without chain entries.
    pub fn live_leaf(&self) -> Option<Ix> {
        self.leaves.first().and_then(|leaf| leaf.ix)
    }

    /// Witnesses that name a leaf which is not on the live chain.
    pub fn disagreeing_leaves(&self) -> impl Iterator<Item = &Leaf> {
        let off = |ix: Ix| matches!(self.standing[ix], Standing::Branch | Standing::Detached);
        self.leaves.iter().filter(move |leaf| leaf.witness != LeafWitness::WrittenLast && leaf.ix.is_none_or(off))
    }
}

/// Sidechain entries inside of a main thread; a subagent's own entries all are, and are not aside in their own session.
fn aside(session: &Session, entries: &PerEntry<&Entry>) -> PerEntry<bool> {
    let own = StoreKey::parse(&session.store_key).kind() == KeyKind::Subagent
        || entries.iter().filter(|(_, entry)| entry.in_chain()).all(|(_, entry)| entry.flags.sidechain);
    entries.iter().map(|(_, entry)| entry.flags.sidechain && !own).collect()
}

fn standings(
    entries: &PerEntry<&Entry>,
    forest: &Forest,
    aside: &PerEntry<bool>,
    history: &PerEntry<bool>,
) -> PerEntry<Standing> {
    let speaks = |entry: &Entry| entry.is_prompt() || entry.is_answer() || entry.results().next().is_some();
    let mut spoken_below: PerEntry<bool> = entries.iter().map(|(_, entry)| speaks(entry)).collect();
    for ix in forest.top_down().iter().rev() {
        if let Some(link) = forest.links[*ix] {
            spoken_below[link.to] |= spoken_below[*ix];
        }
    }
    let mut standing = PerEntry::filled(Standing::Side, entries.len());
    for ix in forest.top_down().iter().copied().filter(|ix| entries[*ix].in_chain() && !aside[*ix]) {
        let above = forest.links[ix].map(|link| standing[link.to]);
        standing[ix] = match above {
            _ if history[ix] => Standing::Live,
            Some(Standing::Live) if spoken_below[ix] => Standing::Branch,
            Some(Standing::Live) => Standing::Side,
            Some(above) => above,
            None => Standing::Detached,
        };
    }
    standing
}
