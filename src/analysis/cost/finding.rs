use super::TurnCost;
use super::cause::CauseKind;
use super::reconcile::StepCost;
use crate::analysis::prices::Unpriced;
use crate::run_dir::names::MANIFEST;
use crate::session::{Model, ModelTurn};
use crate::unit::{Diagnosis, Finding, Level, Place, Usd, counted};
use std::collections::BTreeMap;
use strum::IntoStaticStr;
use thiserror::Error;

/// What can be said about the cost of a run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Error, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum CostFinding {
    /// The price table does not have a model.
    #[error(
        "{} of {model} {}: their tokens are not in the sums; give a price with --prices",
        counted(*turns, "model turn"),
        match reason {
            Unpriced::UnknownModel => "have no price, the table does not list the model",
            Unpriced::NoPriceThatDay => "have no price, the table lists the model only for other days",
        }
    )]
    UnpricedModel {
        /// Its id.
        model: String,
        /// Why.
        reason: Unpriced,
        /// How many.
        turns: usize,
    },
    /// Another model answered than was asked for.
    #[error(
        "{} asked for {requested} and {answered} answered: priced as {answered}, the client prices by what was asked for",
        counted(*turns, "model turn")
    )]
    RequestedModelDiffers {
        /// What was asked for.
        requested: String,
        /// What answered.
        answered: String,
        /// How many.
        turns: usize,
    },
    /// Fast mode without a price of its own.
    #[error(
        "{} of {model} ran in fast mode, for which the table has no price that day: the usual price was taken",
        counted(*turns, "model turn")
    )]
    FastAtUsualPrice {
        /// Its id.
        model: String,
        /// How many.
        turns: usize,
    },
    /// Reported and measured cost differ, and nothing says why.
    #[error(
        "step {step}: the manifest reports {reported}, the transcript measures {measured}, and nothing known explains it"
    )]
    UnexplainedCost {
        /// The step.
        step: String,
        /// As reported.
        reported: Usd,
        /// As measured.
        measured: Usd,
    },
}

impl Diagnosis for CostFinding {
    fn code(&self) -> &'static str {
        self.into()
    }

    fn level(&self) -> Level {
        match self {
            Self::UnpricedModel { .. } | Self::UnexplainedCost { .. } => Level::Warning,
            Self::RequestedModelDiffers { .. } | Self::FastAtUsualPrice { .. } => Level::Info,
        }
    }

    fn sentence(&self) -> String {
        self.to_string()
    }
}

/// The findings about the turns that are looked at, each kind once a session, and about the steps.
pub(super) fn findings(model: &Model, turns: &[(&ModelTurn, &TurnCost)], steps: &[StepCost]) -> Vec<Finding> {
    let mut found: BTreeMap<(usize, CostFinding), usize> = BTreeMap::new();
    for (turn, cost) in turns {
        for finding in about(turn, cost) {
            *found.entry((turn.home, finding)).or_default() += 1;
        }
    }
    let of_turns = found.into_iter().map(|((home, finding), turns)| {
        let key = model.sessions.get(home).map(crate::session::SessionModel::store_key).unwrap_or_default();
        finding.counting(turns).at(Place::session(key))
    });
    of_turns.chain(steps.iter().filter_map(unexplained)).collect()
}

fn about(turn: &ModelTurn, cost: &TurnCost) -> impl Iterator<Item = CostFinding> {
    let (model, turns) = (turn.model.to_string(), 0);
    let unpriced = cost.bill.unpriced.map(|reason| CostFinding::UnpricedModel { model: model.clone(), reason, turns });
    let requested = turn.service.requested_model.as_ref().map(|requested| CostFinding::RequestedModelDiffers {
        requested: requested.to_string(),
        answered: model.clone(),
        turns,
    });
    let fast = cost.bill.fast_at_usual_price.then_some(CostFinding::FastAtUsualPrice { model, turns });
    unpriced.into_iter().chain(requested).chain(fast)
}

impl CostFinding {
    fn counting(mut self, found: usize) -> Self {
        match &mut self {
            Self::UnpricedModel { turns, .. }
            | Self::RequestedModelDiffers { turns, .. }
            | Self::FastAtUsualPrice { turns, .. } => *turns = found,
            Self::UnexplainedCost { .. } => {}
        }
        self
    }
}

fn unexplained(step: &StepCost) -> Option<Finding> {
    let nothing_known = step.causes.iter().any(|cause| cause.code == CauseKind::Unexplained);
    let (reported, measured) = (step.reported_usd.filter(|_| nothing_known)?, step.spend.measured_usd);
    let finding = CostFinding::UnexplainedCost { step: step.step.clone(), reported, measured };
    Some(finding.at(Place::file(MANIFEST)))
}
