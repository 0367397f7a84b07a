//! Where reports go, what `show` says of rows that are no entries, and odd files beside a good database.

use crate::program::{json, run};
use crate::store::{Case, fixtures};
use std::fs;
use std::os::unix::fs::symlink;

/// A link to a name that does not exist yet would make a file in the evidence; a second name of a piece of evidence would
/// overwrite it.
#[test]
fn no_way_of_naming_the_output_reaches_the_evidence() {
    let case = Case::copy("linear");
    let runs = case.path();
    let before = fs::read(runs.join("sessions.db")).unwrap();
    symlink(runs.join("new.txt"), case.root.join("link.txt")).unwrap();
    let ended = run(&case.root, &["summary", case.source, "--output", "link.txt"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("a link to a file that does not exist"), "{}", ended.err);
    assert!(!runs.join("new.txt").exists());

    fs::hard_link(runs.join("sessions.db"), case.root.join("hard.txt")).unwrap();
    let ended = run(&case.root, &["summary", case.source, "--output", "hard.txt"]);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    assert!(fs::read_to_string(case.root.join("hard.txt")).unwrap().starts_with("Summary of"));
    assert_eq!(fs::read(runs.join("sessions.db")).unwrap(), before);
}

/// A link to a file elsewhere is followed, a device is written to.
#[test]
fn links_and_devices_are_written_to() {
    let case = Case::copy("linear");
    fs::write(case.root.join("report.txt"), "older").unwrap();
    symlink("report.txt", case.root.join("link.txt")).unwrap();
    for output in ["link.txt", "/dev/null"] {
        let ended = run(&case.root, &["summary", case.source, "--output", output]);
        assert_eq!((ended.code, ended.out.as_str(), ended.err.as_str()), (Some(0), "", ""), "{output}");
    }
    assert!(fs::read_to_string(case.root.join("report.txt")).unwrap().starts_with("Summary of"));
    assert!(case.root.join("link.txt").is_symlink());
    let full = run(&case.root, &["summary", case.source, "--output", "/dev/full"]);
    assert_eq!(full.code, Some(2));
}

/// A row that could not be decoded is looked at like any other; a number never names another row by its uuid.
#[test]
fn rows_that_are_no_entries_are_shown() {
    let case = Case::copy("unreadable-parent");
    let session = json(&case.root, &["show", case.source, "main"]);
    let defects = session["result"]["defects"].as_array().unwrap();
    assert_eq!(defects.len(), 1);
    let seq = defects[0]["seq"].as_i64().unwrap();
    let name = format!("main:{seq}");
    let one = json(&case.root, &["show", case.source, &name]);
    assert_eq!(one["result"]["entries"].as_array().unwrap().len(), 0);
    let content = one["result"]["defects"][0]["content"].as_str().unwrap();
    assert!(content.starts_with('{'), "{content}");
    let raw = run(&case.root, &["show", case.source, &name, "--raw"]);
    assert_eq!((raw.code, raw.out.as_str()), (Some(0), content));
    let all = run(&case.root, &["show", case.source, "main", "--raw"]);
    assert!(all.out.contains(content));
    let page = run(&case.root, &["show", case.source, &name]);
    assert!(page.out.contains("which is no entry") && page.out.contains("torn-record"), "{}", page.out);
    let none = run(&case.root, &["show", case.source, "main:99"]);
    assert_eq!(none.code, Some(2));
}

/// A log of another database spoils only its own copy, and the message says where to look.
#[test]
fn a_foreign_log_is_named() {
    let case = Case::copy("healthy");
    fs::copy(fixtures().join("crash-wal/runs/sessions.db-wal"), case.path().join("sessions.db-wal")).unwrap();
    let ended = run(&case.root, &["summary", case.source]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("its -wal was applied to a copy, and that may not belong to it"), "{}", ended.err);
}

/// A manifest that cannot be read is a finding; the transcripts are still told, and no figure is made up.
#[test]
fn an_unreadable_manifest_stops_nothing() {
    let case = Case::copy("healthy");
    let manifest = case.path().join("manifest.json");
    fs::remove_file(&manifest).unwrap();
    fs::create_dir(&manifest).unwrap();
    let report = json(&case.root, &["summary", case.source]);
    assert!(report["result"]["steps"].is_null());
    assert_eq!(report["result"]["usage"]["model_turns"], 33);
    assert!(report["findings"].as_array().unwrap().iter().any(|finding| finding["code"] == "state-unreadable"));
}

/// A workbench folder that is a link leads out of the run: it is not followed, and nothing in it is called missing.
#[test]
fn a_linked_workbench_folder_is_not_followed() {
    let case = Case::copy("healthy");
    let workbench = case.path().parent().unwrap().join(".flower");
    fs::rename(workbench.join("spill"), workbench.join("elsewhere")).unwrap();
    symlink("/", workbench.join("spill")).unwrap();
    let report = json(&case.root, &["summary", case.source]);
    assert_eq!(report["result"]["workbench"]["spill"]["files"], 0);
    assert_eq!(report["result"]["workbench"]["incomplete"], true);
    let codes: Vec<_> = report["findings"].as_array().unwrap().iter().map(|finding| finding["code"].clone()).collect();
    assert_eq!(codes, ["workbench-incomplete"]);
}

/// Messages name sessions and files too: nobody who reads them has asked to see a secret.
#[test]
fn messages_are_masked() {
    let case = Case::copy("linear");
    let secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
    let store = rusqlite::Connection::open(case.path().join("sessions.db")).unwrap();
    store.execute("UPDATE entries SET store_key = 'proj/' || ?1", [secret]).unwrap();
    drop(store);
    let ended = run(&case.root, &["show", case.source, "nosuch"]);
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.err.contains("the source has proj/sk-ant-api03-…[masked") && !ended.err.contains(secret),
        "{}",
        ended.err
    );
}
