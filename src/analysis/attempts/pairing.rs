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
    let claimed = usize::try_from(row.attempts.unwrap_or(0)).unwrap_or(usize::MAX);
    // Only attempts with a reason, and the last one, can be told apart from a wrong count.
    let told = row.errors.len() + usize::from(row.ok != Some(false));
    let mut claimed = claimed.min(told.max(segments.len()));
    let mut errors = row.errors.iter();
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
