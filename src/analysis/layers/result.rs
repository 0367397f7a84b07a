use super::{Answer, KeyLoad, Sized, SpillFolder};
use crate::layers::{Layer, Policy, Size};
use crate::unit::{Tokens, Usd};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What the load layers do to the chosen sessions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Layers {
    /// With the policy that was asked for.
    #[serde(flatten)]
    pub load: PolicyLoad,
    /// The files of trimmed results.
    pub spill_folder: SpillFolder,
    /// With the policy that it is compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<PolicyLoad>,
}

/// What one policy does.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PolicyLoad {
    /// How the policy was named.
    pub name: String,
    /// What it says.
    pub policy: Policy,
    /// The last layer that does anything.
    pub last_layer: Layer,
    /// All sessions together.
    pub totals: LoadTotals,
    /// Session by session, by store key.
    pub keys: BTreeMap<String, KeyLoad>,
}

/// All sessions together.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LoadTotals {
    /// Sessions.
    pub sessions: usize,
    /// Sessions that are fed otherwise than they are stored.
    pub changed: usize,
    /// Sessions by the verdict on their live path.
    pub verdicts: BTreeMap<Answer, usize>,
    /// What the models see of what is stored.
    pub before: Sized,
    /// What they see of what is fed.
    pub after: Sized,
    /// Tokens that are written to the cache again, estimated.
    pub estimated_tokens: Tokens,
    /// What that costs, cached for five minutes: the priced part.
    pub low_usd: Usd,
    /// The same, cached for one hour.
    pub high_usd: Usd,
    /// Models without a price, which the costs leave out.
    pub unpriced: BTreeSet<String>,
}

impl PolicyLoad {
    /// Adds up the sessions.
    pub fn new(name: String, policy: Policy, last_layer: Layer, keys: BTreeMap<String, KeyLoad>) -> Self {
        let mut totals = LoadTotals { sessions: keys.len(), ..LoadTotals::default() };
        let (mut before, mut after) = (Size::default(), Size::default());
        for key in keys.values() {
            totals.changed += usize::from(key.layers.iter().any(|layer| layer.changes > 0));
            *totals.verdicts.entry(key.verdict.live).or_default() += 1;
            before += key.context.before.size;
            after += key.context.after.size;
            totals.estimated_tokens += key.cache.estimated_tokens;
            totals.low_usd += key.cache.low_usd.unwrap_or(Usd::ZERO);
            totals.high_usd += key.cache.high_usd.unwrap_or(Usd::ZERO);
            totals.unpriced.extend(key.cache.model.clone().filter(|_| key.cache.unpriced.is_some()));
        }
        (totals.before, totals.after) = (before.into(), after.into());
        Self { name, policy, last_layer, totals, keys }
    }
}
