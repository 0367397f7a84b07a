use super::TurnCost;
use super::cause::{Cause, CauseKind};
use super::reconcile::StepCost;
use crate::analysis::prices::Unpriced;
use crate::run_dir::names::MANIFEST;
use crate::session::{Ix, Model, ModelTurn};
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
        "no price for {} of model {model}, {}: the sums lack these tokens; give a price with --prices",
        counted(*turns, "model turn"),
        match reason {
            Unpriced::UnknownModel => "which the table does not list",
            Unpriced::NoPriceThatDay => "which the table lists only for other days",
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
    /// A count of tokens is no count.
    #[error(
        "{} from here on with a count of tokens that is no whole number from 0 to 2^64 - 1: the sums lack what it says, and \
         nothing tells how much",
        counted(*turns, "model turn")
    )]
    UnreadableUsage {
        /// How many.
        turns: usize,
    },
    /// Money beyond what a figure can hold.
    #[error(
        "{} from here on with more tokens than money can be reckoned for: the cost is more than {}, look at the usage there",
        counted(*turns, "model turn"),
        Usd::from_nanos(i64::MAX)
    )]
    CostTooLarge {
        /// How many.
        turns: usize,
    },
    /// The sum of the turns is more than a figure can hold.
    #[error("the sum over all model turns is more than {}, the most that can be shown", Usd::from_nanos(i64::MAX))]
    SumTooLarge,
    /// The manifest does not hold what the client's own totals say.
    #[error(
        "step {step}: the manifest reports {reported}, but the totals that the client left add up to {totals}; one of them \
         was changed or belongs to another run"
    )]
    ManifestContradictsClient {
        /// The step.
        step: String,
        /// As reported.
        reported: Usd,
        /// As the client says.
        totals: Usd,
    },
    /// Reported and measured cost differ, and nothing says why.
    #[error(
        "step {step}: the manifest reports {reported}, the transcript measures {measured}, and nothing known explains {rest}"
    )]
    UnexplainedCost {
        /// The step.
        step: String,
        /// As reported.
        reported: Usd,
        /// As measured.
        measured: Usd,
        /// What is left of the difference.
        rest: Usd,
    },
}

impl Diagnosis for CostFinding {
    fn code(&self) -> &'static str {
        self.into()
    }

    fn level(&self) -> Level {
        match self {
            Self::UnreadableUsage { .. } | Self::CostTooLarge { .. } | Self::SumTooLarge => Level::Error,
            Self::UnpricedModel { .. } | Self::ManifestContradictsClient { .. } | Self::UnexplainedCost { .. } => {
                Level::Warning
            }
            Self::RequestedModelDiffers { .. } | Self::FastAtUsualPrice { .. } => Level::Info,
        }
    }

    fn sentence(&self) -> String {
        self.to_string()
    }
}

/// The findings about the turns that are looked at, each kind once a session, and about the steps.
pub(super) fn findings(model: &Model, turns: &[(&ModelTurn, &TurnCost)], steps: &[StepCost]) -> Vec<Finding> {
    let mut found: BTreeMap<(usize, CostFinding), (Ix, usize)> = BTreeMap::new();
    for (turn, cost) in turns {
        for finding in about(turn, cost) {
            let (first, turns) = found.entry((turn.home, finding)).or_insert((turn.at, 0));
            *first = turn.at.min(*first);
            *turns += 1;
        }
    }
    let of_turns = found.into_iter().filter_map(|((home, finding), (first, turns))| {
        let home = model.sessions.get(home)?;
        let at_first = matches!(finding, CostFinding::UnreadableUsage { .. } | CostFinding::CostTooLarge { .. });
        let key = home.store_key();
        let place = if at_first { Place::entry(key, home.seq(first)) } else { Place::session(key) };
        Some(finding.counting(turns).at(place))
    });
    let each = || turns.iter().map(|(_, cost)| cost.bill.measured());
    let only_the_sum = each().sum::<Usd>().is_saturated() && !each().any(Usd::is_saturated);
    let too_large = only_the_sum.then(|| CostFinding::SumTooLarge.at(Place::default()));
    of_turns.chain(too_large).chain(steps.iter().flat_map(of_step)).collect()
}

fn about(turn: &ModelTurn, cost: &TurnCost) -> Vec<CostFinding> {
    let (model, turns) = (turn.model.to_string(), 0);
    let unpriced = cost.bill.unpriced.map(|reason| CostFinding::UnpricedModel { model: model.clone(), reason, turns });
    let requested = turn.service.requested_model.as_ref().map(|requested| CostFinding::RequestedModelDiffers {
        requested: requested.to_string(),
        answered: model.clone(),
        turns,
    });
    let fast = cost.bill.fast_at_usual_price.then_some(CostFinding::FastAtUsualPrice { model, turns });
    let unreadable = turn.service.unreadable.then_some(CostFinding::UnreadableUsage { turns });
    let too_large = cost.bill.measured().is_saturated().then_some(CostFinding::CostTooLarge { turns });
    [unpriced, requested, fast, unreadable, too_large].into_iter().flatten().collect()
}

impl CostFinding {
    fn counting(mut self, found: usize) -> Self {
        match &mut self {
            Self::UnpricedModel { turns, .. }
            | Self::RequestedModelDiffers { turns, .. }
            | Self::FastAtUsualPrice { turns, .. }
            | Self::UnreadableUsage { turns }
            | Self::CostTooLarge { turns } => *turns = found,
            Self::SumTooLarge | Self::ManifestContradictsClient { .. } | Self::UnexplainedCost { .. } => {}
        }
        self
    }
}

/// What the causes of a step's difference ask people to look at.
fn of_step(of: &StepCost) -> Vec<Finding> {
    let (Some(reported), measured) = (of.reported_usd, of.spend.measured_usd) else { return Vec::new() };
    let step = || of.step.clone();
    let finding = |cause: &Cause| match (cause.code, cause.amount_usd) {
        (CauseKind::Unexplained, Some(rest)) => {
            Some(CostFinding::UnexplainedCost { step: step(), reported, measured, rest })
        }
        (CauseKind::ManifestContradictsClient, Some(over)) => {
            Some(CostFinding::ManifestContradictsClient { step: step(), reported, totals: reported - over })
        }
        _ => None,
    };
    of.causes.iter().filter_map(finding).map(|finding| finding.at(Place::file(MANIFEST))).collect()
}
