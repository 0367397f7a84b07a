//! The books: written also when the runner is told to end, or another one writes too.

use super::stage::{SESSION, Stage, entry, hello, mirrors, result, script, text};
use serde_json::{Value, json};
use std::os::unix::process::ExitStatusExt;
use std::process::Child;
use std::time::{Duration, Instant};
use std::{fs, thread};

/// Waits until `holds`.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
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

/// What the CLI wrote to its own files.
fn cli_files(stage: &Stage) -> String {
    let mut folders = vec![stage.path("runs/.cc")];
    let mut text = String::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "jsonl") {
                text.push_str(&fs::read_to_string(path).unwrap());
            }
        }
    }
    text
}

#[test]
fn what_a_killed_runner_left_is_taken_over() {
    let stage = Stage::fake();
    let file = format!("/CFG/projects/PROJECT/{SESSION}.jsonl");
    let prompt = json!({"type": "last-prompt"});
    let written = |last: &str| {
        let lines = [entry("a"), prompt.clone(), entry(last)].map(|line| line.to_string()).join("\n");
        json!({"dir": "file", "path": file, "text": lines + "\n"})
    };
    let pause = json!({"dir": "sleep", "ms": 3000});
    stage.script(1, &script(&[&hello(), &[mirrors(&[entry("a")]), written("b"), pause, written("late")]]));
    (2..99).for_each(|number| stage.script(number, &script(&[&hello(), &[result(&json!({}))]])));
    let mut child = stage.start(&["--no-probe", "once", "P"]);
    until("the entry is stored", || is_stored(&stage));
    child.0.kill().unwrap();
    child.0.wait().unwrap();
    assert_eq!(stage.column("SELECT uid FROM entries"), ["a"]);
    until("the CLI has written", || cli_files(&stage).contains("\"b\""));
    // The CLI lives on: it would write the session that the next run may go on with.
    let ended = stage.once(&["P"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let said = "was left behind and what its runner had started was ended: 2 entries were not in the store yet";
    assert!(ended.out.contains(said), "{ended:?}");
    let rows = stage.column("SELECT ifnull(uid, payload) FROM entries ORDER BY seq");
    assert_eq!(rows, ["a", &prompt.to_string(), "b"]);
    assert_eq!(fs::read_dir(stage.path("runs/.cc")).unwrap().count(), 0);
}

/// Makes every append fail from now on, until the trigger is dropped.
fn fill_disk(stage: &Stage) {
    let store = rusqlite::Connection::open(stage.path("runs/sessions.db")).unwrap();
    store.execute_batch("CREATE TRIGGER full BEFORE INSERT ON entries BEGIN SELECT RAISE(FAIL, 'full'); END").unwrap();
}

#[test]
fn a_store_that_fails_loses_nothing_and_is_told() {
    let stage = Stage::fake();
    let other = "22222222-2222-4222-8222-222222222222";
    let prompt = json!({"type": "last-prompt", "sessionId": other});
    let file = format!("/CFG/projects/PROJECT/{other}.jsonl");
    let frame = |entries: Value| {
        super::stage::says(&json!({"type": "transcript_mirror", "filePath": file, "entries": entries}))
    };
    let lines = format!("{}\n{prompt}\n{prompt}\n", entry("b"));
    let written = json!({"dir": "file", "path": file, "text": lines});
    let ends = result(&json!({"session_id": other}));
    stage.script(1, &script(&[&hello(), &[mirrors(&[entry("a")]), result(&json!({}))]]));
    let frames = [frame(json!([entry("b"), prompt])), frame(json!([prompt])), written, ends];
    stage.script(2, &script(&[&hello(), &frames]));
    stage.script(3, &script(&[&hello(), &[result(&json!({}))]]));
    assert_eq!(stage.once(&["P"]).code, Some(0));
    fill_disk(&stage);
    let ended = stage.once(&["P"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(
        ended.err.contains("the books of this run are not whole: 3 entries of the transcript not stored: "),
        "{ended:?}"
    );
    let row = &stage.manifest()[1];
    assert_eq!((row["ok"].as_bool(), row["session_id"].as_str()), (Some(true), Some(other)), "{row}");
    rusqlite::Connection::open(stage.path("runs/sessions.db")).unwrap().execute_batch("DROP TRIGGER full").unwrap();
    let third = stage.once(&["P"]);
    assert!(third.out.contains("3 entries were not in the store yet"), "{third:?}");
    let rows = stage.column("SELECT ifnull(uid, payload) FROM entries ORDER BY store_key, seq");
    assert_eq!(rows, ["a", "b", &prompt.to_string(), &prompt.to_string()]);
}

#[test]
fn answers_that_reach_no_file_are_told() {
    let stage = Stage::fake();
    let mut said = text("done");
    said["frame"]["uuid"] = json!("nowhere");
    stage.script(1, &script(&[&hello(), &[mirrors(&[entry("a")]), said, result(&json!({}))]]));
    let ended = stage.once(&["P"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.err.contains("the CLI could not write answers of the model"), "{ended:?}");
    let row = &stage.manifest()[0];
    let told = "mirror_error: 1 answer of the model did not reach the store: the CLI wrote none of it";
    assert_eq!((row["ok"].as_bool(), &row["errors"]), (Some(true), &json!([told])), "{row}");
}

/// Where the disk is full, the CLI's own files lack what the store lacks: what is held back is not all that is missing.
#[test]
fn answers_that_are_nowhere_are_told_though_others_are_held_back() {
    let stage = Stage::fake();
    stage.script(1, &script(&[&hello(), &[mirrors(&[entry("a")]), result(&json!({}))]]));
    assert_eq!(stage.once(&["P"]).code, Some(0));
    fill_disk(&stage);
    let mut said = text("done");
    said["frame"]["uuid"] = json!("nowhere");
    stage.script(2, &script(&[&hello(), &[mirrors(&[entry("b")]), said, result(&json!({}))]]));
    let ended = stage.once(&["P"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    for told in
        ["1 entry of the transcript not stored", "1 message of the model lost: neither the store nor the CLI's own"]
    {
        assert!(ended.err.contains(told), "{told}: {ended:?}");
    }
}

#[test]
fn an_interruption_before_the_prompt_is_heard() {
    let stage = Stage::fake();
    let mut slow = hello();
    slow.insert(1, json!({"dir": "sleep", "ms": 2000}));
    stage.script(1, &slow);
    stage.script(2, &script(&[&hello(), &[mirrors(&[entry("a")]), text("done"), result(&json!({}))]]));
    let mut terminal = super::terminal::Terminal::open(&stage, &["--no-probe", "once", "P"]);
    until("the CLI starts", || stage.starts() == 1);
    thread::sleep(Duration::from_millis(300));
    terminal.press("\u{3}");
    until("it asks", || terminal.shown().contains("Say what should change"));
    terminal.press("do less\r");
    assert_eq!(terminal.wait(), Some(0), "{}", terminal.shown());
    assert_eq!(stage.recorded(1, "stdin").len(), 1, "the prompt was not sent");
    let said = stage.recorded(2, "stdin").join("\n");
    assert!(said.contains("\"P\\n\\n人在这里打断了你") && said.contains("do less"), "{said}");
    let row = &stage.manifest()[0];
    assert_eq!((&row["attempts"], &row["errors"], &row["resumed"]), (&json!(1), &json!([]), &json!(false)), "{row}");
}
