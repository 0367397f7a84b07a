use super::picture::Measure;

/// Where values stand in pixels. Whole numbers only: a drawing is the same on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Scale {
    pub(super) low: i64,
    pub(super) high: i64,
    pub(super) start: i32,
    pub(super) end: i32,
}

impl Scale {
    /// The pixel of a value; outside of the scale, that of its nearer end.
    pub(super) fn at(&self, value: i64) -> i32 {
        let past = i128::from(value.clamp(self.low, self.high.max(self.low))) - i128::from(self.low);
        let whole = (i128::from(self.high) - i128::from(self.low)).max(1);
        let room = i128::from(self.end) - i128::from(self.start);
        let pixel = i128::from(self.start) + (past * room * 2 + whole * room.signum()) / (whole * 2);
        i32::try_from(pixel).unwrap_or(self.start)
    }
}

/// Values at which an axis is marked, with what stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ticks {
    pub(super) marks: Vec<(i64, String)>,
    /// The last mark, at or above the highest value.
    pub(super) high: i64,
}

const SECOND: i64 = 1000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
pub(super) const DAY: i64 = 24 * HOUR;

/// Distances in which people divide time, in milliseconds.
const TIME_STEPS: [i64; 30] = [
    1,
    2,
    5,
    10,
    20,
    50,
    100,
    200,
    500,
    SECOND,
    2 * SECOND,
    5 * SECOND,
    10 * SECOND,
    15 * SECOND,
    30 * SECOND,
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    7 * DAY,
    28 * DAY,
];

/// The shortest distance in which people divide time that cuts `range` into at most `parts`.
pub(super) fn time_step(range: i64, parts: i64) -> i64 {
    let least = parts_of(range.max(1), parts.max(1));
    let longer = || decimal_step(parts_of(least, DAY)).saturating_mul(DAY);
    TIME_STEPS.into_iter().find(|step| *step >= least).unwrap_or_else(longer)
}

/// Of positive numbers, rounded up.
pub(super) const fn parts_of(whole: i64, part: i64) -> i64 {
    whole / part + if whole % part > 0 { 1 } else { 0 }
}

/// 1, 2 or 5 times a power of ten, at least `least`.
pub(super) fn decimal_step(least: i64) -> i64 {
    let mut power = 1_i64;
    loop {
        for step in [1, 2, 5] {
            let step = power.saturating_mul(step);
            if step >= least {
                return step;
            }
        }
        power = power.saturating_mul(10);
    }
}

/// Marks from 0 to at or above `highest`, at most `parts` steps apart.
pub(super) fn ticks(measure: Measure, highest: i64, parts: i64) -> Ticks {
    let highest = if highest > 0 { highest } else { least(measure) };
    let step = match measure {
        Measure::Span => time_step(highest, parts),
        Measure::Money | Measure::Count | Measure::Share => decimal_step(parts_of(highest, parts.max(1))),
    };
    let high = parts_of(highest, step).saturating_mul(step);
    let values = std::iter::successors(Some(0_i64), |value| value.checked_add(step).filter(|next| *next <= high));
    let marks: Vec<(i64, String)> = values.map(|value| (value, shown(measure, value, step, high))).collect();
    Ticks { high: marks.last().map_or(high, |(value, _)| *value).max(highest), marks }
}

/// The height of an axis on which everything is zero.
const fn least(measure: Measure) -> i64 {
    match measure {
        Measure::Money => 1_000_000_000,
        Measure::Count => 1,
        Measure::Span => SECOND,
        Measure::Share => 1000,
    }
}

fn shown(measure: Measure, value: i64, step: i64, high: i64) -> String {
    match measure {
        Measure::Money => money(value, step),
        Measure::Count => count(value, step, high),
        Measure::Span => span(value),
        Measure::Share => format!("{}%", value / 10),
    }
}

/// Dollars with the digits that tell neighbouring marks apart, or cents; large sums short.
fn money(nanos: i64, step: i64) -> String {
    if step >= 10_000_000_000_000 {
        return format!("${}", count(nanos / 1_000_000_000, step / 1_000_000_000, i64::MAX));
    }
    let digits = (0..9).find(|digits| step % 10_i64.pow(9 - digits) == 0).unwrap_or(9);
    let digits = if digits == 1 { 2 } else { digits };
    let dollars = nanos / 1_000_000_000;
    if digits == 0 {
        return format!("${dollars}");
    }
    let rest = nanos % 1_000_000_000 / 10_i64.pow(9 - digits);
    format!("${dollars}.{rest:0width$}", width = usize::try_from(digits).unwrap_or(9))
}

