use super::evidence::Opening;
use crate::analysis::{LeftOut, TimeRange};
use crate::unit::{Timestamp, counted};

/// The range with the offset of each end, and what it leaves out; `None` without a range. Where clocks change, an hour is
/// there twice or not at all, so that the offset is needed.
pub(super) fn range(range: TimeRange, left_out: &[(LeftOut, &str)], opening: &Opening) -> Option<String> {
    let zone = opening.zone;
    let time = |at: Option<Timestamp>| match at {
        Some(at) => format!("{} {}", zone.date_time(at), zone.offset(at)),
        None => "…".to_owned(),
    };
    let left = left_out.iter().flat_map(|(left, noun)| {
        let of = |n: usize, why: &str| (n > 0).then(|| format!("{} {why}", counted(n, noun)));
        [of(left.outside, "outside"), of(left.without_time, "without a time")]
    });
    let left: Vec<String> = left.flatten().collect();
    let left = if left.is_empty() { String::new() } else { format!("; left out: {}", left.join(", ")) };
    (!range.is_all()).then(|| format!("{} to {}, {}{left}", time(range.since), time(range.until), zone.name()))
}
