use super::picture::Axis;
use super::scale::{DAY, decimal_step, parts_of, span, time_step};
use crate::unit::{Timestamp, Zone, counted};

/// Shortest span that an axis of time shows, in milliseconds: below, marks would repeat each other.
const SHORTEST: i64 = 10_000;

/// A mark of a horizontal axis: its place, what stands below it, and what stands below that where it changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AxisMark {
    pub(super) at: i64,
    pub(super) label: String,
    pub(super) day: Option<String>,
}

impl Axis {
    /// The part of the axis that is shown: all of `first..=last`, and some more where that would be too short.
    pub(super) fn range(&self, first: i64, last: i64) -> (i64, i64) {
        let short = match self {
            Self::Time(_) => SHORTEST,
            Self::Elapsed | Self::Number(_) => 1,
        };
        let missing = short.saturating_sub(last.saturating_sub(first)).max(0);
        match self {
            Self::Time(_) => (first.saturating_sub(missing / 2), last.saturating_add(missing - missing / 2)),
            Self::Elapsed | Self::Number(_) => (first, last.saturating_add(missing)),
        }
    }

    /// What runs along the axis, as it is written below it.
    pub(super) fn caption(&self) -> String {
        match self {
            Self::Time(zone) => format!("time, {}", zone.name()),
            Self::Elapsed => "time since the beginning".to_owned(),
            Self::Number(name) => name.clone(),
        }
    }

    /// How much of the axis a column of this width covers, in words, if that is not one thing.
    pub(super) fn column(&self, step: i64) -> Option<String> {
        match self {
            Self::Time(_) | Self::Elapsed => Some(span(step)),
            Self::Number(name) => (step > 1).then(|| counted(usize::try_from(step).unwrap_or(usize::MAX), name)),
        }
    }

    /// At most `parts` marks, more or less, between `low` and `high`.
    pub(super) fn marks(&self, low: i64, high: i64, parts: i64) -> Vec<AxisMark> {
        let range = high.saturating_sub(low);
        match self {
            Self::Time(zone) => times(*zone, low, high, time_step(range, parts).max(1000)),
            Self::Elapsed => {
                let step = time_step(range, parts);
                multiples(low, high, step).map(|at| AxisMark { at, label: span(at), day: None }).collect()
            }
            Self::Number(_) => numbers(low, high, parts),
        }
    }

    /// The distance of marks or buckets of which about `parts` fill the range.
    pub(super) fn step(&self, range: i64, parts: i64) -> i64 {
        match self {
            Self::Time(_) | Self::Elapsed => time_step(range, parts).max(1000),
            Self::Number(_) => parts_of(range.max(1), parts.max(1)),
        }
    }

    /// The beginning of the bucket of this width that holds `at`. Days and hours begin where they do in the zone.
    pub(super) fn bucket(&self, at: i64, step: i64) -> i64 {
        match self {
            Self::Time(zone) => {
                let shift = ahead(*zone, at);
                at.saturating_add(shift).div_euclid(step).saturating_mul(step).saturating_sub(shift)
            }
            Self::Elapsed | Self::Number(_) => at.div_euclid(step.max(1)).saturating_mul(step.max(1)),
        }
    }
}

fn ahead(zone: Zone, at: i64) -> i64 {
    Timestamp::from_millis(at).map_or(0, |t| zone.ahead(t).millis())
}

fn multiples(low: i64, high: i64, step: i64) -> impl Iterator<Item = i64> {
    let first = low.div_euclid(step).saturating_add(i64::from(low.rem_euclid(step) > 0)).saturating_mul(step);
    std::iter::successors(Some(first), move |at| at.checked_add(step)).take_while(move |at| *at <= high)
}

/// Counted from 0, shown from 1: 1, then the multiples of a round step.
fn numbers(low: i64, high: i64, parts: i64) -> Vec<AxisMark> {
    let step = decimal_step(high.saturating_sub(low) / parts.max(1) + 1);
    let shown = |at: i64| at.saturating_add(1);
    let round = multiples(shown(low), shown(high), step).map(|n| n - 1);
    let first = (step > 1).then_some(low);
    let near = |at: i64| step > 1 && at != low && at - low < step / 2;
    let marks = first.into_iter().chain(round).filter(|at| !near(*at));
    marks.map(|at| AxisMark { at, label: shown(at).to_string(), day: None }).collect()
}

