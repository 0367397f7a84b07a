use super::evidence::Opening;
use crate::report::{Cell, Column, Facts, Page, Table};
use serde::Serialize;

/// What an export wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Exported {
    /// Version of the tables.
    pub schema_version: u32,
    /// Form of the files: `parquet`, `csv` or `ndjson`.
    pub format: &'static str,
    /// The folder.
    pub dir: String,
    /// The zone of the days in the tables.
    pub zone: &'static str,
    /// Secrets are hidden.
    pub masked: bool,
    /// One file for each table.
    pub tables: Vec<ExportedTable>,
}

/// The file of one table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExportedTable {
    /// Its table.
    pub table: &'static str,
    /// Name of the file in the folder.
    pub file: String,
    /// Rows.
    pub rows: usize,
    /// Size of the file.
    pub bytes: u64,
}

/// What was written where.
pub fn export(result: &Exported, opening: &Opening) -> Page {
    let columns = [Column::word("table"), Column::number("rows"), Column::number("bytes"), Column::word("file")];
    let row = |table: &ExportedTable| {
        [table.table.into(), table.rows.into(), Cell::count(table.bytes), table.file.as_str().into()]
    };
    let facts = Facts::new()
        .line("Folder", result.dir.as_str())
        .line("Schema", format!("version {}, in schema.json and in reports/tables.md", result.schema_version))
        .line("Days", format!("of {}", result.zone))
        .line("Secrets", if result.masked { "masked; --reveal writes them" } else { "written as they are" });
    Page::new(opening.title("Export"))
        .part(Table::new(columns).rows(result.tables.iter().map(row)).primary())
        .part(facts)
        .section("Evidence", opening.facts())
}
