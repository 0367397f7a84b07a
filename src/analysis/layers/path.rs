//! What the live path is given and what it lacks, whatever the cause.

use super::answer::Observed;
use super::fed::Fed;
use super::finding::LayerFinding;
use crate::session::{Break, BreakKind, Call, Ix};
use crate::transcript::{BlockKind, Entry};
use foldhash::HashSet;

pub(super) fn path(fed: &Fed<'_>) -> Vec<Observed> {
    let mut observed = halves(fed);
    observed.extend(results_behind_others(fed));
    observed.extend(broken(fed));
    let live = |finding| Observed { finding, seq: None, live: true };
    let rows = fed.before.session.defects.len();
    observed.extend((rows > 0).then(|| live(LayerFinding::RowsUnreadable { rows })));
    observed.extend(fed.after().chain.live_leaf().is_none().then(|| live(LayerFinding::NoLeaf)));
    observed
}

/// Calls and results of which only one is on the live path. A result that is on it with a fault is told already.
fn halves(fed: &Fed<'_>) -> Vec<Observed> {
    let after = fed.after();
    let told: HashSet<Ix> = after.call_faults.iter().map(|fault| fault.at).collect();
    let half = |call: &Call| {
        let (at, answer, id) = (call.at, call.answer.as_ref()?.at, call.id.as_deref()?.to_owned());
        let (finding, shown) = match (fed.is_loaded(at), fed.is_loaded(answer)) {
            (true, false) => (LayerFinding::ResultOffPath { id, result: after.seq(answer) }, at),
            (false, true) if !told.contains(&answer) => (LayerFinding::CallOffPath { id, call: after.seq(at) }, answer),
            _ => return None,
        };
        Some(Observed { finding, seq: Some(after.seq(shown)), live: true })
    };
    after.calls.iter().filter_map(half).collect()
}

/// The API wants the results of a message before everything else in it.
fn results_behind_others(fed: &Fed<'_>) -> Vec<Observed> {
    let behind = |(ix, entry): (Ix, &Entry)| {
        let is_result = |kind: BlockKind| kind == BlockKind::ToolResult;
        let others = entry.blocks().iter().skip_while(|block| is_result(block.kind));
        let results = others.filter(|block| is_result(block.kind)).count();
        let observed = |finding| Observed { finding, seq: Some(entry.seq), live: fed.is_loaded(ix) };
        (results > 0).then(|| observed(LayerFinding::TextBeforeResults { results }))
    };
    fed.after().entries().filter_map(behind).collect()
}

/// Where the live path begins because what is before it cannot be reached.
fn broken(fed: &Fed<'_>) -> Vec<Observed> {
    let chain = &fed.before.chain;
    let is_end =
        |found: &&Break| fed.was_loaded(found.at) && chain.forest.links[found.at].is_none() && cuts(&found.kind);
    let observed = |found: &Break| Observed {
        finding: LayerFinding::PathBroken(found.kind.clone()),
        seq: Some(fed.before.seq(found.at)),
        live: true,
    };
    chain.breaks.iter().filter(is_end).map(observed).collect()
}

/// Whether history is lost at such a break. What is before a compaction is not fed anyway, and a session that goes on
/// from another one begins where it begins.
fn cuts(kind: &BreakKind) -> bool {
    match kind {
        BreakKind::PhantomParent { .. }
        | BreakKind::ResumeBreak { .. }
        | BreakKind::LostRows { .. }
        | BreakKind::UnreadableParent { .. }
        | BreakKind::UnreadableBefore { .. }
        | BreakKind::MidFileRoot
        | BreakKind::Cycle
        | BreakKind::SelfParent => true,
        BreakKind::HealedParent { .. }
        | BreakKind::ParentInOtherKey { .. }
        | BreakKind::LostLogicalParent { .. }
        | BreakKind::DuplicateUuid { .. }
        | BreakKind::DuplicateUuidDiffers { .. }
        | BreakKind::OutOfTimeOrder { .. }
        | BreakKind::ForeignSession { .. }
        | BreakKind::InterleavedWriters { .. } => false,
    }
}
