//! What killed processes spent: it is in the transcript and in no result of the client.

use super::client::ClientTotal;
use super::clock::Clock;
use super::spend::{High, Spend};
use crate::analysis::{Attempt, Attempts, Evidence, FailureKind, judge};
use crate::run_dir::ManifestRow;
use crate::session::Model;
use crate::unit::counted;

/// The attempts of the steps with what each of them spent.
pub(super) struct Spent<'a> {
    pub(super) attempts: &'a Attempts,
    pub(super) spends: Vec<Spend>,
    pub(super) model: &'a Model,
    /// When entries without a time were written.
    pub(super) clock: Clock,
}

/// A sign that processes of a step were killed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Killed {
    /// What shows it.
    pub(super) evidence: String,
    /// What they spent at most; no bound where the transcript does not tell which attempts these were.
    pub(super) at_most: High,
}

impl Spent<'_> {
    /// The attempts of the row at `at` that were killed: by what the manifest says, or, likely, by how they end.
    pub(super) fn killed(&self, at: usize, row: &ManifestRow) -> Option<Killed> {
        let killed = || self.of_row(at).filter(|(_, attempt)| attempt.kind == Some(FailureKind::Killed));
        let said = || {
            row.errors.iter().chain(&row.error).find(|text| judge(&Evidence::text(text)).kind == FailureKind::Killed)
        };
        let likely =
            || killed().next().map(|(_, attempt)| format!("attempt {} ended in the middle, likely killed", attempt.n));
        let first_line = |text: &String| text.lines().next().unwrap_or_default().to_owned();
        let evidence = said().map(first_line).or_else(likely)?;
        Some(Killed { evidence, at_most: self.spent_by(killed()) })
    }

    /// The attempts that left no total of the client, where others of the step did.
    pub(super) fn without_a_total(&self, at: usize, row: &ManifestRow, totals: &[&ClientTotal<'_>]) -> Option<Killed> {
        let attempts = usize::try_from(row.attempts?).ok()?;
        let missing = attempts.checked_sub(totals.len()).filter(|missing| *missing > 0 && !totals.is_empty())?;
        let ended: Vec<usize> =
            totals.iter().filter_map(|total| self.attempts.of_entry(total.session, total.entry, total.at)).collect();
        let others = self.of_row(at).filter(|(index, _)| !ended.contains(index));
        let of = counted(attempts, "attempt");
        let evidence = format!("{missing} of {of} left no total: their processes did not end in order");
        Some(Killed { evidence, at_most: self.spent_by(others) })
    }

    fn of_row(&self, at: usize) -> impl Iterator<Item = (usize, &Attempt)> {
        self.attempts.all.iter().enumerate().filter(move |(_, attempt)| attempt.row == Some(at))
    }

    /// What attempts spent together; not known where one of them cannot be found in the transcripts.
    fn spent_by<'b>(&self, attempts: impl Iterator<Item = (usize, &'b Attempt)>) -> High {
        let mut sum = None;
        for (index, attempt) in attempts {
            let own = attempt.session.and_then(|_| self.spends.get(index)).map(|spend| spend.measured_usd);
            sum.get_or_insert_with(High::default).add(own);
        }
        sum.unwrap_or(High(None))
    }
}
