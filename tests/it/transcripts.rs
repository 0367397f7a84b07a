//! Transcript files and folders as a source.

use flower_analyze::evidence::{Evidence, SourceKind};
use flower_analyze::run_dir::Position;
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use tempfile::TempDir;

use crate::sources::{complaint, options, read_untouched, rows};

const MAIN: &str = "-w-demo/82f5";
const AGENT: &str = "-w-demo/82f5/subagents/agent-a1";

/// Two projects; one session has a subagent.
fn projects() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("-w-demo/82f5.jsonl", "{\"a\":1}\n\n{\"b\":2}\r\nno end");
    write("-w-demo/82f5/subagents/agent-a1.jsonl", "{\"c\":3}\n");
    write("-w-demo/82f5/subagents/agent-a1.meta.json", "{\"agentType\":\"general\"}\n");
    write("-w-demo/82f5/tool-results/x.txt", "not a transcript");
    write("-w-demo/memory/deep/er/x.jsonl", "not one either");
    write("-w-other/99aa.jsonl", "{\"d\":4}\n");
    root
}

fn keys(source: &Path, root: &Path) -> Vec<(String, String)> {
    let read = read_untouched(source, root, |evidence| rows(&evidence).unwrap()).unwrap();
    read.into_iter().map(|row| (row.0, String::from_utf8(row.3.unwrap()).unwrap())).collect()
}

#[test]
fn every_level_gives_the_same_keys() {
    let root = projects();
    let main = ["{\"a\":1}", "", "{\"b\":2}\r", "no end"].map(|text| (MAIN.to_owned(), text.to_owned()));
    let agent = ["{\"type\":\"agent_metadata\",\"agentType\":\"general\"}\n", "{\"c\":3}"]
        .map(|text| (AGENT.to_owned(), text.to_owned()));
    let both = [&agent[..], &main].concat();
    let other = [("-w-other/99aa".to_owned(), "{\"d\":4}".to_owned())];
    let at = |name: &str| keys(&root.path().join(name), root.path());
    assert_eq!(at(""), [&both[..], &other].concat());
    assert_eq!(at("-w-demo"), both);
    assert_eq!(at("-w-demo/82f5"), both);
    assert_eq!(at("-w-demo/82f5/subagents"), agent);
    assert_eq!(at("-w-demo/82f5.jsonl"), main);
    assert_eq!(at("-w-demo/82f5/subagents/agent-a1.jsonl"), agent);
}

#[test]
fn a_transcript_says_what_lies_beside_it() {
    let root = projects();
    let (kind, findings, opened) = read_untouched(&root.path().join("-w-demo/82f5.jsonl"), root.path(), |evidence| {
        (evidence.kind(), evidence.findings(), evidence.close())
    })
    .unwrap();
    assert_eq!((kind, findings.len(), findings[0].code), (SourceKind::Transcript, 1, "subagents-not-counted"));
    assert_eq!(findings[0].place.file.as_deref(), Some("82f5/subagents"));
    assert_eq!((opened.files.len(), opened.unchanged), (1, true));
}

#[test]
fn lines_are_read_again_byte_for_byte() {
    let root = projects();
    let (options, _temp) = options(1);
    let evidence = Evidence::open(root.path(), &options).unwrap();
    for (key, position, _, payload) in rows(&evidence).unwrap() {
        assert_eq!(evidence.payload(&key, position).unwrap(), payload.ok(), "{position:?}");
        assert_eq!(evidence.payload("other", position).unwrap(), None);
    }
    let behind = Position::Line { file: 1, line: 99, offset: 9999 };
    assert_eq!(evidence.payload(MAIN, behind).unwrap(), None);
    assert_eq!((evidence.meta().unwrap(), evidence.summaries().unwrap()), (None, None));
    assert!(evidence.manifest().is_none() && evidence.lineage().is_none() && evidence.workbench().is_none());
}

