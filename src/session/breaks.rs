use super::{Branch, BreakKind, Forest, Ix, PerEntry};
use crate::run_dir::{Position, StoreKey};
use crate::transcript::{Entry, Flags, Label, Parent, Session, Uid};
use crate::unit::Span;
use foldhash::{HashMap, HashSet};
use std::collections::BTreeMap;

/// Chain entries are written in the order of their time stamps but for fractions of a second (0.4 s at most in the runs
/// seen); a step back beyond this is no jitter.
const MAX_STEP_BACK: Span = Span::from_millis(60_000);

/// A pause after which a missing parent is read as a resume that went wrong: flower's own waits end after two minutes.
const RESUME_GAP: Span = Span::from_millis(150_000);

/// A break at an entry, with its cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Break {
    /// The entry.
    pub at: Ix,
    /// The cause.
    pub kind: BreakKind,
    /// The entry before it in the file: a guess at its parent, never followed.
    pub guess: Option<Ix>,
}

/// What the search for causes looks at.
pub(super) struct Scene<'a> {
    session: &'a Session,
    entries: &'a PerEntry<&'a Entry>,
    forest: &'a Forest,
    aside: &'a PerEntry<bool>,
    branches: &'a [Branch],
    /// Which other session has an entry with a uuid that is missing here.
    elsewhere: &'a HashMap<Uid, String>,
    lost_uids: HashSet<&'a Uid>,
    lost_seqs: Vec<i64>,
}

impl<'a> Scene<'a> {
    pub(super) fn new(
        session: &'a Session,
        entries: &'a PerEntry<&'a Entry>,
        forest: &'a Forest,
        aside: &'a PerEntry<bool>,
        branches: &'a [Branch],
        elsewhere: &'a HashMap<Uid, String>,
    ) -> Self {
        let lost_uids = session.defects.iter().filter_map(|defect| defect.uid.as_ref()).collect();
        let mut lost_seqs: Vec<i64> = session.defects.iter().filter_map(|defect| defect.seq).collect();
        lost_seqs.sort_unstable();
        Self { session, entries, forest, aside, branches, elsewhere, lost_uids, lost_seqs }
    }

    /// Every break of the session, in order.
    pub(super) fn breaks(&self) -> Vec<Break> {
        let chain: Vec<Ix> =
            self.entries.iter().filter(|(ix, e)| e.in_chain() && !self.aside[*ix]).map(|(ix, _)| ix).collect();
        let before: BTreeMap<Ix, Ix> =
            chain.windows(2).filter_map(|pair| Some((*pair.get(1)?, *pair.first()?))).collect();
        let mut found: Vec<Break> = Vec::new();
        let mut add = |at: Ix, kind, guess| found.push(Break { at, kind, guess });
        for ix in &self.forest.dangling {
            let previous = before.get(ix).copied();
            if let Parent::Of(parent) = &self.entries[*ix].parent {
                add(*ix, self.missing_parent(*ix, parent, previous), previous);
            }
        }
        for ix in &self.forest.healed {
            if let Some(link) = self.forest.links[*ix] {
                add(*ix, BreakKind::HealedParent { call: self.entries[link.to].seq }, None);
            }
        }
        for ix in &self.forest.lost_logical {
            let logical = self.entries[*ix].extra.as_ref().and_then(|extra| extra.logical_parent.clone());
            if let Some(parent) = logical {
                add(*ix, BreakKind::LostLogicalParent { parent }, before.get(ix).copied());
            }
        }
        let is_root = |ix: &&Ix| self.entries[**ix].parent == Parent::Root && !self.entries[**ix].is_boundary();
        for ix in chain.iter().skip(1).filter(is_root) {
            add(*ix, BreakKind::MidFileRoot, before.get(ix).copied());
        }
        self.forest.cycles.iter().for_each(|ix| add(*ix, BreakKind::Cycle, None));
        self.forest.self_parents.iter().for_each(|ix| add(*ix, BreakKind::SelfParent, before.get(ix).copied()));
        self.forest.duplicates.iter().for_each(|(first, later)| add(*later, self.duplicate(*first, *later), None));
        for (ix, previous) in &before {
            if let Some(back) = self.step_back(*previous, *ix) {
                add(*ix, BreakKind::OutOfTimeOrder { back }, None);
            }
        }
        self.foreign_sessions().into_iter().for_each(|(ix, kind)| add(ix, kind, None));
        self.interleaved().into_iter().for_each(|(ix, kind)| add(ix, kind, None));
        found.sort_by_key(|found| found.at);
        found
    }

