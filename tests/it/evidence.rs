//! Opening evidence: what is read, how, and that nothing is ever written.

use flower_analyze::evidence::{Evidence, Method, SourceKind};
use flower_analyze::run_dir::Position;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::sources::{SCHEMA, codes, copy_of, fixture, made_by, opened, options, read_untouched, rows};

#[test]
fn crashed_stores_are_recovered_on_a_copy() {
    let table = [
        ("crash-journal", Method::RecoveredCopyJournal, Some(144), 144, vec!["hot-journal"]),
        ("crash-wal", Method::RecoveredCopyWal, Some(144), 149, vec!["write-ahead-log"]),
        ("crash-wal-no-shm", Method::RecoveredCopyWal, Some(144), 149, vec!["write-ahead-log"]),
        ("crash-wal-mid", Method::RecoveredCopyWal, Some(144), 149, vec!["write-ahead-log", "log-tail"]),
    ];
    for (name, method, rows_immutable, rows, said) in table {
        let (read, opened, findings) = opened(&fixture(name));
        let recovery = opened.recovery.unwrap();
        assert_eq!((read, opened.method, opened.kind), (rows, method, SourceKind::RunDirectory), "{name}");
        assert_eq!((recovery.rows_immutable, recovery.rows), (rows_immutable, u64::try_from(rows).ok()), "{name}");
        assert_eq!((opened.unchanged, opened.retries, opened.changes), (true, 0, vec![]), "{name}");
        assert_eq!(codes(&findings), said, "{name}");
    }
}

#[test]
fn recovery_tells_pages_and_frames() {
    let journal = opened(&fixture("crash-journal")).1.recovery.unwrap().journal.unwrap();
    assert_eq!((journal.pages, journal.pages_invalid, journal.database_pages), (10, 0, 127));
    let recovery = opened(&fixture("crash-wal-mid")).1.recovery.unwrap();
    assert!(recovery.sentences().concat().contains("149 rows; the database file alone would have shown 144"));
    let wal = recovery.wal.unwrap();
    assert_eq!((wal.frames, wal.frames_committed, wal.commits), (33, 17, 1));
    assert_eq!((wal.frames_uncommitted, wal.frames_invalid, wal.frames_old), (0, 5, 11));
}

#[test]
fn a_quiet_store_is_read_in_place() {
    let folder = made_by(&format!(
        "{SCHEMA}
         INSERT INTO entries VALUES ('p/s', 0, 'u0', '{{}}'), ('p/s', 1, NULL, 'zwei'), ('p/t', 0, NULL, '三');
         INSERT INTO meta VALUES ('p/s', 5, 2);
         INSERT INTO summaries VALUES ('p', 's', 5, '{{}}');"
    ));
    fs::write(folder.path().join("manifest.json"), "[]").unwrap();
    let opened = read_untouched(folder.path(), folder.path(), |evidence| {
        let read = rows(&evidence).unwrap();
        let expected: [(&str, i64, i64, Option<&str>, &str); 3] =
            [("p/s", 1, 0, Some("u0"), "{}"), ("p/s", 2, 1, None, "zwei"), ("p/t", 3, 0, None, "三")];
        for ((key, rowid, seq, uid, payload), row) in expected.into_iter().zip(&read) {
            let position = Position::Database { rowid, seq: Some(seq) };
            assert_eq!(*row, (key.into(), position, uid.map(Into::into), Ok(payload.as_bytes().to_vec())));
            assert_eq!(evidence.payload(key, position).unwrap().as_deref(), Some(payload.as_bytes()));
            assert_eq!(evidence.payload("p/other", position).unwrap(), None);
        }
        assert_eq!(read.len(), 3);
        assert_eq!(evidence.meta().unwrap().unwrap()[0].next_seq, 2);
        assert_eq!(evidence.summaries().unwrap().unwrap()[0].session_id, "s");
        assert_eq!(evidence.manifest().unwrap().unwrap(), b"[]");
        assert!(evidence.lineage().is_none());
        assert!(evidence.findings().is_empty());
        evidence.close()
    });
    let opened = opened.unwrap();
    assert_eq!(opened.method, Method::Immutable);
    assert_eq!(
        opened.files.iter().map(|file| file.name.as_str()).collect::<Vec<_>>(),
        ["sessions.db", "manifest.json"]
    );
    assert!(opened.files.iter().all(|file| file.sha256.as_ref().is_some_and(|hash| hash.len() == 64)));
}

#[test]
fn a_folder_that_nobody_may_write_is_read() {
    for name in ["crash-journal", "crash-wal"] {
        let folder = copy_of(name);
        for entry in fs::read_dir(folder.path()).unwrap() {
            fs::set_permissions(entry.unwrap().path(), fs::Permissions::from_mode(0o444)).unwrap();
        }
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
        assert!(opened(folder.path()).0 >= 144, "{name}");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    }
}

#[test]
fn journals_and_logs_without_content_need_no_copy() {
    for (name, content) in [
        ("sessions.db-journal", &b""[..]),
        ("sessions.db-journal", &[0; 512]),
        ("sessions.db-wal", b""),
        ("sessions.db-wal", &[7; 32]),
        ("sessions.db-shm", &[0; 4096]),
    ] {
        let folder = made_by(&format!("{SCHEMA} INSERT INTO entries VALUES ('p/s', 0, NULL, '{{}}');"));
        fs::write(folder.path().join(name), content).unwrap();
        let (rows, opened, findings) = opened(folder.path());
        assert_eq!((rows, opened.method, codes(&findings)), (1, Method::Immutable, vec![]), "{name}");
    }
    let folder = made_by(&format!("{SCHEMA} INSERT INTO entries VALUES ('p/s', 0, NULL, '{{}}');"));
    fs::write(folder.path().join("sessions.db-journal"), "no journal at all, but as long as one").unwrap();
    let (rows, opened, findings) = opened(folder.path());
    assert_eq!((rows, opened.method, codes(&findings)), (1, Method::Immutable, vec!["foreign-journal"]));
}

