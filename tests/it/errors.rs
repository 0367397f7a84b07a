//! What a person did wrong, or what is no evidence: each has its own message with what was expected, what was found and
//! what to do, and its exit code.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

use crate::program::{command, json, run};
use crate::store::{Case, write_rows};

/// Messages of runs that must fail with exit code 2 and print nothing else, one after the other.
fn complaints(folder: &Path, runs: &[&[&str]]) -> String {
    let said = runs.iter().map(|args| {
        let ended = run(folder, args);
        assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{args:?}: {}", ended.err);
        format!("$ flower-analyze {}\n{}", args.join(" "), ended.err)
    });
    let folder = folder.canonicalize().unwrap();
    said.collect::<Vec<_>>().join("\n").replace(folder.to_str().unwrap(), "FOLDER")
}

/// Holds what was said against the snapshot `name`.
fn assert_said(name: &str, said: &str) {
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(name, said) });
}

#[test]
fn what_is_no_source_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["empty", "no-database", "not-sqlite", "foreign", "empty-file", "older"] {
        fs::create_dir(at(name)).unwrap();
    }
    fs::write(at("no-database/manifest.json"), "[]").unwrap();
    fs::write(at("not-sqlite/sessions.db"), "{\"type\":\"user\"}\n").unwrap();
    fs::write(at("empty-file/sessions.db"), "").unwrap();
    let database = |name: &str, sql: &str| {
        rusqlite::Connection::open(at(name).join("sessions.db")).unwrap().execute_batch(sql).unwrap();
    };
    database("foreign", "CREATE TABLE moz_places (id); CREATE TABLE moz_bookmarks (id);");
    database("older", "CREATE TABLE entries (key TEXT, seq INTEGER, json TEXT);");
    assert_said(
        "what-is-no-source",
        &complaints(
            folder.path(),
            &[
                &[],
                &["summary", "nowhere"],
                &["empty"],
                &["sessions", "no-database"],
                &["chain", "./not-sqlite"],
                &["summary", "not-sqlite/sessions.db"],
                &["summary", "foreign"],
                &["summary", "older"],
                &["summary", "empty-file"],
            ],
        ),
    );
}

#[test]
fn names_that_name_nothing_or_too_much_are_told() {
    let case = Case::open("healthy");
    assert_said(
        "names",
        &complaints(
            &case.root,
            &[
                &["show"],
                &["show", "runs", "zzz"],
                &["show", "runs", "agent"],
                &["show", "runs", ""],
                &["show", "runs", "98ac:999"],
                &["show", "runs", "98ac:z"],
                &["show", "runs", "98ac:"],
                &["show", "runs", "98ac:c"],
                &["chain", "runs", "zzz"],
                &["chain", "runs", "98ac", "--session", "98ac"],
                &["summary", "runs", "--session", "zzz"],
                &["sessions", "runs", "--session", "agent"],
            ],
        ),
    );
    assert_eq!(run(&case.root, &["show", "runs", "8"]).code, Some(0));
}

#[test]
fn options_that_are_none_are_told() {
    let case = Case::open("linear");
    fs::create_dir(case.root.join("elsewhere")).unwrap();
    assert_said(
        "options",
        &complaints(
            &case.root,
            &[
                &["summary", "runs", "--tz", "Mars/Olympus"],
                &["summary", "runs", "--format", "xml"],
                &["summary", "runs", "--fail-on", "worst"],
                &["summary", "runs", "--color", "pink"],
                &["chain", "runs", "--view", "sideways"],
                &["chain", "runs", "--check", "--dot"],
                &["chain", "runs", "--dot", "--format", "json"],
                &["show", "runs", "main", "--raw", "--format", "json"],
                &["summary", "runs", "runs"],
                &["chain", "runs", "main", "more"],
                &["summary", "runs", "--chekc"],
                &["chain", "runs", "--chekc"],
                &["show", "--rwa", "runs"],
                &["summary", "runs", "--output", "runs/report.md"],
                &["summary", "runs", "--output", "elsewhere/../runs/report.md"],
                &["summary", "runs/sessions.db", "--output", "runs/sessions.db"],
                &["summary", "runs", "--output", "no/such/folder/report.md"],
                &["summary", "runs", "--output", "elsewhere"],
            ],
        ),
    );
    assert_eq!(fs::read_dir(case.path()).unwrap().count(), 3);
}

