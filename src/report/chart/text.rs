//! Plots as parts of a page: the same figures in characters.

use super::picture::{Axis, Flow, Hue, Lane, LaneSpan, Lanes, Measure, Panel, Picture, Plot, Track};
use super::plot::gathered;
use super::scale::{decimal_step, parts_of};
use crate::report::page_lanes::{Clock, Ink, InkKey, Mark};
use crate::report::{Bar, Bars, Body, Curve, Lane as PageLane, LaneGroup, Lanes as PageLanes, Page, Tone};
use crate::unit::{Span, Timestamp, Usd, short_count};
use std::collections::BTreeSet;

/// Points of a curve over time: more than the columns of most terminals.
const POINTS: i64 = 240;
/// Rows into which amounts along an axis are gathered, more or less.
const ROWS: i64 = 20;
/// Moments beyond are no times that a run can have.
const FAR: i64 = 8_000_000_000_000_000;

impl Picture {
    /// Adds the plots to a page, and the remarks below them.
    pub(in crate::report) fn onto(self, page: Page) -> Page {
        let parts = self.panels.iter().filter_map(|panel| Some((panel.heading.as_str(), panel.body()?)));
        let page = parts.fold(page, |page, (heading, body)| page.section(heading, body));
        self.notes.into_iter().fold(page, Page::note)
    }
}

impl Panel {
    /// The plot in characters; `None` for bars, whose rows a page shows as a table.
    fn body(&self) -> Option<Body> {
        if self.plot.is_empty() && !matches!(self.plot, Plot::Bars(_)) {
            return Some(Body::Note(self.empty.clone()));
        }
        match &self.plot {
            Plot::Bars(_) => None,
            Plot::Flow(flow) if flow.sums_up => Some(flow.growth().into()),
            Plot::Flow(flow) => Some(flow.stacks().into()),
            Plot::Track(track) => Some(track.curve().into()),
            Plot::Lanes(lanes) => Some(lanes.text().into()),
        }
    }
}

impl Measure {
    /// A value as people read it.
    pub(in crate::report) fn shown(self, value: i64) -> String {
        match self {
            Self::Money => Usd::from_nanos(value).to_string(),
            Self::Count => short_count(unsigned(value)),
            Self::Span => Span::from_millis(value).to_string(),
            Self::Share => format!("{}%", value / 10),
        }
    }
}

fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

/// A place on an axis as people read it.
fn place(axis: &Axis, at: i64) -> String {
    match axis {
        Axis::Time(zone) => Timestamp::from_millis(at).map_or_else(|| at.to_string(), |at| zone.date_time(at)),
        Axis::Elapsed => Span::from_millis(at).to_string(),
        Axis::Number(_) => at.saturating_add(1).to_string(),
    }
}

impl Flow {
    fn ends(&self) -> (i64, i64) {
        let places = || self.amounts.iter().map(|amount| amount.at);
        (places().min().unwrap_or(0), places().max().unwrap_or(0))
    }

    /// The sum of everything up to each point of the axis.
    fn growth(&self) -> Curve {
        let (first, last) = self.ends();
        let mut amounts: Vec<(i64, i64)> = self.amounts.iter().map(|amount| (amount.at, amount.value.max(0))).collect();
        amounts.sort_unstable();
        let count = if first == last { 1 } else { POINTS };
        let (mut sum, mut next) = (0_i64, amounts.iter().peekable());
        let points = (0..count).map(|point| {
            let until = between(first, last, point, count - 1);
            while let Some((_, value)) = next.next_if(|(at, _)| *at <= until) {
                sum = sum.saturating_add(*value);
            }
            unsigned(sum)
        });
        let points: Vec<u64> = points.collect();
        let named = self.series.iter().map(|series| series.name.clone()).collect();
        let ends = if first == last { vec![first] } else { vec![first, last] };
        Curve::new(points, "", "")
            .measure(self.measure)
            .ends(ends.into_iter().map(|at| place(&self.axis, at)).collect())
            .caption(self.axis.caption())
            .key(named)
    }

