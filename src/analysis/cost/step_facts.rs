use super::TurnCost;
use super::killed::{Killed, Spent};
use super::spend::{High, Spend};
use super::summaries::Summaries;
use super::titles::titles;
use super::windows::{StepBasis, Windows};
use crate::analysis::prices::{PriceTable, Rates, at_the_dearest};
use crate::analysis::steps::sessions_of;
use crate::run_dir::{Kind, Manifest, StoreKey};
use crate::session::{Model, ModelTurn, SessionModel};
use crate::transcript::Label;
use crate::unit::{Tokens, Usd, counted};
use foldhash::{HashMap, HashMapExt};
use std::collections::BTreeMap;

/// What the transcript says about one step, as far as its cost is concerned.
#[derive(Debug, Clone, Default)]
pub(super) struct StepFacts {
    /// All of its turns.
    pub(super) spend: Spend,
    /// What its subagents spent.
    pub(super) subagents_usd: Usd,
    /// What of its spend is counted here by time alone: no step names the session.
    pub(super) by_time_usd: Usd,
    /// What is measured of its last turn in a main thread.
    pub(super) last_usd: Usd,
    /// Turns whose stream was cut, with what they can have cost beyond what is measured.
    pub(super) cut: Hidden,
    /// The same turns, with what is measured of them.
    pub(super) cut_measured: Hidden,
    /// Turns whose cache writes the data leaves open, with what these can have cost beyond what is measured.
    pub(super) cache_writes: Hidden,
    /// Turns that nothing dates, with what another price of their model would add.
    pub(super) undated: Hidden,
    /// Turns without a price, with what they cost at most at the dearest prices of the table.
    pub(super) without_price: Hidden,
    /// Titles that were asked for, with what these calls cost at most.
    pub(super) titles: Hidden,
    /// Messages in its time that another session wrote first, with what they cost at most.
    pub(super) shared: Hidden,
    /// Compactions in its time, with what the calls for their summaries cost at most.
    pub(super) compactions: Hidden,
    /// What tells that processes of it were killed.
    pub(super) killed: Option<Killed>,
    /// Version of the CLI.
    pub(super) version: Option<(u64, u64, u64)>,
    models: BTreeMap<Label, (Tokens, Usd)>,
    unpriced: BTreeMap<Label, usize>,
}

/// Things that hide spend.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Hidden {
    /// How many.
    pub(super) number: u64,
    /// How much they hide at most, as far as that is known.
    pub(super) at_most: High,
}

impl Hidden {
    pub(super) fn add(&mut self, at_most: Option<Usd>) {
        self.number += 1;
        self.at_most.add(at_most);
    }
}

impl StepFacts {
    /// Tokens of one model, and what is measured for them.
    pub(super) fn of_model(&self, model: &str) -> (Tokens, Usd) {
        self.models.get(model).copied().unwrap_or_default()
    }

    /// The models without a price, for people.
    pub(super) fn unpriced_models(&self) -> String {
        let models = self.unpriced.iter().map(|(model, turns)| format!("{model} ({})", counted(*turns, "turn")));
        models.collect::<Vec<_>>().join(", ")
    }

    fn add(&mut self, turn: &ModelTurn, cost: &TurnCost, by_subagent: bool, dearest: &Rates) {
        self.spend.add(turn, cost);
        if cost.step_basis == StepBasis::ByTime {
            self.by_time_usd += cost.bill.measured();
        }
        if by_subagent {
            self.subagents_usd += cost.bill.measured();
        } else {
            self.last_usd = cost.bill.measured();
        }
        let (tokens, measured) = self.models.entry(turn.model.clone()).or_default();
        *tokens += turn.usage.total();
        *measured += cost.bill.measured();
        if cost.bill.lacks_a_price() {
            self.without_price.add(at_the_dearest(turn, &cost.bill, dearest));
            for (model, ..) in cost.bill.unpriced_parts(turn) {
                *self.unpriced.entry(model.clone()).or_default() += 1;
            }
        }
        self.add_open(turn, cost);
    }

