//! Copies of fixtures, small databases, and a witness that nothing was written.

use flower_analyze::evidence::{Evidence, EvidenceError, OpenOptions, Opened};
use flower_analyze::run_dir::{Position, Row};
use flower_analyze::unit::Finding;
use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The schema that the runner writes.
pub(crate) const SCHEMA: &str = "
    CREATE TABLE entries (store_key TEXT NOT NULL, seq INTEGER NOT NULL, uid TEXT, payload TEXT NOT NULL, PRIMARY KEY (store_key, seq));
    CREATE UNIQUE INDEX entries_uid ON entries(store_key, uid) WHERE uid IS NOT NULL;
    CREATE TABLE meta (store_key TEXT PRIMARY KEY, mtime INTEGER NOT NULL, next_seq INTEGER NOT NULL);
    CREATE TABLE summaries (project_key TEXT NOT NULL, session_id TEXT NOT NULL, mtime INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (project_key, session_id));";

/// One row as a test compares it.
pub(crate) type Read = (String, Position, Option<String>, Result<Vec<u8>, String>);

pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name).join("runs")
}

/// A copy of a fixture that a test may damage.
pub(crate) fn copy_of(name: &str) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(fixture(name)).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
    }
    copy
}

/// A run directory whose database comes from `sql`.
pub(crate) fn made_by(sql: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let database = rusqlite::Connection::open(folder.path().join("sessions.db")).unwrap();
    database.execute_batch(sql).unwrap();
    folder
}

pub(crate) fn options(threads: usize) -> (OpenOptions, TempDir) {
    let temp = tempfile::tempdir().unwrap();
    let threads = NonZeroUsize::new(threads).unwrap();
    (OpenOptions { hash: true, temp_dir: temp.path().to_owned(), threads }, temp)
}

pub(crate) fn rows(evidence: &Evidence) -> Result<Vec<Read>, EvidenceError> {
    let keep = |rows: &mut Vec<Read>, row: Row<'_>| {
        let payload = row.payload.map(<[u8]>::to_vec).map_err(str::to_owned);
        rows.push((row.store_key.to_owned(), row.position, row.uid.map(str::to_owned), payload));
    };
    let mut rows = evidence.scan(Vec::new, keep)?.concat();
    rows.sort_by_key(|row| row.1);
    Ok(rows)
}

/// Opens, reads everything, closes; asserts that the folder and the temporary folder are as before.
pub(crate) fn read_untouched<T>(
    source: &Path,
    folder: &Path,
    read: impl FnOnce(Evidence) -> T,
) -> Result<T, EvidenceError> {
    let (options, temp) = options(2);
    let before = witness(folder);
    let result = Evidence::open(source, &options).map(read);
    assert_eq!(witness(folder), before, "the source changed");
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0, "a private copy was left behind");
    result
}

/// Rows, how they were opened, and what was said about it.
pub(crate) fn opened(folder: &Path) -> (usize, Opened, Vec<Finding>) {
    read_untouched(folder, folder, |evidence| {
        let rows = rows(&evidence).unwrap().len();
        let findings = evidence.findings();
        (rows, evidence.close(), findings)
    })
    .unwrap()
}

pub(crate) fn codes(findings: &[Finding]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.code).collect()
}

/// The sentence with which opening or reading fails, without the folder's path.
pub(crate) fn complaint(source: &Path, folder: &Path) -> String {
    let read = read_untouched(source, folder, |evidence| rows(&evidence).map(|rows| rows.len()));
    let error = read.and_then(|rows| rows).expect_err("this must fail");
    error.to_string().replace(&folder.to_string_lossy().into_owned(), "SOURCE")
}

type Witness = BTreeMap<PathBuf, (u64, i64, i64, i64, u64, Vec<u8>)>;

/// Everything below a folder: names, sizes, times, inodes and bytes.
pub(crate) fn witness(folder: &Path) -> Witness {
    let mut found = BTreeMap::new();
    let mut left = vec![folder.to_owned()];
    while let Some(path) = left.pop() {
        let metadata = fs::symlink_metadata(&path).unwrap();
        let content = if metadata.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
        if metadata.is_dir() {
            left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
        let facts =
            (metadata.len(), metadata.mtime(), metadata.mtime_nsec(), metadata.ctime_nsec(), metadata.ino(), content);
        found.insert(path, facts);
    }
    found
}
