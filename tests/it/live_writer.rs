//! A second process writes while this one reads: what is read is always one committed state.

use flower_analyze::evidence::{Evidence, Method, OpenOptions};
use flower_analyze::run_dir::Position;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::sources::{SCHEMA, options, rows};

/// Rows of one transaction: a reader must see all of them or none.
const BATCH: i64 = 3;

const FOLDER: &str = "FLOWER_TEST_WRITER_FOLDER";
const MODE: &str = "FLOWER_TEST_WRITER_MODE";
const PAUSE: &str = "FLOWER_TEST_WRITER_PAUSE_MS";

fn payload(seq: i64) -> String {
    // Some over several pages, so that a torn page would show.
    let length = usize::try_from(40 + seq * 7919 % 9000).unwrap();
    format!("{{\"seq\":{seq},\"text\":\"{}\"}}", seq.to_string().repeat(length / seq.to_string().len()))
}

/// Not a test of its own: the other process.
#[test]
fn writer() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let mode = std::env::var(MODE).unwrap();
    let pause = Duration::from_millis(std::env::var(PAUSE).unwrap().parse().unwrap());
    let path = Path::new(&folder).join("sessions.db");
    let reopens = mode == "wal-reopened";
    let connect = || {
        let database = rusqlite::Connection::open(&path).unwrap();
        database.busy_timeout(Duration::from_secs(20)).unwrap();
        database.pragma_update(None, "journal_mode", if reopens { "wal" } else { mode.as_str() }).unwrap();
        database.pragma_update(None, "wal_autocheckpoint", 100).unwrap();
        database.pragma_update(None, "cache_size", 5).unwrap();
        database
    };
    let mut database = connect();
    for seq in (0..).step_by(usize::try_from(BATCH).unwrap()) {
        let transaction = database.transaction().unwrap();
        for seq in seq..seq + BATCH {
            let text = payload(seq);
            transaction.execute("INSERT INTO entries VALUES ('p/s', ?1, NULL, ?2)", (seq, text)).unwrap();
        }
        transaction.commit().unwrap();
        sleep(pause);
        if reopens {
            drop(database);
            database = connect();
        }
    }
}

fn start(folder: &Path, mode: &str, pause_ms: u64) -> Child {
    let database = rusqlite::Connection::open(folder.join("sessions.db")).unwrap();
    database.execute_batch(SCHEMA).unwrap();
    drop(database);
    Command::new(std::env::current_exe().unwrap())
        .args(["live_writer::writer", "--exact", "--nocapture"])
        .env(FOLDER, folder)
        .env(MODE, mode)
        .env(PAUSE, pause_ms.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Reads everything and checks it; the number of rows and how they were opened.
fn read(folder: &Path, options: &OpenOptions) -> (i64, Method) {
    let evidence = Evidence::open(folder, options).unwrap();
    let rows = rows(&evidence).unwrap();
    for (expected, (key, position, _, content)) in (0_i64..).zip(&rows) {
        let Position::Database { seq, .. } = position else { panic!("{position:?}") };
        assert_eq!((key.as_str(), *seq), ("p/s", Some(expected)));
        assert_eq!(content.as_deref(), Ok(payload(expected).as_bytes()));
    }
    let count = i64::try_from(rows.len()).unwrap();
    assert_eq!(count % BATCH, 0, "half a transaction");
    if let Some((key, position, _, content)) = rows.last() {
        assert_eq!(evidence.payload(key, *position).unwrap().as_ref(), content.as_ref().ok());
    }
    assert_eq!(evidence.meta().unwrap(), Some(vec![]));
    (count, evidence.close().method)
}

fn names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn watch(mode: &str, pause_ms: u64) -> BTreeMap<String, u32> {
    let folder = tempfile::tempdir().unwrap();
    let (mut options, temp) = options(2);
    options.hash = false;
    let mut writer = start(folder.path(), mode, pause_ms);
    let begin = Instant::now();
    let mut last = 0;
    let mut methods = BTreeMap::new();
    while begin.elapsed() < Duration::from_millis(1500) || (last < 30 && begin.elapsed() < Duration::from_secs(20)) {
        let (count, method) = read(folder.path(), &options);
        assert!(count >= last, "{mode}: {count} rows after {last}");
        last = count;
        *methods.entry(format!("{method:?}")).or_insert(0) += 1;
    }
    assert!(last >= 30, "{mode}: the writer wrote {last} rows only");
    // SIGKILL, wherever it is.
    writer.kill().unwrap();
    writer.wait().unwrap();
    let before = names(folder.path());
    let (count, method) = read(folder.path(), &options);
    assert!(count >= last);
    *methods.entry(format!("{method:?} after the kill")).or_insert(0) += 1;
    assert_eq!(names(folder.path()), before);
    let known = ["sessions.db", "sessions.db-journal", "sessions.db-shm", "sessions.db-wal"];
    assert!(before.iter().all(|name| known.contains(&name.as_str())), "{before:?}");
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
    // Independent of our own reading: SQLite itself recovers the same rows.
    let checked = rusqlite::Connection::open(folder.path().join("sessions.db")).unwrap();
    let recovered: i64 = checked.query_row("SELECT count(*) FROM entries", [], |row| row.get(0)).unwrap();
    assert_eq!(recovered, count, "{mode}");
    methods
}

#[test]
fn a_rollback_journal_writer_in_a_tight_loop() {
    println!("{:?}", watch("delete", 0));
}

#[test]
fn a_rollback_journal_writer_that_keeps_its_journal() {
    println!("{:?}", watch("persist", 1));
}

#[test]
fn a_writer_with_pauses() {
    println!("{:?}", watch("delete", 15));
}

#[test]
fn a_wal_writer_that_hardly_pauses() {
    println!("{:?}", watch("wal", 1));
}

#[test]
fn a_wal_writer_that_opens_and_closes() {
    println!("{:?}", watch("wal-reopened", 4));
}
