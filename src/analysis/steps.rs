use crate::run_dir::{Lineage, Manifest, ManifestRow};
use crate::session::Model;
use crate::unit::{Span, Timestamp, Tokens, Usd};
use serde::Serialize;
use std::collections::BTreeSet;

/// What the manifest says of the run, step by step; figures as reported, never as measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Steps {
    /// Processes that ran steps, in the order of the manifest.
    pub runs: Vec<RunRow>,
    /// Steps in the order of the manifest.
    pub steps: Vec<StepRow>,
    /// Sum of the reported cost of all steps.
    pub reported_usd: Usd,
    /// Steps without a readable cost; the sum leaves them out.
    pub steps_without_cost: usize,
}

/// One process.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunRow {
    /// `run`; null in manifests of older versions.
    pub run: Option<String>,
    /// Its steps.
    pub steps: usize,
    /// Steps that ended well.
    pub ok: usize,
    /// Sum of their reported cost.
    pub reported_usd: Usd,
    /// First start.
    pub started_at: Option<Timestamp>,
    /// Last end.
    pub ended_at: Option<Timestamp>,
}

/// One executed step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepRow {
    /// Name, with its round, retry or judge number.
    pub step: String,
    /// The process that ran it.
    pub run: Option<String>,
    /// Last living session.
    pub session_id: Option<String>,
    /// Whether the store has that session.
    pub session_in_store: bool,
    /// Whether it ended well.
    pub ok: Option<bool>,
    /// Reported cost.
    pub cost_usd: Option<Usd>,
    /// Turns as the CLI counts them; not model turns.
    pub num_turns: Option<u64>,
    /// Attempts; more than one means that it was retried.
    pub attempts: Option<u64>,
    /// Continued from the break instead of restarted.
    pub resumed: Option<bool>,
    /// Sessions used up by handoffs; null in manifests of older versions.
    pub handoffs: Option<usize>,
    /// Largest main-thread context.
    pub context: Option<Tokens>,
    /// Duration.
    pub duration_s: Option<Span>,
    /// Start.
    pub started_at: Option<Timestamp>,
    /// End.
    pub ended_at: Option<Timestamp>,
    /// Why it failed.
    pub error: Option<String>,
    /// Reasons of all attempts.
    pub errors: Vec<String>,
    /// Whether lineage.json would continue its session in the next run; null without lineage.json.
    pub continues: Option<bool>,
}

/// The steps of the manifest; those of one session when `session_ids` names some.
pub fn steps(
    manifest: &Manifest,
    lineage: Option<&Lineage>,
    model: &Model,
    session_ids: Option<&BTreeSet<String>>,
) -> Steps {
    let known = super::integrity::main_session_ids(model);
    let wanted = |row: &&ManifestRow| session_ids.is_none_or(|ids| sessions_of(row).any(|id| ids.contains(id)));
    let mut result = Steps::default();
    for row in manifest.rows.iter().filter(wanted) {
        result.add_to_run(row);
        result.reported_usd += row.cost_usd.unwrap_or_default();
        result.steps_without_cost += usize::from(row.cost_usd.is_none());
        result.steps.push(step(row, lineage, &known));
    }
    result
}

impl Steps {
    fn add_to_run(&mut self, row: &ManifestRow) {
        let at = self.runs.iter().position(|run| run.run == row.run).unwrap_or_else(|| {
            let (steps, ok, reported_usd) = (0, 0, Usd::ZERO);
            self.runs.push(RunRow { run: row.run.clone(), steps, ok, reported_usd, started_at: None, ended_at: None });
            self.runs.len() - 1
        });
        if let Some(run) = self.runs.get_mut(at) {
            run.steps += 1;
            run.ok += usize::from(row.ok == Some(true));
            run.reported_usd += row.cost_usd.unwrap_or_default();
            run.started_at = run.started_at.into_iter().chain(row.started_at).min();
            run.ended_at = run.ended_at.max(row.ended_at);
        }
    }
}

fn step(row: &ManifestRow, lineage: Option<&Lineage>, known: &BTreeSet<&str>) -> StepRow {
    let in_store = |id: &str| known.contains(id);
    let continues = |lineage: &Lineage| lineage.session(&row.step).is_some_and(in_store);
    StepRow {
        step: step_name(row),
        run: row.run.clone(),
        session_id: row.session_id.clone(),
        session_in_store: row.session_id.as_deref().is_some_and(in_store),
        ok: row.ok,
        cost_usd: row.cost_usd,
        num_turns: row.num_turns,
        attempts: row.attempts,
        resumed: row.resumed,
        handoffs: row.retired.as_ref().map(Vec::len),
        context: row.context.map(Tokens),
        duration_s: row.duration_s,
        started_at: row.started_at,
        ended_at: row.ended_at,
        error: row.error.clone(),
        errors: row.errors.clone(),
        continues: lineage.map(continues),
    }
}

/// The name of a step, for people.
pub(super) fn step_name(row: &ManifestRow) -> String {
    if row.step.is_empty() { "(unnamed)".to_owned() } else { row.step.clone() }
}

/// The sessions that a step names: those used up by handoffs and the last living one.
pub(super) fn sessions_of(row: &ManifestRow) -> impl Iterator<Item = &String> {
    row.retired.iter().flatten().chain(&row.session_id)
}
