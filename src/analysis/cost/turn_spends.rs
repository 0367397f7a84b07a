use super::TurnCost;
use crate::analysis::{Selection, TimeRange};
use crate::session::Model;
use crate::unit::{Timestamp, Tokens, Usd};

/// What one model turn spent, and what the cache did with its input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnSpend {
    /// When, as far as that is recorded.
    pub at: Option<Timestamp>,
    /// The model that answered.
    pub model: String,
    /// Measured cost; `None` where the model has no price.
    pub usd: Option<Usd>,
    /// Input that the cache had no part in.
    pub uncached: Tokens,
    /// Input read from the cache.
    pub cache_read: Tokens,
    /// Input written to the cache for five minutes, or for a time that is not known.
    pub cache_write_5m: Tokens,
    /// Input written to the cache for one hour.
    pub cache_write_1h: Tokens,
}

/// The chosen turns one by one, in the order of time; turns without a time come first.
pub fn turn_spends(model: &Model, selection: &Selection, costs: &[TurnCost], range: TimeRange) -> Vec<TurnSpend> {
    let turns = model.usage.turns.iter().zip(costs);
    let chosen = turns.filter(|(turn, cost)| selection.has(turn.home) && range.holds(cost.at));
    let mut spends: Vec<TurnSpend> = chosen
        .map(|(turn, cost)| TurnSpend {
            at: cost.at,
            model: turn.model.to_string(),
            usd: cost.bill.unpriced.is_none().then(|| cost.bill.measured()),
            uncached: turn.usage.input,
            cache_read: turn.usage.cache_read,
            cache_write_5m: Tokens(turn.usage.cache_write.0.saturating_sub(turn.usage.cache_write_1h.0)),
            cache_write_1h: turn.usage.cache_write_1h,
        })
        .collect();
    spends.sort_by_key(|spend| spend.at);
    spends
}
