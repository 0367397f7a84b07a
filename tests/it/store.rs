//! Fixtures as sources on disk.
//!
//! The writer uses nothing of `flower_analyze`: a mistake in its types cannot hide itself here.

use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The schema that the runner writes.
const SCHEMA: &str = "
    CREATE TABLE entries (store_key TEXT NOT NULL, seq INTEGER NOT NULL, uid TEXT, payload TEXT NOT NULL, PRIMARY KEY (store_key, seq));
    CREATE UNIQUE INDEX entries_uid ON entries(store_key, uid) WHERE uid IS NOT NULL;
    CREATE TABLE meta (store_key TEXT PRIMARY KEY, mtime INTEGER NOT NULL, next_seq INTEGER NOT NULL);
    CREATE TABLE summaries (project_key TEXT NOT NULL, session_id TEXT NOT NULL, mtime INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (project_key, session_id));";

/// Written into `meta` and `summaries`; 14:01 of the day on which the fixtures happen.
const MTIME: i64 = 1_796_047_260_000;

/// A folder of `fixtures/`, ready to be read.
pub(crate) struct Case {
    /// Its folder in `fixtures/`.
    pub(crate) name: String,
    /// Where the program is started.
    pub(crate) root: PathBuf,
    /// The source, relative to `root`.
    pub(crate) source: &'static str,
    _built: Option<TempDir>,
}

