//! The books: written also when the runner is told to end, or another one writes too.

use super::stage::{SESSION, Stage, entry, hello, mirrors, result, script, text};
use serde_json::json;
use std::os::unix::process::ExitStatusExt;
use std::process::Child;
use std::time::{Duration, Instant};
use std::{fs, thread};

/// Waits until `holds`.
pub(crate) fn until(what: &str, holds: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !holds() {
        assert!(Instant::now() < end, "never: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn signal(child: &Child, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

fn is_stored(stage: &Stage) -> bool {
    stage.try_column("SELECT payload FROM entries").is_ok_and(|payloads| payloads.len() == 1)
}

#[test]
fn a_runner_that_is_told_to_end_writes_its_row_and_dies_by_the_signal() {
    for (sent, number) in [(rustix::process::Signal::TERM, 15), (rustix::process::Signal::HUP, 1)] {
        let stage = Stage::fake();
        let pause = json!({"dir": "sleep", "ms": 20_000});
        stage.script(1, &script(&[&hello(), &[text("so far"), mirrors(&[entry("a")]), pause]]));
        let mut child = stage.start(&["--no-probe", "once", "P"]);
        until("the entry is stored", || is_stored(&stage));
        signal(&child.0, sent);
        let status = child.0.wait().unwrap();
        assert_eq!(status.signal(), Some(number), "{status:?}");
        let [row] = stage.manifest().try_into().unwrap();
        assert_eq!((row["error"].as_str(), row["ok"].as_bool()), (Some("killed-by-signal"), Some(false)));
        assert_eq!((row["session_id"].as_str(), row["text"].as_str()), (Some(SESSION), Some("so far")));
        assert!(row["ended_at"].as_f64().unwrap() >= row["started_at"].as_f64().unwrap());
        let fake = stage.claude.parent().unwrap().display().to_string();
        until("the CLI is gone", || !processes().iter().any(|line| line.contains(&fake)));
        assert_eq!(fs::read_dir(stage.path("runs/.cc")).unwrap().count(), 0, "nothing is left behind");
    }
}

/// What runs on this machine, by its environment.
fn processes() -> Vec<String> {
    let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    entries
        .filter_map(|entry| Some(String::from_utf8_lossy(&fs::read(entry.path().join("environ")).ok()?).into_owned()))
        .collect()
}

#[test]
fn ctrl_c_without_a_terminal_ends_the_run_with_130() {
    let stage = Stage::fake();
    let pause = json!({"dir": "sleep", "ms": 20_000});
    stage.script(1, &script(&[&hello(), &[mirrors(&[entry("a")]), pause]]));
    let mut child = stage.start(&["--no-probe", "once", "P"]);
    until("the entry is stored", || is_stored(&stage));
    signal(&child.0, rustix::process::Signal::INT);
    assert_eq!(child.0.wait().unwrap().code(), Some(130));
    assert_eq!(stage.manifest()[0]["error"], "killed-by-signal");
}

#[test]
fn two_runners_in_one_directory_lose_nothing() {
    let stage = Stage::fake();
    for number in 1..=2 {
        let session = format!("{number}1111111-1111-4111-8111-111111111111");
        let frames: Vec<_> = (0..100)
            .map(|n| {
                let entry = json!({"type": "user", "uuid": format!("{session}-{n}"), "parentUuid": null});
                let path = format!("/CFG/projects/PROJECT/{session}.jsonl");
                super::stage::says(&json!({"type": "transcript_mirror", "filePath": path, "entries": [entry]}))
            })
            .collect();
        stage.script(number, &script(&[&hello(), &frames, &[result(&json!({"session_id": session}))]]));
    }
    let start = || stage.start(&["--no-probe", "once", "P"]);
    let runners = [start(), start()];
    for mut child in runners {
        assert_eq!(child.0.wait().unwrap().code(), Some(0));
    }
    assert_eq!(
        stage.column("SELECT count(*) || ' ' || max(seq) FROM entries GROUP BY store_key"),
        ["100 99", "100 99"]
    );
    assert_eq!(stage.manifest().len(), 2);
}

#[test]
fn what_a_killed_runner_left_is_taken_over() {
    let stage = Stage::fake();
    let file = format!("/CFG/projects/PROJECT/{SESSION}.jsonl");
    let late = entry("late");
    let written = json!({"dir": "file", "path": file, "text": format!("{}\n{late}\n", entry("a"))});
    let pause = json!({"dir": "sleep", "ms": 20_000});
    stage.script(1, &script(&[&hello(), &[mirrors(&[entry("a")]), written, pause]]));
    stage.script(2, &script(&[&hello(), &[result(&json!({}))]]));
    let mut child = stage.start(&["--no-probe", "once", "P"]);
    until("the entry is stored", || is_stored(&stage));
    thread::sleep(Duration::from_millis(200));
    child.0.kill().unwrap();
    child.0.wait().unwrap();
    assert_eq!(stage.column("SELECT uid FROM entries"), ["a"]);
    let ended = stage.once(&["P"]);
    assert!(ended.out.contains("was left by a process that died: 1 entries were not in the store yet"), "{ended:?}");
    assert_eq!(stage.column("SELECT uid FROM entries ORDER BY seq"), ["a", "late"]);
    assert_eq!(fs::read_dir(stage.path("runs/.cc")).unwrap().count(), 0);
}