#[test]
fn only_regular_files_are_read() {
    let root = projects();
    let project = root.path().join("-w-demo");
    assert!(Command::new("mkfifo").arg(project.join("pipe.jsonl")).status().unwrap().success());
    fs::create_dir(project.join("folder.jsonl")).unwrap();
    symlink("nowhere", project.join("dangling.jsonl")).unwrap();
    symlink(&project, project.join("circle")).unwrap();
    symlink("82f5.jsonl", project.join("linked.jsonl")).unwrap();
    let (options, _temp) = options(2);
    let evidence = Evidence::open(&project, &options).unwrap();
    let said: Vec<_> =
        evidence.findings().into_iter().map(|finding| (finding.code, finding.place.file.unwrap())).collect();
    let expected = [("link-not-followed", "circle"), ("not-a-file", "dangling.jsonl"), ("not-a-file", "pipe.jsonl")];
    assert_eq!(said, expected.map(|(code, file)| (code, file.to_owned())));
    assert_eq!(rows(&evidence).unwrap().len(), 2 + 4 + 4);
    let pipe = project.join("pipe.jsonl");
    assert!(complaint(&pipe, root.path()).contains("is a named pipe, expected a regular file"));
}

#[test]
fn a_run_directory_comes_before_transcripts() {
    let root = projects();
    let runs = root.path().join("runs");
    fs::create_dir(&runs).unwrap();
    fs::write(runs.join("sessions.db"), "").unwrap();
    assert_eq!(
        complaint(root.path(), root.path()),
        "SOURCE holds no sessions.db, but SOURCE/runs does; give that folder"
    );
    fs::write(root.path().join("here.jsonl"), "{}\n").unwrap();
    let codes = read_untouched(root.path(), root.path(), |evidence| evidence.findings()).unwrap();
    assert_eq!(codes.iter().map(|finding| finding.code).collect::<Vec<_>>(), ["nested-run-directory"]);
}

#[test]
fn large_folders_are_read_in_threads() {
    let root = tempfile::tempdir().unwrap();
    for file in 0..9 {
        let line = format!("{{\"text\":\"{}\"}}\n", "x".repeat(400));
        fs::write(root.path().join(format!("{file}.jsonl")), line.repeat(1000)).unwrap();
    }
    let (options, _temp) = options(3);
    let evidence = Evidence::open(root.path(), &options).unwrap();
    let states = evidence.scan(|| 0, |rows, _| *rows += 1).unwrap();
    assert_eq!((states.len(), states.iter().sum::<i32>()), (3, 9000));
}

#[test]
fn a_transcript_that_grows_is_read_as_it_was() {
    let root = projects();
    let path = root.path().join("-w-other/99aa.jsonl");
    let (options, _temp) = options(1);
    let evidence = Evidence::open(&path, &options).unwrap();
    let file = Mutex::new(fs::File::options().append(true).open(&path).unwrap());
    let rows = evidence.scan(
        || 0,
        |rows, _| {
            *rows += 1;
            file.lock().unwrap().write_all(b"{\"later\":1}\n").unwrap();
        },
    );
    assert_eq!(rows.unwrap(), [1]);
    assert_eq!(evidence.findings()[0].code, "still-being-written");
    let opened = evidence.close();
    assert_eq!((opened.unchanged, opened.retries), (false, 0));
    assert_eq!(opened.changes, ["99aa.jsonl went from 8 to 20 bytes"]);
}

#[test]
fn a_transcript_that_is_rewritten_is_read_again() {
    let root = projects();
    let path = root.path().join("-w-other/99aa.jsonl");
    let (options, _temp) = options(1);
    let evidence = Evidence::open(&path, &options).unwrap();
    let rewrites = Mutex::new(1);
    let rows = evidence.scan(Vec::new, |rows, row| {
        rows.push(row.payload.unwrap().to_vec());
        let mut left = rewrites.lock().unwrap();
        if *left > 0 {
            *left -= 1;
            fs::write(&path, "{}\n{}\n").unwrap();
        }
    });
    assert_eq!(rows.unwrap(), [[b"{}", b"{}"]]);
    assert_eq!(evidence.close().retries, 1);
    let evidence = Evidence::open(&path, &options).unwrap();
    let error = evidence.scan(
        || (),
        |(), _| {
            fs::remove_file(&path).unwrap();
            fs::write(&path, "{}\n").unwrap();
        },
    );
    assert!(error.unwrap_err().to_string().contains("changed during each of 4 attempts"));
}
