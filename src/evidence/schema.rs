use rusqlite::{Connection, OptionalExtension};
use std::path::Path;

use super::error::Reached;
use super::{EvidenceError, Remark};

const TABLES: &str = include_str!("../../queries/store/tables.sql");
const COLUMNS: &str = include_str!("../../queries/store/columns.sql");
const WITHOUT_ROWID: &str = include_str!("../../queries/store/without_rowid.sql");

const ENTRIES: &str = "entries";
const EXPECTED: [&str; 4] = ["store_key", "seq", "uid", "payload"];

/// The names under which SQLite offers a row's number, unless a column takes them.
const ROWID: &str = "rowid";

/// What matters for reading a store's tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// Whether rows are numbered in the order of insertion.
    pub(super) has_rowid: bool,
    pub(super) has_meta: bool,
    pub(super) has_summaries: bool,
}

/// Checks that `entries` is an ordinary table with the expected columns.
///
/// Source: spec/evidence.md rule 5. A view, a virtual table or a computed column could run a hostile file's own SQL.
pub(super) fn check(connection: &Connection, shown: &Path, remarks: &mut Vec<Remark>) -> Result<Shape, EvidenceError> {
    let error = |error| EvidenceError::sqlite(shown, error, Reached::default());
    let tables = tables(connection).map_err(error)?;
    let Some(entries) = tables.iter().find(|table| table.is(ENTRIES)) else {
        let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
        let found = if names.is_empty() { "no tables".to_owned() } else { names.join(", ") };
        return Err(EvidenceError::WrongTables { path: shown.to_owned(), found });
    };
    let refuse = |found: String| Err(EvidenceError::NotATable { path: shown.to_owned(), found });
    if !entries.is_ordinary {
        return refuse("a view or a virtual table".to_owned());
    }
    let columns = columns(connection, &entries.name).map_err(error)?;
    let has = |name: &str| columns.iter().any(|column| column.name.eq_ignore_ascii_case(name));
    if !EXPECTED.iter().all(|name| has(name)) {
        let found: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        return Err(EvidenceError::WrongColumns {
            path: shown.to_owned(),
            expected: EXPECTED.join(", "),
            found: found.join(", "),
        });
    }
    if let Some(computed) = columns.iter().find(|column| column.is_computed) {
        return refuse(format!("a table whose column {} is computed", computed.name));
    }
    let extra = |column: &&Column| !EXPECTED.iter().any(|name| column.name.eq_ignore_ascii_case(name));
    let extra: Vec<&str> = columns.iter().filter(extra).map(|column| column.name.as_str()).collect();
    if !extra.is_empty() {
        remarks.push(Remark::ExtraColumns { names: extra.join(", ") });
    }
    let without: Option<bool> = connection.query_row(WITHOUT_ROWID, [], |row| row.get(0)).optional().map_err(error)?;
    let has_rowid = without == Some(false) && !has(ROWID);
    if !has_rowid {
        remarks.push(Remark::NoRowid);
    }
    let ordinary = |name: &str| tables.iter().any(|table| table.is(name) && table.is_ordinary);
    Ok(Shape { has_rowid, has_meta: ordinary("meta"), has_summaries: ordinary("summaries") })
}

struct Table {
    name: String,
    is_ordinary: bool,
}

impl Table {
    fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }
}

fn tables(connection: &Connection) -> rusqlite::Result<Vec<Table>> {
    let mut statement = connection.prepare(TABLES)?;
    let rows = statement.query_map([], |row| {
        let (name, kind, root_page): (String, String, Option<i64>) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(Table { name, is_ordinary: kind == "table" && root_page.is_some_and(|page| page > 0) })
    })?;
    rows.collect()
}

struct Column {
    name: String,
    is_computed: bool,
}

fn columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<Column>> {
    let mut statement = connection.prepare(COLUMNS)?;
    let rows = statement
        .query_map([table], |row| Ok(Column { name: row.get(0)?, is_computed: row.get::<_, i64>(1)? != 0 }))?;
    rows.collect()
}
