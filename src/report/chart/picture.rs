//! What a chart is made of: plain data, from which the drawing and its text form are made.

use crate::unit::{Timestamp, Zone};

/// A whole chart: a title, plots below each other, remarks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Picture {
    /// First line.
    pub title: String,
    /// What is shown and how to read it.
    pub subtitle: String,
    /// Plots below each other.
    pub panels: Vec<Panel>,
    /// Remarks below the plots: what was left out, what is not known.
    pub notes: Vec<String>,
}

impl Picture {
    /// A picture without plots.
    pub fn new(title: impl Into<String>, subtitle: impl Into<String>) -> Self {
        Self { title: title.into(), subtitle: subtitle.into(), ..Self::default() }
    }

    /// With one more plot under a heading; `empty` is what stands there if the plot has nothing to show.
    #[must_use]
    pub fn panel(mut self, heading: impl Into<String>, plot: impl Into<Plot>, empty: impl Into<String>) -> Self {
        self.panels.push(Panel { heading: heading.into(), plot: plot.into(), empty: empty.into() });
        self
    }

    /// With the plots and remarks of another picture below.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.panels.extend(other.panels);
        self.notes.extend(other.notes);
        self
    }

    /// With a remark, if there is one.
    #[must_use]
    pub fn note(mut self, note: impl Into<Option<String>>) -> Self {
        self.notes.extend(note.into());
        self
    }
}

/// A plot under its heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panel {
    /// What the plot shows.
    pub heading: String,
    /// The plot.
    pub plot: Plot,
    /// What stands there if the plot has nothing to show.
    pub empty: String,
}

/// The forms of plots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plot {
    /// Horizontal bars, one a row, made of parts.
    Bars(Bars),
    /// Amounts along an axis of time or of numbers.
    Flow(Flow),
    /// Curves with marks.
    Track(Track),
    /// Spans and marks in rows on one axis.
    Lanes(Lanes),
}

impl From<Bars> for Plot {
    fn from(bars: Bars) -> Self {
        Self::Bars(bars)
    }
}

impl From<Flow> for Plot {
    fn from(flow: Flow) -> Self {
        Self::Flow(flow)
    }
}

impl From<Track> for Plot {
    fn from(track: Track) -> Self {
        Self::Track(track)
    }
}

impl From<Lanes> for Plot {
    fn from(lanes: Lanes) -> Self {
        Self::Lanes(lanes)
    }
}

/// What an amount is, which decides how an axis is divided and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Nano-dollars.
    Money,
    /// Tokens, calls, characters.
    Count,
    /// Milliseconds.
    Span,
    /// Thousandths, shown as a percentage.
    Share,
}

/// How a series looks: a meaning that has its own colour everywhere, or one of many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hue {
    /// One of many, by its position.
    Nth(usize),
    /// As it should be.
    Good,
    /// Failed or lost.
    Bad,
    /// Denied, doubtful.
    Warn,
    /// Dark on light, light on dark: what stands over everything else.
    Ink,
    /// Waiting, or the rest that has no colour of its own.
    Rest,
}

/// What the legend says about a colour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Its colour and pattern.
    pub hue: Hue,
}

impl Series {
    /// A series of a colour that means something.
    pub fn new(name: impl Into<String>, hue: Hue) -> Self {
        Self { name: name.into(), hue }
    }

    /// Several series, each with a colour of its own.
    pub fn numbered<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Vec<Self> {
        names.into_iter().enumerate().map(|(n, name)| Self::new(name, Hue::Nth(n))).collect()
    }
}

/// Horizontal bars.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bars {
    /// What the lengths are.
    pub measure: Measure,
    /// What a row is, in the singular: `step`.
    pub row: String,
    /// The parts of which bars are made.
    pub series: Vec<Series>,
    /// From top to bottom.
    pub rows: Vec<BarRow>,
}

/// A bar.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BarRow {
    /// What it stands for.
    pub label: String,
    /// One amount per series; below zero counts as zero.
    pub parts: Vec<i64>,
    /// The value as people read it.
    pub shown: String,
    /// The lowest and the highest value that the evidence allows.
    pub bounds: Option<(i64, i64)>,
}

impl BarRow {
    /// The length of the whole bar.
    pub fn total(&self) -> i64 {
        self.parts.iter().fold(0, |sum, part| sum.saturating_add((*part).max(0)))
    }
}

/// What runs along a horizontal axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Axis {
    /// Moments, in milliseconds since the epoch, shown in this zone.
    Time(Zone),
    /// Milliseconds since a beginning.
    Elapsed,
    /// Things that are counted from 0 and shown from 1; their name in the singular: `model turn`.
    Number(String),
}

/// Amounts along an axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flow {
    /// What runs along the axis.
    pub axis: Axis,
    /// What the amounts are.
    pub measure: Measure,
    /// Whether amounts add up from left to right.
    pub sums_up: bool,
    /// Kinds of amounts, stacked from the axis upwards.
    pub series: Vec<Series>,
    /// In any order.
    pub amounts: Vec<Amount>,
}

/// An amount at a position of the axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amount {
    /// Where on the axis.
    pub at: i64,
    /// Which series.
    pub series: usize,
    /// How much; below zero counts as zero.
    pub value: i64,
}

impl Amount {
    /// An amount at a moment.
    pub const fn timed(at: Timestamp, series: usize, value: i64) -> Self {
        Self { at: at.millis(), series, value }
    }
}

/// A curve, or several over one axis, with marks and level lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Track {
    /// What a point is, in the singular: `model turn`.
    pub point: String,
    /// What the values are.
    pub measure: Measure,
    /// What the curve is called.
    pub name: String,
    /// One value per point; a gap where it is not known.
    pub points: Vec<Option<i64>>,
    /// The curve that each point belongs to; empty where there is only one.
    pub curves: Vec<usize>,
    /// Horizontal lines, with their names.
    pub levels: Vec<(String, i64)>,
    /// Kinds of marks.
    pub kinds: Vec<Series>,
    /// Points that are marked, with their kind.
    pub marks: Vec<Mark>,
}

/// A mark on an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// Where on the axis.
    pub at: i64,
    /// Which kind.
    pub kind: usize,
}

/// Rows of spans and marks on one axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lanes {
    /// What runs along the axis.
    pub axis: Axis,
    /// Kinds of spans and marks; what is later is drawn over what is earlier.
    pub kinds: Vec<Series>,
    /// From top to bottom. Of many, neighbours share a line.
    pub lanes: Vec<Lane>,
    /// Parts of the axis that are cut out, in order.
    pub idle: Vec<(i64, i64)>,
}

/// A row of spans and marks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lane {
    /// What it stands for.
    pub label: String,
    /// What is told behind the label; it is not cut where the label is.
    pub remark: String,
    /// How far the label is indented.
    pub depth: usize,
    /// Lanes of two sections never share a line.
    pub section: usize,
    /// Spans, drawn in this order.
    pub spans: Vec<LaneSpan>,
    /// Marks over the spans.
    pub marks: Vec<Mark>,
}

/// A span on an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneSpan {
    /// Where it begins.
    pub from: i64,
    /// Where it ends; before its beginning counts as at its beginning.
    pub to: i64,
    /// Which kind.
    pub kind: usize,
}
