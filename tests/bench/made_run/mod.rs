//! Large run directories, made of copies of a small one, so that every total is known.
//!
//! Each copy has new uuids, message, request, tool and agent ids and later times. Copies are spread over eight sessions;
//! in a session each copy hangs below the last entry of the one before, so that chains grow long.

use chrono::{NaiveDateTime, TimeDelta};
use regex::Regex;
use rusqlite::{Connection, params};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The fixture that is copied.
const FIXTURE: &str = "healthy";

const SESSIONS: u64 = 8;

/// What was made.
pub(crate) struct Made {
    pub(crate) copies: u64,
    pub(crate) entries: i64,
    pub(crate) bytes: usize,
}

/// A part of a payload.
enum Piece {
    Text(String),
    /// The id of the session.
    Session,
    /// The number of the copy, in six hexadecimal digits.
    Copy,
    Time(NaiveDateTime),
    /// The parent of an entry without one.
    Root,
}

struct Template {
    /// The store key behind the session.
    subpath: String,
    /// The payload of each row.
    rows: Vec<Vec<Piece>>,
}

/// The rows that copies are made of, as (store key, payload), and the statements of the schema.
pub(crate) fn source() -> (Vec<(String, String)>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    for file in fs::read_dir(fixture()).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
    }
    let database = Connection::open(folder.path().join("sessions.db")).unwrap();
    let mut rows = database.prepare("select store_key, payload from entries order by store_key, seq").unwrap();
    let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().collect::<Result<_, _>>().unwrap();
    let mut schema = database.prepare("select sql from sqlite_schema where sql is not null order by rowid").unwrap();
    let schema = schema.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
    (rows, schema)
}

fn fixture() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(FIXTURE).join("runs")
}

/// Writes a run directory with at least `bytes` of payload and at least one copy.
pub(crate) fn make_run(folder: &Path, bytes: usize) -> Made {
    let (rows, schema) = source();
    let (project, templates) = templates(&rows);
    let database = Connection::open(folder.join("sessions.db")).unwrap();
    database.execute_batch("pragma synchronous = off; pragma journal_mode = memory; begin").unwrap();
    for statement in &schema {
        database.execute_batch(statement).unwrap();
    }
    let mut insert = database.prepare("insert into entries values (?, ?, ?, ?)").unwrap();
    let mut next: BTreeMap<String, i64> = BTreeMap::new();
    let mut tails: BTreeMap<String, String> = BTreeMap::new();
    let mut made = Made { copies: 0, entries: 0, bytes: 0 };
    while made.copies == 0 || made.bytes < bytes {
        let session = session(made.copies);
        for template in &templates {
            let subpath = written(&pieces(&template.subpath, ""), made.copies, &session, None);
            let key = format!("{project}/{session}{subpath}");
            let seq = next.entry(key.clone()).or_default();
            for row in &template.rows {
                let payload = written(row, made.copies, &session, tails.get(&key).map(String::as_str));
                let uuid = uuid(&payload);
                insert.execute(params![key, *seq, uuid, payload]).unwrap();
                *seq += 1;
                made.entries += 1;
                made.bytes += payload.len();
                if let (Some(uuid), true) = (uuid, subpath.is_empty()) {
                    tails.insert(key.clone(), uuid);
                }
            }
        }
        made.copies += 1;
    }
    for (key, seq) in &next {
        database.execute("insert into meta values (?, 1796047744000, ?)", params![key, seq]).unwrap();
    }
    database.execute_batch("commit").unwrap();
    fs::write(folder.join("manifest.json"), manifest()).unwrap();
    made
}

fn session(copy: u64) -> String {
    format!("00000000-0000-4000-8000-{:012x}", copy % SESSIONS)
}

/// The project of the main thread, and a template for each store key, main threads first.
fn templates(rows: &[(String, String)]) -> (String, Vec<Template>) {
    let mut templates: BTreeMap<(usize, &str), Template> = BTreeMap::new();
    let mut project = String::new();
    for (key, payload) in rows {
        let mut parts = key.splitn(3, '/');
        parts.next().unwrap().clone_into(&mut project);
        let session = parts.next().unwrap();
        let subpath = parts.next().map(|path| format!("/{path}")).unwrap_or_default();
        let template = templates.entry((key.matches('/').count(), key));
        let template = template.or_insert_with(|| Template { subpath, rows: Vec::new() });
        template.rows.push(pieces(payload, session));
    }
    (project, templates.into_values().collect())
}

/// Takes a text apart where copies differ.
fn pieces(text: &str, session: &str) -> Vec<Piece> {
    let varying = Regex::new(
        r#"(?x) (?<root> "parentUuid":\s?null )
        | (?<time> \b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3} )
        | (?<uuid> [0-9a-f]{6} ) [0-9a-f]{2}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}
        | \b(?:msg_|toolu_|req_) (?<id> [A-Za-z0-9]{6} )
        | \b(?:agent-)?a[0-9a-f]{10} (?<agent> [0-9a-f]{6} ) \b"#,
    )
    .unwrap();
    let mut pieces = Vec::new();
    let mut at = 0;
    let mut cut = |from: usize, to: usize, piece: Piece| {
        pieces.push(Piece::Text(text.get(at..from).unwrap().to_owned()));
        pieces.push(piece);
        at = to;
    };
    for found in varying.captures_iter(text) {
        let whole = found.get(0).unwrap();
        if found.name("root").is_some() {
            cut(whole.start(), whole.end(), Piece::Root);
        } else if let Some(time) = found.name("time") {
            let time = NaiveDateTime::parse_from_str(time.as_str(), "%Y-%m-%dT%H:%M:%S%.3f");
            cut(whole.start(), whole.end(), Piece::Time(time.unwrap()));
        } else if whole.as_str() == session {
            cut(whole.start(), whole.end(), Piece::Session);
        } else if let Some(id) = found.name("uuid").or(found.name("id")).or(found.name("agent")) {
            cut(id.start(), id.end(), Piece::Copy);
        }
    }
    pieces.push(Piece::Text(text.get(at..).unwrap().to_owned()));
    pieces
}

fn written(pieces: &[Piece], copy: u64, session: &str, parent: Option<&str>) -> String {
    let later = TimeDelta::minutes(i64::try_from(copy / SESSIONS).unwrap());
    let parent = parent.map_or("null".to_owned(), |uuid| format!("\"{uuid}\""));
    let texts = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Session => session.to_owned(),
        Piece::Copy => format!("{copy:06x}"),
        Piece::Time(time) => (*time + later).format("%Y-%m-%dT%H:%M:%S%.3f").to_string(),
        Piece::Root => format!("\"parentUuid\":{parent}"),
    });
    texts.collect()
}

fn uuid(payload: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Named {
        uuid: Option<String>,
    }
    serde_json::from_str::<Named>(payload).unwrap().uuid
}

/// The fixture's steps, once for each session.
fn manifest() -> String {
    let rows: Vec<Value> = serde_json::from_slice(&fs::read(fixture().join("manifest.json")).unwrap()).unwrap();
    let of_session = |number: u64| {
        rows.iter().cloned().map(move |mut row| {
            let step = row.get("step").and_then(Value::as_str).unwrap_or_default();
            let step = format!("{step}#{number}");
            let fields = row.as_object_mut().unwrap();
            fields.insert("step".to_owned(), step.into());
            fields.insert("session_id".to_owned(), session(number).into());
            row
        })
    };
    serde_json::to_string(&(0..SESSIONS).flat_map(of_session).collect::<Vec<_>>()).unwrap()
}
