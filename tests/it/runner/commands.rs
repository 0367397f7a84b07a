//! The command line: what is refused, setup, and where settings come from.

use super::books::until;
use super::stage::{SESSION, Stage, exit, hello, result, script, text};
use crate::store::fixtures;
use serde_json::json;
use std::fs;
use std::io::Write;
use std::process::Stdio;

#[test]
fn usage_errors_start_nothing() {
    let stage = Stage::fake();
    for args in [
        &["once", "P", "--fork"][..],
        &["once", "P", "-b", "0"],
        &["once", "P", "--resume", "x"],
        &["once"],
        &["nothing"],
    ] {
        assert_eq!(stage.run(args).code, Some(2), "{args:?}");
    }
    assert!(!stage.path("runs").exists());
}

/// A plugin that would not load, or not whole, is refused before the CLI is started; one that loads is passed on.
#[test]
fn a_broken_plugin_costs_nothing() {
    let plugin = |path: &str| fixtures().join("plugins").join(path).display().to_string();
    let stage = Stage::fake();
    for (folder, said) in [
        ("json-empty-file/plugin", "has 1 error, the first one"),
        ("market-valid/market", "is a marketplace and no plugin"),
        ("name-slash/plugin", "no session loads the plugin"),
        ("monitors-bad-entries/plugin", "none of the plugin's monitors loads"),
        ("type-author/plugin", "has 1 error"),
        ("run-unmet-dependency/plugin", "depends on other, which the run is not given"),
    ] {
        let ended = stage.once(&["P", "--plugin-dir", &plugin(folder)]);
        assert_eq!((ended.code, stage.starts()), (Some(1), 0), "{folder}: {}", ended.err);
        assert!(ended.err.contains(said), "{folder}: {}", ended.err);
    }
    let valid = plugin("metadata-complete/plugin");
    stage.script(1, &script(&[&hello(), &[text("done"), result(&json!({})), exit(0)]]));
    let ended = stage.once(&["P", "--plugin-dir", &valid]);
    assert_eq!((ended.code, stage.starts()), (Some(0), 1), "{}", ended.err);
    let line = stage.recorded(1, "argv");
    assert!(line.contains(&format!("--plugin-dir={valid}")), "{line:?}");
}

#[test]
fn a_session_that_is_not_there_is_not_tried() {
    let stage = Stage::fake();
    let ended = stage.once(&["P", "--resume", SESSION]);
    assert_eq!((ended.code, stage.starts()), (Some(1), 0));
    assert!(ended.err.contains(&format!("the store has no session {SESSION}")), "{}", ended.err);
}

#[test]
fn without_a_credential_it_says_where_to_put_one() {
    let stage = Stage::fake();
    let ended = stage.command(&["once", "P"]).env_remove("ANTHROPIC_API_KEY").output().unwrap();
    assert_eq!(ended.status.code(), Some(1));
    insta::assert_snapshot!(String::from_utf8(ended.stderr).unwrap(), @r"
    error: no credentials: neither ANTHROPIC_API_KEY nor ANTHROPIC_AUTH_TOKEN has a value
      - set one of them, or run `flower-run setup`
      - `flower-run env-explain` shows where they were looked for, and why a line did not count
    ");
}

#[test]
fn a_token_that_is_typed_is_not_shown() {
    let stage = Stage::fake();
    let mut terminal = super::terminal::Terminal::open(&stage, &["setup"]);
    for (question, answer) in
        [("token (", "sk-ant-SECRET\n"), ("base URL (", "https://shown.example\n"), ("model (", "\n")]
    {
        until(question, || terminal.shown().contains(question));
        terminal.press(answer);
    }
    assert_eq!(terminal.wait(), Some(0), "{}", terminal.shown());
    let shown = terminal.shown();
    assert!(!shown.contains("SECRET") && shown.contains("https://shown.example"), "{shown}");
}

#[test]
fn setup_writes_what_env_explain_shows() {
    let stage = Stage::fake();
    let refused = stage.run(&["setup"]);
    assert_eq!(refused.code, Some(1), "no terminal");
    let mut child = stage.command(&["setup", "--stdin"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"sk-ant-fake-1111\n\nm[1m]\n").unwrap();
    assert!(child.wait().unwrap().success());
    fs::write(stage.path(".env"), "export A=1\nANTHROPIC_MODEL= x # note\nANTHROPIC_MODEL=y\n").unwrap();
    let output = stage
        .command(&["env-explain"])
        .env_remove("ANTHROPIC_API_KEY")
        .env_remove("ANTHROPIC_BASE_URL")
        .output()
        .unwrap();
    let shown = String::from_utf8(output.stdout).unwrap().replace(&stage.root.path().display().to_string(), "ROOT");
    insta::assert_snapshot!(shown);
    let output = stage.command(&["env-explain", "--json"]).output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let key =
        json["settings"].as_array().unwrap().iter().find(|setting| setting["key"] == "ANTHROPIC_API_KEY").unwrap();
    assert_eq!((key["origin"].as_str(), key["value"].as_str()), (Some("process"), Some("sk-a***(共 16 位)")));
    assert_eq!(key["shadowed"].as_array().unwrap().len(), 1);
}

#[test]
fn events_may_go_to_standard_output() {
    let stage = Stage::fake();
    stage.script(1, &script(&[&hello(), &[text("hi"), result(&json!({}))]]));
    let ended = stage.run(&["--no-probe", "--events", "-", "once", "P"]);
    for line in ended.out.lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
    assert!(ended.err.contains("hi\n") && ended.err.contains("总花费"), "{}", ended.err);
}
