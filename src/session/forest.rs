use super::{Ix, PerEntry};
use crate::transcript::{Entry, Parent, Uid, healed_uuid};
use foldhash::{HashMap, HashMapExt};
use std::cell::OnceCell;

/// How a link from an entry to the one before it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trust {
    /// `parentUuid` names an entry of the same session.
    Recorded,
    /// `sourceToolAssistantUUID` names the entry with the call; `parentUuid` does not lead anywhere.
    BySourceAssistant,
    /// `parentUuid` names the result that healing adds to an interrupted call at every load and that is never stored: its
    /// uuid is derived from that of the entry with the call.
    ByHealedCall,
    /// `logicalParentUuid` of a compaction boundary; only the history view follows it.
    Logical,
    /// The entry before it in the file. Never followed, only offered.
    FileOrder,
}

impl Trust {
    /// Stable name, as JSON carries it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::BySourceAssistant => "by-source-assistant",
            Self::ByHealedCall => "by-healed-call",
            Self::Logical => "logical",
            Self::FileOrder => "file-order",
        }
    }

    /// What it means, for people.
    pub fn description(self) -> &'static str {
        match self {
            Self::Recorded => "recorded in parentUuid",
            Self::BySourceAssistant => "known from sourceToolAssistantUUID, parentUuid leads nowhere",
            Self::ByHealedCall => "recorded in parentUuid, over the result that healing adds to an interrupted call",
            Self::Logical => "recorded in logicalParentUuid, across a compaction",
            Self::FileOrder => "a guess: the entry before it in the file",
        }
    }
}

/// A link to the entry before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// The entry before.
    pub to: Ix,
    /// How that is known.
    pub trust: Trust,
}

/// The links of one session, with every cycle cut, and their reverse.
#[derive(Debug, Clone)]
pub struct Forest {
    /// Link of each entry; `None` for side entries, roots and entries whose parent is not here.
    pub links: PerEntry<Option<Link>>,
    /// Entries that name themselves as parent.
    pub self_parents: Vec<Ix>,
    /// Where a cycle was cut: its entry with the lowest sequence number.
    pub cycles: Vec<Ix>,
    /// Entries whose `parentUuid` names no entry of this session.
    pub dangling: Vec<Ix>,
    /// Entries that follow the result which healing adds to a call at every load.
    pub healed: Vec<Ix>,
    /// Boundaries whose `logicalParentUuid` names no entry of this session.
    pub lost_logical: Vec<Ix>,
    /// Entries whose uuid an earlier entry has: (earlier, later).
    pub duplicates: Vec<(Ix, Ix)>,
    offsets: Vec<usize>,
    children: Vec<Ix>,
    top_down: Vec<Ix>,
}

impl Forest {
    /// Links the entries of a session, which come in the order of their sequence numbers.
    pub fn build(entries: &PerEntry<&Entry>) -> Self {
        let (by_uid, duplicates) = ByUid::of(entries);
        let mut forest = Self {
            links: entries.iter().map(|_| None).collect(),
            self_parents: Vec::new(),
            cycles: Vec::new(),
            dangling: Vec::new(),
            healed: Vec::new(),
            lost_logical: Vec::new(),
            duplicates,
            offsets: Vec::new(),
            children: Vec::new(),
            top_down: Vec::new(),
        };
        for (ix, entry) in entries.iter().filter(|(_, entry)| entry.in_chain()) {
            forest.links[ix] = forest.link(ix, entry, &by_uid);
        }
        forest.cut_cycles();
        forest.reverse();
        forest
    }

