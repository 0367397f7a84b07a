use super::TurnCost;
use crate::session::{Model, ModelTurn};
use crate::transcript::Label;
use crate::unit::{Timestamp, Tokens, Usd};
use serde::Serialize;

/// Turns that are listed.
const LISTED: usize = 10;

/// One of the most expensive model turns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExpensiveTurn {
    /// Session.
    pub store_key: String,
    /// Its first entry.
    pub seq: i64,
    /// When.
    pub at: Option<Timestamp>,
    /// The model that answered.
    pub model: String,
    /// What the model was given.
    pub context_tokens: Tokens,
    /// What it wrote.
    pub output_tokens: Tokens,
    /// Written to the cache.
    pub cache_write_tokens: Tokens,
    /// What it cost.
    pub measured_usd: Usd,
}

/// What a model turn costs, and whether that grows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Trend {
    /// Mean over all turns; null without turns.
    pub mean_usd: Option<Usd>,
    /// Mean over the first quarter of the turns, in the order in which they were written.
    pub first_quarter_usd: Option<Usd>,
    /// Mean over the last quarter.
    pub last_quarter_usd: Option<Usd>,
}

/// The most expensive of `turns`, the dearest first.
pub(super) fn expensive(model: &Model, turns: &[(&ModelTurn, &TurnCost)]) -> Vec<ExpensiveTurn> {
    let mut ranked: Vec<&(&ModelTurn, &TurnCost)> =
        turns.iter().filter(|(_, cost)| cost.bill.unpriced.is_none()).collect();
    ranked.sort_by_key(|(turn, cost)| (std::cmp::Reverse(cost.bill.measured()), turn.position));
    let listed = ranked.into_iter().take(LISTED).filter_map(|(turn, cost)| {
        let home = model.sessions.get(turn.home)?;
        Some(ExpensiveTurn {
            store_key: home.store_key().to_owned(),
            seq: home.seq(turn.at),
            at: cost.at,
            model: Label::to_string(&turn.model),
            context_tokens: turn.usage.context(),
            output_tokens: turn.usage.output,
            cache_write_tokens: turn.usage.cache_write,
            measured_usd: cost.bill.measured(),
        })
    });
    listed.collect()
}

/// Whether turns grow dearer.
pub(super) fn trend(turns: &[(&ModelTurn, &TurnCost)]) -> Trend {
    let quarter = turns.len().div_ceil(4);
    let last = turns.len() - quarter;
    Trend {
        mean_usd: mean(turns),
        first_quarter_usd: mean(turns.get(..quarter).unwrap_or_default()),
        last_quarter_usd: mean(turns.get(last..).unwrap_or_default()),
    }
}

fn mean(turns: &[(&ModelTurn, &TurnCost)]) -> Option<Usd> {
    let sum: Usd = turns.iter().map(|(_, cost)| cost.bill.measured()).sum();
    let turns = i64::try_from(turns.len()).ok().filter(|turns| *turns > 0)?;
    Some(Usd::from_nanos(sum.nanos() / turns))
}
