use super::cause::{Cause, CauseKind};
use super::client::{Carried, ClientTotal};
use super::killed::Spent;
use super::spend::Spend;
use super::step_facts::StepFacts;
use crate::analysis::prices::{PriceTable, client_bill};
use crate::run_dir::{Manifest, ManifestRow};
use crate::session::SessionModel;
use crate::unit::{Usd, counted};
use serde::Serialize;

/// Rounding of one reported figure: the client writes millionths of a dollar.
const ROUNDING: i64 = 1_000;

/// CLI builds before this one start at zero in every process (spec/cost.md).
const FIRST_THAT_CARRIES: (u64, u64, u64) = (2, 1, 277);

/// The reported and the measured cost of one step, and what lies between.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StepCost {
    /// Name, with its round, retry or judge number.
    pub step: String,
    /// The process that ran it.
    pub run: Option<String>,
    /// Last living session.
    pub session_id: Option<String>,
    /// Whether it ended well.
    pub ok: Option<bool>,
    /// Attempts.
    pub attempts: Option<u64>,
    /// As the manifest has it: the client's estimates, added up.
    pub reported_usd: Option<Usd>,
    /// Model turns, tokens and money of the transcript.
    #[serde(flatten)]
    pub spend: Spend,
    /// The part of the measured cost that belongs to it by time alone: no step names the session. A guess.
    pub by_time_usd: Usd,
    /// Reported minus measured.
    pub difference_usd: Option<Usd>,
    /// What the client spent in this step by its own totals, nothing counted twice; null where that cannot be told.
    pub client_usd: Option<Usd>,
    /// What makes the difference; empty where there is none.
    pub causes: Vec<Cause>,
}

/// Reconciles every step of the manifest.
pub(super) fn reconcile(
    manifest: &Manifest,
    facts: &[StepFacts],
    totals: &[ClientTotal<'_>],
    spent: &Spent<'_>,
    prices: &PriceTable,
) -> Vec<StepCost> {
    let mut of_step: Vec<Vec<&ClientTotal<'_>>> = vec![Vec::new(); manifest.rows.len()];
    for total in totals {
        if let Some(of_step) = total.step.and_then(|step| of_step.get_mut(step)) {
            of_step.push(total);
        }
    }
    let steps = manifest.rows.iter().enumerate().zip(facts).zip(&of_step);
    steps
        .map(|(((at, row), facts), states)| Step { at, row, facts, states, all: totals, spent, prices }.cost())
        .collect()
}

/// One step with all that its reconciling looks at.
pub(super) struct Step<'a> {
    /// Its place in the manifest.
    pub(super) at: usize,
    pub(super) row: &'a ManifestRow,
    pub(super) facts: &'a StepFacts,
    /// The client totals of processes that ended in it.
    pub(super) states: &'a [&'a ClientTotal<'a>],
    pub(super) all: &'a [ClientTotal<'a>],
    pub(super) spent: &'a Spent<'a>,
    pub(super) prices: &'a PriceTable,
}

