//! Tables of a page: columns that say how their cells are folded, and rows.

use super::cell::Cell;

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
