use crate::analysis::layers::{Answer, CacheLoss};
use crate::report::Cell;
use crate::report::views::Opening;

pub(super) fn answer_name(answer: Answer) -> &'static str {
    match answer {
        Answer::Resumable => "resumable",
        Answer::ResumableWithLoss => "resumable with loss",
        Answer::Refused => "would be refused",
    }
}

pub(in crate::report::views) fn answer(answer: Answer) -> Cell {
    let cell = Cell::text(answer_name(answer));
    match answer {
        Answer::Resumable => cell.good(),
        Answer::ResumableWithLoss => cell.warn(),
        Answer::Refused => cell.bad(),
    }
}

pub(super) fn name(opening: &Opening, key: &str) -> Cell {
    Cell::text(opening.names.of(key)).exact(key)
}

/// What a cache loss costs: from five minutes to one hour.
pub(super) fn price(cache: &CacheLoss) -> Cell {
    match (cache.low_usd, cache.high_usd) {
        _ if cache.unpriced.is_some() => {
            Cell::text(format!("no price for {}", cache.model.as_deref().unwrap_or("this model"))).warn()
        }
        (Some(low), Some(high)) => Cell::text(format!("{low} – {high}")),
        (Some(low), None) => Cell::text(format!("from {low}")),
        (None, _) => Cell::absent(),
    }
}
