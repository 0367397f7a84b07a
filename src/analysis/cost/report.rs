use super::TurnCost;
use super::by_tool::{ToolSpend, by_tool};
use super::cache::{CacheMoney, cache_money};
use super::client::client_totals;
use super::clock::Clock;
use super::expensive::{ExpensiveTurn, Trend, expensive, trend};
use super::finding::findings;
use super::group::{By, GroupRow, group};
use super::killed::Spent;
use super::reconcile::{StepCost, reconcile};
use super::spend::Spend;
use super::step_facts::step_facts;
use super::waste::{Waste, waste};
use super::windows::Windows;
use crate::analysis::prices::{PriceTable, Unpriced};
use crate::analysis::{Attempts, LeftOut, Selection, TimeRange, attempts, failures};
use crate::run_dir::{Kind, Manifest, StoreKey};
use crate::session::{Model, ModelTurn, Totals};
use crate::unit::{Finding, Usd, Zone};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What the run cost: reported, measured and bounds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cost {
    /// The price tables, the one that counts most first.
    pub prices: Vec<PriceSource>,
    /// The time that is looked at.
    pub range: TimeRange,
    /// Sum of the reported cost of the steps; null without a manifest, and where no step has a readable cost.
    pub reported_usd: Option<Usd>,
    /// Steps without a readable cost; the sum leaves them out.
    pub steps_without_cost: usize,
    /// Turns, tokens and money of everything that is looked at.
    #[serde(flatten)]
    pub spend: Spend,
    /// Turns that the range leaves out.
    pub turns_left_out: LeftOut,
    /// Turns of the chosen sessions of which nothing tells when they were; a range leaves them out.
    pub turns_without_time: usize,
    /// Turns that are looked at without a time of their own that can be believed: they stand at that of the last entry before them.
    pub turns_dated_by_neighbour: usize,
    /// Steps of the manifest with what their figures hide; always whole steps, whatever the range.
    pub steps: Vec<StepCost>,
    /// Spend that belongs to no step; null without a manifest.
    pub outside_steps: Option<Spend>,
    /// By what `rows` are grouped.
    pub by: By,
    /// The spend by group.
    pub rows: Vec<GroupRow>,
    /// The estimate by tool, where that was asked for.
    pub tools: Vec<ToolSpend>,
    /// Measured cost by store key.
    pub by_session: BTreeMap<String, Usd>,
    /// Measured cost by model.
    pub by_model: BTreeMap<String, Usd>,
    /// Main threads and subagents.
    pub threads: Threads,
    /// Models without a price.
    pub unpriced: Vec<UnpricedModel>,
    /// What the cache did.
    pub cache: CacheMoney,
    /// Spend that led nowhere.
    pub waste: Waste,
    /// The most expensive turns.
    pub expensive_turns: Vec<ExpensiveTurn>,
    /// Whether turns grow dearer.
    pub trend: Trend,
}

/// A price table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PriceSource {
    /// `built-in` or the file.
    pub name: String,
    /// The day on which its prices were checked, as it says itself.
    pub checked: Option<String>,
}

/// Main threads against subagents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Threads {
    /// The main threads together.
    pub main: Spend,
    /// The subagents together.
    pub subagents: Spend,
}

/// A model without a price.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnpricedModel {
    /// Its id, as recorded.
    pub model: String,
    /// Why.
    pub reason: Unpriced,
    /// Its turns and tokens.
    #[serde(flatten)]
    pub totals: Totals,
}

/// What is asked of the report.
#[derive(Debug, Clone, Copy)]
pub struct CostQuery {
    /// How to group.
    pub by: By,
    /// What time to look at.
    pub range: TimeRange,
    /// The zone of days and hours.
    pub zone: Zone,
}

