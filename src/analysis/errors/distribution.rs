use super::ErrorRow;
use crate::analysis::{FailureClass, FailureKind, Source};
use crate::unit::Timestamp;
use serde::Serialize;
use std::collections::BTreeMap;

const HOUR_MILLIS: i64 = 3_600_000;

/// The failures of one kind; what is only told again is not counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KindRow {
    /// The kind.
    pub kind: FailureKind,
    /// Its class.
    pub class: FailureClass,
    /// Failures.
    pub errors: usize,
    /// Of them, retries that the CLI announced.
    pub cli_retries: usize,
    /// An answer followed.
    pub recovered: usize,
    /// No answer followed.
    pub final_errors: usize,
    /// The kind is a guess.
    pub likely: usize,
}

/// The failures of one kind in one hour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HourRow {
    /// Beginning of the hour, UTC; null for failures without a time.
    pub hour: Option<Timestamp>,
    /// The kind.
    pub kind: FailureKind,
    /// Failures.
    pub errors: usize,
}

pub(super) fn by_kind(errors: &[ErrorRow]) -> Vec<KindRow> {
    let mut kinds: BTreeMap<FailureKind, KindRow> = BTreeMap::new();
    for row in errors.iter().filter(|row| row.repeats.is_none()) {
        let kind = kinds.entry(row.kind).or_insert_with(|| KindRow {
            kind: row.kind,
            class: row.class,
            errors: 0,
            cli_retries: 0,
            recovered: 0,
            final_errors: 0,
            likely: 0,
        });
        kind.errors += 1;
        kind.cli_retries += usize::from(row.source == Source::CliRetry);
        kind.recovered += usize::from(row.outcome.is_recovered());
        kind.final_errors += usize::from(!row.outcome.is_recovered());
        kind.likely += usize::from(row.basis.is_guess());
    }
    kinds.into_values().collect()
}

pub(super) fn by_hour(errors: &[ErrorRow]) -> Vec<HourRow> {
    let mut hours: BTreeMap<(Option<Timestamp>, FailureKind), usize> = BTreeMap::new();
    for row in errors.iter().filter(|row| row.repeats.is_none()) {
        let hour = row.at.and_then(|at| Timestamp::from_millis(at.millis() - at.millis().rem_euclid(HOUR_MILLIS)));
        *hours.entry((hour, row.kind)).or_default() += 1;
    }
    hours.into_iter().map(|((hour, kind), errors)| HourRow { hour, kind, errors }).collect()
}
