use super::TurnCost;
use super::cause::{Cause, CauseKind};
use super::reconcile::StepCost;
use super::windows::StepBasis;
use crate::analysis::prices::Unpriced;
use crate::analysis::steps::step_name;
use crate::run_dir::Manifest;
use crate::run_dir::names::MANIFEST;
use crate::session::{Ix, Model, ModelTurn};
use crate::transcript::CacheSplit;
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
    /// The split of the cache writes says more than their total.
    #[error(
        "{} from here on whose cache writes by duration add up to more than their total: the total was counted, the upper \
         bound holds the rest",
        counted(*turns, "model turn")
    )]
    CacheSplitDiffers {
        /// How many.
        turns: usize,
    },
    /// No step names the session.
    #[error(
        "no step names this session: {} counted at step {step}, the only one that ran then, which is a guess",
        counted(*turns, "model turn")
    )]
    StepByTime {
        /// The step.
        step: String,
        /// How many.
        turns: usize,
    },
    /// Several steps claim the session at one time.
    #[error(
        "several steps name this session for the same time: {} counted at step {step}, which started last, and may belong to \
         another",
        counted(*turns, "model turn")
    )]
    OverlappingSteps {
        /// The step.
        step: String,
        /// How many.
        turns: usize,
    },
    /// A clock ran ahead.
    #[error(
        "{} from here on with a time years after everything else: a clock was wrong, they are taken to be of the time of the \
         last entry before them",
        counted(*turns, "model turn")
    )]
    TimeInFuture {
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
            Self::UnpricedModel { .. }
            | Self::CacheSplitDiffers { .. }
            | Self::OverlappingSteps { .. }
            | Self::TimeInFuture { .. }
            | Self::ManifestContradictsClient { .. }
            | Self::UnexplainedCost { .. } => Level::Warning,
            Self::RequestedModelDiffers { .. } | Self::FastAtUsualPrice { .. } | Self::StepByTime { .. } => Level::Info,
        }
    }

    fn sentence(&self) -> String {
        self.to_string()
    }
}

/// The findings about the turns that are looked at, each kind once a session, and about the steps.
pub(super) fn findings(
    model: &Model,
    manifest: Option<&Manifest>,
    turns: &[(&ModelTurn, &TurnCost)],
    steps: &[StepCost],
) -> Vec<Finding> {
    let mut found: BTreeMap<(usize, CostFinding), (Ix, usize)> = BTreeMap::new();
    for (turn, cost) in turns {
        for finding in about(turn, cost).chain(about_step(manifest, cost)) {
            let (first, turns) = found.entry((turn.home, finding)).or_insert((turn.at, 0));
            *first = turn.at.min(*first);
            *turns += 1;
        }
    }
    let of_turns = found.into_iter().filter_map(|((home, finding), (first, turns))| {
        let home = model.sessions.get(home)?;
        let at_first = matches!(
            finding,
            CostFinding::UnreadableUsage { .. }
                | CostFinding::CostTooLarge { .. }
                | CostFinding::CacheSplitDiffers { .. }
                | CostFinding::TimeInFuture { .. }
        );
        let key = home.store_key();
        let place = if at_first { Place::entry(key, home.seq(first)) } else { Place::session(key) };
        Some(finding.counting(turns).at(place))
    });
    let each = || turns.iter().map(|(_, cost)| cost.bill.measured());
    let only_the_sum = each().sum::<Usd>().is_saturated() && !each().any(Usd::is_saturated);
    let too_large = only_the_sum.then(|| CostFinding::SumTooLarge.at(Place::default()));
    of_turns.chain(too_large).chain(steps.iter().flat_map(of_step)).collect()
}

fn about<'a>(turn: &'a ModelTurn, cost: &'a TurnCost) -> impl Iterator<Item = CostFinding> + use<'a> {
    let (model, turns) = (turn.model.to_string(), 0);
    let unpriced = cost.bill.unpriced_parts(turn);
    let unpriced =
        unpriced.map(move |(model, reason, _)| CostFinding::UnpricedModel { model: model.to_string(), reason, turns });
    let requested = turn.service.requested_model.as_ref().map(|requested| CostFinding::RequestedModelDiffers {
        requested: requested.to_string(),
        answered: model.clone(),
        turns,
    });
    let fast = cost.bill.fast_at_usual_price.then_some(CostFinding::FastAtUsualPrice { model, turns });
    let unreadable = turn.service.unreadable.then_some(CostFinding::UnreadableUsage { turns });
    let too_large = cost.bill.measured().is_saturated().then_some(CostFinding::CostTooLarge { turns });
    let split = (turn.service.cache_split.beyond(turn.usage) != CacheSplit::default())
        .then_some(CostFinding::CacheSplitDiffers { turns });
    let is_future = turn.timestamp.is_some() && turn.timestamp != cost.at;
    let future = is_future.then_some(CostFinding::TimeInFuture { turns });
    unpriced.chain([requested, fast, unreadable, too_large, split, future].into_iter().flatten())
}

/// That the step of a turn is a guess.
fn about_step(manifest: Option<&Manifest>, cost: &TurnCost) -> Option<CostFinding> {
    let step = || Some(step_name(manifest?.rows.get(cost.step?)?));
    match cost.step_basis {
        StepBasis::Named => None,
        StepBasis::ByTime => step().map(|step| CostFinding::StepByTime { step, turns: 0 }),
        StepBasis::Overlapping => step().map(|step| CostFinding::OverlappingSteps { step, turns: 0 }),
    }
}

impl CostFinding {
    fn counting(mut self, found: usize) -> Self {
        match &mut self {
            Self::UnpricedModel { turns, .. }
            | Self::RequestedModelDiffers { turns, .. }
            | Self::FastAtUsualPrice { turns, .. }
            | Self::UnreadableUsage { turns }
            | Self::CacheSplitDiffers { turns }
            | Self::TimeInFuture { turns }
            | Self::StepByTime { turns, .. }
            | Self::OverlappingSteps { turns, .. }
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