/// The cost of the chosen sessions, and what is to be said about it; `costs` are those of every turn at `prices`.
pub fn cost(
    model: &Model,
    selection: &Selection,
    manifest: Option<&Manifest>,
    costs: &[TurnCost],
    prices: &PriceTable,
    query: CostQuery,
) -> (Cost, Vec<Finding>) {
    let range = query.range;
    let in_selection = || model.usage.turns.iter().zip(costs).filter(|(turn, _)| selection.has(turn.home));
    let mut turns_left_out = LeftOut::default();
    let turns: Vec<(&ModelTurn, &TurnCost)> =
        in_selection().filter(|(_, cost)| turns_left_out.takes(range, cost.at)).collect();
    let attempts = attempts(model, manifest, &failures(model));
    let steps = manifest.map(|manifest| steps(model, selection, manifest, &attempts, costs, prices));
    let spend: Spend = turns.iter().copied().sum();
    let findings = findings(model, manifest, &turns, steps.as_deref().unwrap_or_default());
    let cost = Cost {
        prices: prices
            .origins
            .iter()
            .map(|(name, checked)| PriceSource { name: name.clone(), checked: checked.clone() })
            .collect(),
        range,
        reported_usd: steps.as_deref().and_then(reported),
        steps_without_cost: steps.iter().flatten().filter(|step| step.reported_usd.is_none()).count(),
        turns_left_out,
        turns_without_time: in_selection().filter(|(_, cost)| cost.at.is_none()).count(),
        turns_dated_by_neighbour: turns.iter().filter(|(_, cost)| cost.dated_by_neighbour).count(),
        outside_steps: manifest.map(|_| turns.iter().copied().filter(|(_, cost)| cost.step.is_none()).sum()),
        steps: steps.unwrap_or_default(),
        by: query.by,
        rows: group(query.by, model, manifest, turns.iter().copied(), query.zone),
        tools: if query.by == By::Tool { by_tool(model, selection, costs, range, prices) } else { Vec::new() },
        by_session: sums(&turns, |turn| {
            model.sessions.get(turn.home).map(|home| home.store_key().to_owned()).unwrap_or_default()
        }),
        by_model: sums(&turns, |turn| turn.model.to_string()),
        threads: threads(model, &turns),
        unpriced: unpriced(&turns),
        cache: cache_money(model, selection, costs, range, prices),
        waste: waste(model, selection, &attempts, costs, range),
        expensive_turns: expensive(model, &turns),
        trend: trend(&turns),
        spend,
    };
    (cost, findings)
}

/// The sum over the steps; `None` where there are steps and none has a readable cost.
fn reported(steps: &[StepCost]) -> Option<Usd> {
    let known = || steps.iter().filter_map(|step| step.reported_usd);
    (steps.is_empty() || known().next().is_some()).then(|| known().sum())
}

/// The steps that name a chosen session, reconciled; without a choice all.
fn steps(
    model: &Model,
    selection: &Selection,
    manifest: &Manifest,
    attempts: &Attempts,
    costs: &[TurnCost],
    prices: &PriceTable,
) -> Vec<StepCost> {
    let windows = Windows::new(manifest);
    let clock = Clock::new(model);
    let spent = Spent { attempts, spends: attempts.spends(model, costs), model, clock };
    let facts = step_facts(model, manifest, &windows, costs, &spent, prices);
    let totals = client_totals(model, &windows, &spent.clock);
    let steps = reconcile(manifest, &facts, &totals, &spent, prices);
    if selection.prefix().is_none() {
        return steps;
    }
    let chosen: BTreeSet<&str> =
        selection.sessions(model).map(|(_, session)| StoreKey::parse(session.store_key()).session).collect();
    let names_one = |row| crate::analysis::steps::sessions_of(row).any(|id| chosen.contains(id.as_str()));
    steps.into_iter().zip(&manifest.rows).filter(|(_, row)| names_one(row)).map(|(step, _)| step).collect()
}

fn sums(turns: &[(&ModelTurn, &TurnCost)], key: impl Fn(&ModelTurn) -> String) -> BTreeMap<String, Usd> {
    let mut sums = BTreeMap::new();
    for (turn, cost) in turns {
        let sum: &mut Usd = sums.entry(key(turn)).or_default();
        *sum += cost.bill.measured();
    }
    sums
}

fn threads(model: &Model, turns: &[(&ModelTurn, &TurnCost)]) -> Threads {
    let mut threads = Threads::default();
    for (turn, cost) in turns {
        let is_subagent = model.sessions.get(turn.home).is_some_and(|home| home.kind() == Kind::Subagent);
        let side = if is_subagent { &mut threads.subagents } else { &mut threads.main };
        side.add(turn, cost);
    }
    threads
}

fn unpriced(turns: &[(&ModelTurn, &TurnCost)]) -> Vec<UnpricedModel> {
    let mut models: BTreeMap<(&str, Unpriced), Totals> = BTreeMap::new();
    for (turn, cost) in turns {
        let entries_with_usage = turn.entries_with_usage;
        for (model, reason, usage) in cost.bill.unpriced_parts(turn) {
            let totals = models.entry((model, reason)).or_default();
            *totals = totals.plus(Totals { model_turns: 1, entries_with_usage, usage });
        }
    }
    let row = |((model, reason), totals): ((&str, Unpriced), Totals)| UnpricedModel {
        model: model.to_owned(),
        reason,
        totals,
    };
    models.into_iter().map(row).collect()
}
