//! The red lines beside the pairing, and the harm that the layers are known for (spec/layers.md).

use super::answer::Observed;
use super::context::first_change;
use super::fed::Fed;
use super::finding::LayerFinding;
use crate::analysis::tools::is_likely_denied;
use crate::layers::{Change, Edit, Layer, Reason, Source};
use crate::run_dir::limits::MAX_BLOCKS;
use crate::session::{Ix, SessionModel};
use crate::transcript::{BlockKind, Entry, Parent, Slots, Uid, fill, fill_each, text};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

/// The last CLI that is known to refuse a leaf without a time stamp is below, the first one known to take it is this.
const TAKES_LEAF_WITHOUT_TIME: [u64; 3] = [2, 1, 332];

pub(super) fn harm(fed: &Fed<'_>) -> Vec<Observed> {
    let mut observed = Vec::new();
    let mut see = |finding, seq, live| observed.push(Observed { finding, seq, live });
    protected(fed, &mut see);
    history(fed, &mut see);
    healed(fed, &mut see);
    repeated_ids(fed, &mut see);
    for change in &fed.loaded.changes {
        one_change(fed, change, &mut see);
    }
    for (seq, fault) in &fed.loaded.faults {
        see(LayerFinding::Load(*fault), Some(*seq), fed.at(*seq).is_some_and(|ix| fed.is_loaded(ix)));
    }
    let likely =
        fed.before.calls.iter().filter_map(|call| call.answer.as_ref()).filter(|a| is_likely_denied(a)).count();
    if likely > 0 {
        see(LayerFinding::LikelyDenials { calls: likely }, None, false);
    }
    if let Some((first, blocks)) = signed_thinking(fed) {
        see(LayerFinding::SignedThinking { blocks }, Some(first), true);
    }
    observed
}

fn protected(fed: &Fed<'_>, see: &mut impl FnMut(LayerFinding, Option<i64>, bool)) {
    let mut seen = HashSet::new();
    for change in fed.loaded.changes.iter().filter(|change| changes_content(&change.edit)) {
        let Some((ix, entry)) = fed.stored(change.seq) else { continue };
        let (summary, layer) = (entry.flags.compact_summary, change.layer);
        let stand_in = matches!(change.reason, Reason::ApiError | Reason::Synthetic);
        if (summary || entry.flags.meta) && seen.insert(change.seq) {
            see(LayerFinding::ProtectedTouched { layer, summary, stand_in }, Some(change.seq), fed.was_loaded(ix));
        }
    }
}

fn changes_content(edit: &Edit) -> bool {
    matches!(edit, Edit::Replaced { .. } | Edit::Stripped { .. } | Edit::Dropped)
}

/// From the leaf the whole chain must still be reached.
fn history(fed: &Fed<'_>, see: &mut impl FnMut(LayerFinding, Option<i64>, bool)) {
    // What says nothing to the model, such as a notice below a stand-in that was dropped, is no loss.
    let is_lost = |(ix, entry): &(Ix, &Entry)| {
        fed.was_loaded(*ix) && entry.characters() > 0 && fed.at(entry.seq).is_some_and(|after| !fed.is_loaded(after))
    };
    let lost: Vec<(Ix, &Entry)> = fed.before.entries().filter(is_lost).collect();
    let Some((_, first)) = lost.first() else { return };
    // A layer that only replaced contents has moved nothing.
    let moved = |layer| {
        let changes = fed.loaded.changes.iter().filter(|change| change.layer == layer);
        changes.filter(|change| !matches!(change.edit, Edit::Replaced { .. })).count()
    };
    let layer = if moved(Layer::Prune) == 0 && moved(Layer::Heal) > 0 { Layer::Heal } else { Layer::Prune };
    see(LayerFinding::HistoryLost { layer, entries: lost.len() }, Some(first.seq), true);
}

fn healed(fed: &Fed<'_>, see: &mut impl FnMut(LayerFinding, Option<i64>, bool)) {
    let after = fed.after();
    let added = fed.loaded.changes.iter().filter(|change| matches!(change.edit, Edit::Added { .. }));
    let mut beside: HashMap<&Uid, usize> = HashMap::new();
    for (_, entry) in after.entries() {
        if let Parent::Of(parent) = &entry.parent {
            *beside.entry(parent).or_default() += 1;
        }
    }
    for change in added {
        let Some(ix) = fed.healed_behind(change.seq) else { continue };
        let parent = fed.stored(change.seq).and_then(|(_, entry)| entry.uuid.as_ref());
        let entries = parent.and_then(|parent| beside.get(parent)).map_or(0, |below| below.saturating_sub(1));
        if entries > 0 {
            see(LayerFinding::BesideHealed { entries }, Some(change.seq), fed.is_loaded(ix));
        }
        let is_leaf = after.chain.live_leaf() == Some(ix);
        if is_leaf && after.entry(ix).is_some_and(|entry| entry.timestamp.is_none()) {
            let version = version(fed.before);
            let refused = version.as_deref().is_none_or(|version| numbers(version) < TAKES_LEAF_WITHOUT_TIME);
            let version = version.unwrap_or_else(|| "an unknown version".to_owned());
            see(LayerFinding::HealedLeafWithoutTime { version, refused }, Some(change.seq), true);
        }
    }
}