#[test]
fn a_broken_manifest_hides_nothing_else() {
    for (bytes, code) in [
        (&b"[{\"step\": \"build\", \"ok\": tru"[..], "state-truncated"),
        (b"{\"step\": 1}", "state-wrong-top"),
        (b"", "state-empty"),
        (b"[{\"step\": 7, \"session_id\": \"main\", \"ok\": true}]", "state-wrong-type"),
        (b"[{\"step\": \"a\", \"session_id\": \"main\", \"cost_usd\": NaN}]", "state-not-finite"),
        (b"\xff\xfe[", "state-broken"),
    ] {
        let case = Case::copy("linear");
        fs::write(case.path().join("manifest.json"), bytes).unwrap();
        let report = json(&case.root, &["summary", "runs"]);
        let findings = report["findings"].as_array().unwrap();
        let found = findings.iter().find(|found| found["code"] == code);
        let found = found.unwrap_or_else(|| panic!("{code} is not in {findings:?}"));
        assert_eq!(found["place"]["file"], "manifest.json", "{code}");
        assert_eq!(report["result"]["rows"]["entries"], 6, "{code}");
        assert_eq!(run(&case.root, &["sessions", "runs"]).code, Some(0));
    }
}

#[test]
fn exit_codes_follow_the_findings() {
    // linear has none; orphan-parent has warnings; second-result an error; branch-several-prompts a note.
    for (name, level, code) in [
        ("linear", "info", 0),
        ("branch-several-prompts", "info", 1),
        ("branch-several-prompts", "warning", 0),
        ("orphan-parent", "warning", 1),
        ("orphan-parent", "error", 0),
        ("second-result", "error", 1),
    ] {
        let case = Case::open(name);
        for command in ["summary", "sessions", "chain", "layers"] {
            let ended = run(&case.root, &[command, case.source, "--fail-on", level]);
            assert_eq!((ended.code, ended.err.as_str()), (Some(code), ""), "{name} {command} {level}");
            assert_eq!(ended.out, run(&case.root, &[command, case.source]).out, "{name} {command} {level}");
        }
        assert_eq!(run(&case.root, &["show", case.source, "main", "--fail-on", level]).code, Some(code), "{name}");
    }
}

