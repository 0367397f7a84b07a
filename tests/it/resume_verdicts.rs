//! Whether what the load layers feed is called resumable, and what `layers` refuses to do.

use crate::program::{json as report, run};
use crate::store::{Case, temporary, write_rows};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const KEY: &str = "-w/s";

fn user(uuid: &str, parent: Option<&str>, content: impl Into<Value>) -> String {
    let message = json!({"role":"user","content":content.into()});
    json!({"type":"user","uuid":uuid,"parentUuid":parent,"version":"2.1.332","message":message}).to_string()
}

fn says(uuid: &str, parent: Option<&str>, content: impl Into<Value>) -> String {
    let message = json!({"role":"assistant","id":format!("m-{uuid}"),"content":content.into()});
    json!({"type":"assistant","uuid":uuid,"parentUuid":parent,"version":"2.1.332","message":message}).to_string()
}

fn call(id: &str) -> Value {
    json!({"type":"tool_use","id":id,"name":"Bash","input":{"command":"make"}})
}

fn result(id: &str) -> Value {
    json!({"type":"tool_result","tool_use_id":id,"content":"done"})
}

fn text(text: &str) -> Value {
    json!([{"type":"text","text":text}])
}

/// The live verdict, the codes of its reasons, and the whole report.
fn verdict(rows: &[String]) -> (String, Vec<String>, Value) {
    let built = write_rows(KEY, rows);
    let made = report(built.path(), &["layers", "runs"]);
    let verdict = &made["result"]["keys"][KEY]["verdict"];
    let codes = verdict["reasons"].as_array().unwrap().iter().map(|reason| reason["code"].as_str().unwrap().to_owned());
    (verdict["live"].as_str().unwrap().to_owned(), codes.collect(), made)
}

fn is(rows: &[String], live: &str, code: &str) -> Value {
    let (found, codes, made) = verdict(rows);
    assert_eq!(found, live, "{codes:?} {:#}", made["findings"]);
    assert!(codes.iter().any(|found| found == code), "{codes:?}");
    made
}

#[test]
fn a_result_off_the_live_path_is_missing_there() {
    let abandoned = [
        user("u", None, "go"),
        says("a", Some("u"), json!([call("t1")])),
        user("m", Some("a"), "wait"),
        says("m2", Some("m"), text("yes")),
        user("r", Some("m2"), json!([result("t1")])),
        user("x", Some("a"), "other"),
        says("y", Some("x"), text("yes")),
    ];
    is(&abandoned, "refused", "result-off-path");
    for parent in [Some("nowhere"), None] {
        let detached = [
            user("x", parent, json!([result("t1")])),
            user("u", None, "go"),
            says("a", Some("u"), json!([call("t1")])),
            user("c", Some("a"), "go on"),
            says("d", Some("c"), text("yes")),
        ];
        is(&detached, "refused", "result-off-path");
    }
}

#[test]
fn a_result_above_its_call_is_refused_whatever_the_order_of_the_rows() {
    let mut rows = vec![
        user("u", None, "go"),
        user("b", Some("u"), json!([result("t1")])),
        says("a", Some("b"), json!([call("t1")])),
        user("c", Some("a"), "go on"),
        says("d", Some("c"), text("yes")),
    ];
    let made = is(&rows, "refused", "pairing-fed");
    let of_store =
        made["findings"].as_array().unwrap().iter().find(|found| found["code"] == "result-before-call").unwrap();
    assert_eq!(of_store["level"], "error");
    assert!(of_store["message"].as_str().unwrap().contains("hangs above its call"), "{of_store}");
    rows.swap(1, 2);
    is(&rows, "refused", "pairing-fed");
}

#[test]
fn a_call_that_healing_passes_over_is_refused() {
    let again = [
        user("u", None, "go"),
        says("a", Some("u"), json!([call("t1")])),
        user("b", Some("a"), json!([result("t1")])),
        says("c", Some("b"), json!([call("t1")])),
        user("d", Some("c"), "go on"),
        says("e", Some("d"), text("yes")),
    ];
    let twice = [
        user("u", None, "go"),
        says("a", Some("u"), json!([call("t1"), call("t1")])),
        user("b", Some("a"), json!([result("t1")])),
    ];
    for rows in [&again[..], &twice] {
        let made = is(rows, "refused", "pairing-fed");
        assert_eq!(made["result"]["keys"][KEY]["report"]["healed"], 0);
        let found = made["findings"].as_array().unwrap().iter().find(|found| found["code"] == "orphan-call").unwrap();
        assert!(found["message"].as_str().unwrap().contains("healing adds none"), "{found}");
    }
}

