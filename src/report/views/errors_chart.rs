use super::evidence::Opening;
use crate::analysis::Errors;
use crate::report::chart::{self, ErrorsFigure, Picture};

/// The errors as a picture: over time and by kind. What is told twice is drawn once.
pub fn errors_chart(result: &Errors, opening: &Opening) -> Picture {
    let once = result.errors.iter().filter(|error| error.repeats.is_none());
    chart::errors(ErrorsFigure {
        title: opening.title("Errors"),
        errors: once.map(|error| (error.kind.to_string(), error.at)).collect(),
        zone: opening.zone,
    })
}
