use super::table::{Mask, Table, TableSpec};
use super::{attempts, entries, errors, findings, outages, retries, sessions, steps, tool_calls, turns};
use crate::analysis::cost::{By, Cost, CostQuery, TurnCost, Windows, cost, turn_costs};
use crate::analysis::prices::PriceTable;
use crate::analysis::steps::{StepRow, sessions_of, steps as told_steps};
use crate::analysis::{
    Attempts, ErrorRow, Errors, Failures, Inputs, Judge, NotJudged, Outage, Retries, Selection, TimeRange,
};
use crate::analysis::{
    attempts as all_attempts, errors as told_errors, failures as all_failures, findings as all_findings,
    outages as told_outages, retries as told_retries,
};
use crate::run_dir::{Manifest, ManifestRow, StoreKey};
use crate::session::{Model, SessionModel};
use crate::unit::{Finding, Timestamp, Zone};
use std::collections::BTreeSet;
use std::sync::OnceLock;
use strum::IntoEnumIterator;

/// The version of the tables: it grows when a column goes or changes its meaning, not when one is added.
pub const SCHEMA_VERSION: u32 = 1;

/// The tables, in the order in which they are listed.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter, strum::EnumString, strum::Display, strum::IntoStaticStr,
)]
#[strum(serialize_all = "snake_case")]
pub enum TableName {
    /// Steps of the manifest.
    Steps,
    /// Attempts of the steps.
    Attempts,
    /// Sessions.
    Sessions,
    /// Entries.
    Entries,
    /// Model turns.
    Turns,
    /// Tool calls.
    ToolCalls,
    /// Failures.
    Errors,
    /// Retries of the client.
    Retries,
    /// Outages.
    Outages,
    /// Findings.
    Findings,
}

/// Everything that the tables are made of.
pub struct Scene<'a> {
    pub(super) model: &'a Model,
    pub(super) selection: &'a Selection,
    pub(super) zone: Zone,
    inputs: &'a Inputs,
    prices: &'a PriceTable,
    windows: Windows,
    opening: Vec<Finding>,
    resumable: &'a Judge<'a>,
    failing: OnceLock<(Failures, Attempts)>,
    costs: OnceLock<Vec<TurnCost>>,
    cost: OnceLock<(Cost, Vec<Finding>)>,
    findings: OnceLock<Vec<Finding>>,
}

/// A step by its place in the manifest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step<'a> {
    /// From 1.
    pub(super) n: usize,
    pub(super) row: &'a ManifestRow,
    name: &'a str,
}

impl<'a> Step<'a> {
    /// The name, as people see it.
    pub(super) fn name(&self) -> &'a str {
        self.name
    }
}

impl<'a> Scene<'a> {
    /// The tables of the chosen sessions; `opening` are the findings about the source, `zone` is that of the days,
    /// `resumable` judges main threads.
    pub fn new(
        model: &'a Model,
        selection: &'a Selection,
        inputs: &'a Inputs,
        prices: &'a PriceTable,
        opening: Vec<Finding>,
        zone: Zone,
        resumable: &'a Judge<'a>,
    ) -> Self {
        let windows = inputs.readable_manifest().map(Windows::new).unwrap_or_default();
        let (failing, costs) = (OnceLock::new(), OnceLock::new());
        let (cost, findings) = (OnceLock::new(), OnceLock::new());
        Self { model, selection, zone, inputs, prices, windows, opening, resumable, failing, costs, cost, findings }
    }

    /// One table, its secrets hidden by `mask`. Only that of the outages needs rows of the source again, which may fail.
    pub fn table(&'a self, name: TableName, mask: &'a Mask<'a>) -> Result<Table<'a>, NotJudged> {
        Ok(match name {
            TableName::Steps => steps::steps(self, mask),
            TableName::Attempts => attempts::attempts(self, mask),
            TableName::Sessions => sessions::sessions(self, mask),
            TableName::Entries => entries::entries(self, mask),
            TableName::Turns => turns::turns(self, mask),
            TableName::ToolCalls => tool_calls::tool_calls(self, mask),
            TableName::Errors => errors::errors(self, mask),
            TableName::Retries => retries::retries(self, mask),
            TableName::Outages => outages::outages(self, mask)?,
            TableName::Findings => findings::findings(self, mask),
        })
    }

    fn manifest(&self) -> Option<&'a Manifest> {
        self.inputs.readable_manifest()
    }

    /// The cost of every model turn, in their order.
    pub(super) fn costs(&self) -> &[TurnCost] {
        self.costs.get_or_init(|| turn_costs(self.model, self.manifest(), self.prices))
    }

