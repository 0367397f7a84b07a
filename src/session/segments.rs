use super::{Forest, Ix, PerEntry, Trust};
use crate::transcript::{Entry, Label, Parent, Uid};
use crate::unit::Tokens;
use foldhash::HashMap;

/// A compaction: the harness replaced what came before by a summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// The boundary entry.
    pub boundary: Ix,
    /// `manual` or `auto`.
    pub trigger: Option<Label>,
    /// Context before, as the CLI counted it.
    pub pre_tokens: Option<Tokens>,
    /// Context after, as the CLI counted it.
    pub post_tokens: Option<Tokens>,
    /// The entry before the boundary; `None` if it is not in this session.
    pub before: Option<Ix>,
    /// The entry with the summary.
    pub summary: Option<Ix>,
    /// Entries from before the boundary that the model keeps seeing verbatim.
    pub preserved: Vec<Ix>,
    /// Preserved entries that are not in this session.
    pub preserved_lost: usize,
}

/// Every compaction of a session, in order.
pub(super) fn segments(entries: &PerEntry<&Entry>, forest: &Forest) -> Vec<Segment> {
    let boundaries: Vec<Ix> =
        entries.iter().filter(|(_, e)| e.in_chain() && e.is_boundary()).map(|(ix, _)| ix).collect();
    if boundaries.is_empty() {
        return Vec::new();
    }
    let by_uid: HashMap<&Uid, Ix> = entries.iter().filter_map(|(ix, entry)| Some((entry.uuid.as_ref()?, ix))).collect();
    boundaries.into_iter().map(|boundary| segment(boundary, entries, forest, &by_uid)).collect()
}

fn segment(boundary: Ix, entries: &PerEntry<&Entry>, forest: &Forest, by_uid: &HashMap<&Uid, Ix>) -> Segment {
    let metadata = entries[boundary].extra.as_ref().and_then(|extra| extra.compaction.as_deref());
    let preserved: Vec<_> = metadata.map(|m| m.preserved.as_slice()).unwrap_or_default().to_vec();
    let found: Vec<Ix> = preserved.iter().filter_map(|uid| by_uid.get(uid).copied()).collect();
    // The summary follows within the few attachments that open a segment; the first one below the boundary is it.
    let mut below = vec![boundary];
    let mut next = 0;
    let summary = loop {
        let Some(ix) = below.get(next).copied() else { break None };
        if entries[ix].flags.compact_summary {
            break Some(ix);
        }
        let opens = |ix: &&Ix| !entries[**ix].is_prompt() && entries[**ix].parent != Parent::Root;
        below.extend(forest.children(ix).iter().filter(opens));
        next += 1;
    };
    Segment {
        boundary,
        trigger: metadata.and_then(|m| m.trigger.clone()),
        pre_tokens: metadata.and_then(|m| m.pre_tokens),
        post_tokens: metadata.and_then(|m| m.post_tokens),
        before: forest.links[boundary].filter(|link| link.trust == Trust::Logical).map(|link| link.to),
        summary,
        preserved_lost: preserved.len() - found.len(),
        preserved: found,
    }
}
