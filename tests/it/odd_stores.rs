//! Stores with odd contents, odd tables and odd paths: all of them are read.

use flower_analyze::evidence::Evidence;
use flower_analyze::run_dir::Position;
use std::fs;
use std::os::unix::fs::symlink;

use crate::sources::{SCHEMA, codes, copy_of, fixture, made_by, opened, options, read_untouched, rows, witness};

#[test]
fn every_thread_sees_its_rows_once() {
    // Far apart, so that threads must skip the gaps.
    let folder = made_by(&format!(
        "{SCHEMA}
         WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
         INSERT INTO entries (rowid, store_key, seq, uid, payload)
         SELECT CASE WHEN i < 15000 THEN i - 7000 ELSE i * 100000000000 END, 'p/s', i, NULL, printf('%0*d', 300, i) FROM n;"
    ));
    let (options, _temp) = options(3);
    let evidence = Evidence::open(folder.path(), &options).unwrap();
    assert_eq!(evidence.scan(|| (), |(), _| ()).unwrap().len(), 3);
    let read = rows(&evidence).unwrap();
    assert_eq!(read.len(), 20_001);
    for (seq, row) in (0_i64..).zip(&read) {
        let Position::Database { seq: found, .. } = row.1 else { panic!("{row:?}") };
        assert_eq!((found, row.3.as_ref().unwrap().len()), (Some(seq), 300));
    }
}

#[test]
fn odd_values_are_kept_and_named() {
    let folder = made_by(
        "CREATE TABLE entries (store_key, seq, uid, payload, added_later);
         INSERT INTO entries VALUES (7, 'one', 3, NULL, 0), (x'ff', 1, x'fe', 4, 0), ('p/s', 2, 'u', 4.5, 0), ('p/s', 3, NULL, x'00ff', 0),
         (printf('%5000s', 'k'), 4, printf('%5000s', 'u'), 'long', 0);",
    );
    let (read, findings) =
        read_untouched(folder.path(), folder.path(), |evidence| (rows(&evidence).unwrap(), evidence.findings()))
            .unwrap();
    let payloads: Vec<_> = read.iter().map(|row| row.3.clone()).collect();
    assert_eq!(
        payloads,
        [Err("null".into()), Err("integer".into()), Err("real".into()), Ok(vec![0, 255]), Ok(b"long".to_vec())]
    );
    assert_eq!(read.iter().map(|row| row.0.as_str()).collect::<Vec<_>>(), ["7", "\u{fffd}", "p/s", "p/s", ""]);
    assert_eq!(read[0].1, Position::Database { rowid: 1, seq: None });
    assert_eq!(codes(&findings), ["odd-store-keys", "odd-uids", "extra-columns"]);
}

#[test]
fn rows_without_rowid_come_in_the_order_of_their_keys() {
    for sql in [
        "CREATE TABLE entries (store_key, seq, uid, payload, PRIMARY KEY (store_key, seq)) WITHOUT ROWID;",
        "CREATE TABLE entries (store_key, seq, uid, payload, rowid);",
    ] {
        let folder = made_by(&format!(
            "{sql} INSERT INTO entries (store_key, seq, uid, payload) VALUES ('b', 0, NULL, 'x'), ('a', 1, NULL, 'y'), ('a', 0, NULL, 'z');"
        ));
        let (options, _temp) = options(2);
        let evidence = Evidence::open(folder.path(), &options).unwrap();
        let read = rows(&evidence).unwrap();
        let payloads: Vec<_> = read.iter().map(|row| row.3.clone().unwrap()).collect();
        assert_eq!(payloads, [b"z", b"y", b"x"]);
        assert_eq!(evidence.payload("a", read[1].1).unwrap().unwrap(), b"y");
        assert!(codes(&evidence.findings()).contains(&"no-rowid"));
    }
}

#[test]
fn missing_and_odd_small_tables_are_no_obstacle() {
    let entries =
        "CREATE TABLE entries (store_key, seq, uid, payload); INSERT INTO entries VALUES ('p/s', 0, NULL, '{}');";
    let folder = made_by(&format!(
        "{entries} CREATE TABLE meta (store_key, mtime); CREATE TABLE summaries (project_key, session_id, mtime, data);
         INSERT INTO summaries VALUES ('p', 's', 'late', '{{}}'), ('p', 't', 1, '{{}}');"
    ));
    let (options, _temp) = options(1);
    let evidence = Evidence::open(folder.path(), &options).unwrap();
    assert_eq!(evidence.meta().unwrap(), None);
    assert_eq!(evidence.summaries().unwrap().unwrap().len(), 1);
    assert_eq!(codes(&evidence.findings()), ["table-unreadable", "rows-left-out"]);
    let folder = made_by(&format!("{entries} CREATE VIEW meta AS SELECT 1 AS store_key, 2 AS mtime, 3 AS next_seq;"));
    let evidence = Evidence::open(folder.path(), &options).unwrap();
    assert_eq!((evidence.meta().unwrap(), evidence.summaries().unwrap()), (None, None));
}

#[test]
fn odd_paths_are_read_like_others() {
    for name in ["a b", "what?mode=rwc&x=1", "50%41#tag", "笔记 🌸", "\"quoted\" 'name'"] {
        let outer = tempfile::tempdir().unwrap();
        for fixture_name in ["crash-wal", "crash-journal"] {
            let folder = outer.path().join(name).join(fixture_name);
            fs::create_dir_all(&folder).unwrap();
            for entry in fs::read_dir(fixture(fixture_name)).unwrap() {
                let entry = entry.unwrap();
                fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
            }
            assert!(opened(&folder).0 >= 144, "{name}");
        }
    }
}

#[test]
fn a_linked_database_is_read_with_the_journal_of_its_target() {
    let real = copy_of("crash-wal");
    let folder = tempfile::tempdir().unwrap();
    symlink(real.path().join("sessions.db"), folder.path().join("sessions.db")).unwrap();
    let before = witness(real.path());
    assert_eq!(opened(folder.path()).0, 149);
    assert_eq!(witness(real.path()), before);
}