#[test]
fn a_log_that_does_not_fit_is_named() {
    let folder = copy_of("crash-wal");
    let log = folder.path().join("sessions.db-wal");
    let mut bytes = fs::read(&log).unwrap();
    bytes[20] ^= 1;
    fs::write(&log, &bytes).unwrap();
    let (rows, opened, findings) = opened(folder.path());
    assert_eq!((rows, opened.method, codes(&findings)), (144, Method::RecoveredCopyWal, vec!["log-header-invalid"]));
}

#[test]
fn frames_without_a_commit_are_left_out() {
    let folder = copy_of("crash-wal");
    let log = folder.path().join("sessions.db-wal");
    let bytes = fs::read(&log).unwrap();
    fs::write(&log, &bytes[..bytes.len() - 4120]).unwrap();
    let (rows, opened, findings) = opened(folder.path());
    let wal = opened.recovery.unwrap().wal.unwrap();
    assert_eq!((rows, wal.frames_committed, wal.frames_uncommitted), (144, 0, 16));
    assert_eq!(codes(&findings), ["write-ahead-log", "log-tail"]);
}

#[test]
fn a_super_journal_is_never_touched() {
    for (exists, rows, method) in [(true, 144, Method::RecoveredCopyJournal), (false, 0, Method::ConsistentCopy)] {
        let folder = copy_of("crash-journal");
        let name = folder.path().join("super-mj1").to_string_lossy().into_owned();
        if exists {
            // Names no journal: SQLite would take it for stale and delete it.
            fs::write(&name, "").unwrap();
        }
        let journal = folder.path().join("sessions.db-journal");
        let mut bytes = fs::read(&journal).unwrap();
        bytes.extend(0x4000_0001_u32.to_be_bytes());
        bytes.extend(name.as_bytes());
        bytes.extend(u32::try_from(name.len()).unwrap().to_be_bytes());
        bytes.extend(name.bytes().map(u32::from).sum::<u32>().to_be_bytes());
        bytes.extend([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]);
        fs::write(&journal, bytes).unwrap();
        let (said, opened) = read_untouched(folder.path(), folder.path(), |evidence| {
            if rows > 0 {
                assert_eq!(self::rows(&evidence).unwrap().len(), rows);
            }
            (codes(&evidence.findings()), evidence.close())
        })
        .unwrap();
        assert_eq!(opened.method, method);
        assert_eq!(said[0], if exists { "super-journal" } else { "super-journal-gone" });
    }
}

#[test]
fn changes_between_opening_and_closing_are_told() {
    let folder = made_by(&format!("{SCHEMA} INSERT INTO entries VALUES ('p/s', 0, NULL, '{{}}');"));
    fs::write(folder.path().join("lineage.json"), "{}").unwrap();
    let (options, _temp) = options(1);
    let evidence = Evidence::open(folder.path(), &options).unwrap();
    fs::write(folder.path().join("lineage.json"), "{ }").unwrap();
    fs::write(folder.path().join("manifest.json"), "[]").unwrap();
    let opened = evidence.close();
    assert!(!opened.unchanged);
    assert_eq!(opened.changes, ["manifest.json appeared", "lineage.json went from 2 to 3 bytes"]);
    assert!(opened.files.iter().any(|file| file.name == "lineage.json" && file.changed));
}

#[test]
fn neighbours_are_named_and_not_counted() {
    let folder = made_by(&format!("{SCHEMA} INSERT INTO entries VALUES ('p/s', 0, NULL, '{{}}');"));
    for name in ["aside", "older"] {
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::copy(folder.path().join("sessions.db"), folder.path().join(name).join("sessions.db")).unwrap();
    }
    let (rows, _, findings) = opened(folder.path());
    assert_eq!((rows, codes(&findings)), (1, vec!["aside-not-counted", "nested-run-directory"]));
}

#[test]
fn a_workbench_is_listed_with_its_hashes() {
    let workspace = tempfile::tempdir().unwrap();
    let runs = workspace.path().join("runs");
    fs::create_dir(&runs).unwrap();
    fs::copy(made_by(SCHEMA).path().join("sessions.db"), runs.join("sessions.db")).unwrap();
    let bench = workspace.path().join(".flower");
    fs::create_dir_all(bench.join("notes/archive")).unwrap();
    fs::create_dir_all(bench.join("spill")).unwrap();
    fs::write(bench.join("notes/archive/目标.md"), "x").unwrap();
    fs::write(bench.join("spill/2cf24dba5fb0a30e.txt"), "hello").unwrap();
    fs::write(bench.join("spill/0000000000000000.txt"), "hello").unwrap();
    let (options, _temp) = options(1);
    let listing = Evidence::open(&runs, &options).unwrap().workbench().unwrap();
    assert_eq!(listing.notes[0].name, "archive/目标.md");
    let matches: Vec<_> = listing.spill_hashes().iter().map(|hash| (hash.name.clone(), hash.matches())).collect();
    assert_eq!(matches, [("0000000000000000.txt".into(), Some(false)), ("2cf24dba5fb0a30e.txt".into(), Some(true))]);
    assert!(!listing.incomplete);
}
