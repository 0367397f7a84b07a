use super::Value;
use crate::unit::{Timestamp, Tokens, Usd};
use serde::Serialize;
use std::borrow::Cow;

/// What the cells of a column are. Any cell may be null.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::Display, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum ColumnKind {
    /// Text of the source, in which secrets may stand.
    Text,
    /// A word of a fixed list.
    Word,
    /// A whole number of 64 bits.
    Integer,
    /// A floating-point number of 64 bits.
    Float,
    /// Yes or no.
    Boolean,
    /// A moment in milliseconds, UTC, without a zone of its own.
    Timestamp,
}

/// What a column is called and what its cells mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ColumnSpec {
    /// Its name in SQL and in files.
    pub name: &'static str,
    /// What its cells are.
    #[serde(rename = "type")]
    pub kind: ColumnKind,
    /// The unit of numbers.
    pub unit: Option<&'static str>,
    /// What its cells mean.
    pub meaning: &'static str,
}

/// One column of a table whose rows are `R`: what it means, and where its cells come from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field<R> {
    pub(super) spec: ColumnSpec,
    pub(super) cell: Cell<R>,
}

/// Where the cells of a column come from.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cell<R> {
    Text(fn(&R) -> Option<Cow<'_, str>>),
    Integer(fn(&R) -> Option<i64>),
    Float(fn(&R) -> Option<f64>),
    Boolean(fn(&R) -> Option<bool>),
    Timestamp(fn(&R) -> Option<Timestamp>),
}

impl<R> Cell<R> {
    pub(super) fn of<'r>(&self, row: &'r R) -> Value<'r> {
        match self {
            Self::Text(text) => text(row).map_or(Value::Null, Value::Text),
            Self::Integer(number) => number(row).map_or(Value::Null, Value::Integer),
            Self::Float(number) => number(row).map_or(Value::Null, Value::Float),
            Self::Boolean(yes) => yes(row).map_or(Value::Null, Value::Boolean),
            Self::Timestamp(at) => at(row).map_or(Value::Null, Value::Timestamp),
        }
    }
}

impl<R> Field<R> {
    const fn new(name: &'static str, kind: ColumnKind, meaning: &'static str, cell: Cell<R>) -> Self {
        Self { spec: ColumnSpec { name, kind, unit: None, meaning }, cell }
    }

    /// Text of the source.
    pub(super) const fn text(name: &'static str, meaning: &'static str, cell: fn(&R) -> Option<Cow<'_, str>>) -> Self {
        Self::new(name, ColumnKind::Text, meaning, Cell::Text(cell))
    }

    /// Words of a fixed list.
    pub(super) const fn word(name: &'static str, meaning: &'static str, cell: fn(&R) -> Option<Cow<'_, str>>) -> Self {
        Self::new(name, ColumnKind::Word, meaning, Cell::Text(cell))
    }

    /// Whole numbers.
    pub(super) const fn integer(name: &'static str, meaning: &'static str, cell: fn(&R) -> Option<i64>) -> Self {
        Self::new(name, ColumnKind::Integer, meaning, Cell::Integer(cell))
    }

    /// Tokens.
    pub(super) const fn tokens(name: &'static str, meaning: &'static str, cell: fn(&R) -> Option<i64>) -> Self {
        Self::integer(name, meaning, cell).unit("tokens")
    }

    /// Money in nano-dollars, whose sums are exact.
    pub(super) const fn nanos(name: &'static str, meaning: &'static str, cell: fn(&R) -> Option<i64>) -> Self {
        Self::integer(name, meaning, cell).unit("nano-dollars")
    }

    /// The same money in dollars, to be read and not to be added up.
    pub(super) const fn dollars(name: &'static str, meaning: &'static str, cell: fn(&R) -> Option<f64>) -> Self {
        Self::new(name, ColumnKind::Float, meaning, Cell::Float(cell)).unit("US dollars")
    }

    /// Durations.
    pub(super) const fn millis(name: &'static str, meaning: &'static str, cell: fn(&R) -> Option<i64>) -> Self {
        Self::integer(name, meaning, cell).unit("milliseconds")
    }

    /// Yes or no.
    pub(super) const fn boolean(name: &'static str, meaning: &'static str, cell: fn(&R) -> Option<bool>) -> Self {
        Self::new(name, ColumnKind::Boolean, meaning, Cell::Boolean(cell))
    }

    /// Moments.
    pub(super) const fn timestamp(
        name: &'static str,
        meaning: &'static str,
        cell: fn(&R) -> Option<Timestamp>,
    ) -> Self {
        Self::new(name, ColumnKind::Timestamp, meaning, Cell::Timestamp(cell)).unit("UTC")
    }

    pub(super) const fn unit(mut self, unit: &'static str) -> Self {
        self.spec.unit = Some(unit);
        self
    }
}

/// A number as a cell; what does not fit is the largest that does.
#[expect(clippy::unnecessary_wraps, reason = "a cell may be null")]
pub(super) fn number(n: impl TryInto<i64>) -> Option<i64> {
    Some(n.try_into().unwrap_or(i64::MAX))
}

/// Tokens as a cell.
pub(super) fn tokens(tokens: Tokens) -> Option<i64> {
    number(tokens.0)
}

/// Money as a cell in nano-dollars.
#[expect(clippy::unnecessary_wraps, reason = "a cell may be null")]
pub(super) fn nanos(money: Usd) -> Option<i64> {
    Some(money.nanos())
}

/// Money as a cell in dollars.
#[expect(clippy::unnecessary_wraps, reason = "a cell may be null")]
pub(super) fn dollars(money: Usd) -> Option<f64> {
    Some(money.dollars())
}

/// Text as a cell.
#[expect(clippy::unnecessary_wraps, reason = "a cell may be null")]
pub(super) fn text(text: &str) -> Option<Cow<'_, str>> {
    Some(Cow::Borrowed(text))
}