/// The CLI that wrote the end of a session.
fn version(session: &SessionModel) -> Option<String> {
    session.session.entries.iter().rev().find_map(|entry| entry.version.as_deref()).map(ToOwned::to_owned)
}

fn numbers(version: &str) -> [u64; 3] {
    let mut parts = version.split(['.', '-', '+']).map(|part| part.parse().unwrap_or(0));
    std::array::from_fn(|_| parts.next().unwrap_or(0))
}

fn one_change(fed: &Fed<'_>, change: &Change, see: &mut impl FnMut(LayerFinding, Option<i64>, bool)) {
    let Some((ix, entry)) = fed.stored(change.seq) else { return };
    let seq = Some(change.seq);
    match (&change.edit, change.reason) {
        (Edit::Relinked { before: Some(_), after: None }, _) if is_behind_others(fed, change.seq) => {
            see(LayerFinding::RelinkedToRoot, seq, fed.was_loaded(ix));
        }
        (Edit::Dropped, Reason::ApiError | Reason::Synthetic) => {
            let calls = entry.calls().count();
            if calls > 0 {
                see(LayerFinding::SyntheticCallDropped { calls }, seq, fed.was_loaded(ix));
            }
        }
        _ => {}
    }
}

/// Whether something that is fed stands before this entry.
fn is_behind_others(fed: &Fed<'_>, seq: i64) -> bool {
    fed.after().session.entries.iter().find(|entry| entry.in_chain()).is_some_and(|first| first.seq < seq)
}

/// Ids that stand at several calls, where a layer went by one of them.
fn repeated_ids(fed: &Fed<'_>, see: &mut impl FnMut(LayerFinding, Option<i64>, bool)) {
    let mut calls: HashMap<&str, usize> = HashMap::new();
    for id in fed.before.calls.iter().filter_map(|call| call.id.as_deref()) {
        *calls.entry(id).or_default() += 1;
    }
    if calls.values().all(|n| *n < 2) {
        return;
    }
    let is_repeated = |id: &&str| calls.get(id).is_some_and(|n| *n > 1);
    let mut seen = HashSet::new();
    for change in &fed.loaded.changes {
        let Some((ix, entry)) = fed.stored(change.seq) else { continue };
        let blocks = || entry.blocks().iter().filter_map(|block| block.id.as_deref());
        let ids: Vec<&str> = match (&change.edit, change.reason) {
            (Edit::Dropped, Reason::Denied) => blocks().collect(),
            (Edit::Stripped { ids }, _) => ids.iter().map(String::as_str).collect(),
            (Edit::Replaced { tool_use_id, .. }, Reason::Expired) => vec![tool_use_id],
            _ => continue,
        };
        for id in ids.into_iter().filter(is_repeated) {
            let expired = change.layer == Layer::Expire;
            if seen.insert((id.to_owned(), expired)) {
                let id = id.to_owned();
                let finding = if expired {
                    LayerFinding::RepeatedIdExpired { id }
                } else {
                    LayerFinding::RepeatedIdPruned { id }
                };
                see(finding, Some(change.seq), fed.was_loaded(ix));
            }
        }
    }
}

/// Signed thinking behind the first change that the model sees: where that is, and how many blocks.
fn signed_thinking(fed: &Fed<'_>) -> Option<(i64, usize)> {
    let first = first_change(fed)?;
    let is_behind = |(ix, entry): &(Ix, &Entry)| {
        entry.seq >= first && fed.is_loaded(*ix) && entry.blocks().iter().any(|block| block.kind == BlockKind::Thinking)
    };
    let behind = fed.after().entries().filter(is_behind);
    let lines = behind.filter_map(|(ix, _)| fed.line(ix)).filter(|line| matches!(line.source(), Source::Stored { .. }));
    let blocks = lines.map(|line| signatures(line.json())).sum();
    (blocks > 0).then_some((first, blocks))
}

#[derive(Default)]
struct Content<'a> {
    message: Message<'a>,
}

#[derive(Default)]
struct Message<'a>(Option<&'a str>);

#[derive(Default)]
struct Signature<'a>(Option<&'a str>);

impl<'a> Slots<'a> for Content<'a> {
    fn slot(&mut self, _name: &str) -> Option<&mut Option<&'a str>> {
        None
    }

    fn inner(&mut self, name: &str) -> Option<&mut dyn Slots<'a>> {
        (name == "message").then_some(&mut self.message)
    }
}

impl<'a> Slots<'a> for Message<'a> {
    fn slot(&mut self, name: &str) -> Option<&mut Option<&'a str>> {
        (name == "content").then_some(&mut self.0)
    }
}

impl<'a> Slots<'a> for Signature<'a> {
    fn slot(&mut self, name: &str) -> Option<&mut Option<&'a str>> {
        (name == "signature").then_some(&mut self.0)
    }
}

/// Blocks with a signature that says something.
fn signatures(json: &str) -> usize {
    let content = fill::<Content<'_>>(json).and_then(|content| content.message.0).unwrap_or_default();
    let signed = |block: &Signature<'_>| block.0.and_then(text).is_some_and(|signature| !signature.is_empty());
    fill_each::<Signature<'_>>(content, MAX_BLOCKS).iter().filter(|block| signed(block)).count()
}