    /// The cost report of the chosen sessions.
    pub(super) fn cost(&self) -> &Cost {
        &self.cost_and_findings().0
    }

    fn cost_and_findings(&self) -> &(Cost, Vec<Finding>) {
        let query = CostQuery { by: By::Run, range: TimeRange::default(), zone: self.zone };
        self.cost.get_or_init(|| cost(self.model, self.selection, self.manifest(), self.costs(), self.prices, query))
    }

    fn failing(&self) -> &(Failures, Attempts) {
        self.failing.get_or_init(|| {
            let failures = all_failures(self.model);
            let attempts = all_attempts(self.model, self.manifest(), &failures);
            (failures, attempts)
        })
    }

    fn errors_and_findings(&self) -> (Errors, Vec<Finding>) {
        let (failures, attempts) = self.failing();
        told_errors(self.model, self.selection, self.manifest(), failures, attempts, TimeRange::default())
    }

    fn retries_and_findings(&self) -> (Retries, Vec<Finding>) {
        let (failures, attempts) = self.failing();
        let spends = attempts.spends(self.model, self.costs());
        told_retries(self.model, self.selection, self.manifest(), failures, attempts, &spends, TimeRange::default())
    }

    /// The failures of the chosen sessions.
    pub(super) fn errors(&self) -> Vec<ErrorRow> {
        self.errors_and_findings().0.errors
    }

    /// Attempts and the client's own retries of the chosen sessions.
    pub(super) fn retries(&self) -> Retries {
        self.retries_and_findings().0
    }

    /// The outages that hit the chosen sessions.
    pub(super) fn outages(&self) -> Result<Vec<Outage>, NotJudged> {
        let (failures, attempts) = self.failing();
        let (costs, range) = (self.costs(), TimeRange::default());
        Ok(told_outages(self.model, self.selection, failures, attempts, costs, self.resumable, range)?.outages)
    }

    /// Every finding of the summary and of the reports on cost, errors and retries, the worst first.
    pub fn findings(&self) -> &[Finding] {
        self.findings.get_or_init(|| {
            let mut opening = self.opening.clone();
            opening.extend_from_slice(&self.cost_and_findings().1);
            opening.extend(self.errors_and_findings().1);
            opening.extend(self.retries_and_findings().1);
            all_findings(self.model, self.selection, self.inputs, opening)
        })
    }

    /// The steps that name a chosen session, with their place in the manifest, from 1.
    pub(super) fn steps(&self) -> Vec<(usize, StepRow)> {
        let Some(manifest) = self.manifest() else { return Vec::new() };
        let of = |session: &SessionModel| StoreKey::parse(session.store_key()).session.to_owned();
        let chosen = || self.selection.sessions(self.model).map(|(_, session)| of(session));
        let ids: Option<BTreeSet<String>> = self.selection.prefix().map(|_| chosen().collect());
        let names_one = |row: &ManifestRow| ids.as_ref().is_none_or(|ids| sessions_of(row).any(|id| ids.contains(id)));
        let places = (1..).zip(&manifest.rows).filter(|(_, row)| names_one(row)).map(|(n, _)| n);
        let told = told_steps(manifest, self.inputs.lineage.as_ref(), self.model, ids.as_ref());
        places.zip(told.steps).collect()
    }

    /// The step at this place of the manifest, from 0.
    pub(super) fn step(&self, at: Option<usize>) -> Option<Step<'a>> {
        let row = self.manifest()?.rows.get(at?)?;
        let name = if row.step.is_empty() { "(unnamed)" } else { &row.step };
        Some(Step { n: at?.saturating_add(1), row, name })
    }

    /// The place of the step to which a moment of a session belongs.
    pub(super) fn step_at(&self, session: &SessionModel, at: Option<Timestamp>) -> Option<usize> {
        self.windows.step(StoreKey::parse(session.store_key()).session, at)
    }
}

/// What stands in a table.
pub fn schema(name: TableName) -> TableSpec {
    match name {
        TableName::Steps => steps::steps_spec(),
        TableName::Attempts => attempts::attempts_spec(),
        TableName::Sessions => sessions::sessions_spec(),
        TableName::Entries => entries::entries_spec(),
        TableName::Turns => turns::turns_spec(),
        TableName::ToolCalls => tool_calls::tool_calls_spec(),
        TableName::Errors => errors::errors_spec(),
        TableName::Retries => retries::retries_spec(),
        TableName::Outages => outages::outages_spec(),
        TableName::Findings => findings::findings_spec(),
    }
}

/// What stands in every table.
pub fn schemas() -> Vec<TableSpec> {
    TableName::iter().map(schema).collect()
}
