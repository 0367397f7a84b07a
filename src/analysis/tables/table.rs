use super::column::Field;
use super::{ColumnKind, ColumnSpec, Value};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;

/// What stands in a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TableSpec {
    /// Its name in SQL and of its file.
    pub name: &'static str,
    /// What one row is.
    pub row: &'static str,
    /// Its columns, in order.
    pub columns: Vec<ColumnSpec>,
}

/// Hides the secrets of a text.
pub type Mask<'a> = dyn Fn(&str) -> Cow<'_, str> + Sync + 'a;

/// A table over the model: nothing of it is copied before its cells are asked for.
pub struct Table<'a> {
    /// What stands in it.
    pub spec: TableSpec,
    rows: Box<dyn Rows + 'a>,
    mask: &'a Mask<'a>,
}

/// The rows of a table, whatever they are made of.
trait Rows {
    fn len(&self) -> usize;
    fn cell(&self, row: usize, column: usize) -> Value<'_>;
}

struct TypedRows<R> {
    fields: Vec<Field<R>>,
    rows: Vec<R>,
}

impl<R> Rows for TypedRows<R> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn cell(&self, row: usize, column: usize) -> Value<'_> {
        self.rows.get(row).zip(self.fields.get(column)).map_or(Value::Null, |(row, field)| field.cell.of(row))
    }
}

/// What stands in a table of these fields.
pub(super) fn spec<R>(name: &'static str, row: &'static str, fields: &[Field<R>]) -> TableSpec {
    TableSpec { name, row, columns: fields.iter().map(|field| field.spec).collect() }
}

impl<'a> Table<'a> {
    pub(super) fn new<R: 'a>(spec: TableSpec, fields: Vec<Field<R>>, rows: Vec<R>, mask: &'a Mask<'a>) -> Self {
        Self { spec, rows: Box::new(TypedRows { fields, rows }), mask }
    }

    /// How many rows it has.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// It has no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One cell, its secrets hidden; null beyond the last row or column.
    pub fn cell(&self, row: usize, column: usize) -> Value<'_> {
        let cell = self.rows.cell(row, column);
        let is_free = self.spec.columns.get(column).is_none_or(|column| column.kind == ColumnKind::Text);
        let Value::Text(text) = cell else { return cell };
        Value::Text(match text {
            text if !is_free => text,
            Cow::Borrowed(text) => (self.mask)(text),
            Cow::Owned(text) => Cow::Owned((self.mask)(&text).into_owned()),
        })
    }
}

impl fmt::Debug for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("spec", &self.spec).field("rows", &self.len()).finish_non_exhaustive()
    }
}

/// A table of one column of numbers.
#[cfg(test)]
pub(super) fn of_rows<'a>(rows: Vec<i64>, mask: &'a Mask<'a>) -> Table<'a> {
    let fields = vec![Field::integer("n", "A number.", |n: &i64| Some(*n))];
    Table::new(spec("numbers", "One number.", &fields), fields, rows, mask)
}