/// The folder of all fixtures.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// Every fixture that is a source, by name: a new folder needs no other line.
pub(crate) fn names() -> Vec<String> {
    let is_source = |path: &Path| SOURCES.iter().any(|source| path.join(source).exists()) || is_text(path);
    let folders = fs::read_dir(fixtures()).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> = folders
        .filter(|path| is_source(path))
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

/// What a fixture's folder may hold as it is.
const SOURCES: [&str; 2] = ["runs", "main.jsonl"];

fn is_text(folder: &Path) -> bool {
    folder.join("entries.jsonl").exists()
}

impl Case {
    /// The fixture `name`: as it lies there, or built from its text in a temporary folder.
    pub(crate) fn open(name: &str) -> Self {
        let folder = fixtures().join(name);
        let built = is_text(&folder).then(|| build(&folder));
        let root = built.as_ref().map_or(folder, |built| built.path().to_owned());
        let source = SOURCES.into_iter().find(|source| root.join(source).exists());
        Self { name: name.to_owned(), source: source.expect("a source in the fixture"), root, _built: built }
    }

    /// A copy of the fixture that a test may change.
    pub(crate) fn copy(name: &str) -> Self {
        let case = Self::open(name);
        let copy = temporary();
        copy_folder(&case.root, copy.path());
        Self { root: copy.path().to_owned(), _built: Some(copy), ..case }
    }

    /// Where the source lies.
    pub(crate) fn path(&self) -> PathBuf {
        self.root.join(self.source)
    }
}

pub(crate) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A folder whose path has always the same width, so that what is drawn around it does not move.
pub(crate) fn temporary() -> TempDir {
    tempfile::Builder::new().prefix("case-").tempdir_in("/tmp").unwrap()
}

/// A run directory from the text files of a fixture (fixtures/README.md says what they hold).
fn build(folder: &Path) -> TempDir {
    let built = temporary();
    let runs = built.path().join("runs");
    fs::create_dir(&runs).unwrap();
    for name in ["manifest.json", "lineage.json"] {
        if folder.join(name).exists() {
            fs::copy(folder.join(name), runs.join(name)).unwrap();
        }
    }
    if folder.join(".flower").exists() {
        copy_folder(&folder.join(".flower"), &built.path().join(".flower"));
    }
    let database = rusqlite::Connection::open(runs.join("sessions.db")).unwrap();
    database.pragma_update(None, "synchronous", "off").unwrap();
    database.execute_batch(&format!("BEGIN; {SCHEMA}")).unwrap();
    let next = entries(folder, &database);
    match lines(&folder.join("meta.jsonl")) {
        Some(rows) => rows.iter().for_each(|row| {
            let values = (field::<String>(row, "store_key"), field::<i64>(row, "mtime"), field::<i64>(row, "next_seq"));
            database.execute("INSERT INTO meta VALUES (?1, ?2, ?3)", values).unwrap();
        }),
        None => next.iter().for_each(|(key, next)| {
            database.execute("INSERT INTO meta VALUES (?1, ?2, ?3)", (key, MTIME, next)).unwrap();
        }),
    }
    match lines(&folder.join("summaries.jsonl")) {
        Some(rows) => rows.iter().for_each(|row| {
            let (project, session): (String, String) = (field(row, "project_key"), field(row, "session_id"));
            let values = (project, session, field::<i64>(row, "mtime"), row["data"].get());
            database.execute("INSERT INTO summaries VALUES (?1, ?2, ?3, ?4)", values).unwrap();
        }),
        None => next.keys().filter_map(|key| key.split_once('/')).filter(|(_, id)| !id.contains('/')).for_each(|key| {
            let values = (key.0, key.1, MTIME, "{}");
            database.execute("INSERT INTO summaries VALUES (?1, ?2, ?3, ?4)", values).unwrap();
        }),
    }
    database.execute_batch("COMMIT").unwrap();
    database.close().unwrap();
    built
}

/// Writes `entries.jsonl` in its order; the next sequence number of every store key.
fn entries(folder: &Path, database: &rusqlite::Connection) -> BTreeMap<String, i64> {
    let mut next: BTreeMap<String, i64> = BTreeMap::new();
    let mut key = String::new();
    for row in lines(&folder.join("entries.jsonl")).unwrap() {
        if row.contains_key("store_key") {
            key = field(&row, "store_key");
        }
        let next = next.entry(key.clone()).or_default();
        let seq = if row.contains_key("seq") { field(&row, "seq") } else { *next };
        *next = seq + 1;
        let payload = row["payload"].get();
        let payload: String = if payload.starts_with('"') { field(&row, "payload") } else { payload.to_owned() };
        let uid: Option<String> = if row.contains_key("uid") { field(&row, "uid") } else { uuid(&payload) };
        database.execute("INSERT INTO entries VALUES (?1, ?2, ?3, ?4)", (&key, seq, uid, payload)).unwrap();
    }
    next
}

/// The rows of a `.jsonl` file, their values byte for byte; `None` if there is no such file.
fn lines(path: &Path) -> Option<Vec<BTreeMap<String, Box<RawValue>>>> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn field<T: serde::de::DeserializeOwned>(row: &BTreeMap<String, Box<RawValue>>, name: &str) -> T {
    serde_json::from_str(row[name].get()).unwrap()
}

fn uuid(payload: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(payload).ok()?;
    value["uuid"].as_str().map(ToOwned::to_owned)
}

/// A run directory with one session of these payloads, each as it is and without a uid.
pub(crate) fn write_rows(store_key: &str, payloads: &[String]) -> TempDir {
    let rows = (0..).zip(payloads);
    write(rows.map(|(seq, payload)| (store_key, seq, None, payload.as_str())))
}

/// A run directory with these rows in their order: store key, sequence number, payload.
pub(crate) fn write_rows_of(rows: &[(&str, i64, &[u8])]) -> TempDir {
    let text = |payload| std::str::from_utf8(payload).unwrap();
    write(rows.iter().map(|(store_key, seq, payload)| (*store_key, *seq, None, text(payload))))
}

/// A run directory with these rows, each a store key and a payload as it is, and this manifest.
pub(crate) fn write_run(rows: &[(&str, &str)], manifest: Option<&str>) -> TempDir {
    let mut next: BTreeMap<&str, i64> = BTreeMap::new();
    let built = write(rows.iter().map(|(store_key, payload)| {
        let seq = next.entry(store_key).or_default();
        *seq += 1;
        (*store_key, *seq - 1, uuid(payload), *payload)
    }));
    if let Some(manifest) = manifest {
        fs::write(built.path().join("runs/manifest.json"), manifest).unwrap();
    }
    built
}

fn write<'a>(rows: impl Iterator<Item = (&'a str, i64, Option<String>, &'a str)>) -> TempDir {
    let built = temporary();
    let runs = built.path().join("runs");
    fs::create_dir(&runs).unwrap();
    let database = rusqlite::Connection::open(runs.join("sessions.db")).unwrap();
    database.pragma_update(None, "synchronous", "off").unwrap();
    database.execute_batch(&format!("BEGIN; {SCHEMA}")).unwrap();
    for (store_key, seq, uid, payload) in rows {
        database.execute("INSERT INTO entries VALUES (?1, ?2, ?3, ?4)", (store_key, seq, uid, payload)).unwrap();
    }
    database.execute_batch("COMMIT").unwrap();
    built
}
