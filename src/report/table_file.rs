//! Tables as files of text, row by row, and the description of all files of an export.

use super::csv::CsvRows;
use super::json::escaped;
use super::render::RenderError;
use crate::analysis::tables::{Table, TableSpec, Value};
use crate::masking::{Mode, sanitize};
use serde::Serialize;
use std::borrow::Cow;
use std::io::Write;

/// Writes a table as RFC 4180 with a header line, as reports do: cells that a spreadsheet would read as a formula begin with
/// `'`, hidden characters are visible, moments are RFC 3339. Null is an empty cell, and so is empty text.
pub fn write_csv(table: &Table<'_>, out: &mut dyn Write) -> Result<(), RenderError> {
    let mut rows = CsvRows::new(out);
    rows.write(table.spec.columns.iter().map(|column| column.name.into()))?;
    for row in 0..table.len() {
        rows.write((0..table.spec.columns.len()).map(|column| csv_cell(table.cell(row, column))))?;
    }
    rows.finish()
}

fn csv_cell(value: Value<'_>) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed(""),
        Value::Text(text) => {
            let clean = sanitize(&text, Mode::Block);
            if clean == text { text } else { Cow::Owned(clean.into_owned()) }
        }
        Value::Integer(number) => number.to_string().into(),
        Value::Float(number) => number.to_string().into(),
        Value::Boolean(yes) => Cow::Borrowed(if yes { "true" } else { "false" }),
        Value::Timestamp(at) => at.to_string().into(),
    }
}

/// Writes a table as one JSON object a line, its fields in the order of the columns. Hidden characters are escapes, which
/// read back as the same characters.
pub fn write_ndjson(table: &Table<'_>, out: &mut dyn Write) -> Result<(), RenderError> {
    for row in 0..table.len() {
        for (at, column) in table.spec.columns.iter().enumerate() {
            let value = table.cell(row, at);
            let literal = serde_json::to_string(&value)?;
            let value = if matches!(value, Value::Text(_)) { escaped(&literal) } else { literal };
            let before = if at == 0 { '{' } else { ',' };
            write!(out, "{before}\"{}\":{value}", column.name)?;
        }
        out.write_all(b"}\n")?;
    }
    Ok(())
}

/// What stands in the files of an export.
#[derive(Debug, Clone, Serialize)]
pub struct FileSchema<'a> {
    /// Version of the tables.
    pub schema_version: u32,
    /// Version of the program.
    pub tool_version: &'static str,
    /// Form of the files.
    pub format: &'static str,
    /// The zone of the days in the tables.
    pub zone: &'a str,
    /// Secrets are hidden.
    pub masked: bool,
    /// The tables.
    pub tables: Vec<TableSpec>,
}

impl FileSchema<'_> {
    /// As JSON, indented.
    pub fn json(&self) -> Result<String, RenderError> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        Ok(text)
    }
}
