//! The evidence is never changed: every command on every fixture leaves every name, byte and time as it was, and nothing
//! behind in the temporary folder.

use std::fs;
use std::path::Path;

use crate::program::{command, json};
use crate::sources::witness;
use crate::store::{Case, names};

/// Runs the program with a temporary folder of its own; everything below `root` is as before.
fn untouched(root: &Path, args: &[&str]) {
    let temporary = tempfile::tempdir().unwrap();
    let before = witness(root);
    let output = command(root).args(args).env("TMPDIR", temporary.path()).output().unwrap();
    assert!(matches!(output.status.code(), Some(0..=2)), "{args:?}: {:?}", output.status);
    assert!(witness(root) == before, "{args:?} changed {}", root.display());
    let left: Vec<_> = fs::read_dir(temporary.path()).unwrap().collect();
    assert!(left.is_empty(), "{args:?} left {left:?} behind");
}

/// Every fixture and every source in it.
fn each_source(check: impl Fn(&Case, &str)) {
    for name in names() {
        let case = Case::open(&name);
        check(&case, case.source);
        if case.root.join("cli-projects").exists() {
            check(&case, "cli-projects");
        }
    }
}

#[test]
fn summary_and_sessions_write_nothing() {
    each_source(|case, source| {
        untouched(&case.root, &["summary", source]);
        untouched(&case.root, &["sessions", source, "--format", "json"]);
        untouched(&case.root, &["summary", source, "--fail-on", "info", "--format", "md"]);
    });
}

#[test]
fn hashing_writes_nothing() {
    each_source(|case, source| {
        untouched(&case.root, &["summary", source, "--hash"]);
        untouched(&case.root, &["chain", source, "--check", "--hash", "--format", "csv"]);
    });
}

#[test]
fn chain_writes_nothing() {
    each_source(|case, source| {
        untouched(&case.root, &["chain", source]);
        untouched(&case.root, &["chain", source, "--dot"]);
        untouched(&case.root, &["chain", source, "--view", "loaded", "--format", "json"]);
    });
}

#[test]
fn layers_write_nothing() {
    each_source(|case, source| {
        untouched(&case.root, &["layers", source]);
        untouched(&case.root, &["layers", source, "--policy", "tight", "--changes", "--format", "json"]);
    });
}

#[test]
fn show_writes_nothing() {
    each_source(|case, source| {
        if ["torn-page", "torn-tail"].contains(&case.name.as_str()) {
            return untouched(&case.root, &["show", source, "x"]);
        }
        let sessions = json(&case.root, &["sessions", source]);
        let key = sessions["result"]["sessions"][0]["store_key"].as_str().unwrap();
        untouched(&case.root, &["show", source, key]);
        untouched(&case.root, &["show", "--hash", source, &format!("{key}:1")]);
        untouched(&case.root, &["show", "--raw", source, key]);
    });
}

/// A single file of a source is a source too, and its neighbours are evidence as well.
#[test]
fn single_files_are_left_alone() {
    for (name, source) in [
        ("healthy", "runs/sessions.db"),
        ("crash-wal", "runs/sessions.db"),
        ("crash-journal", "runs/sessions.db"),
        ("forked", "cli-projects/-workspace-demo-forked/5d816f9d-86f3-424b-ad6d-defcbbe9b540.jsonl"),
    ] {
        let case = Case::open(name);
        for command in ["summary", "sessions", "chain", "layers"] {
            untouched(&case.root, &[command, source]);
        }
    }
}

/// The hashes that a report names are those of the files.
#[test]
fn hashes_are_those_of_the_files() {
    let case = Case::open("crash-wal");
    let report = json(&case.root, &["summary", case.source, "--hash"]);
    for file in report["source"]["files"].as_array().unwrap() {
        let path = case.path().join(file["name"].as_str().unwrap());
        let sum = std::process::Command::new("sha256sum").arg(&path).output().unwrap();
        let sum = String::from_utf8(sum.stdout).unwrap();
        assert_eq!(sum.split(' ').next(), file["sha256"].as_str(), "{}", path.display());
    }
    assert_eq!(report["source"]["unchanged"], true);
}
