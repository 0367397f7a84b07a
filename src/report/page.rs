//! The document that every command's result is turned into: one model, many renderings.

use super::cell::{Cell, Tone};
use super::chart::Measure;
use super::page_lanes::Lanes;
use super::page_table::Table;

/// Everything one command has to say.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    /// First line.
    pub title: String,
    /// From the most to the least important.
    pub sections: Vec<Section>,
    /// The table that CSV prints when people see the same in another form, such as a tree.
    pub data: Option<Table>,
}

impl Page {
    /// An empty page.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// With one more part, without a heading.
    #[must_use]
    pub fn part(mut self, body: impl Into<Body>) -> Self {
        self.sections.push(Section { heading: None, body: body.into() });
        self
    }

    /// With one more part under a heading.
    #[must_use]
    pub fn section(mut self, heading: impl Into<String>, body: impl Into<Body>) -> Self {
        self.sections.push(Section { heading: Some(heading.into()), body: body.into() });
        self
    }

    /// With the table that CSV prints instead of one that people see.
    #[must_use]
    pub fn data(mut self, table: Table) -> Self {
        self.data = Some(table);
        self
    }

    /// With a remark of one paragraph.
    #[must_use]
    pub fn note(self, text: impl Into<String>) -> Self {
        self.part(Body::Note(text.into()))
    }
}

/// A part of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// What the part shows.
    pub heading: Option<String>,
    /// The part itself.
    pub body: Body,
}

/// The forms in which something can be shown.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// Label and value, one a line.
    Facts(Facts),
    /// A table.
    Table(Table),
    /// Horizontal bars.
    Bars(Bars),
    /// A curve over many points.
    Curve(Curve),
    /// Lanes over one axis of time.
    Lanes(Lanes),
    /// An outline of nested lines.
    Tree(Vec<TreeLine>),
    /// Lines that are kept as they are.
    Text(String),
    /// A paragraph that is wrapped.
    Note(String),
}

impl From<Facts> for Body {
    fn from(facts: Facts) -> Self {
        Self::Facts(facts)
    }
}

impl From<Table> for Body {
    fn from(table: Table) -> Self {
        Self::Table(table)
    }
}

impl From<Curve> for Body {
    fn from(curve: Curve) -> Self {
        Self::Curve(curve)
    }
}

impl From<Lanes> for Body {
    fn from(lanes: Lanes) -> Self {
        Self::Lanes(lanes)
    }
}

impl From<Vec<Bar>> for Body {
    fn from(bars: Vec<Bar>) -> Self {
        Self::Bars(Bars { rows: bars, ..Bars::default() })
    }
}

impl From<Bars> for Body {
    fn from(bars: Bars) -> Self {
        Self::Bars(bars)
    }
}

impl From<Vec<TreeLine>> for Body {
    fn from(lines: Vec<TreeLine>) -> Self {
        Self::Tree(lines)
    }
}

/// Label and value, one a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// In the order in which they are shown.
    pub lines: Vec<(String, Cell)>,
}

impl Facts {
    /// No facts yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// With one more line.
    #[must_use]
    pub fn line(mut self, label: impl Into<String>, value: impl Into<Cell>) -> Self {
        self.lines.push((label.into(), value.into()));
        self
    }

    /// With one more line if there is a value.
    #[must_use]
    pub fn line_if<T: Into<Cell>>(self, label: impl Into<String>, value: Option<T>) -> Self {
        match value {
            Some(value) => self.line(label, value),
            None => self,
        }
    }
}

/// Horizontal bars.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bars {
    /// From top to bottom.
    pub rows: Vec<Bar>,
    /// What the parts of bars are, from the left; empty for bars of one part.
    pub parts: Vec<String>,
}

/// A horizontal bar.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bar {
    /// What it stands for.
    pub label: String,
    /// Its length, relative to the longest bar.
    pub value: f64,
    /// The value as people read it.
    pub shown: String,
    /// A remark behind it.
    pub note: Option<String>,
    /// What it says at a glance.
    pub tone: Tone,
    /// The lengths of its parts, on the same scale; empty for a bar of one part.
    pub parts: Vec<f64>,
}

impl Bar {
    /// A bar without a note.
    pub fn new(label: impl Into<String>, value: f64, shown: impl Into<Cell>) -> Self {
        Self { label: label.into(), value, shown: shown.into().shown, ..Self::default() }
    }

    /// With a remark behind it.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// With a tone.
    #[must_use]
    pub fn tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }

    /// Made of these parts.
    #[must_use]
    pub fn parts(mut self, parts: Vec<f64>) -> Self {
        self.parts = parts;
        self
    }
}

/// A curve over many points, such as the context size of each model turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Curve {
    /// One value per step of the horizontal axis; a gap where it is not known.
    pub points: Vec<Option<u64>>,
    /// What the values are.
    pub measure: Measure,
    /// What a step is, in the singular: `model turn`.
    pub step: String,
    /// What is drawn over what.
    pub caption: String,
    /// What stands below the ends of the axis; without, the numbers of the first and the last step.
    pub ends: Vec<String>,
    /// Remarks below the drawing, in one list.
    pub key: Vec<String>,
    /// Lines of the drawing, axis not counted.
    pub height: usize,
    /// Points that are marked as falls, counted from 0.
    pub falls: Vec<usize>,
}

impl Curve {
    /// A curve of counts in eight lines; `unit` is what is counted: `tokens`.
    pub fn new<P: Into<Option<u64>>>(points: Vec<P>, step: impl Into<String>, unit: &str) -> Self {
        let step = step.into();
        Self {
            points: points.into_iter().map(Into::into).collect(),
            measure: Measure::Count,
            caption: format!("{unit} per {step}"),
            step,
            ends: Vec::new(),
            key: Vec::new(),
            height: 8,
            falls: Vec::new(),
        }
    }

    /// With values of another measure.
    #[must_use]
    pub fn measure(mut self, measure: Measure) -> Self {
        self.measure = measure;
        self
    }

    /// With another caption.
    #[must_use]
    pub fn caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = caption.into();
        self
    }

    /// With these words below the ends of the axis.
    #[must_use]
    pub fn ends(mut self, ends: Vec<String>) -> Self {
        self.ends = ends;
        self
    }

    /// With remarks below the drawing.
    #[must_use]
    pub fn key(mut self, key: Vec<String>) -> Self {
        self.key = key;
        self
    }

    /// With marks below these points, counted from 0.
    #[must_use]
    pub fn falls(mut self, falls: Vec<usize>) -> Self {
        self.falls = falls;
        self
    }

    /// With another height.
    #[must_use]
    pub fn height(mut self, lines: usize) -> Self {
        self.height = lines;
        self
    }
}

/// A line of an outline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeLine {
    /// How deep it is nested; 0 is a root.
    pub depth: usize,
    /// The line.
    pub text: String,
    /// A remark behind it.
    pub note: Option<String>,
    /// What it says at a glance.
    pub tone: Tone,
}

impl TreeLine {
    /// A line without a note.
    pub fn new(depth: usize, text: impl Into<String>) -> Self {
        Self { depth, text: text.into(), ..Self::default() }
    }

    /// With a remark behind it.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// With a tone.
    #[must_use]
    pub fn tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }
}
