use super::cell::Tone;
use super::chart::Measure;
use super::page::Curve;
use super::style::Style;
use super::text;
use crate::unit::counted;

/// Widest column that one point is drawn with.
const MAX_COLUMN: usize = 3;
/// A cell filled from below by so many eighths.
const PARTS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
/// Falls that are named below the drawing.
const MAX_NAMED: usize = 4;

/// Columns over an axis. Several points share a column where there are more points than columns: the highest is drawn,
/// and a fall inside of it is marked below the axis.
pub(super) fn draw(curve: &Curve, style: &Style) -> String {
    let highest = curve.points.iter().flatten().copied().max().unwrap_or(0);
    let shown = |value| label(curve, value);
    if curve.points.is_empty() {
        return style.tint("(no points)", Tone::Faint) + "\n";
    }
    let top = shown(highest);
    let label = text::width(&top).max(1);
    let room = style.room().saturating_sub(label + 2).max(1);
    let falls = &curve.falls;
    let buckets = buckets(curve, room);
    let wide = (room / buckets.len().max(1)).clamp(1, MAX_COLUMN);
    // Few points need no tall drawing.
    let height = curve.height.clamp(1, 64).min(curve.points.len() + 1);
    let (tick, side, corner, rule) = if style.unicode { ("┤", "│", "└", "─") } else { ("|", "|", "+", "-") };
    let mut lines = Vec::new();
    for row in (0..height).rev() {
        let name = match row {
            _ if row + 1 == height => top.clone(),
            _ if row + 1 == height / 2 && height > 3 => shown(share(highest, row + 1, height)),
            _ => String::new(),
        };
        let edge = if name.is_empty() { side } else { tick };
        let drawn: String = buckets.iter().map(|b| column(b.value, highest, row, height, style).repeat(wide)).collect();
        lines.push(format!("{} {edge}{drawn}", text::pad_left(&name, label)));
    }
    lines.push(format!("{} {corner}{}", text::pad_left("0", label), rule.repeat(buckets.len() * wide)));
    let indent = " ".repeat(label + 2);
    if !falls.is_empty() {
        let marks: String = buckets.iter().map(|b| text::pad(mark(b.falls, style), wide)).collect();
        lines.push(format!("{indent}{}", style.tint(marks.trim_end(), Tone::Warn)));
    }
    let under = ends(curve, buckets.len() * wide, room);
    lines.extend(under.iter().map(|line| format!("{indent}{line}")));
    if curve.measure == Measure::Share && buckets.len() < curve.points.len() {
        lines.push(style.tint("a column is the mean of what it holds", Tone::Faint));
    }
    lines.extend(legend(curve, falls, style));
    lines.join("\n") + "\n"
}

struct Bucket {
    /// The highest of the known values; of shares their mean.
    value: Option<u64>,
    falls: bool,
}

/// At most `room` buckets of neighbouring points, of nearly the same size.
fn buckets(curve: &Curve, room: usize) -> Vec<Bucket> {
    let points = &curve.points;
    let count = points.len().min(room);
    let edge = |bucket: usize| bucket * points.len() / count.max(1);
    (0..count)
        .map(|bucket| {
            let span = edge(bucket)..edge(bucket + 1);
            let known: Vec<u64> = points.get(span.clone()).unwrap_or_default().iter().copied().flatten().collect();
            let value = if curve.measure == Measure::Share { mean(&known) } else { known.iter().copied().max() };
            Bucket { value, falls: curve.falls.iter().any(|at| span.contains(at)) }
        })
        .collect()
}

/// A share that is high in one of many turns is not high.
fn mean(known: &[u64]) -> Option<u64> {
    let sum: u128 = known.iter().copied().map(u128::from).sum();
    sum.checked_div(u128::try_from(known.len()).ok()?).and_then(|mean| u64::try_from(mean).ok())
}

fn share(value: u64, part: usize, whole: usize) -> u64 {
    let part = u128::try_from(part).unwrap_or(0);
    let whole = u128::try_from(whole).unwrap_or(1).max(1);
    u64::try_from(u128::from(value) * part / whole).unwrap_or(u64::MAX)
}

