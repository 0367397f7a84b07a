//! Calls and results of what is fed, in the order that the API demands.

use super::answer::Observed;
use super::fed::Fed;
use super::finding::LayerFinding;
use crate::layers::{Change, Edit, Layer, Line, Source};
use crate::session::{CallFault, CallFaultKind};
use foldhash::{HashMap, HashMapExt, HashSet};

/// What is wrong with the pairs that are fed, with the layer that caused it.
pub(super) fn pairing(fed: &Fed<'_>) -> Vec<Observed> {
    let mut known: HashMap<(i64, &'static str), usize> = HashMap::new();
    for fault in &fed.before.call_faults {
        *known.entry((fed.before.seq(fault.at), code(&fault.kind))).or_default() += 1;
    }
    let moved = moved_by_heal(fed);
    let mut observed = Vec::new();
    for CallFault { at, kind: fault } in &fed.after().call_faults {
        let seq = fed.after().seq(*at);
        let healed = matches!(fed.line(*at).map(Line::source), Some(Source::Healed { .. }));
        let before = known.get_mut(&(seq, code(fault))).filter(|left| !healed && **left > 0);
        let fault = fault.clone();
        let finding = match before {
            Some(left) => {
                *left -= 1;
                LayerFinding::PairingFed { fault }
            }
            None if healed || moved.contains(&seq) => LayerFinding::PairingBroken { layer: Layer::Heal, fault },
            None => LayerFinding::PairingBroken { layer: Layer::Prune, fault },
        };
        observed.push(Observed { finding, seq: Some(seq), live: fed.is_loaded(*at) });
    }
    observed
}

fn code(fault: &CallFaultKind) -> &'static str {
    fault.into()
}

/// Entries that hang below an added one.
fn moved_by_heal(fed: &Fed<'_>) -> HashSet<i64> {
    let moved = |change: &&Change| change.layer == Layer::Heal && matches!(change.edit, Edit::Relinked { .. });
    fed.loaded.changes.iter().filter(moved).map(|change| change.seq).collect()
}
