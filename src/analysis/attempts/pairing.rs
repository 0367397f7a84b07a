//! Which attempt of the manifest is which segment of the transcripts.

use super::segment::Segment;
use crate::run_dir::ManifestRow;

/// One attempt of a step, before it is described.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pair {
    /// Its entries, if the store has any.
    pub(super) segment: Option<Segment>,
    /// The reason that the manifest gives.
    pub(super) error: Option<String>,
}

/// Pairs in order. Where the two count differently, a reason goes with the segment that ended with the same words, and what
/// is left over stands alone.
pub(super) fn pairs(row: &ManifestRow, segments: Vec<(Segment, Option<&str>)>) -> Vec<Pair> {
    let reasons = reasons(row);
    let claimed = row.attempts.map_or(reasons.len(), |attempts| usize::try_from(attempts).unwrap_or(usize::MAX));
    // Only attempts with a reason, and the last one, can be told apart from a wrong count.
    let told = reasons.len() + usize::from(row.ok != Some(false));
    let mut claimed = claimed.min(told.max(segments.len()));
    let mut errors = reasons.iter();
    let mut segments = segments.into_iter().peekable();
    let mut pairs = Vec::new();
    while claimed > 0 || segments.peek().is_some() {
        let left = segments.len();
        let said = segments.peek().and_then(|(_, said)| *said);
        let error = errors.as_slice().first();
        let same = || error.is_some_and(|error| said.is_some_and(|said| !said.is_empty() && error.contains(said)));
        let both = left == claimed || same();
        let segment = if both || left > claimed { segments.next().map(|(segment, _)| segment) } else { None };
        let error = if both || left <= claimed { errors.next().cloned() } else { None };
        claimed = if both || left <= claimed { claimed.saturating_sub(1) } else { claimed };
        pairs.push(Pair { segment, error });
    }
    pairs.extend(errors.map(|error| Pair { segment: None, error: Some(error.clone()) }));
    pairs
}

/// Why attempts failed, in order: `errors`, and `error` where none of these says it already. Of a row that tells as many
/// reasons as it counts attempts, `error` belongs to the last one, which then has both: a signal ends an attempt that may
/// have failed by itself (spec/errors.md, What errors look like in a transcript).
fn reasons(row: &ManifestRow) -> Vec<String> {
    let mut reasons = row.errors.clone();
    let Some(error) = row.error.as_ref().filter(|error| !error.is_empty()) else { return reasons };
    // A runner may put its verdict before the reason: `fatal: …`.
    if reasons.iter().any(|reason| !reason.is_empty() && error.contains(reason.as_str())) {
        return reasons;
    }
    let is_full = row.attempts.is_some_and(|attempts| usize::try_from(attempts).is_ok_and(|n| n <= reasons.len()));
    match reasons.last_mut().filter(|_| is_full) {
        Some(last) if last.is_empty() => last.clone_from(error),
        Some(last) => *last = format!("{error}; {last}"),
        None => reasons.push(error.clone()),
    }
    reasons
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_reason_of_a_row_is_dropped_and_none_is_told_twice() {
        let said = |attempts: Option<u64>, errors: &[&str], error: Option<&str>| {
            let errors = errors.iter().map(ToString::to_string).collect();
            reasons(&ManifestRow { attempts, errors, error: error.map(str::to_owned), ..ManifestRow::default() })
        };
        assert_eq!(said(Some(1), &[], Some("killed-by-signal")), ["killed-by-signal"]);
        assert_eq!(said(Some(2), &["529"], Some("budget")), ["529", "budget"]);
        assert_eq!(said(Some(1), &["no exit"], Some("killed-by-signal")), ["killed-by-signal; no exit"]);
        assert_eq!(said(Some(1), &[""], Some("killed-by-signal")), ["killed-by-signal"]);
        assert_eq!(said(Some(2), &["529", "529"], Some("529")), ["529", "529"]);
        assert_eq!(said(Some(1), &["No message"], Some("fatal: No message")), ["No message"]);
        assert_eq!(said(None, &["529"], Some("budget")), ["529", "budget"]);
        assert_eq!(said(Some(1), &["529"], None), ["529"]);
    }
}