    /// A row for each part of the axis, its bar made of what the series have there.
    fn stacks(&self) -> Bars {
        let (first, last) = self.ends();
        let step = match self.axis {
            Axis::Number(_) => decimal_step(parts_of(last.saturating_sub(first).saturating_add(1), ROWS)),
            Axis::Time(_) | Axis::Elapsed => self.axis.step(last.saturating_sub(first), ROWS),
        };
        let used: BTreeSet<usize> =
            self.amounts.iter().filter(|amount| amount.value > 0).map(|amount| amount.series).collect();
        let of_used = |parts: &[i64]| -> Vec<i64> { used.iter().filter_map(|nth| parts.get(*nth).copied()).collect() };
        let row = |(begin, parts): (i64, Vec<i64>)| {
            let parts = of_used(&parts);
            let sum = parts.iter().copied().fold(0, i64::saturating_add);
            let each: Vec<String> = parts.iter().map(|part| self.measure.shown(*part)).collect();
            let bar = Bar::new(self.stretch(begin, step, last), float(sum), self.measure.shown(sum));
            let bar = if each.len() > 1 { bar.note(each.join(" + ")) } else { bar };
            bar.parts(parts.into_iter().map(float).collect())
        };
        let names = used.iter().filter_map(|nth| self.series.get(*nth)).map(|series| series.name.clone());
        Bars { rows: gathered(self, step).into_iter().map(row).collect(), parts: names.collect() }
    }

    /// The name of a part of the axis.
    fn stretch(&self, begin: i64, step: i64, last: i64) -> String {
        let end = begin.saturating_add(step - 1).min(last);
        match self.axis {
            // What is counted from 0 is shown from 1: a step of 20 begins at 1, 21, 41.
            Axis::Number(_) if end > begin => format!("{}–{}", place(&self.axis, begin), place(&self.axis, end)),
            Axis::Number(_) | Axis::Time(_) | Axis::Elapsed => place(&self.axis, begin),
        }
    }
}

/// The place of a point of an axis that has `parts` parts; the last one is the end itself.
fn between(first: i64, last: i64, point: i64, parts: i64) -> i64 {
    let length = i128::from(last) - i128::from(first);
    let past = length * i128::from(point) / i128::from(parts.max(1));
    i64::try_from(i128::from(first) + past).unwrap_or(last)
}

/// Through text, the only conversion without a cast.
fn float(value: i64) -> f64 {
    value.to_string().parse().unwrap_or(0.0)
}

impl Track {
    fn curve(&self) -> Curve {
        let falls = self.marks.iter().filter_map(|mark| usize::try_from(mark.at).ok()).collect();
        let points: Vec<Option<u64>> = self.points.iter().map(|point| point.map(unsigned)).collect();
        let levels = self.levels.iter().map(|(name, _)| name.clone()).collect();
        Curve::new(points, self.point.as_str(), self.name.as_str())
            .measure(self.measure)
            .falls(falls)
            .key(levels)
            .height(4)
    }
}

impl Lanes {
    fn text(&self) -> PageLanes {
        let clock = match self.axis {
            Axis::Time(zone) => Clock::Zone(zone),
            Axis::Elapsed | Axis::Number(_) => Clock::Elapsed,
        };
        let inks = self.kinds.iter().map(|kind| {
            let (ink, tone) = ink(kind.hue);
            InkKey { ink, tone, meaning: kind.name.clone() }
        });
        let lanes = self.lanes.iter().map(|lane| self.lane(lane)).collect();
        let group = LaneGroup { lanes, ..LaneGroup::default() };
        PageLanes { clock, groups: vec![group], key: Vec::new(), inks: inks.collect() }
    }

    fn lane(&self, lane: &Lane) -> PageLane {
        let look = |kind: usize| self.kinds.get(kind).map_or((Ink::Bar, Tone::Normal), |kind| ink(kind.hue));
        let mark = |span: &LaneSpan| {
            let (ink, tone) = look(span.kind);
            let at = |at: i64| Timestamp::from_millis(at.clamp(-FAR, FAR));
            Some(Mark { from: at(span.from)?, to: at(span.to.max(span.from))?, ink, tone })
        };
        let length = |span: &LaneSpan| span.to.saturating_sub(span.from).max(0);
        let from = lane.spans.iter().map(|span| span.from).min().unwrap_or(0);
        let to = lane.spans.iter().map(|span| span.to).max().unwrap_or(0);
        let waits = lane.spans.iter().filter(|span| look(span.kind).0 == Ink::Dots).map(length);
        let waited = waits.fold(0, i64::saturating_add);
        let whole = Span::from_millis(to.saturating_sub(from));
        let waited = (waited > 0).then(|| format!("waited {}", Span::from_millis(waited)));
        let remark = Some(lane.remark.clone()).filter(|remark| !remark.is_empty());
        let note: Vec<String> = remark.into_iter().chain([whole.to_string()]).chain(waited).collect();
        let note = note.join(", ");
        PageLane { label: lane.label.clone(), marks: lane.spans.iter().filter_map(mark).collect(), note }
    }
}