fn count(value: i64, step: i64, high: i64) -> String {
    const UNITS: [(i64, &str); 4] = [(1_000_000_000_000, "T"), (1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")];
    // As everywhere, numbers below 10,000 are shown whole.
    let fits = |(unit, _): &(i64, &str)| high >= 10_000 && high >= *unit && step % (unit / 10) == 0;
    match UNITS.into_iter().find(fits) {
        Some(_) if value == 0 => "0".to_owned(),
        Some((unit, letter)) if step % unit == 0 => format!("{}{letter}", value / unit),
        Some((unit, letter)) => format!("{}.{}{letter}", value / unit, value % unit / (unit / 10)),
        None => value.to_string(),
    }
}

/// A span without the parts that are zero: `2h`, `1h 30m`, `45s`, `250ms`.
pub(super) fn span(millis: i64) -> String {
    const PARTS: [(i64, &str); 5] = [(DAY, "d"), (HOUR, "h"), (MINUTE, "m"), (SECOND, "s"), (1, "ms")];
    let mut rest = millis.max(0);
    let mut parts = Vec::new();
    for (unit, letter) in PARTS {
        if rest >= unit {
            parts.push(format!("{}{letter}", rest / unit));
            rest %= unit;
        }
    }
    if parts.is_empty() { "0".to_owned() } else { parts.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(measure: Measure, highest: i64) -> String {
        let marks = ticks(measure, highest, 5).marks;
        marks.into_iter().map(|(_, label)| label).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn marks_are_round_and_tell_each_other_apart() {
        assert_eq!(labels(Measure::Money, 38_240_000_000), "$0 $10 $20 $30 $40");
        assert_eq!(labels(Measure::Money, 238_406_000), "$0.00 $0.05 $0.10 $0.15 $0.20 $0.25");
        assert_eq!(labels(Measure::Money, 1_900_000), "$0.0000 $0.0005 $0.0010 $0.0015 $0.0020");
        assert_eq!(labels(Measure::Money, 7), "$0.000000000 $0.000000002 $0.000000004 $0.000000006 $0.000000008");
        assert_eq!(labels(Measure::Money, 90_000_000_000_000), "$0 $20k $40k $60k $80k $100k");
        assert_eq!(labels(Measure::Money, 0), "$0.00 $0.20 $0.40 $0.60 $0.80 $1.00");
        assert_eq!(labels(Measure::Count, 187_000), "0 50k 100k 150k 200k");
        assert_eq!(labels(Measure::Count, 2_400_000), "0 0.5M 1.0M 1.5M 2.0M 2.5M");
        assert_eq!(labels(Measure::Count, 900), "0 200 400 600 800 1000");
        assert_eq!(labels(Measure::Count, 3), "0 1 2 3");
        assert_eq!(labels(Measure::Count, 0), "0 1");
        assert_eq!(labels(Measure::Span, 5_400_000), "0 30m 1h 1h 30m");
        assert_eq!(labels(Measure::Span, 900), "0 200ms 400ms 600ms 800ms 1s");
        assert_eq!(labels(Measure::Share, 900), "0% 20% 40% 60% 80% 100%");
    }

    #[test]
    fn no_value_is_too_large_to_be_marked() {
        for measure in [Measure::Money, Measure::Count, Measure::Span, Measure::Share] {
            for highest in [i64::MAX, i64::MAX - 1, i64::MIN, 1, -1] {
                let ticks = ticks(measure, highest, 5);
                assert!(
                    (2..=6).contains(&ticks.marks.len()) && ticks.high >= highest,
                    "{measure:?} {highest} {ticks:?}"
                );
            }
        }
        assert_eq!(time_step(i64::MAX, 8) % DAY, 0);
    }

    #[test]
    fn values_keep_their_order_in_pixels() {
        let scale = Scale { low: -5, high: i64::MAX, start: 300, end: 20 };
        assert_eq!([scale.at(i64::MIN), scale.at(-5), scale.at(i64::MAX)], [300, 300, 20]);
        let flat = Scale { low: 7, high: 7, start: 0, end: 100 };
        assert_eq!(flat.at(7), 1.min(flat.at(7)).max(0));
    }
}
