use super::frame::run;
use super::{ColumnKind, Mask, Refusal, Scene, TableName, Value, schema};
use crate::analysis::NotJudged;
use serde::{Serialize, Serializer};
use strum::IntoEnumIterator;
use thiserror::Error;

/// What a query answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// Its columns, in order.
    pub columns: Vec<AnswerColumn>,
    /// Rows that the query gives; more than there are in `rows` where a limit leaves some out.
    pub row_count: usize,
    /// The rows, as many as the limit allows.
    #[serde(serialize_with = "objects")]
    pub rows: Rows,
}

/// Rows with the names of their columns.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rows {
    /// Of every column.
    pub names: Vec<String>,
    /// Cells, row by row.
    pub cells: Vec<Vec<Value<'static>>>,
}

/// A column of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnswerColumn {
    /// Its name.
    pub name: String,
    /// What its cells are.
    #[serde(rename = "type")]
    pub kind: ColumnKind,
}

/// Why a query gives no answer.
#[derive(Debug, Error)]
pub enum QueryError {
    /// Nothing to run.
    #[error(
        "the query is empty: expected one statement that begins with WITH or SELECT; reports/tables.md says what it may ask"
    )]
    Empty,
    /// Another statement than a query.
    #[error(
        "{word:?} is no query: expected one statement that begins with WITH or SELECT. Tables are made anew from the \
         source each time and cannot be changed"
    )]
    NotASelect {
        /// Its first word.
        word: String,
    },
    /// A table that there is not.
    #[error("there is no table {name:?}: {known}")]
    UnknownTable {
        /// As given.
        name: String,
        /// What there is.
        known: String,
    },
    /// A column that there is not.
    #[error("there is no column {name:?}: {known}")]
    UnknownColumn {
        /// As given.
        name: String,
        /// What there is.
        known: String,
    },
    /// A table that cannot be made.
    #[error(transparent)]
    NotJudged(#[from] NotJudged),
    /// What the engine could not bear, or would answer wrongly without a word.
    #[error("the query is not run: {0}. The dialect is described in reports/tables.md")]
    Refused(Refusal),
    /// Anything else that the engine says.
    #[error("the query cannot be run: {reason}. The dialect is described in reports/tables.md")]
    Engine {
        /// As the engine says it.
        reason: String,
    },
    /// The engine broke off.
    #[error(
        "the engine broke off, which is a fault of it and not of the query: the message above says where. Say the same in \
         another way, such as with a subquery in the place of a join, or export the tables and ask DuckDB"
    )]
    Broken,
}

/// Runs one SELECT over the tables. Secrets are hidden before the query sees them, so that no part of one can be cut out.
pub fn query(scene: &Scene<'_>, sql: &str, mask: &Mask<'_>, limit: Option<usize>) -> Result<Answer, QueryError> {
    check(sql)?;
    run(scene, sql, mask, limit)
}

/// Refuses everything but one query, by its first word: the grammar lets nothing else begin with these.
fn check(sql: &str) -> Result<(), QueryError> {
    let mut rest = sql.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
    loop {
        let after = if let Some(comment) = rest.strip_prefix("--") {
            comment.split_once('\n').map_or("", |(_, after)| after)
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.split_once("*/").map_or("", |(_, after)| after)
        } else {
            break;
        };
        rest = after.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
    }
    let word: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    match word.to_ascii_uppercase().as_str() {
        "SELECT" | "WITH" => Ok(()),
        "" if rest.is_empty() => Err(QueryError::Empty),
        _ => Err(QueryError::NotASelect { word: if word.is_empty() { rest.chars().take(1).collect() } else { word } }),
    }
}

impl QueryError {
    pub(super) fn unknown_table(name: &str) -> Self {
        let names: Vec<&str> = TableName::iter().map(Into::into).collect();
        Self::UnknownTable { name: name.to_owned(), known: format!("the tables are {}", names.join(", ")) }
    }

    /// `used` are the tables of the query.
    pub(super) fn unknown_column(name: &str, used: &[TableName]) -> Self {
        let of = |table: &TableName| {
            let columns: Vec<&str> = schema(*table).columns.iter().map(|column| column.name).collect();
            format!("{table} has {}", columns.join(", "))
        };
        let known: Vec<String> = used.iter().map(of).collect();
        Self::UnknownColumn { name: name.to_owned(), known: known.join("; ") }
    }
}

/// Rows as objects, their fields in the order of the columns.
fn objects<S: Serializer>(rows: &Rows, serializer: S) -> Result<S::Ok, S::Error> {
    struct Row<'a>(&'a [String], &'a [Value<'static>]);
    impl Serialize for Row<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map(self.0.iter().zip(self.1))
        }
    }
    serializer.collect_seq(rows.cells.iter().map(|cells| Row(&rows.names, cells)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_queries_are_run() {
        for sql in ["SELECT 1", " with a as (select 1) select * from a", "-- x\n/* y */ (SELECT 1)"] {
            assert!(check(sql).is_ok(), "{sql}");
        }
        for sql in ["DROP TABLE turns", "delete from turns", "CREATE TABLE a AS SELECT 1", "EXPLAIN SELECT 1", "; x"] {
            assert!(matches!(check(sql), Err(QueryError::NotASelect { .. })), "{sql}");
        }
        for sql in ["", "  ", "-- nothing", "/* nothing"] {
            assert!(matches!(check(sql), Err(QueryError::Empty)), "{sql}");
        }
    }
}
