//! Lets SQLite recover a private copy and says what that did.

use rusqlite::Connection;
use std::path::Path;

use super::copy::PrivateCopy;
use super::error::Reached;
use super::fingerprint::Mark;
use super::opened::{Method, Recovery};
use super::wal::WalFacts;
use super::{EvidenceError, Remark, connection, header};

const COUNT: &str = include_str!("../../queries/store/count.sql");

/// Recovers the copy: afterwards the database alone is the whole truth.
///
/// Source: spec/evidence.md rule 3.
pub(super) fn recover(
    copy: &PrivateCopy,
    shown: &Path,
    remarks: &mut Vec<Remark>,
) -> Result<(Method, Option<Recovery>), EvidenceError> {
    if let Some(name) = &copy.parts.super_journal_gone {
        remarks.push(Remark::SuperJournalGone { name: name.clone() });
    }
    let method = match (&copy.parts.journal, &copy.parts.wal) {
        (Some(_), _) => Method::RecoveredCopyJournal,
        (None, Some(_)) => Method::RecoveredCopyWal,
        (None, None) => return Ok((Method::ConsistentCopy, None)),
    };
    remark(copy, remarks)?;
    let rows_immutable = connection::immutable(&copy.database).and_then(|connection| count(&connection)).ok();
    let malformed = |error| EvidenceError::sqlite(shown, error, Reached::default()).of_recovered(method);
    let rows = settle(copy).map_err(malformed)?;
    let recovery = Recovery { rows_immutable, rows, journal: copy.parts.journal.clone(), wal: copy.parts.wal.clone() };
    Ok((method, Some(recovery)))
}

/// Any statement makes SQLite roll back or read the log; folding the log in leaves one plain file.
fn settle(copy: &PrivateCopy) -> rusqlite::Result<Option<u64>> {
    let connection = connection::recovering(&copy.database)?;
    connection.pragma(None, "wal_checkpoint", "TRUNCATE", |_| Ok(()))?;
    connection.pragma(None, "journal_mode", "DELETE", |_| Ok(()))?;
    // A store that is too damaged to be counted is reported when it is read.
    Ok(count(&connection).ok())
}

fn count(connection: &Connection) -> rusqlite::Result<u64> {
    let count: i64 = connection.query_row(COUNT, [], |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

fn remark(copy: &PrivateCopy, remarks: &mut Vec<Remark>) -> Result<(), EvidenceError> {
    if let Some(facts) = &copy.parts.journal {
        if let Some(name) = &facts.super_journal {
            remarks.push(Remark::SuperJournal { name: name.clone() });
        }
        remarks.push(Remark::HotJournal(facts.clone()));
    }
    if let Some(facts) = &copy.parts.wal {
        let head = Mark::take(&copy.database, header::LENGTH)?.map(|mark| mark.head).unwrap_or_default();
        let page_size = header::parse(&head).ok().map(|header| header.page_size);
        remark_log(facts, page_size, copy.wal_mode, remarks);
    }
    Ok(())
}

fn remark_log(facts: &WalFacts, page_size: Option<u32>, wal_mode: bool, remarks: &mut Vec<Remark>) {
    if !facts.header_valid {
        remarks.push(Remark::LogHeaderInvalid);
        return;
    }
    if let Some(database) = page_size.filter(|size| *size != facts.page_size) {
        remarks.push(Remark::LogPageSize { log: facts.page_size, database });
    }
    if !wal_mode {
        remarks.push(Remark::LogUnexpected);
    }
    remarks.push(Remark::WriteAheadLog(facts.clone()));
    if facts.frames_uncommitted + facts.frames_invalid + facts.bytes_torn > 0 {
        remarks.push(Remark::LogTail(facts.clone()));
    }
}