    /// What the data leaves open of a turn that has a price.
    fn add_open(&mut self, turn: &ModelTurn, cost: &TurnCost) {
        if cost.bill.unpriced.is_some() || turn.service.unreadable {
            return;
        }
        let open = cost.bill.open;
        let part = |part: Usd| Some(part).filter(|part| !part.is_saturated());
        if !turn.ended {
            self.cut.add(part(open.output));
            self.cut_measured.add(part(cost.bill.measured()));
        }
        if open.cache_writes > Usd::ZERO {
            self.cache_writes.add(part(open.cache_writes));
        }
        if open.period > Usd::ZERO {
            self.undated.add(part(open.period));
        }
    }
}

/// The facts of every step of the manifest.
pub(super) fn step_facts(
    model: &Model,
    manifest: &Manifest,
    windows: &Windows,
    costs: &[TurnCost],
    spent: &Spent<'_>,
    prices: &PriceTable,
) -> Vec<StepFacts> {
    let rows = manifest.rows.iter().enumerate();
    let mut facts: Vec<StepFacts> =
        rows.map(|(at, row)| StepFacts { killed: spent.killed(at, row), ..StepFacts::default() }).collect();
    let dearest = prices.dearest();
    for (turn, cost) in model.usage.turns.iter().zip(costs) {
        let by_subagent = model.sessions.get(turn.home).is_some_and(|home| home.kind() == Kind::Subagent);
        if let Some(step) = cost.step.and_then(|step| facts.get_mut(step)) {
            step.add(turn, cost, by_subagent, &dearest);
        }
        for holder in turn.shared_with.iter().filter_map(|holder| model.sessions.get(*holder)) {
            let step = windows.step(StoreKey::parse(holder.store_key()).session, cost.at);
            if let Some(step) = step.filter(|step| Some(*step) != cost.step).and_then(|step| facts.get_mut(step)) {
                step.shared.add(cost.bill.high);
            }
        }
    }
    let summaries = Summaries::new(model, costs, prices);
    for (at, session) in model.sessions.iter().enumerate() {
        let id = StoreKey::parse(session.store_key()).session;
        for segment in &session.chain.segments {
            let step = windows.step(id, spent.clock.at(model, at, segment.boundary));
            if let Some(step) = step.and_then(|step| facts.get_mut(step)) {
                step.compactions.add(summaries.at_most(at, segment));
            }
        }
    }
    for (step, titles) in titles(model, windows, &spent.clock, costs, prices) {
        if let Some(step) = facts.get_mut(step) {
            step.titles = titles;
        }
    }
    note_versions(model, manifest, &mut facts);
    facts
}

fn note_versions(model: &Model, manifest: &Manifest, facts: &mut [StepFacts]) {
    let mut versions: HashMap<&str, (u64, u64, u64)> = HashMap::new();
    for session in model.sessions.iter().filter(|session| session.kind() == Kind::Main) {
        if let Some(version) = version(session) {
            versions.insert(StoreKey::parse(session.store_key()).session, version);
        }
    }
    for (row, facts) in manifest.rows.iter().zip(facts) {
        facts.version = sessions_of(row).filter_map(|id| versions.get(id.as_str())).max().copied();
    }
}

/// The newest version of the CLI that wrote to the session.
fn version(session: &SessionModel) -> Option<(u64, u64, u64)> {
    let mut seen: Option<&Label> = None;
    let mut newest = None;
    for version in session.session.entries.iter().filter_map(|entry| entry.version.as_ref()) {
        if seen != Some(version) {
            seen = Some(version);
            newest = newest.max(parsed(version));
        }
    }
    newest
}

fn parsed(version: &str) -> Option<(u64, u64, u64)> {
    let mut numbers = version.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?))
}
