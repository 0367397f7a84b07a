use super::TurnCost;
use crate::analysis::prices::{Lookup, Period, PriceTable, price_of};
use crate::session::{Ix, Model, ModelTurn, Segment};
use crate::unit::{Tokens, Usd};
use foldhash::{HashMap, HashMapExt};

/// An assumption, and told as one: most tokens of output that the call for a summary takes. The evidence bounds only what
/// was kept, by the context after the compaction (spec/entries.md, Chains); a draft that the client threw away is recorded
/// nowhere. In the recorded runs the whole context after a compaction has fewer than 5,000 tokens.
pub(super) const ASSUMED_OUTPUT: Tokens = Tokens(20_000);

/// A turn with its place in a session; `None` for one that another session wrote first.
type Placed<'a> = (Option<Ix>, &'a ModelTurn, &'a TurnCost);

/// What the calls for the summaries of compactions cost at most: they leave no entry. Such a call is given the whole context
/// before the compaction, at worst without a cache, and writes no more than is assumed, or than was kept.
pub(super) struct Summaries<'a> {
    /// Turns of the sessions with compactions, in order; those of other sessions come first.
    turns: HashMap<usize, Vec<Placed<'a>>>,
    prices: &'a PriceTable,
}

impl<'a> Summaries<'a> {
    pub(super) fn new(model: &'a Model, costs: &'a [TurnCost], prices: &'a PriceTable) -> Self {
        let mut turns: HashMap<usize, Vec<Placed<'_>>> = HashMap::new();
        let compacted = |at: &usize| model.sessions.get(*at).is_some_and(|of| !of.chain.segments.is_empty());
        for (turn, cost) in model.usage.turns.iter().zip(costs) {
            let copies = turn.shared_with.iter().map(|holder| (*holder, None));
            for (session, at) in copies.chain([(turn.home, Some(turn.at))]).filter(|(session, _)| compacted(session)) {
                turns.entry(session).or_default().push((at, turn, cost));
            }
        }
        for own in turns.values_mut() {
            own.sort_by_key(|(at, ..)| *at);
        }
        Self { turns, prices }
    }

    /// The most that the summary of one compaction can have cost; `None` where no price is known. A compaction of nothing
    /// costs nothing.
    pub(super) fn at_most(&self, session: usize, segment: &Segment) -> Option<Usd> {
        let own = self.turns.get(&session).map(Vec::as_slice).unwrap_or_default();
        let before = own.partition_point(|(at, ..)| *at < Some(segment.boundary));
        let last = before.checked_sub(1).and_then(|last| own.get(last));
        // Without a turn before, the first one after it tells the model.
        let Some((_, turn, cost)) = last.or_else(|| own.first()) else { return Some(Usd::ZERO) };
        let given = last.map(|(_, turn, _)| turn.usage.total()).unwrap_or_default();
        let context = given.max(segment.pre_tokens.unwrap_or_default());
        let written = ASSUMED_OUTPUT.max(segment.post_tokens.unwrap_or_default());
        let at_most = |period: &Period| {
            let rates = period.rates_for(context);
            price_of(context, rates.input) + price_of(written, rates.output)
        };
        match self.prices.look_up(&turn.model, cost.at) {
            Lookup::Priced(_, period) => Some(at_most(period)),
            Lookup::Undated(_, periods) => periods.iter().map(at_most).max(),
            Lookup::OtherDays | Lookup::Unknown => None,
        }
    }
}
