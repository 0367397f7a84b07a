//! Evidence that cannot be read: every sentence with file, expectation, finding and what to do.

use flower_analyze::evidence::{Evidence, EvidenceError};
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

use crate::sources::{SCHEMA, complaint, copy_of, fixture, made_by, options, rows};

#[test]
fn torn_stores_say_how_far_reading_gets() {
    insta::assert_snapshot!(complaint(&fixture("torn-page"), &fixture("torn-page")), @"SOURCE/sessions.db is damaged (database disk image is malformed); expected every row, 90 rows could be read, the last is -workspace-demo-outage/201d282c-df26-4ce8-af12-801dbea91ec7/subagents/agent-a1c322bf4b630931a seq 11 (rowid 90); bring an undamaged copy or a backup");
    insta::assert_snapshot!(complaint(&fixture("torn-tail"), &fixture("torn-tail")), @"SOURCE/sessions.db is cut off: its header says 127 pages, expected 520192 bytes, found 393316; reading row by row, 108 rows could be read, the last is -workspace-demo-outage/201d282c-df26-4ce8-af12-801dbea91ec7/subagents/agent-a1c322bf4b630931a seq 20 (rowid 108); bring a complete copy");
}

#[test]
fn damage_is_found_by_every_thread() {
    let folder = made_by(&format!(
        "{SCHEMA}
         WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
         INSERT INTO entries SELECT 'p/s', i, NULL, printf('%0*d', 300, i) FROM n;"
    ));
    let database = folder.path().join("sessions.db");
    let mut bytes = fs::read(&database).unwrap();
    let middle = bytes.len() / 2 / 4096 * 4096;
    bytes[middle..middle + 8192].fill(0);
    fs::write(&database, bytes).unwrap();
    let (options, _temp) = options(3);
    let error = rows(&Evidence::open(folder.path(), &options).unwrap()).unwrap_err();
    let EvidenceError::Malformed { reached, .. } = error else { panic!("{error}") };
    assert!((1000..20_000).contains(&reached.rows), "{reached}");
    assert_eq!(reached.last.unwrap().store_key, "p/s");
}

#[test]
fn the_temporary_folder_must_not_be_evidence() {
    let folder = copy_of("crash-wal");
    let (mut options, _temp) = options(1);
    let inside = folder.path().join("tmp");
    fs::create_dir(&inside).unwrap();
    options.temp_dir.clone_from(&inside);
    let error = Evidence::open(folder.path(), &options).unwrap_err().to_string();
    assert!(error.contains("lies inside the source") && error.contains("choose another temporary folder"), "{error}");
    assert_eq!(fs::read_dir(&inside).unwrap().count(), 0);
    options.temp_dir = folder.path().join("missing").join("deep");
    let error = Evidence::open(folder.path(), &options).unwrap_err().to_string();
    assert!(error.contains("cannot copy") && error.contains("sessions.db") && error.contains("missing"), "{error}");
}

#[test]
fn a_state_file_is_limited_and_regular() {
    let folder = made_by(SCHEMA);
    fs::File::create(folder.path().join("manifest.json")).unwrap().set_len(65 << 20).unwrap();
    let _pipe = UnixListener::bind(folder.path().join("lineage.json")).unwrap();
    let (options, _temp) = options(1);
    let evidence = Evidence::open(folder.path(), &options).unwrap();
    let error = evidence.manifest().unwrap().unwrap_err().to_string();
    assert!(error.contains("has 68157440 bytes, expected at most 67108864"), "{error}");
    assert!(evidence.lineage().unwrap().unwrap_err().to_string().contains("is a socket, expected a regular file"));
}

