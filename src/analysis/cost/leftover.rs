use super::cause::{Cause, CauseKind};
use super::client::ClientTotal;
use super::reconcile::Step;
use crate::unit::{Usd, counted};
use std::collections::BTreeMap;

/// A cause and what shows it.
type Shown = (CauseKind, String);

/// What explains the part of a step's difference that neither totals nor prices do.
impl Step<'_> {
    /// `left` is the client's own figure minus the measured one.
    pub(super) fn leftover(&self, left: Usd) -> Vec<Cause> {
        let more = left.nanos() > 0;
        let of_more = || [self.compacted(), self.hidden(), self.shared()];
        let of_less = || [self.killed(), self.subagents(left), None];
        let sides = if more { of_more() } else { of_less() };
        let shown = [self.unpriced()].into_iter().chain(sides).chain([self.cut()]);
        let mut causes: Vec<Shown> = shown.flatten().collect();
        if causes.is_empty() {
            causes.push((CauseKind::Unexplained, format!("{left} of the difference has no cause that is known here")));
        }
        // Several causes share what is left; how much each makes is not knowable.
        let amount = (causes.len() == 1).then_some(left);
        causes.into_iter().map(|(code, evidence)| Cause::new(code, amount, evidence)).collect()
    }

    fn unpriced(&self) -> Option<Shown> {
        let turns = some(self.facts.spend.unpriced_turns, "model turn")?;
        Some((CauseKind::Unpriced, format!("{turns} without a price: {}", self.facts.unpriced_models())))
    }

    fn compacted(&self) -> Option<Shown> {
        let compactions = some(self.facts.compactions, "compaction")?;
        Some((CauseKind::HiddenCalls, format!("{compactions} in the step: the call for the summary leaves no entry")))
    }

    fn hidden(&self) -> Option<Shown> {
        let model = self.hidden_model().filter(|_| self.facts.compactions == 0)?;
        Some((CauseKind::HiddenCalls, format!("the client counts more tokens of {model} than the transcript")))
    }

    fn shared(&self) -> Option<Shown> {
        let turns = some(self.facts.shared_turns, "model turn")?;
        let evidence = format!("{turns} of this time are counted at the session that wrote them first");
        Some((CauseKind::SharedWithFork, evidence))
    }

    fn killed(&self) -> Option<Shown> {
        let evidence = self.facts.killed.clone().or_else(|| self.without_a_total())?;
        Some((CauseKind::KilledAttempt, evidence))
    }

    fn subagents(&self, left: Usd) -> Option<Shown> {
        let spent = self.facts.subagents_usd;
        let fits = !self.is_rounding(spent) && self.is_rounding(left + spent);
        fits.then(|| (CauseKind::Subagents, format!("the subagents spent {spent}")))
    }

    fn cut(&self) -> Option<Shown> {
        let turns = some(self.facts.cut_turns, "model turn")?;
        let evidence = format!("the streams of {turns} were cut: the output count is a placeholder");
        Some((CauseKind::PlaceholderUsage, evidence))
    }

    /// A model of which the client's processes of this step counted more tokens than the transcript has.
    fn hidden_model(&self) -> Option<&str> {
        let mut grew: BTreeMap<&str, i128> = BTreeMap::new();
        for state in self.states {
            for of in state.models() {
                *grew.entry(&of.model).or_default() += i128::from(of.usage.total().0);
            }
            for of in state.before.and_then(|before| self.all.get(before)).map_or(&[][..], ClientTotal::models) {
                *grew.entry(&of.model).or_default() -= i128::from(of.usage.total().0);
            }
        }
        let seen = |model: &str| i128::from(self.facts.tokens_of(model).0);
        grew.into_iter().find(|(model, grown)| *grown > seen(model)).map(|(model, _)| model)
    }

    /// A client that leaves its total at the end of a process left fewer than there were attempts.
    fn without_a_total(&self) -> Option<String> {
        let attempts = usize::try_from(self.row.attempts?).ok()?;
        let missing =
            attempts.checked_sub(self.states.len()).filter(|missing| *missing > 0 && !self.states.is_empty())?;
        Some(format!(
            "{} of {} left no total: their processes did not end in order",
            missing,
            counted(attempts, "attempt")
        ))
    }
}

/// A number of things in words; `None` of none.
fn some(number: u64, noun: &str) -> Option<String> {
    (number > 0).then(|| counted(usize::try_from(number).unwrap_or(usize::MAX), noun))
}