    /// The entries that hang below `ix`, in order.
    pub fn children(&self, ix: Ix) -> &[Ix] {
        let at = ix.position();
        match (self.offsets.get(at), self.offsets.get(at + 1)) {
            (Some(from), Some(to)) => self.children.get(*from..*to).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Every entry after the one it hangs below.
    pub fn top_down(&self) -> &[Ix] {
        &self.top_down
    }

    /// `ix` and what it hangs below, up to its root.
    pub fn ancestors(&self, ix: Ix) -> impl Iterator<Item = Ix> {
        std::iter::successors(Some(ix), |ix| self.links[*ix].map(|link| link.to))
    }

    fn link(&mut self, ix: Ix, entry: &Entry, by_uid: &ByUid<'_>) -> Option<Link> {
        let find = |uid: &Uid| by_uid.nearest(uid, ix);
        if let Parent::Of(parent) = &entry.parent {
            if entry.uuid.as_ref() == Some(parent) {
                self.self_parents.push(ix);
                return None;
            }
            if let Some(to) = find(parent) {
                return Some(Link { to, trust: Trust::Recorded });
            }
            if let Some(to) = by_uid.healed(parent).filter(|to| *to < ix) {
                self.healed.push(ix);
                return Some(Link { to, trust: Trust::ByHealedCall });
            }
            self.dangling.push(ix);
            let source = entry.source_assistant.as_ref().and_then(find).filter(|to| *to != ix);
            return source.map(|to| Link { to, trust: Trust::BySourceAssistant });
        }
        let extra = entry.extra.as_deref();
        let logical = extra.and_then(|extra| extra.logical_parent.as_ref()).filter(|_| entry.is_boundary())?;
        let found = find(logical).filter(|to| *to != ix);
        if found.is_none() {
            self.lost_logical.push(ix);
        }
        found.map(|to| Link { to, trust: Trust::Logical })
    }

    /// Walks from every entry to a known one, without recursion; a walk that meets itself has found a cycle.
    fn cut_cycles(&mut self) {
        let mut walk_of = PerEntry::filled(0_u32, self.links.len());
        let all: Vec<Ix> = self.links.iter().map(|(ix, _)| ix).collect();
        for (start, walk) in all.into_iter().zip(1..) {
            let mut at = start;
            while walk_of[at] == 0 {
                walk_of[at] = walk;
                let Some(link) = self.links[at] else { break };
                at = link.to;
            }
            if walk_of[at] == walk && self.links[at].is_some() {
                let cycle =
                    std::iter::successors(self.links[at].map(|link| link.to), |ix| self.links[*ix].map(|link| link.to));
                let lowest = cycle.take_while(|ix| *ix != at).chain([at]).min().unwrap_or(at);
                self.links[lowest] = None;
                self.cycles.push(lowest);
            }
        }
    }

    fn reverse(&mut self) {
        let len = self.links.len();
        let mut counts = vec![0_usize; len + 1];
        let targets: Vec<_> = self.links.iter().filter_map(|(ix, link)| link.map(|link| (link.to, ix))).collect();
        for (to, _) in &targets {
            if let Some(count) = counts.get_mut(to.position() + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for count in &mut counts {
            sum += *count;
            *count = sum;
        }
        self.offsets = counts;
        let mut children = targets;
        children.sort_unstable();
        self.children = children.into_iter().map(|(_, ix)| ix).collect();
        self.top_down = self.links.iter().filter(|(_, link)| link.is_none()).map(|(ix, _)| ix).collect();
        let mut next = 0;
        while let Some(ix) = self.top_down.get(next).copied() {
            let below = self.children(ix).to_vec();
            self.top_down.extend(below);
            next += 1;
        }
    }
}

/// Entries by uuid: nearly every uuid stands once, so further copies are kept apart.
struct ByUid<'a> {
    entries: &'a PerEntry<&'a Entry>,
    first: HashMap<&'a Uid, Ix>,
    copies: HashMap<&'a Uid, Vec<Ix>>,
    /// Entries with calls by the uuid of what healing adds after them: made when it is first asked for.
    healed: OnceCell<HashMap<String, Ix>>,
}

impl<'a> ByUid<'a> {
    /// The entries by uuid, and the pairs that share one.
    fn of(entries: &'a PerEntry<&'a Entry>) -> (Self, Vec<(Ix, Ix)>) {
        let first = HashMap::with_capacity(entries.len());
        let mut by_uid = Self { entries, first, copies: HashMap::new(), healed: OnceCell::new() };
        let mut duplicates = Vec::new();
        for (ix, entry) in entries.iter().filter(|(_, entry)| entry.in_chain()) {
            let Some(uid) = &entry.uuid else { continue };
            let first = *by_uid.first.entry(uid).or_insert(ix);
            if first != ix {
                by_uid.copies.entry(uid).or_insert_with(|| vec![first]).push(ix);
                duplicates.push((first, ix));
            }
        }
        (by_uid, duplicates)
    }

    /// The entry with the call that healing gives a result with this uuid.
    fn healed(&self, uid: &Uid) -> Option<Ix> {
        if !uid.is_healed() {
            return None;
        }
        let calling = || self.entries.iter().filter(|(_, entry)| entry.calls().next().is_some());
        let named = |(ix, entry): (Ix, &&Entry)| Some((healed_uuid(&entry.uuid.as_ref()?.to_string()), ix));
        self.healed.get_or_init(|| calling().filter_map(named).collect()).get(&uid.to_string()).copied()
    }

    /// Of several entries with this uuid the last one before `ix`, else the first one after it; never `ix` itself.
    fn nearest(&self, uid: &Uid, ix: Ix) -> Option<Ix> {
        let Some(copies) = self.copies.get(uid) else {
            return self.first.get(uid).copied().filter(|found| *found != ix);
        };
        let before = copies.partition_point(|copy| *copy < ix);
        let after = || copies.get(before..)?.iter().find(|copy| **copy != ix);
        before.checked_sub(1).and_then(|at| copies.get(at)).or_else(after).copied()
    }
}
