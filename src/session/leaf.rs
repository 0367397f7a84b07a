use super::{Forest, Ix, PerEntry};
use crate::transcript::{Entry, Kind, Uid};
use serde::Serialize;

/// Who names a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeafWitness {
    /// The rule: among the ends of all paths the one written last. This one is the live leaf.
    WrittenLast,
    /// The last `last-prompt` entry: the leaf that the CLI held.
    LastPrompt,
    /// The entry with the newest time stamp.
    NewestTimestamp,
}

impl LeafWitness {
    /// What it means, for people.
    pub fn description(self) -> &'static str {
        match self {
            Self::WrittenLast => "written last",
            Self::LastPrompt => "named by the last last-prompt entry",
            Self::NewestTimestamp => "with the newest time stamp",
        }
    }
}

/// A candidate for the entry from which the harness walks back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// Who names it.
    pub witness: LeafWitness,
    /// The entry; `None` if the named uuid is not in this session.
    pub ix: Option<Ix>,
    /// The uuid.
    pub uuid: Option<Uid>,
}

/// The live leaf first, then every other witness that names one.
///
/// Live is, among the terminal entries walked back to their nearest user or assistant entry that is neither aside nor
/// meta, the one with the highest sequence number (spec/entries.md, Chains).
pub(super) fn leaves(entries: &PerEntry<&Entry>, forest: &Forest, aside: &PerEntry<bool>) -> Vec<Leaf> {
    let speaks = |ix: Ix| {
        let entry = entries[ix];
        matches!(entry.kind, Kind::User | Kind::Assistant) && !aside[ix] && !entry.flags.meta
    };
    // The nearest speaking entry at or above each entry, found once for all.
    let mut speaking: PerEntry<Option<Ix>> = entries.iter().map(|_| None).collect();
    for ix in forest.top_down() {
        speaking[*ix] = if speaks(*ix) { Some(*ix) } else { forest.links[*ix].and_then(|link| speaking[link.to]) };
    }
    let in_chain = || entries.iter().filter(|(ix, entry)| entry.in_chain() && !aside[*ix]).map(|(ix, _)| ix);
    let terminal = |ix: &Ix| !forest.children(*ix).iter().any(|child| !aside[*child]);
    let live = in_chain().filter(terminal).filter_map(|ix| speaking[ix]).max().or_else(|| in_chain().last());
    let named = |witness, ix: Option<Ix>| Leaf { witness, ix, uuid: ix.and_then(|ix| entries[ix].uuid.clone()) };
    let mut leaves = vec![named(LeafWitness::WrittenLast, live)];
    if let Some(uuid) = entries.iter().filter_map(|(_, entry)| entry.extra.as_ref()?.leaf.as_ref()).last() {
        let found = in_chain().filter(|ix| entries[*ix].uuid.as_ref() == Some(uuid)).last();
        leaves.push(Leaf { witness: LeafWitness::LastPrompt, ix: found, uuid: Some(uuid.clone()) });
    }
    let newest =
        in_chain().filter(|ix| speaks(*ix) && entries[*ix].timestamp.is_some()).max_by_key(|ix| entries[*ix].timestamp);
    leaves.extend(newest.map(|ix| named(LeafWitness::NewestTimestamp, Some(ix))));
    leaves
}
