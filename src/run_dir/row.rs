/// Where a row stands in its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Position {
    /// A row of the table `entries`.
    Database {
        /// SQLite's rowid: the order of insertion over all store keys.
        rowid: i64,
        /// Sequence number in the store key; `None` if the column holds something else than an integer.
        seq: Option<i64>,
    },
    /// A line of a transcript file.
    Line {
        /// Which file of the source, in the order in which the source lists them.
        file: u32,
        /// Line number, counted from 1.
        line: u64,
        /// Byte offset of the line in the file.
        offset: u64,
    },
}

/// Which row of its session a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RowName {
    /// The row of a table with this sequence number.
    Seq(i64),
    /// The line of a file with this number.
    Line(u64),
}

impl Position {
    /// Which row of its session the row is; `None` without a sequence number.
    pub fn row_name(self) -> Option<RowName> {
        match self {
            Self::Database { seq, .. } => seq.map(RowName::Seq),
            Self::Line { line, .. } => Some(RowName::Line(line)),
        }
    }

    /// Orders the rows of one store key: those of a table by sequence number, whatever their rowid, and those without one
    /// last; lines as they stand (spec/entries.md, Chains).
    pub fn within_key(self) -> impl Ord {
        match self {
            Self::Database { seq, .. } => (seq.is_none(), seq, self),
            Self::Line { .. } => (false, None, self),
        }
    }
}

/// One undecoded row: the only thing that evidence and transcript share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row<'a> {
    /// Store key as recorded, or as derived from the path of a transcript file.
    pub store_key: &'a str,
    /// Where the row stands.
    pub position: Position,
    /// The column `uid`; `None` for NULL and for lines.
    pub uid: Option<&'a str>,
    /// The payload, byte for byte: a line without its line end, or the column `payload`. `Err` names what stood there
    /// instead of text (`null`, `integer`, `real`, or `too long: N bytes`).
    pub payload: Result<&'a [u8], &'a str>,
}
