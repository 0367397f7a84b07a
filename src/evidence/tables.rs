//! The small tables of a store, and payloads again: one, or those of a session.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::Remark;
use super::rows::{Oddities, integer, longest, store_key};
use super::store::Store;
use crate::run_dir::{MetaRow, Position, RowName, SummaryRow};

const META: &str = include_str!("../../queries/store/meta.sql");
const SUMMARIES: &str = include_str!("../../queries/store/summaries.sql");
const PAYLOAD: &str = include_str!("../../queries/store/payload.sql");
const SESSION: &str = include_str!("../../queries/store/session.sql");
const PAYLOAD_BY_KEY: &str = include_str!("../../queries/store/payload_by_key.sql");

/// The rows of a table, and what is to be said about it.
pub(super) type Table<T> = (Option<Vec<T>>, Vec<Remark>);

/// Reads `meta`; `None` if there is no such table.
pub(super) fn meta(store: &Store) -> Table<MetaRow> {
    if !store.shape.has_meta {
        return (None, Vec::new());
    }
    read(&store.connection, "meta", META, &[], |row| {
        Some(MetaRow {
            store_key: text(row, 0)?,
            mtime: integer(row.get_ref(1).ok()?)?,
            next_seq: integer(row.get_ref(2).ok()?)?,
        })
    })
}

/// Reads `summaries`; `None` if there is no such table.
pub(super) fn summaries(store: &Store) -> Table<SummaryRow> {
    if !store.shape.has_summaries {
        return (None, Vec::new());
    }
    read(&store.connection, "summaries", SUMMARIES, &[longest()], |row| {
        Some(SummaryRow {
            project_key: text(row, 0)?,
            session_id: text(row, 1)?,
            mtime: integer(row.get_ref(2).ok()?)?,
            data: text(row, 3)?,
        })
    })
}

/// One payload byte for byte; `None` if there is no such row, or no text in it.
pub(super) fn payload(store: &Store, key: &str, position: Position) -> rusqlite::Result<Option<Vec<u8>>> {
    let Position::Database { rowid, seq } = position else { return Ok(None) };
    let found = |row: &Row<'_>| {
        let same = store_key(row.get_ref(0)?, &mut Oddities::default()) == key && integer(row.get_ref(1)?) == seq;
        let bytes = row.get_ref(2)?.as_bytes().ok().filter(|_| same);
        Ok(bytes.map(<[u8]>::to_vec))
    };
    let connection = &store.connection;
    let row = if store.shape.has_rowid {
        connection.query_row(PAYLOAD, params![rowid, longest()], found)
    } else {
        connection.query_row(PAYLOAD_BY_KEY, params![key, seq, longest()], found)
    };
    Ok(row.optional()?.flatten())
}

/// The payloads of one session byte for byte, by sequence number; rows without a number or without text are left out.
pub(super) fn session(store: &Store, key: &str) -> rusqlite::Result<Vec<(RowName, Vec<u8>)>> {
    let mut statement = store.connection.prepare(SESSION)?;
    let mut rows = statement.query(params![key, longest()])?;
    let mut payloads = Vec::new();
    while let Some(row) = rows.next()? {
        if let (Some(seq), Ok(bytes)) = (integer(row.get_ref(0)?), row.get_ref(1)?.as_bytes()) {
            payloads.push((RowName::Seq(seq), bytes.to_vec()));
        }
    }
    Ok(payloads)
}

/// A table that cannot be read is a remark: the entries do not depend on it.
fn read<T>(
    connection: &Connection,
    table: &'static str,
    sql: &str,
    parameters: &[i64],
    row: impl Fn(&Row<'_>) -> Option<T>,
) -> Table<T> {
    let rows = connection.prepare(sql).and_then(|mut statement| {
        let rows = statement.query_map(rusqlite::params_from_iter(parameters), |found| Ok(row(found)))?;
        rows.collect::<Result<Vec<Option<T>>, _>>()
    });
    let rows = match rows {
        Ok(rows) => rows,
        Err(error) => return (None, vec![Remark::TableUnreadable { table, why: error.to_string() }]),
    };
    let all = rows.len();
    let kept: Vec<T> = rows.into_iter().flatten().collect();
    let left_out = u64::try_from(all - kept.len()).unwrap_or(u64::MAX);
    let remarks = if left_out > 0 { vec![Remark::RowsLeftOut { table, rows: left_out }] } else { Vec::new() };
    (Some(kept), remarks)
}

fn text(row: &Row<'_>, column: usize) -> Option<String> {
    Some(row.get_ref(column).ok()?.as_str().ok()?.to_owned())
}