/// What stands in line `row` of a column, counted from the axis.
fn column(value: Option<u64>, highest: u64, row: usize, height: usize, style: &Style) -> &'static str {
    let value = value.unwrap_or(0);
    let full = u128::try_from(height * 8).unwrap_or(8);
    let eighths = usize::try_from(u128::from(value) * full / u128::from(highest.max(1))).unwrap_or(0);
    // A value above zero is seen.
    let eighths = if value > 0 { eighths.max(1) } else { 0 };
    let here = eighths.saturating_sub(row * 8).min(8);
    if style.unicode {
        PARTS.get(here).copied().unwrap_or(" ")
    } else if here >= 4 || (here > 0 && row == 0) {
        "#"
    } else {
        " "
    }
}

const fn mark(falls: bool, style: &Style) -> &'static str {
    match (falls, style.unicode) {
        (false, _) => " ",
        (true, true) => "▾",
        (true, false) => "v",
    }
}

/// A value beside the axis.
fn label(curve: &Curve, value: u64) -> String {
    curve.measure.shown(i64::try_from(value).unwrap_or(i64::MAX))
}

/// The first and the last step below the ends of the axis; below each other where they do not fit beside each other.
fn ends(curve: &Curve, width: usize, room: usize) -> Vec<String> {
    let numbers = ["1".to_owned(), curve.points.len().to_string()];
    let numbers = numbers.get(usize::from(curve.points.len() == 1)..).unwrap_or_default();
    match if curve.ends.is_empty() { numbers } else { &curve.ends } {
        [first, last] if text::width(first) + 1 + text::width(last) <= room => {
            let gap = width.saturating_sub(text::width(first)).max(text::width(last) + 1);
            vec![format!("{first}{}", text::pad_left(last, gap))]
        }
        [first, last] => vec![first.clone(), text::pad_left(last, width.min(room))],
        others => others.to_vec(),
    }
}

/// What is drawn, and the first falls by number.
fn legend(curve: &Curve, falls: &[usize], style: &Style) -> Vec<String> {
    let gaps = curve.points.iter().filter(|point| point.is_none()).count();
    let gaps = (gaps > 0).then(|| format!("gaps: {}, not known", counted(gaps, &curve.step)));
    let caption = [curve.caption.clone()].into_iter().chain(gaps).collect::<Vec<_>>().join("; ");
    let told = [caption, curve.key.join(", ")];
    let told = told.iter().filter(|told| !told.is_empty());
    let told = told.flat_map(|told| text::wrap(&style.plain(told), style.room()));
    let mut lines: Vec<String> = told.map(|line| style.tint(&line, Tone::Faint)).collect();
    let value = |at: usize| curve.points.get(at).copied().flatten().map(|v| label(curve, v)).unwrap_or_default();
    let arrow = if style.unicode { "→" } else { "->" };
    let named: Vec<String> = falls
        .iter()
        .take(MAX_NAMED)
        .map(|at| format!("{} ({} {arrow} {})", at + 1, value(at.saturating_sub(1)), value(*at)))
        .collect();
    if !named.is_empty() {
        let more = falls.len().saturating_sub(MAX_NAMED);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        let text = format!("{} falls at {} {}{rest}", mark(true, style), curve.step, named.join(", "));
        lines.extend(text::wrap(&text, style.room()).iter().map(|line| style.tint(line, Tone::Warn)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_cover_every_point_once() {
        let curve = Curve::new((0..5000_u64).collect(), "turn", "tokens").falls(vec![2500]);
        let shares = Curve::new((0..5000_u64).map(|n| n % 2 * 1000).collect(), "turn", "part").measure(Measure::Share);
        assert!(buckets(&shares, 50).iter().all(|bucket| bucket.value == Some(500)));
        let buckets = buckets(&curve, 70);
        assert_eq!(buckets.len(), 70);
        assert_eq!(buckets.last().unwrap().value, Some(4999));
        assert_eq!(buckets.iter().filter(|b| b.falls).count(), 1);
    }
}
