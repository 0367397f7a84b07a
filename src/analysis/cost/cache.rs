use super::TurnCost;
use crate::analysis::prices::{Lookup, PriceTable, price_of};
use crate::analysis::{Selection, TimeRange};
use crate::session::{Model, ModelTurn, SessionModel};
use crate::unit::{Span, Timestamp, Tokens, Usd};
use serde::Serialize;
use std::collections::BTreeMap;

/// Contexts below this size are not cached by every model, so that reading nothing from the cache is no miss.
const SMALLEST_CACHED: Tokens = Tokens(4096);

/// How long a cache write lives.
const FIVE_MINUTES: Span = Span::from_millis(5 * 60 * 1000);
const ONE_HOUR: Span = Span::from_millis(60 * 60 * 1000);

/// What the cache did, in money (spec/cost.md, Views).
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CacheMoney {
    /// Share of the context that was read from the cache, from 0 to 1; null without any.
    pub hit_share: Option<f64>,
    /// What was paid for the context.
    pub paid_usd: Usd,
    /// What it would have cost without a cache.
    pub uncached_usd: Usd,
    /// The difference; negative where writing cost more than reading saved.
    pub saved_usd: Usd,
    /// Turns that wrote again what the turn before had in the cache.
    pub misses: Vec<CacheMiss>,
    /// What these turns paid beyond the price of reading.
    pub misses_usd: Usd,
}

/// A turn that wrote again what the turn before had in the cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CacheMiss {
    /// Session.
    pub store_key: String,
    /// First entry of the turn.
    pub seq: i64,
    /// When.
    pub at: Option<Timestamp>,
    /// What the turn before had in the cache and this one did not read from it.
    pub tokens: Tokens,
    /// What that cost beyond the price of reading it.
    pub cost_usd: Usd,
    /// Why, as far as the transcript tells.
    pub cause: MissCause,
    /// Time since the turn before.
    #[serde(rename = "gap_s")]
    pub gap: Option<Span>,
}

/// Why a turn missed the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum MissCause {
    /// Another model answered: each has its own cache.
    ModelSwitch,
    /// A compaction replaced what was cached.
    Compaction,
    /// More time passed than the cache lives.
    Expired,
    /// Another step went on with the session: load layers or the harness changed what comes before.
    EditedAfterResume,
    /// Nothing in the transcript tells.
    Unknown,
}

/// The money side of the cache over the chosen turns.
pub(super) fn cache_money(
    model: &Model,
    selection: &Selection,
    costs: &[TurnCost],
    range: TimeRange,
    prices: &PriceTable,
) -> CacheMoney {
    let mut money = CacheMoney::default();
    let (mut read, mut context) = (0_u128, 0_u128);
    let mut last: BTreeMap<usize, (&ModelTurn, &TurnCost)> = BTreeMap::new();
    for (turn, cost) in model.usage.turns.iter().zip(costs).filter(|(turn, _)| selection.has(turn.home)) {
        let before = last.insert(turn.home, (turn, cost));
        if !range.holds(cost.at) {
            continue;
        }
        read += u128::from(turn.usage.cache_read.0);
        context += u128::from(turn.usage.context().0);
        money.paid_usd += cost.bill.classes.context();
        money.uncached_usd += cost.bill.uncached;
        let Some((home, before)) = model.sessions.get(turn.home).zip(before) else { continue };
        money.misses.extend(miss(home, before, (turn, cost), prices));
    }
    money.saved_usd = money.uncached_usd - money.paid_usd;
    money.misses_usd = money.misses.iter().map(|miss| miss.cost_usd).sum();
    money.misses.sort_by_key(|miss| std::cmp::Reverse(miss.cost_usd));
    money.hit_share = crate::analysis::economics::share(read, context);
    money
}

/// Whether `turn` read less than half of what the turn before read from the cache or wrote to it, and what that cost.
fn miss(
    home: &SessionModel,
    (before, before_cost): (&ModelTurn, &TurnCost),
    (turn, cost): (&ModelTurn, &TurnCost),
    prices: &PriceTable,
) -> Option<CacheMiss> {
    let cached = before.usage.cache_read + before.usage.cache_write;
    let read = turn.usage.cache_read;
    // What was cached and is not in the context any more cannot be read; a smaller context is no miss.
    let expected = cached.min(turn.usage.context());
    if expected < SMALLEST_CACHED || read.0 >= expected.0 / 2 {
        return None;
    }
    let tokens = Tokens(expected.0 - read.0);
    let Lookup::Priced(_, period) = prices.look_up(&turn.model, cost.at) else { return None };
    let rates = period.rates;
    let written = if turn.usage.cache_write > Tokens(0) { rates.cache_write_5m } else { rates.input };
    let gap = cost.at.zip(before_cost.at).map(|(at, earlier)| at.since(earlier));
    let lives = if before.usage.cache_write_1h > Tokens(0) { ONE_HOUR } else { FIVE_MINUTES };
    let segments = &home.chain.segments;
    let next = segments.get(segments.partition_point(|segment| segment.boundary <= before.at));
    let compacted = next.is_some_and(|segment| segment.boundary <= turn.at);
    let cause = if before.model != turn.model {
        MissCause::ModelSwitch
    } else if compacted {
        MissCause::Compaction
    } else if gap.is_some_and(|gap| gap > lives) {
        MissCause::Expired
    } else if cost.step != before_cost.step {
        MissCause::EditedAfterResume
    } else {
        MissCause::Unknown
    };
    let cost_usd = price_of(tokens, written) - price_of(tokens, rates.cache_read);
    let seq = home.seq(turn.at);
    Some(CacheMiss { store_key: home.store_key().to_owned(), seq, at: cost.at, tokens, cost_usd, cause, gap })
}
