use super::cause::{Cause, CauseKind};
use super::client::ClientTotal;
use super::killed::Killed;
use super::reconcile::Step;
use super::spend::High;
use super::step_facts::Hidden;
use super::summaries::ASSUMED_OUTPUT;
use super::titles::{ASSUMED_PROMPT, ASSUMED_TITLE};
use crate::analysis::prices::client_bill;
use crate::transcript::ClientModel;
use crate::unit::{Usd, counted};
use std::collections::BTreeMap;

/// A cause with what shows it and how much it can explain.
struct Candidate {
    code: CauseKind,
    evidence: String,
    at_most: High,
}

/// What the client's processes of a step counted for one model.
#[derive(Default)]
struct Grown {
    tokens: i128,
    /// What that is by the price table, else by the client; `None` where neither has a price.
    cost: High,
}

/// What explains the part of a step's difference that neither totals nor prices do.
impl Step<'_> {
    /// `left` is the client's own figure minus the measured one. A cause stands only for the sign that it can make, and for
    /// no more than it can make; the rest is unexplained.
    pub(super) fn leftover(&self, left: Usd) -> Vec<Cause> {
        let more = left > Usd::ZERO;
        let shown = if more { self.hides_spend() } else { self.hides_results(left) };
        let possible = shown.into_iter().flatten();
        let possible: Vec<Candidate> =
            possible.filter(|cause| cause.at_most.0.is_none_or(|most| !self.is_rounding(most))).collect();
        let mut explained = High::default();
        for cause in &possible {
            explained.add(cause.at_most.0);
        }
        let size = if more { left } else { Usd::ZERO - left };
        let over = explained.0.map(|explained| size - explained);
        let rest = over.filter(|over| *over > Usd::ZERO && !self.is_rounding(*over));
        // Several causes share what is left; how much each makes is not knowable.
        let alone = possible.len() == 1 && rest.is_none();
        let rest = rest.map(|rest| unexplained(if more { rest } else { Usd::ZERO - rest }, possible.len()));
        let cause = |cause: Candidate| match cause.at_most.0.filter(|_| !alone) {
            Some(most) => Cause::new(cause.code, None, format!("{}; that is {most} at most", cause.evidence)),
            None => Cause::new(cause.code, alone.then_some(left), cause.evidence),
        };
        possible.into_iter().map(cause).chain(rest).collect()
    }

    /// What makes the reported figure larger than the measured one.
    fn hides_spend(&self) -> Vec<Option<Candidate>> {
        let facts = self.facts;
        let unpriced = candidate(CauseKind::Unpriced, facts.without_price, "model turn", |turns| {
            format!(
                "{turns} without a price: {}; that no model is dearer than those of the price table is an assumption",
                facts.unpriced_models()
            )
        });
        let unreadable =
            candidate(CauseKind::UnreadableUsage, without_bound(facts.spend.unreadable_turns), "model turn", |turns| {
                format!("{turns} with a count of tokens that cannot be read")
            });
        let compacted = candidate(CauseKind::HiddenCalls, facts.compactions, "compaction", |compactions| {
            format!(
                "{compactions} in the step: the call for the summary leaves no entry; that it wrote at most {ASSUMED_OUTPUT} \
                 tokens, or as many as were kept, is an assumption"
            )
        });
        let shared = candidate(CauseKind::SharedWithFork, facts.shared, "model turn", |turns| {
            format!("{turns} of this time are counted at the session that wrote them first")
        });
        let cut = candidate(CauseKind::PlaceholderUsage, facts.cut, "model turn", |turns| {
            format!("the streams of {turns} were cut: the output count is a placeholder")
        });
        let written = candidate(CauseKind::CacheWriteDuration, facts.cache_writes, "model turn", |turns| {
            format!("of {turns} nothing tells for how long the cache keeps what was written, or how much that was")
        });
        let undated = candidate(CauseKind::UndatedPrice, facts.undated, "model turn", |turns| {
            format!("nothing dates {turns}, and the price of the model changed")
        });
        let hidden = compacted.or_else(|| self.hidden()).or_else(|| self.titles());
        vec![unpriced, unreadable, hidden, shared, cut, written, undated]
    }

    /// What makes the reported figure smaller than the measured one.
    fn hides_results(&self, left: Usd) -> Vec<Option<Candidate>> {
        let facts = self.facts;
        let cut = candidate(CauseKind::CutStream, facts.cut_measured, "model turn", |turns| {
            format!("the streams of {turns} were cut: the client does not count such an answer")
        });
        let by_time = (facts.by_time_usd > Usd::ZERO).then(|| Candidate {
            code: CauseKind::AssignedByTime,
            evidence: format!("{} of sessions that no step names are counted here, by time alone", facts.by_time_usd),
            at_most: High(Some(facts.by_time_usd)),
        });
        vec![self.killed(), cut, by_time, self.subagents(left)]
    }

    /// A build that leaves no totals does not say what the call for a title cost.
    fn titles(&self) -> Option<Candidate> {
        let titles = Some(self.facts.titles).filter(|_| self.states.is_empty())?;
        candidate(CauseKind::HiddenCalls, titles, "title", |titles| {
            format!(
                "{titles} asked for: such a call leaves no usage; that it is given no more than the first model turn, or \
                 {ASSUMED_PROMPT} tokens where there is none, and writes at most {ASSUMED_TITLE} is an assumption"
            )
        })
    }

    /// What the client's processes of this step counted beyond the transcript.
    fn hidden(&self) -> Option<Candidate> {
        let grown = self.grown();
        let mut models = Vec::new();
        let mut at_most = High::default();
        for (model, grown) in &grown {
            let (tokens, measured) = self.facts.of_model(model);
            if grown.tokens > i128::from(tokens.0) {
                models.push(*model);
                at_most.add(grown.cost.0.map(|cost| (cost - measured).max(Usd::ZERO)));
            }
        }
        let evidence = format!("the client counts more tokens of {} than the transcript", models.join(", "));
        (!models.is_empty()).then_some(Candidate { code: CauseKind::HiddenCalls, evidence, at_most })
    }

    fn grown(&self) -> BTreeMap<&str, Grown> {
        let mut grown: BTreeMap<&str, Grown> = BTreeMap::new();
        for state in self.states {
            let price = |of: &ClientModel| client_bill(of, state.at, self.prices).or(of.cost);
            for of in state.models() {
                let model = grown.entry(&of.model).or_default();
                model.tokens += i128::from(of.usage.total().0);
                model.cost.add(price(of));
            }
            for of in state.before.and_then(|before| self.all.get(before)).map_or(&[][..], ClientTotal::models) {
                let model = grown.entry(&of.model).or_default();
                model.tokens -= i128::from(of.usage.total().0);
                model.cost.add(price(of).map(|price| Usd::ZERO - price));
            }
        }
        grown
    }

    /// What a killed process spent is measured and not reported: no more than that, and than all that is measured.
    fn killed(&self) -> Option<Candidate> {
        let unended = || self.spent.without_a_total(self.at, self.row, self.states);
        let Killed { evidence, at_most } = self.facts.killed.clone().or_else(unended)?;
        // An attempt that ended well had the last answer.
        let ended_well = self.row.ok == Some(true) && self.row.attempts > Some(1);
        let others = if ended_well { self.facts.last_usd } else { Usd::ZERO };
        let possible = self.facts.spend.measured_usd - others;
        let at_most = High(Some(at_most.0.map_or(possible, |most| most.min(possible))));
        Some(Candidate { code: CauseKind::KilledAttempt, evidence, at_most })
    }

    fn subagents(&self, left: Usd) -> Option<Candidate> {
        let spent = self.facts.subagents_usd;
        let fits = !self.is_rounding(spent) && self.is_rounding(left + spent);
        let at_most = High(Some(spent));
        let evidence = || format!("the subagents spent {spent}");
        fits.then(|| Candidate { code: CauseKind::Subagents, evidence: evidence(), at_most })
    }
}

fn unexplained(rest: Usd, known: usize) -> Cause {
    let beyond = if known == 0 { "" } else { " beyond the causes that are known" };
    let evidence = format!("{rest} of the difference has no cause that is known here{beyond}");
    Cause::new(CauseKind::Unexplained, rest, evidence)
}

/// Turns of which nothing tells how much they hide.
fn without_bound(turns: u64) -> Hidden {
    Hidden { number: turns, at_most: High(None) }
}

/// The cause that some things make; `None` without any.
fn candidate(
    code: CauseKind,
    hidden: Hidden,
    noun: &str,
    evidence: impl FnOnce(String) -> String,
) -> Option<Candidate> {
    let number = usize::try_from(hidden.number).unwrap_or(usize::MAX);
    (number > 0).then(|| Candidate { code, evidence: evidence(counted(number, noun)), at_most: hidden.at_most })
}
