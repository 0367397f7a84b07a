use super::evidence::Opening;
use crate::analysis::{AttemptRow, Ending, Retries};
use crate::report::chart::{self, Attempt, Picture, RetriedStep, RetriesFigure};

/// The attempts of each step and the waits between them as a picture.
pub fn retries_chart(result: &Retries, opening: &Opening) -> Picture {
    let same_step = |a: &AttemptRow, b: &AttemptRow| a.step.is_some() && a.step == b.step && a.run == b.run;
    let steps = result.attempts.chunk_by(same_step).map(|attempts| RetriedStep {
        name: attempts.first().map(|first| name(first, opening)).unwrap_or_default(),
        attempts: attempts.iter().map(attempt).collect(),
    });
    chart::retries(RetriesFigure { title: opening.title("Retries"), steps: steps.collect() })
}

/// The step, or the session of an attempt that belongs to none.
fn name(row: &AttemptRow, opening: &Opening) -> String {
    let session = || row.store_key.as_deref().map(|key| opening.names.of(key).to_owned());
    row.step.clone().or_else(session).unwrap_or_default()
}

fn attempt(row: &AttemptRow) -> Attempt {
    let ok = match row.ending {
        Ending::Answered => Some(true),
        Ending::Failed => Some(false),
        Ending::Interrupted | Ending::Unfinished => None,
    };
    Attempt { from: row.started_at, to: row.ended_at, ok }
}