#[test]
fn help_and_version_are_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    for args in
        [&["--help"][..], &["-h"], &["help", "chain"], &["chain", "--help"], &["--version"], &["completions", "bash"]]
    {
        let ended = run(folder.path(), args);
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{args:?}");
        assert!(!ended.out.is_empty(), "{args:?}");
    }
    assert_eq!(run(folder.path(), &["--version"]).out, format!("flower-analyze {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_summary_needs_no_name() {
    let case = Case::open("healthy");
    assert_eq!(run(&case.root, &["runs"]).out, run(&case.root, &["summary", "runs"]).out);
    assert_eq!(run(&case.root, &[]).out, run(&case.root, &["summary"]).out);
    let json = ["--format", "json", "--tz", "Asia/Shanghai"];
    assert_eq!(run(&case.root, &json).out, run(&case.root, &[&["summary", "runs"], &json[..]].concat()).out);
}

#[test]
fn a_report_goes_where_it_is_told() {
    let case = Case::open("leaf-disagrees");
    let file = case.root.join("report.txt");
    for format in ["table", "json", "csv", "md"] {
        for command in ["summary", "sessions", "chain", "layers"] {
            let args = [command, "runs", "--format", format, "--tz", "UTC"];
            let ended = run(&case.root, &[&args[..], &["--output", "report.txt"]].concat());
            assert_eq!((ended.code, ended.out.as_str(), ended.err.as_str()), (Some(0), "", ""), "{command} {format}");
            assert_eq!(fs::read_to_string(&file).unwrap(), run(&case.root, &args).out, "{command} {format}");
        }
    }
    run(&case.root, &["show", "runs", "main:3", "--raw", "-o", "raw.json"]);
    assert_eq!(
        fs::read_to_string(case.root.join("raw.json")).unwrap(),
        run(&case.root, &["show", "runs", "main:3", "--raw"]).out
    );
}

#[test]
fn a_session_brings_its_subagents_and_nobody_else() {
    let case = Case::open("healthy");
    let keys = |prefix: &str| {
        let report = json(&case.root, &["sessions", "runs", "--session", prefix]);
        report["result"]["sessions"].as_array().unwrap().len()
    };
    assert_eq!((keys("98ac"), keys("82f5"), keys("agent-a53b"), keys("a53b")), (1, 3, 1, 1));
    assert_eq!(json(&case.root, &["sessions", "runs"])["result"]["sessions"].as_array().unwrap().len(), 4);
    let all = json(&case.root, &["summary", "runs"])["result"]["usage"]["by_session"].clone();
    let one = json(&case.root, &["summary", "runs", "--session", "82f5"])["result"]["usage"].clone();
    for (key, usage) in one["by_session"].as_object().unwrap() {
        assert_eq!(*usage, all[key], "{key}");
    }
    assert_eq!(one["model_turns"], 26);
}

/// Store keys begin like an option: `-home-…` is not `-h`, `-opt-…` is not `-o`.
#[test]
fn store_keys_are_no_options() {
    for key in ["-home-demo/82f5", "-opt-agent/82f5", "-V/82f5", "--work/82f5"] {
        let folder = write_rows(key, &[r#"{"type":"user","uuid":"u","parentUuid":null}"#.to_owned()]);
        let at = |args: &[&str]| {
            let report = json(folder.path(), args);
            let result = &report["result"];
            let listed = if result["entries"].is_null() { &result["sessions"] } else { &result["entries"] };
            listed[0]["store_key"].as_str().unwrap().to_owned()
        };
        assert_eq!(at(&["chain", "runs", key]), key);
        assert_eq!(at(&["show", "runs", &format!("{key}:0")]), key);
        assert_eq!(at(&["sessions", "runs", "--session", key]), key);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{key} wrote a file");
    }
    let case = Case::open("linear");
    assert!(run(&case.root, &["chain", "runs", "-h"]).out.contains("Usage"));
    assert_eq!(run(&case.root, &["chain", "runs", "main", "--check", "-o", "report.txt"]).code, Some(0));
    assert!(case.root.join("report.txt").exists());
}

/// Who reads a pipe may stop at any moment: `flower-analyze … | head -1`.
#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let case = Case::open("compact");
    for args in
        [&["show", "runs", "d3c0", "--format", "json"][..], &["show", "runs", "d3c0", "--raw"], &["chain", "runs"]]
    {
        let mut child = command(&case.root).args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{args:?}");
    }
}

const LOCKED: &str = "FLOWER_TEST_LOCKED_DATABASE";

/// Not a test of its own: the other process, which holds the database until its standard input ends.
#[test]
fn locker() {
    let Ok(what) = std::env::var(LOCKED) else { return };
    let (journal_mode, sql) = what.split_once(' ').unwrap();
    let database = rusqlite::Connection::open("runs/sessions.db").unwrap();
    database.pragma_update(None, "journal_mode", journal_mode).unwrap();
    database.pragma_update(None, "cache_size", 5).unwrap();
    database.execute_batch(sql).unwrap();
    println!("locked");
    std::io::stdout().flush().unwrap();
    let _end = std::io::stdin().lines().next();
}

/// Another process that holds a lock; it ends when this is dropped.
struct Locker(Child, Option<ChildStdin>);

impl Locker {
    fn start(folder: &Path, journal_mode: &str, sql: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["errors::locker", "--exact", "--nocapture"])
            .current_dir(folder)
            .env(LOCKED, format!("{journal_mode} {sql}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().ends_with("locked")), "the other process holds no lock");
        Self(child, stdin)
    }
}

impl Drop for Locker {
    fn drop(&mut self) {
        drop(self.1.take());
        let _status = self.0.wait();
    }
}

/// A lock is respected by not needing it: what was committed is read, and nothing else.
#[test]
fn a_locked_database_is_read_as_it_was_committed() {
    // More than the cache holds, so that pages that were never committed are in the file.
    let grown = "INSERT INTO entries SELECT store_key, seq + 100, NULL, hex(zeroblob(20000)) FROM entries;";
    for (journal_mode, sql) in [
        ("delete", "BEGIN EXCLUSIVE;".to_owned()),
        ("delete", format!("BEGIN EXCLUSIVE; {grown}")),
        ("wal", "BEGIN EXCLUSIVE;".to_owned()),
        ("wal", format!("BEGIN EXCLUSIVE; {grown}")),
        ("delete", "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT;".to_owned()),
    ] {
        let case = Case::copy("linear");
        let before = json(&case.root, &["chain", "runs"])["result"].clone();
        let _locker = Locker::start(&case.root, journal_mode, &sql);
        let report = json(&case.root, &["chain", "runs"]);
        assert_eq!(report["result"], before, "{journal_mode} {sql}");
    }
}

/// Ctrl-C while a large file is read: exit code 130, no message, no private copy left behind.
#[test]
fn an_interrupt_ends_in_order() {
    let folder = large();
    for _ in 0..5 {
        let temporary = tempfile::tempdir().unwrap();
        let child = command(folder.path())
            .args(["summary", "large.jsonl"])
            .env("TMPDIR", temporary.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Long enough for the handler to be set, short enough for the reading to go on.
        std::thread::sleep(Duration::from_millis(60));
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 0);
        match output.status.code() {
            Some(130) => return assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}"),
            // It was done before, or had not begun: the machine decides. Once in five times it is caught.
            Some(0) | None => {}
            code => panic!("exit code {code:?}"),
        }
    }
    println!("never caught in the middle");
}

fn large() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let line = format!("{{\"type\":\"user\",\"uuid\":\"u\",\"parentUuid\":null,\"text\":\"{}\"}}\n", "x".repeat(1000));
    fs::write(folder.path().join("large.jsonl"), line.repeat(60_000)).unwrap();
    folder
}

/// One line of 24 MB, as a pasted image leaves it.
#[test]
fn a_line_of_24_megabytes_is_an_entry() {
    let folder = tempfile::tempdir().unwrap();
    let image = "iVBORw0KGgo".repeat(24 * 1024 * 1024 / 11);
    let line = |uuid: &str, content: &str| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"{uuid}\",\"parentUuid\":null,\"message\":{{\"role\":\"user\",\"content\":{content}}}}}\n"
        )
    };
    let block = format!(
        "[{{\"type\":\"image\",\"source\":{{\"data\":\"{image}\"}}}},{{\"type\":\"text\",\"text\":\"What is it?\"}}]"
    );
    let text = [line("a", "\"before\""), line("b", &block), line("c", "\"behind\"")].concat();
    fs::write(folder.path().join("image.jsonl"), &text).unwrap();
    let report = json(folder.path(), &["summary", "image.jsonl"]);
    assert_eq!((&report["result"]["rows"]["entries"], &report["result"]["rows"]["defects"]), (&3.into(), &0.into()));
    let raw = command(folder.path()).args(["show", "image.jsonl", "image:1", "--raw"]).output().unwrap();
    assert!(raw.stdout == line("b", &block).trim_end().as_bytes());
    let shown = run(folder.path(), &["chain", "image.jsonl"]);
    assert!(shown.out.contains("What is it?") && shown.out.len() < 10_000, "{} bytes", shown.out.len());
}