/// How a colour looks in characters.
const fn ink(hue: Hue) -> (Ink, Tone) {
    match hue {
        Hue::Good => (Ink::Bar, Tone::Good),
        Hue::Bad => (Ink::Bar, Tone::Bad),
        Hue::Warn => (Ink::Bar, Tone::Warn),
        Hue::Rest => (Ink::Dots, Tone::Faint),
        Hue::Nth(_) | Hue::Ink => (Ink::Bar, Tone::Normal),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        Attempt, CacheFigure, CacheTurn, CostFigure, RetriedStep, RetriesFigure, Spent, cache, cost, retries,
    };
    use super::*;
    use crate::report::{CleanPage, Masker, Style, terminal};
    use crate::unit::{Tokens, Zone};

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(1_796_047_200_000 + seconds * 1000).unwrap()
    }

    fn spent(turns: i64) -> Picture {
        let one = |n: i64| Spent {
            at: Some(at(n * 60)),
            model: format!("claude-{}", n % 3),
            usd: Usd::from_nanos(10_000_000 * (n % 5 + 1)),
        };
        cost(CostFigure {
            title: String::new(),
            row: "step".into(),
            classes: Vec::new(),
            rows: Vec::new(),
            spent: (0..turns).map(one).collect(),
            unpriced: 0,
            zone: Zone::UTC,
        })
    }

    fn cached(turns: u64) -> Picture {
        let turn = |n: u64| CacheTurn {
            read: Tokens(n % 40 * 4000),
            written_short: Tokens(if n.is_multiple_of(40) { 50_000 } else { 900 }),
            written_long: Tokens(0),
            uncached: Tokens(4),
        };
        cache(CacheFigure { title: String::new(), turns: (0..turns).map(turn).collect() })
    }

    fn tried(steps: i64) -> Picture {
        let attempt = |from: i64, to: i64, ok| Attempt { from: Some(at(from)), to: Some(at(to)), ok };
        let step = |n: i64| RetriedStep {
            name: format!("{}#{n}", ["干活·判定", "build-the-whole-thing-again"][usize::try_from(n % 2).unwrap()]),
            attempts: vec![
                attempt(n * 100, n * 100 + 10, Some(false)),
                attempt(n * 100 + 40, n * 100 + 50, None),
                attempt(n * 100 + 55, n * 100 + 60 + n % 7, Some(true)),
            ],
        };
        retries(RetriesFigure { title: String::new(), steps: (0..steps).map(step).collect() })
    }

    fn shown(picture: Picture, width: usize, unicode: bool) -> String {
        let page = CleanPage::new(picture.onto(Page::default()), &Masker::masking());
        terminal(&page, &Style { width, color: false, unicode })
    }

    #[test]
    fn one_step_and_hundreds_fit_every_terminal() {
        for width in [40, 80, 200] {
            for count in [0, 1, 2, 20, 300] {
                for unicode in [true, false] {
                    for picture in [spent(count), cached(u64::try_from(count).unwrap()), tried(count)] {
                        let text = shown(picture, width, unicode);
                        let wide = |line: &&str| unicode_width::UnicodeWidthStr::width(*line) > width;
                        assert_eq!(text.lines().find(wide), None, "{width} {count}:\n{text}");
                        assert!(text.lines().count() < 75, "{width} {count}:\n{text}");
                        let drawn = |c: char| !c.is_ascii() && !"干活·判定".contains(c);
                        assert!(unicode || !text.contains(drawn), "{width} {count}:\n{text}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_sum_of_the_cost_ends_with_all_of_it() {
        insta::assert_snapshot!(shown(spent(30), 40, true), @r"
        Sum of the cost over time, by model
        $0.9000 ┤                            ▁▄█
                │                        ▁▅▆▇███
                │                    ▂▃▄▆███████
                │                 ▂▄▇███████████
        $0.4500 ┤            ▁▁▄████████████████
                │        ▁▅▆▇███████████████████
                │    ▂▃▄▆███████████████████████
                │▁▂▄▇███████████████████████████
              0 └───────────────────────────────
                 2026-11-30 14:00:00
                             2026-11-30 14:29:00
        time, UTC
        claude-0: $0.3000, claude-1: $0.3000,
        claude-2: $0.3000
        ");
        insta::assert_snapshot!(shown(spent(1), 80, false), @r"
        Sum of the cost over time, by model
        $0.0100 |###
                |###
              0 +---
                 2026-11-30 14:00:00
        time, UTC
        claude-0: $0.0100
        ");
        let Some(Body::Curve(curve)) = spent(300).panels[1].body() else { panic!("a curve") };
        assert_eq!(curve.points.last(), Some(&Some(9_000_000_000)));
        assert!(curve.points.is_sorted(), "{curve:?}");
    }

    #[test]
    fn hundreds_of_turns_share_rows_and_none_is_lost() {
        insta::assert_snapshot!(shown(cached(3), 80, true), @r"
        Input tokens by model turn
        1  ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓  50.0k  0 + 50.0k + 4
        2  ███▓                                       4904  4000 + 900 + 4
        3  ██████▓                                    8904  8000 + 900 + 4
        █ read from the cache: 12.0k, ▓ written for 5 minutes: 51.8k, ▒ not cached: 12

        Part of the input that was read from the cache
        89% ┤   ▅▅▅███
            │   ██████
        44% ┤   ██████
            │   ██████
          0 └─────────
             1       3
        served by the cache per model turn
        ");
        let narrow = shown(cached(45), 40, false);
        for line in ["1-5    #==                         93.6k\n  40.0k + 53.6k + 20\n", "the mean of what it holds\n"]
        {
            assert!(narrow.contains(line), "{line}: {narrow}");
        }
        let Some(Body::Bars(bars)) = cached(317).panels[0].body() else { panic!("bars") };
        let labels: Vec<&str> = bars.rows.iter().map(|bar| bar.label.as_str()).collect();
        assert_eq!((labels.len(), labels[0], labels[15]), (16, "1–20", "301–317"));
        let all: f64 = bars.rows.iter().flat_map(|bar| &bar.parts).sum();
        let turns = (0..317).map(|n| n % 40 * 4000 + if n % 40 == 0 { 50_000 } else { 900 } + 4);
        assert!((all - float(turns.sum())).abs() < 0.5, "{all}");
    }

    #[test]
    fn attempts_and_waits_stand_under_each_other() {
        insta::assert_snapshot!(shown(tried(3), 80, true), @r"
        Attempts and waits of each step, from the beginning of its first attempt
                                    0.0s    9.5s    19.1s   28.6s   38.2s   47.7s
                                    ┬───────┬───────┬───────┬───────┬───────┬───────────
        干活·判定#0                 ╳╳╳╳╳╳╳╳╳┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄▒▒▒▒▒▒▒▒▒┄┄┄┄█████
        build-the-whole-t…-again#1  ╳╳╳╳╳╳╳╳╳┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄▒▒▒▒▒▒▒▒▒┄┄┄┄██████
        干活·判定#2                 ╳╳╳╳╳╳╳╳╳┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄▒▒▒▒▒▒▒▒▒┄┄┄┄██████
        ┄ wait between attempts, █ attempt that ended well, ▒ attempt that was
        interrupted or broke off, ╳ attempt that failed
        not shown at this width: what stands behind the lanes
        ");
        insta::assert_snapshot!(shown(tried(2), 40, false), @r"
        Attempts and waits of each step, from
        the beginning of its first attempt
                       0.0s    19.5s   39.0s
                       +-------+-------+--------
        干活·判定#0    XXXXX...........%%%%%.###
        build-t...n#1  XXXXX...........%%%%%.###
        . wait between attempts, # attempt that
        ended well, % attempt that was
        interrupted or broke off, X attempt that
        failed
        not shown at this width: what stands
        behind the lanes
        ");
        let many = shown(tried(300), 80, true);
        assert!(many.contains("300 lanes on 38 lines, neighbours share one"), "{many}");
    }

    #[test]
    fn a_plot_without_data_says_so_in_words() {
        let text = [shown(spent(0), 80, true), shown(cached(0), 80, true), shown(tried(0), 80, true)].concat();
        for said in ["No model turn has a price and a time.", "No model turn has usage.", "No attempt has a begin"] {
            assert!(text.contains(said), "{said}: {text}");
        }
        let unread = CacheTurn { uncached: Tokens(9), ..CacheTurn::default() };
        let unread = cache(CacheFigure { title: String::new(), turns: vec![unread; 3] });
        assert!(shown(unread, 80, true).contains("No input was read from the cache."));
    }
}
