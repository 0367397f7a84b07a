use super::TurnCost;
use super::clock::Clock;
use super::spend::{High, Spend};
use super::summaries::Summaries;
use super::windows::Windows;
use crate::analysis::prices::PriceTable;
use crate::analysis::steps::sessions_of;
use crate::run_dir::{Kind, Manifest, ManifestRow, StoreKey};
use crate::session::{Model, ModelTurn, SessionModel};
use crate::transcript::Label;
use crate::unit::{Tokens, Usd, counted};
use foldhash::{HashMap, HashMapExt};
use std::collections::BTreeMap;

/// What a failed process leaves in the errors of a step when it was killed.
const KILLED: [&str; 5] = ["killed-by-signal", "exit code -", "exit code: -", "exit code 137", "exit code 143"];

/// What the transcript says about one step, as far as its cost is concerned.
#[derive(Debug, Clone, Default)]
pub(super) struct StepFacts {
    /// All of its turns.
    pub(super) spend: Spend,
    /// What its subagents spent.
    pub(super) subagents_usd: Usd,
    /// Turns whose stream was cut, with what they can have cost beyond what is measured.
    pub(super) cut: Hidden,
    /// Messages in its time that another session wrote first, with what they cost at most.
    pub(super) shared: Hidden,
    /// Compactions in its time, with what the calls for their summaries cost at most.
    pub(super) compactions: Hidden,
    /// An error of the manifest that tells of a killed process.
    pub(super) killed: Option<String>,
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
    fn add(&mut self, at_most: Option<Usd>) {
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

    fn add(&mut self, turn: &ModelTurn, cost: &TurnCost, by_subagent: bool) {
        self.spend.add(turn, cost);
        if by_subagent {
            self.subagents_usd += cost.bill.measured();
        }
        let (tokens, measured) = self.models.entry(turn.model.clone()).or_default();
        *tokens += turn.usage.total();
        *measured += cost.bill.measured();
        if cost.bill.unpriced.is_some() {
            *self.unpriced.entry(turn.model.clone()).or_default() += 1;
        } else if !turn.ended && !turn.service.unreadable {
            self.cut.add(cost.bill.high.map(|high| high - cost.bill.measured()));
        }
    }
}

/// The facts of every step of the manifest.
pub(super) fn step_facts(
    model: &Model,
    manifest: &Manifest,
    windows: &Windows,
    costs: &[TurnCost],
    prices: &PriceTable,
) -> Vec<StepFacts> {
    let mut facts: Vec<StepFacts> = manifest.rows.iter().map(said).collect();
    for (turn, cost) in model.usage.turns.iter().zip(costs) {
        let by_subagent = model.sessions.get(turn.home).is_some_and(|home| home.kind() == Kind::Subagent);
        if let Some(step) = cost.step.and_then(|step| facts.get_mut(step)) {
            step.add(turn, cost, by_subagent);
        }
        for holder in turn.shared_with.iter().filter_map(|holder| model.sessions.get(*holder)) {
            let step = windows.step(StoreKey::parse(holder.store_key()).session, cost.at);
            if let Some(step) = step.filter(|step| Some(*step) != cost.step).and_then(|step| facts.get_mut(step)) {
                step.shared.add(cost.bill.high);
            }
        }
    }
    let clock = Clock::default();
    let summaries = Summaries::new(model, costs, prices);
    for (at, session) in model.sessions.iter().enumerate() {
        let id = StoreKey::parse(session.store_key()).session;
        for segment in &session.chain.segments {
            let step = windows.step(id, clock.at(model, at, segment.boundary));
            if let Some(step) = step.and_then(|step| facts.get_mut(step)) {
                step.compactions.add(summaries.at_most(at, segment));
            }
        }
    }
    note_versions(model, manifest, &mut facts);
    facts
}

/// What the manifest itself says.
fn said(row: &ManifestRow) -> StepFacts {
    let texts = row.errors.iter().chain(&row.error);
    let killed = texts.into_iter().find(|text| KILLED.iter().any(|mark| text.contains(mark)));
    let first_line = |text: &String| text.lines().next().unwrap_or_default().to_owned();
    StepFacts { killed: killed.map(first_line), ..StepFacts::default() }
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