#[test]
fn what_is_no_store_is_refused_with_its_reason() {
    let mut said = Vec::new();
    let check = |sql: &str| {
        let folder = made_by(sql);
        complaint(folder.path(), folder.path())
    };
    said.push(check("CREATE TABLE moz_places (id); CREATE TABLE moz_bookmarks (id);"));
    said.push(check("CREATE TABLE t (x); DROP TABLE t;"));
    said.push(check("CREATE TABLE entries (key, seq, payload);"));
    said.push(check(
        "CREATE TABLE t (x); CREATE VIEW entries AS SELECT 1 AS store_key, 2 AS seq, 3 AS uid, 4 AS payload;",
    ));
    said.push(check("CREATE TABLE entries (store_key, seq, uid, raw, payload AS (hex(raw)));"));
    said.push(check("CREATE VIRTUAL TABLE entries USING fts5(store_key, seq, uid, payload);"));
    insta::assert_snapshot!(said.join("\n"), @r#"
    SOURCE/sessions.db is another program's database: expected the table entries, found moz_bookmarks, moz_places; give the sessions.db of a run
    SOURCE/sessions.db is another program's database: expected the table entries, found no tables; give the sessions.db of a run
    entries in SOURCE/sessions.db has another schema: expected the columns store_key, seq, uid, payload, found key, seq, payload; it may be older or newer than this tool
    entries in SOURCE/sessions.db is a view or a virtual table, expected an ordinary table; such a database is not read
    entries in SOURCE/sessions.db is a table whose column payload is computed, expected an ordinary table; such a database is not read
    entries in SOURCE/sessions.db is a view or a virtual table, expected an ordinary table; such a database is not read
    "#);
}

#[test]
fn what_is_no_database_is_refused_with_its_reason() {
    let mut said = Vec::new();
    let check = |bytes: &[u8]| {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("sessions.db"), bytes).unwrap();
        complaint(folder.path(), folder.path())
    };
    said.push(check(b""));
    said.push(check(&[0x8d; 4096]));
    said.push(check(b"{\"type\":\"user\"}"));
    let made = made_by(SCHEMA);
    let mut bytes = fs::read(made.path().join("sessions.db")).unwrap();
    bytes[19] = 3;
    said.push(check(&bytes));
    bytes[19] = 1;
    bytes[16] = 0x11;
    said.push(check(&bytes));
    let folder = copy_of("crash-wal");
    fs::write(folder.path().join("sessions.db"), "").unwrap();
    said.push(complaint(folder.path(), folder.path()));
    insta::assert_snapshot!(said.join("\n"), @r#"
    SOURCE/sessions.db is empty (0 bytes), expected an SQLite database; the run wrote nothing or the file was cut off
    SOURCE/sessions.db is no SQLite database: expected "SQLite format 3" at its start, found 8d 8d 8d 8d 8d 8d 8d 8d 8d 8d 8d 8d 8d 8d 8d 8d (an encrypted database or another program's file)
    SOURCE/sessions.db is no SQLite database: expected "SQLite format 3" at its start, found 7b 22 74 79 70 65 22 3a 22 75 73 65 72 22 7d (JSON text; a transcript must be named *.jsonl)
    SOURCE/sessions.db has a damaged or newer SQLite header: expected read format 1 or 2 (a higher one is a newer SQLite format), found 3; bring an undamaged copy
    SOURCE/sessions.db has a damaged or newer SQLite header: expected a page size that is a power of two from 512 to 65536, found 4352; bring an undamaged copy
    SOURCE/sessions.db is empty (0 bytes), expected an SQLite database; the run wrote nothing or the file was cut off; beside it: -wal
    "#);
}

#[test]
fn what_is_no_source_is_refused_with_its_reason() {
    let mut said = Vec::new();
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| complaint(&folder.path().join(name), folder.path());
    let make = |name: &str| fs::create_dir_all(folder.path().join(name)).unwrap();
    said.push(at("nowhere"));
    make("empty");
    said.push(at("empty"));
    make("half");
    fs::write(folder.path().join("half/manifest.json"), "[]").unwrap();
    fs::write(folder.path().join("half/lineage.json"), "{}").unwrap();
    said.push(at("half"));
    make("lost");
    fs::write(folder.path().join("lost/sessions.db-wal"), "x").unwrap();
    said.push(at("lost"));
    make("workspace/runs");
    fs::copy(made_by(SCHEMA).path().join("sessions.db"), folder.path().join("workspace/runs/sessions.db")).unwrap();
    said.push(at("workspace"));
    make("nested/sessions.db");
    said.push(at("nested"));
    let _socket = UnixListener::bind(folder.path().join("socket")).unwrap();
    said.push(at("socket"));
    symlink("missing", folder.path().join("dangling")).unwrap();
    said.push(at("dangling"));
    symlink("circle", folder.path().join("circle")).unwrap();
    said.push(at("circle"));
    said.push(complaint(Path::new("/dev/null"), folder.path()));
    insta::assert_snapshot!(said.join("\n"), @"
    SOURCE/nowhere does not exist; give a run directory, its sessions.db, a .jsonl transcript or a folder of transcripts
    SOURCE/empty holds no sessions.db and no .jsonl transcripts, found nothing; give the folder that the run wrote to
    SOURCE/half holds a manifest.json but no sessions.db: the transcripts are missing; bring the database from where the run wrote it, or give the folder of the CLI's own transcripts
    SOURCE/lost/sessions.db is missing but sessions.db-wal lies beside its place; that file alone cannot be read, bring the database back
    SOURCE/workspace holds no sessions.db, but SOURCE/workspace/runs does; give that folder
    SOURCE/nested/sessions.db is a folder, expected a regular file; copy the evidence into a regular file first
    SOURCE/socket is a socket, expected a regular file; copy the evidence into a regular file first
    SOURCE/dangling is a symbolic link that leads nowhere, expected a regular file; copy the evidence into a regular file first
    SOURCE/circle is a symbolic link that leads nowhere, expected a regular file; copy the evidence into a regular file first
    /dev/null is a device, expected a regular file; copy the evidence into a regular file first
    ");
}