#[test]
fn a_path_that_breaks_off_has_lost_something() {
    let mut rows = vec![
        user("u", None, "go"),
        says("a", Some("u"), text("one")),
        user("b", Some("a"), "two"),
        says("c", Some("b"), text("three")),
    ];
    rows[2] = "TORN".to_owned();
    is(&rows, "resumable-with-loss", "rows-unreadable");
    let built = write_rows(KEY, &rows);
    let page = run(built.path(), &["layers", "runs"]).out;
    assert!(page.contains("Findings") && page.contains("torn-record"), "{page}");
    rows.remove(2);
    is(&rows, "resumable-with-loss", "path-broken");
    is(&["TORN".to_owned()], "refused", "no-leaf");
}

#[test]
fn known_harm_is_a_loss() {
    let mut stand_in: Value = serde_json::from_str(&user("b", None, "two")).unwrap();
    stand_in["isApiErrorMessage"] = json!(true);
    let to_root = [
        user("u", None, "go"),
        says("a", Some("u"), text("one")),
        stand_in.to_string().replace(r#""parentUuid":null"#, r#""parentUuid":"b0""#),
        says("c", Some("b"), text("three")),
        user("d", Some("c"), "four"),
    ];
    assert_eq!(verdict(&to_root).0, "resumable-with-loss");
    let null = to_root.map(|row| row.replace(r#""parentUuid":"b0""#, r#""parentUuid":null"#));
    is(&null, "resumable-with-loss", "relinked-to-root");
    let beside = [
        user("u", None, "go"),
        says("a", Some("u"), json!([call("t1")])),
        user("d", Some("a"), "go on"),
        user("e", Some("a"), "other"),
        says("f", Some("e"), text("yes")),
    ];
    is(&beside, "resumable-with-loss", "beside-healed");
}

#[test]
fn results_behind_text_are_told() {
    let rows = [
        user("u", None, "go"),
        says("a", Some("u"), json!([call("t1")])),
        user("b", Some("a"), json!([{"type":"text","text":"x"}, result("t1")])),
    ];
    let (live, _, made) = verdict(&rows);
    let mut codes = made["findings"].as_array().unwrap().iter().map(|found| found["code"].as_str().unwrap());
    assert!(live == "resumable" && codes.any(|code| code == "text-before-results"), "{live} {made:#}");
}

/// Ends with a usage error that says this.
fn refuses(folder: &Path, args: &[&str], said: &str) {
    let ended = run(folder, &[&["layers"], args].concat());
    assert!(ended.code == Some(2) && ended.err.contains(said), "{args:?}: {:?} {}", ended.code, ended.err);
    assert!(ended.err.len() < 2000, "{args:?}: {} bytes", ended.err.len());
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let case = Case::copy("healthy");
    let (root, source) = (case.root.as_path(), case.source);
    fs::write(root.join("long.toml"), "x".repeat(1 << 20)).unwrap();
    fs::write(root.join("list.json"), "[{},{},{},{}]").unwrap();
    refuses(root, &[source, "--policy", "/dev/zero"], "found a folder, device or pipe");
    refuses(root, &[source, "--policy", "long.toml"], "at most 64 KiB");
    refuses(root, &[source, "--policy", "list.json"], "is no policy");
    refuses(root, &[source, "--no-trim", "--trim-keep", "2"], "cannot be used with");
    refuses(root, &["--explain", "ls", "--diff", "tight"], "cannot be used with");
    refuses(root, &["--explain", "ls", source], "cannot be used with");
    let out = temporary();
    let file = |name: &str| out.path().join(name).display().to_string();
    let emit = |more: &[&str], said: &str| refuses(root, &[&[source, "--session", "0"], more].concat(), said);
    let fifo = file("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    emit(&["--emit", &fifo], "expected a file");
    emit(&["--emit", "-"], "expected a file");
    emit(&["--emit", &file("x"), "--output", &file("x")], "name the same file");
    emit(&["--emit", &file("x"), "--diff", "tight", "none"], "--emit with two policies");
    let workbench = root.join(".flower/x").display().to_string();
    emit(&["--emit", &workbench], "evidence is never changed");
    emit(&["--output", &workbench], "evidence is never changed");
}

#[test]
fn many_segments_are_cut_with_a_count() {
    let folder = temporary();
    let page = run(folder.path(), &["layers", "--explain", &"ls;".repeat(300)]).out;
    assert!(page.contains("and 101 more"), "{page}");
    let table = run(folder.path(), &["layers", "--format", "csv", "--explain", &"ls;".repeat(300)]).out;
    assert_eq!(table.lines().count(), 302);
}

#[test]
fn changes_are_in_the_csv_when_they_are_asked_for() {
    let case = Case::open("load-layers");
    let table = run(&case.root, &["layers", case.source, "--changes", "--format", "csv"]).out;
    assert!(table.starts_with("policy,store_key,seq,layer,what,reason"), "{table}");
    assert!(table.lines().count() > 5, "{table}");
}