/// Marks at round local times. At a change of the clock a mark may be further from its neighbour, or nearer.
fn times(zone: Zone, low: i64, high: i64, step: i64) -> Vec<AxisMark> {
    let local = |at: i64| at.saturating_add(ahead(zone, at));
    let mut marks: Vec<AxisMark> = Vec::new();
    let mut last_day = String::new();
    for wall in multiples(local(low).saturating_sub(DAY.min(step)), local(high).saturating_add(DAY.min(step)), step) {
        // The clock of the moment itself decides, not that of a moment an hour away.
        let guess = wall.saturating_sub(ahead(zone, wall));
        let at = wall.saturating_sub(ahead(zone, guess));
        // Where the clock jumps, some times of the wall do not exist.
        let exists = (low..=high).contains(&at) && local(at) == wall;
        let Some(moment) = Timestamp::from_millis(at).filter(|_| exists) else { continue };
        if marks.last().is_some_and(|mark| mark.at >= at) {
            continue;
        }
        let day = zone.day(moment);
        let time = zone.time(moment);
        let label = if step >= DAY {
            day.clone()
        } else {
            time.strip_suffix(":00").filter(|_| step >= 60_000).map_or_else(|| time.clone(), ToOwned::to_owned)
        };
        let changed = step < DAY && day != last_day;
        last_day.clone_from(&day);
        marks.push(AxisMark { at, label, day: changed.then_some(day) });
    }
    // Between two round times there may be none.
    let begin = Timestamp::from_millis(low).filter(|_| marks.is_empty());
    marks.extend(begin.map(|t| AxisMark { at: low, label: zone.time(t), day: Some(zone.day(t)) }));
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(text: &str) -> i64 {
        Timestamp::parse(text).unwrap().millis()
    }

    fn marks(zone: &str, from: &str, to: &str, parts: i64) -> String {
        let axis = Axis::Time(Zone::named(zone).unwrap());
        let marks = axis.marks(millis(from), millis(to), parts);
        let shown = |mark: AxisMark| mark.label + &mark.day.map(|day| format!(" ({day})")).unwrap_or_default();
        marks.into_iter().map(shown).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn times_are_round_in_their_zone() {
        assert_eq!(
            marks("Asia/Kolkata", "2026-11-30T14:07:00Z", "2026-11-30T20:40:00Z", 8),
            "20:00 (2026-11-30), 21:00, 22:00, 23:00, 00:00 (2026-12-01), 01:00, 02:00"
        );
        assert_eq!(marks("UTC", "2026-11-30T14:00:00Z", "2026-11-30T14:00:10Z", 5), {
            "14:00:00 (2026-11-30), 14:00:02, 14:00:04, 14:00:06, 14:00:08, 14:00:10"
        });
        assert_eq!(marks("UTC", "2026-11-01T14:00:00Z", "2026-11-30T14:00:00Z", 5).matches("2026-").count(), 4);
    }

    #[test]
    fn the_clock_change_days_have_their_hours() {
        assert_eq!(
            marks("Europe/Berlin", "2026-03-28T22:00:00Z", "2026-03-29T10:00:00Z", 8),
            "00:00 (2026-03-29), 04:00, 06:00, 08:00, 10:00, 12:00"
        );
        let autumn = marks("Europe/Berlin", "2026-10-24T21:00:00Z", "2026-10-25T05:00:00Z", 10);
        assert!(autumn.starts_with("23:00 (2026-10-24), 00:00 (2026-10-25), 01:00, 02:00, 03:00"), "{autumn}");
    }

    #[test]
    fn every_range_has_an_end() {
        let axis = Axis::Time(Zone::UTC);
        let (low, high) = axis.range(i64::MIN, i64::MAX);
        assert!(axis.marks(low, high, 8).len() < 20);
        let (low, high) = axis.range(5, 5);
        assert!(high - low == SHORTEST && !axis.marks(low, high, 8).is_empty());
        let numbers = |count: i64| -> Vec<String> {
            Axis::Number("turn".into()).marks(0, count - 1, 8).into_iter().map(|mark| mark.label).collect()
        };
        assert_eq!(numbers(1), ["1"]);
        assert_eq!(numbers(5), ["1", "2", "3", "4", "5"]);
        assert_eq!(numbers(300), ["1", "50", "100", "150", "200", "250", "300"]);
    }
}
