use super::TurnCost;
use crate::analysis::prices::{Lookup, PriceTable, price_of};
use crate::analysis::{Selection, TimeRange};
use crate::session::{Ix, Model, ModelTurn, SessionModel};
use crate::unit::{Tokens, Usd};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;

/// What the results of one tool cost in context: an estimate, from the characters of the results.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ToolSpend {
    /// Name of the tool.
    pub tool: String,
    /// Calls.
    pub calls: u64,
    /// Results that a model turn was given.
    pub results: u64,
    /// Characters of these results.
    pub result_characters: u64,
    /// Estimated tokens of these results, each counted once.
    pub estimated_tokens: Tokens,
    /// Estimated tokens times the model turns that were given them, up to the next compaction.
    pub estimated_carried_tokens: Tokens,
    /// Estimated cost: written to the cache once, then read in every later turn up to the next compaction.
    pub estimated_usd: Usd,
}

/// The estimate for every tool, the dearest first.
pub(super) fn by_tool(
    model: &Model,
    selection: &Selection,
    costs: &[TurnCost],
    range: TimeRange,
    prices: &PriceTable,
) -> Vec<ToolSpend> {
    let mut turns: Vec<Vec<(&ModelTurn, &TurnCost)>> = vec![Vec::new(); model.sessions.len()];
    for (turn, cost) in model.usage.turns.iter().zip(costs).filter(|(turn, _)| selection.has(turn.home)) {
        if let Some(own) = turns.get_mut(turn.home) {
            own.push((turn, cost));
        }
    }
    let sessions: Vec<(&SessionModel, Vec<(&ModelTurn, &TurnCost)>)> = model.sessions.iter().zip(turns).collect();
    let all: Vec<BTreeMap<&str, ToolSpend>> =
        sessions.into_par_iter().map(|(session, turns)| Given::new(session, turns, prices).tools(range)).collect();
    let mut tools: BTreeMap<&str, ToolSpend> = BTreeMap::new();
    for (name, one) in all.into_iter().flatten() {
        tools.entry(name).or_default().add(&one);
    }
    let named = |(name, spend): (&str, ToolSpend)| ToolSpend { tool: name.to_owned(), ..spend };
    let mut tools: Vec<ToolSpend> = tools.into_iter().map(named).collect();
    tools.sort_by(|a, b| b.estimated_usd.cmp(&a.estimated_usd).then_with(|| b.calls.cmp(&a.calls)));
    tools
}

impl ToolSpend {
    fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.results += other.results;
        self.result_characters = self.result_characters.saturating_add(other.result_characters);
        self.estimated_tokens += other.estimated_tokens;
        self.estimated_carried_tokens += other.estimated_carried_tokens;
        self.estimated_usd += other.estimated_usd;
    }
}

/// One session with its turns in their order.
struct Given<'a> {
    of: &'a SessionModel,
    turns: Vec<(&'a ModelTurn, &'a TurnCost)>,
    prices: &'a PriceTable,
}

impl<'a> Given<'a> {
    fn new(session: &'a SessionModel, mut turns: Vec<(&'a ModelTurn, &'a TurnCost)>, prices: &'a PriceTable) -> Self {
        turns.sort_by_key(|(turn, _)| turn.at);
        Self { of: session, turns, prices }
    }

    fn tools(&self, range: TimeRange) -> BTreeMap<&'a str, ToolSpend> {
        let mut tools: BTreeMap<&str, ToolSpend> = BTreeMap::new();
        for call in &self.of.calls {
            let tool = tools.entry(&call.name).or_default();
            tool.calls += 1;
            if let Some(answer) = &call.answer {
                tool.add(&self.result(answer.at, answer.characters, range));
            }
        }
        tools
    }

    /// One result: it enters with the next turn and is given to every turn up to the next compaction.
    fn result(&self, at: Ix, characters: u64, range: TimeRange) -> ToolSpend {
        let from = self.turns.partition_point(|(turn, _)| turn.at <= at);
        let segments = &self.of.chain.segments;
        let boundary = segments.get(segments.partition_point(|segment| segment.boundary <= at));
        let to =
            boundary.map_or(self.turns.len(), |next| self.turns.partition_point(|(turn, _)| turn.at < next.boundary));
        let given = self.turns.get(from..to).unwrap_or_default();
        let Some((first, cost)) = given.first().filter(|(_, cost)| range.holds(cost.at)) else {
            return ToolSpend::default();
        };
        let tokens = Tokens::estimated(characters);
        let carried = Tokens(tokens.0.saturating_mul(u64::try_from(given.len()).unwrap_or(u64::MAX)));
        let estimated_usd = match self.prices.look_up(&first.model, cost.at) {
            Lookup::Priced(_, period) => {
                let read = Tokens(carried.0.saturating_sub(tokens.0));
                price_of(tokens, period.rates.cache_write_5m) + price_of(read, period.rates.cache_read)
            }
            Lookup::Undated(..) | Lookup::OtherDays | Lookup::Unknown => Usd::ZERO,
        };
        ToolSpend {
            tool: String::new(),
            calls: 0,
            results: 1,
            result_characters: characters,
            estimated_tokens: tokens,
            estimated_carried_tokens: carried,
            estimated_usd,
        }
    }
}
