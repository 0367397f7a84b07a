//! What the header of a database promises, against the file.

use std::path::Path;

use super::error::Reached;
use super::fingerprint::Mark;
use super::header::{self, Fault};
use super::{EvidenceError, Remark, connection, rows};

/// Checks the header and the size of a database; its size in bytes.
///
/// Source: spec/evidence.md rule 5. Only for a file that needs no recovery: until then neither has to be right.
pub(super) fn check(file: &Path, shown: &Path, remarks: &mut Vec<Remark>) -> Result<u64, EvidenceError> {
    let path = || shown.to_owned();
    let Some(mark) = Mark::take(file, header::LENGTH)? else {
        return Err(EvidenceError::NotFound(path()));
    };
    let header = header::parse(&mark.head).map_err(|fault| match fault {
        Fault::Empty => EvidenceError::Empty { path: path(), beside: String::new() },
        Fault::Foreign(found) => EvidenceError::NotSqlite { path: path(), found },
        Fault::Damaged { expected, found } => EvidenceError::BadHeader { path: path(), expected, found },
    })?;
    let found = mark.bytes;
    let Some(pages) = header.pages else { return Ok(found) };
    let expected = u64::from(pages) * u64::from(header.page_size);
    if found < expected {
        return Err(EvidenceError::CutOff { path: path(), pages, expected, found, reached: reached(file) });
    }
    if found > expected {
        remarks.push(Remark::LongerThanHeader { expected, found });
    }
    Ok(found)
}

/// How far the rows of a file can be read that ends too early.
fn reached(file: &Path) -> Reached {
    let Ok(connection) = connection::lenient(file) else { return Reached::default() };
    rows::reach(&connection)
}