impl Step<'_> {
    fn cost(&self) -> StepCost {
        let spend = self.facts.spend;
        let reported_usd = self.row.cost_usd;
        let difference_usd = reported_usd.map(|reported| reported - spend.measured_usd);
        let is_explained = |reported: &Usd| {
            self.is_rounding(*reported - spend.measured_usd) && self.contradiction(*reported).is_none()
        };
        StepCost {
            step: crate::analysis::steps::step_name(self.row),
            run: self.row.run.clone(),
            session_id: self.row.session_id.clone(),
            ok: self.row.ok,
            attempts: self.row.attempts,
            reported_usd,
            spend,
            by_time_usd: self.facts.by_time_usd,
            difference_usd,
            client_usd: self.client(reported_usd),
            causes: match reported_usd.filter(|reported| !is_explained(reported)) {
                Some(reported) => self.causes(reported),
                None => Vec::new(),
            },
        }
    }

    /// The difference is no more than the rounding of the figures that were added up.
    pub(super) fn is_rounding(&self, difference: Usd) -> bool {
        let figures = self.row.attempts.unwrap_or(1).max(1).saturating_add(1);
        difference.nanos().unsigned_abs() <= figures.saturating_mul(ROUNDING.unsigned_abs())
    }

    /// What the client spent in the step: its own totals where every attempt left one, else what it reported, without what
    /// its processes carried on. Where no process left its total, that is known only for builds that carry nothing on.
    fn client(&self, reported: Option<Usd>) -> Option<Usd> {
        if self.left_every_total() {
            return Some(self.totals() - self.carried());
        }
        let reported = reported.filter(|reported| self.contradiction(*reported).is_none())?;
        if self.states.is_empty() {
            return self.facts.version.filter(|version| *version < FIRST_THAT_CARRIES).map(|_| reported);
        }
        Some(reported - self.carried())
    }

    /// The totals that the processes of the step left, what they carried on included.
    fn totals(&self) -> Usd {
        self.states.iter().map(|state| state.total).sum()
    }

    /// Each attempt left its total.
    fn left_every_total(&self) -> bool {
        !self.states.is_empty() && self.row.attempts == u64::try_from(self.states.len()).ok()
    }

    fn carried(&self) -> Usd {
        self.states.iter().map(|state| state.base).sum()
    }

    /// The manifest reports what the step spent, without what its processes carried on.
    fn is_net(&self, reported: Usd) -> bool {
        self.left_every_total() && self.is_rounding(reported - (self.totals() - self.carried()))
    }

    /// The manifest adds up the totals of all attempts: it says more or less than the client left.
    fn contradiction(&self, reported: Usd) -> Option<Cause> {
        let over = reported - self.totals();
        let differs = !self.states.is_empty() && !self.is_rounding(over) && !self.is_net(reported);
        // The row of a process that was killed holds what was reported until then: a bound, which contradicts nothing.
        let cut_short = over < Usd::ZERO && self.facts.killed.is_some();
        let contradicts = differs && !cut_short && (over < Usd::ZERO || self.left_every_total());
        let evidence = format!(
            "the client left {} in {}, the manifest says {reported}",
            self.totals(),
            counted(self.states.len(), "cost-state entry")
        );
        contradicts.then(|| Cause::new(CauseKind::ManifestContradictsClient, over, evidence))
    }

    fn causes(&self, reported: Usd) -> Vec<Cause> {
        let mut causes: Vec<Cause> = self.contradiction(reported).into_iter().collect();
        if !self.is_net(reported) {
            causes.extend(self.states.iter().filter_map(|state| self.carried_on(state)));
        }
        causes.extend(self.price_table());
        let explained: Usd = causes.iter().filter_map(|cause| cause.amount_usd).sum();
        let left = reported - self.facts.spend.measured_usd - explained;
        if !self.is_rounding(left) {
            causes.extend(self.leftover(left));
        }
        causes
    }

    /// What one process carried on from an earlier one.
    fn carried_on(&self, state: &ClientTotal<'_>) -> Option<Cause> {
        let (carried, session, seq) = state.carried?;
        let (code, how) = match carried {
            Carried::SameSession => (CauseKind::CumulativeResume, "an earlier process of the session"),
            Carried::ForkedFrom => (CauseKind::CumulativeResume, "the session it was forked from"),
            Carried::OtherSession => (CauseKind::CarriedTotal, "another session of the process"),
            Carried::OutsideSteps => (CauseKind::OtherProcess, "a process outside of every step"),
        };
        let key = self.spent.model.sessions.get(session).map(SessionModel::store_key).unwrap_or_default();
        let evidence = format!(
            "the client's total at seq {} goes on from {} of {how} ({key}:{seq}) and was added up with it",
            state.seq, state.base
        );
        (state.base != Usd::ZERO).then(|| Cause::new(code, state.base, evidence))
    }

    /// Where the client's own figures for the tokens it counted are not what the table says of the same tokens.
    fn price_table(&self) -> Option<Cause> {
        let over = |state: &ClientTotal<'_>| -> Usd {
            state
                .models()
                .iter()
                .filter_map(|model| Some(model.cost? - client_bill(model, state.at, self.prices)?))
                .sum()
        };
        let own = |state: &&ClientTotal<'_>| {
            let before = state.before.and_then(|before| self.all.get(before)).map(over).unwrap_or_default();
            over(state) - before
        };
        let amount: Usd = self.states.iter().map(own).sum();
        let evidence = format!("the client priced the tokens that it counted {amount} away from the price table");
        (!self.is_rounding(amount)).then(|| Cause::new(CauseKind::ClientPriceTable, amount, evidence))
    }
}