    fn missing_parent(&self, ix: Ix, parent: &Uid, previous: Option<Ix>) -> BreakKind {
        let parent = parent.clone();
        if let Some(store_key) = self.elsewhere.get(&parent) {
            return BreakKind::ParentInOtherKey { parent, store_key: store_key.clone() };
        }
        if self.lost_uids.contains(&parent) {
            return BreakKind::UnreadableParent { parent };
        }
        let entry = self.entries[ix];
        let row_before = self.row_before(ix, entry.seq);
        if row_before.is_none_or(|row| entry.seq.saturating_sub(row) > 1) && entry.seq > 0 {
            return BreakKind::LostRows {
                parent,
                from: row_before.map_or(0, |row| row.saturating_add(1)),
                to: entry.seq - 1,
            };
        }
        if let Some(row) = row_before.filter(|row| self.lost_seqs.binary_search(row).is_ok()) {
            return BreakKind::UnreadableBefore { parent, row };
        }
        let Some(previous) = previous.map(|previous| self.entries[previous]) else {
            return BreakKind::PhantomParent { parent };
        };
        if let (Some(old), Some(new)) = (&previous.version, &entry.version)
            && old != new
        {
            return BreakKind::ResumeBreak { parent, after: format!("a change of version from {old} to {new}") };
        }
        match (previous.timestamp, entry.timestamp) {
            (Some(old), Some(new)) if new.since(old) > RESUME_GAP => {
                BreakKind::ResumeBreak { parent, after: format!("a pause of {}", new.since(old)) }
            }
            _ => BreakKind::PhantomParent { parent },
        }
    }

    /// The sequence number of the row before, whether it could be decoded or not.
    fn row_before(&self, ix: Ix, seq: i64) -> Option<i64> {
        let entry = ix.position().checked_sub(1).and_then(|at| self.session.entries.get(at)).map(|entry| entry.seq);
        let lost = self.lost_seqs.partition_point(|other| *other < seq).checked_sub(1);
        let defect = lost.and_then(|at| self.lost_seqs.get(at)).copied();
        entry.max(defect)
    }

    fn duplicate(&self, first: Ix, later: Ix) -> BreakKind {
        let (first, later) = (self.entries[first], self.entries[later]);
        if is_copy(first, later) {
            BreakKind::DuplicateUuid { first: first.seq }
        } else {
            BreakKind::DuplicateUuidDiffers { first: first.seq }
        }
    }

    fn step_back(&self, previous: Ix, ix: Ix) -> Option<Span> {
        let back = self.entries[previous].timestamp?.since(self.entries[ix].timestamp?);
        (back > MAX_STEP_BACK).then_some(back)
    }

    fn foreign_sessions(&self) -> Vec<(Ix, BreakKind)> {
        let own = StoreKey::parse(&self.session.store_key).session;
        let mut foreign: BTreeMap<&Label, (Ix, usize)> = BTreeMap::new();
        for (ix, entry) in self.entries.iter().filter(|(_, entry)| entry.in_chain()) {
            if let Some(id) = entry.session_id.as_ref().filter(|id| id.as_ref() != own) {
                foreign.entry(id).or_insert((ix, 0)).1 += 1;
            }
        }
        // A file may have any name; there only a second id is foreign.
        let in_file = self.session.entries.iter().any(|entry| matches!(entry.position, Position::Line { .. }));
        if in_file
            && foreign.len() == 1
            && !self.entries.iter().any(|(_, entry)| entry.session_id.as_deref() == Some(own))
        {
            return Vec::new();
        }
        let kind = |id: &Label, entries| BreakKind::ForeignSession { session_id: id.clone(), entries };
        foreign.into_iter().map(|(id, (ix, entries))| (ix, kind(id, entries))).collect()
    }

    /// Two lines of a branch, each of several entries, whose rows alternate.
    fn interleaved(&self) -> Vec<(Ix, BreakKind)> {
        let alternates = |branch: &&Branch| {
            let mut ranges: Vec<(Ix, Ix)> =
                branch.lines.iter().filter(|line| line.extent.entries > 1).map(|line| line.extent.range).collect();
            ranges.sort_unstable();
            ranges.windows(2).any(|pair| matches!(pair, [(_, end), (start, _)] if start < end))
        };
        let at = |branch: &Branch| (branch.at, BreakKind::InterleavedWriters { at: self.entries[branch.at].seq });
        self.branches.iter().filter(alternates).map(at).collect()
    }
}

/// Whether two entries with one uuid are the same. A row whose column `uid` is set has no digest, and the index of the
/// store allows only one such row for each uuid, so the other row of a pair then has one: everything decoded is compared.
fn is_copy(first: &Entry, later: &Entry) -> bool {
    if first.digest != 0 && later.digest != 0 {
        return first.digest == later.digest;
    }
    let flags = Flags { uid_differs: later.flags.uid_differs, ..first.flags };
    let Entry { seq, row, position, part, digest, .. } = *later;
    Entry { seq, row, position, part, flags, digest, ..first.clone() } == *later
}
