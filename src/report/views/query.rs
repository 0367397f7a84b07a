use super::evidence::Opening;
use crate::analysis::tables::{Answer, ColumnKind, NamedQuery, Value};
use crate::report::{Cell, Column, Page, Table};
use crate::unit::{Zone, counted};
use serde::Serialize;

/// A query and its answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QueryResult {
    /// Its name; null for one that a person wrote.
    pub query: Option<String>,
    /// What was asked.
    pub sql: String,
    /// What came out.
    #[serde(flatten)]
    pub answer: Answer,
}

/// The queries that have names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NamedQueries {
    /// In the order of their names.
    pub queries: Vec<NamedQuery>,
}

/// The answer as a table.
pub fn query(result: &QueryResult, opening: &Opening) -> Page {
    let answer = &result.answer;
    let columns = answer.columns.iter().map(|column| {
        let name = &column.name;
        let shown = match column.kind {
            ColumnKind::Text | ColumnKind::Word => Column::text(name),
            ColumnKind::Boolean => Column::word(name),
            ColumnKind::Integer | ColumnKind::Float | ColumnKind::Timestamp => Column::number(name),
        };
        shown.named(name)
    });
    let rows = answer.rows.cells.iter().map(|row| row.iter().map(|value| cell(value, opening.zone)));
    let table = Table::new(columns).rows(rows).primary().empty("The query gives no row.");
    let title = match &result.query {
        Some(name) => opening.title(name),
        None => opening.title("Answer to the query"),
    };
    let mut page = Page::new(title).part(table);
    let shown = answer.rows.cells.len();
    if shown < answer.row_count {
        page = page.note(format!(
            "The first {shown} of {}; --limit shows more, --limit 0 all.",
            counted(answer.row_count, "row")
        ));
    }
    page.section("Evidence", opening.facts())
}

/// Numbers are shown as they are: a query says itself how it wants them.
fn cell(value: &Value<'_>, zone: Zone) -> Cell {
    match value {
        Value::Null => Cell::absent(),
        Value::Text(text) => Cell::text(text.as_ref()),
        Value::Integer(number) => (*number).into(),
        Value::Float(number) => Cell::text(number.to_string()),
        Value::Boolean(yes) => (*yes).into(),
        Value::Timestamp(at) => Cell::moment(*at, zone),
    }
}

/// The named queries with what they are for.
pub fn queries(result: &NamedQueries) -> Page {
    let columns = [Column::word("query").named("name"), Column::prose("what it is for").named("purpose")];
    let rows = result.queries.iter().map(|query| [query.name.into(), query.purpose.into()]);
    Page::new("Named queries").part(Table::new(columns).rows(rows).primary()).note(
        "Run one with `flower-analyze query NAME [SOURCE]`, one of your own with --sql or --file. reports/tables.md says what \
         stands in the tables.",
    )
}
