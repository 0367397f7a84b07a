//! The document that every command's result is turned into: one model, many renderings.

use super::cell::{Cell, Tone};

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
    Bars(Vec<Bar>),
    /// A curve over many points.
    Curve(Curve),
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

impl From<Vec<Bar>> for Body {
    fn from(bars: Vec<Bar>) -> Self {
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

/// On which side a column's cells line up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// What happens to a cell that is wider than its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    /// Its column is never narrower: numbers, times.
    Never,
    /// It is broken into a few lines.
    Wrap,
    /// It is broken into as many lines as it takes: sentences of which no word may be lost.
    Whole,
    /// Its end is cut off: identifiers.
    Cut,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// What people see above it.
    pub header: String,
    /// What CSV calls it: stable, lower case, with its unit.
    pub name: String,
    /// On which side its cells line up.
    pub align: Align,
    /// What happens to cells that do not fit.
    pub fold: Fold,
    /// A terminal that is too narrow for all columns leaves it out, and says so.
    pub minor: bool,
}

impl Column {
    /// A column of text; its CSV name is the header in lower case with underscores.
    pub fn text(header: impl Into<String>) -> Self {
        let header = header.into();
        let name = header.to_lowercase().replace(|c: char| !c.is_alphanumeric(), "_");
        Self { header, name, align: Align::Left, fold: Fold::Wrap, minor: false }
    }

    /// A column of numbers, times or durations, which are never broken.
    pub fn number(header: impl Into<String>) -> Self {
        Self { align: Align::Right, fold: Fold::Never, ..Self::text(header) }
    }

    /// A column of words that are short enough to be shown whole.
    pub fn word(header: impl Into<String>) -> Self {
        Self { fold: Fold::Never, ..Self::text(header) }
    }

    /// A column of sentences, which are shown to their end.
    pub fn prose(header: impl Into<String>) -> Self {
        Self { fold: Fold::Whole, ..Self::text(header) }
    }

    /// A column of identifiers, which are known by their head.
    pub fn id(header: impl Into<String>) -> Self {
        Self { fold: Fold::Cut, ..Self::text(header) }
    }

    /// As one that narrow terminals leave out; the last one goes first.
    #[must_use]
    pub fn minor(mut self) -> Self {
        self.minor = true;
        self
    }

    /// With another name in CSV.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }
}

/// A table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows; missing cells are empty.
    pub rows: Vec<Vec<Cell>>,
    /// Sums under a rule; CSV leaves them out.
    pub footer: Vec<Vec<Cell>>,
    /// The table that CSV prints; without one, the first table of the page.
    pub primary: bool,
    /// What people see instead of a table without rows.
    pub empty: Option<String>,
}

impl Table {
    /// A table without rows.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self { columns: columns.into_iter().collect(), ..Self::default() }
    }

    /// With one more row.
    #[must_use]
    pub fn row(mut self, cells: impl IntoIterator<Item = Cell>) -> Self {
        self.push(cells);
        self
    }

    /// With more rows.
    #[must_use]
    pub fn rows<R: IntoIterator<Item = Cell>>(mut self, rows: impl IntoIterator<Item = R>) -> Self {
        rows.into_iter().for_each(|row| self.push(row));
        self
    }

    /// Adds a row.
    pub fn push(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// With a row of sums.
    #[must_use]
    pub fn footer(mut self, cells: impl IntoIterator<Item = Cell>) -> Self {
        self.footer.push(cells.into_iter().collect());
        self
    }

    /// As the table that CSV prints.
    #[must_use]
    pub fn primary(mut self) -> Self {
        self.primary = true;
        self
    }

    /// With what people see if there are no rows.
    #[must_use]
    pub fn empty(mut self, text: impl Into<String>) -> Self {
        self.empty = Some(text.into());
        self
    }
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
}

/// A curve over many points, such as the context size of each model turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Curve {
    /// One value per step of the horizontal axis.
    pub points: Vec<u64>,
    /// What a step is, in the singular: `model turn`.
    pub step: String,
    /// What the values are: `tokens`.
    pub unit: String,
    /// Lines of the drawing, axis not counted.
    pub height: usize,
    /// Points that are marked as falls, counted from 0.
    pub falls: Vec<usize>,
}

impl Curve {
    /// A curve of eight lines.
    pub fn new(points: Vec<u64>, step: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { points, step: step.into(), unit: unit.into(), height: 8, falls: Vec::new() }
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
