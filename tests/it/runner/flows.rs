//! Flows of several steps, and what the next run continues.

use super::super::program::Ended;
use super::books::{signal, until};
use super::stage::{SESSION, Stage, entry, exit, hello, mirrors, result, script, text};
use serde_json::{Value, json};
use std::fs;

fn run(stage: &Stage, flow: &Value) -> Ended {
    fs::write(stage.path("flow.json"), flow.to_string()).unwrap();
    stage.run(&["--no-probe", "run", "flow.json"])
}

fn lineage(stage: &Stage) -> Value {
    serde_json::from_slice(&fs::read(stage.path("runs/lineage.json")).unwrap()).unwrap()
}

fn done(said: &str) -> Vec<Value> {
    script(&[&hello(), &[mirrors(&[entry("a")]), text(said), result(&json!({}))]])
}

#[test]
fn texts_and_sessions_go_from_step_to_step_and_from_run_to_run() {
    let stage = Stage::fake();
    let flow = json!({"name": "f", "steps": [
        {"name": "plan", "prompt": "make a plan"},
        {"name": "write", "prompt": "follow {{plan}}", "resume_from": "plan", "fork": true},
    ]});
    stage.script(1, &done("THE PLAN"));
    stage.script(2, &done("written"));
    let ended = run(&stage, &flow);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.out.contains("1/2 plan") && ended.out.contains("2/2 write"), "{}", ended.out);
    assert!(stage.recorded(2, "stdin")[1].contains("follow THE PLAN"));
    let second = stage.recorded(2, "argv").join(" ");
    assert!(second.contains(&format!("--resume={SESSION} --fork-session --session-id=")), "{second}");
    assert_eq!((lineage(&stage)["woke"].as_u64(), lineage(&stage)["steps"]["plan"].as_str()), (Some(1), Some(SESSION)));
    stage.script(3, &done("again"));
    let one = json!({"steps": [{"name": "plan", "prompt": "go on"}]});
    assert_eq!(run(&stage, &one).code, Some(0));
    assert!(stage.recorded(3, "argv").contains(&format!("--resume={SESSION}")));
    assert_eq!(lineage(&stage)["woke"], 2);
    let fresh = json!({"steps": [{"name": "plan", "prompt": "anew", "continuous": false}]});
    stage.script(4, &done("x"));
    run(&stage, &fresh);
    assert!(stage.recorded(4, "argv").iter().any(|arg| arg.starts_with("--session-id=")));
}

#[test]
fn another_workspace_continues_nothing() {
    let mut stage = Stage::fake();
    let flow = json!({"steps": [{"name": "plan", "prompt": "P"}]});
    stage.script(1, &done("x"));
    stage.script(2, &done("y"));
    run(&stage, &flow);
    stage.workspace = "other".to_owned();
    run(&stage, &flow);
    assert!(stage.recorded(2, "argv").iter().any(|arg| arg.starts_with("--session-id=")));
}

#[test]
fn a_failed_step_is_run_again_and_then_ends_skips_or_goes_on() {
    let failed = || {
        script(&[
            &hello(),
            &[text("half"), result(&json!({"is_error": true, "api_error_status": 401, "result": "no"})), exit(1)],
        ])
    };
    let flow = |on_fail: &str| json!({"steps": [{"name": "a", "prompt": "P", "retries": 1, "on_fail": on_fail, "continuous": false}, {"name": "b", "prompt": "[{{a}}]"}]});
    for (on_fail, code, rows, prompt) in
        [("stop", 1, 2, None), ("skip", 0, 3, Some("[]")), ("continue", 0, 3, Some("[half]"))]
    {
        let stage = Stage::fake();
        stage.script(1, &failed());
        stage.script(2, &failed());
        stage.script(3, &done("b"));
        let ended = run(&stage, &flow(on_fail));
        assert_eq!((ended.code, stage.manifest().len()), (Some(code), rows), "{on_fail}: {ended:?}");
        let labels: Vec<Value> = stage.manifest().iter().take(2).map(|row| row["step"].clone()).collect();
        assert_eq!(labels, ["a", "a#retry1"]);
        match prompt {
            None => assert!(ended.err.contains("在步骤 'a' 中止"), "{}", ended.err),
            Some(prompt) => assert!(stage.recorded(3, "stdin")[1].contains(&format!("\"content\":\"{prompt}\""))),
        }
    }
}

#[test]
fn a_session_is_noted_before_the_cli_can_die() {
    let stage = Stage::fake();
    stage.script(1, &[json!({"dir": "sleep", "ms": 20_000})]);
    fs::write(stage.path("flow.json"), r#"{"steps":[{"name":"a","prompt":"P"}]}"#).unwrap();
    let mut child = stage.start(&["--no-probe", "run", "flow.json"]);
    until("the CLI has begun", || stage.starts() == 1);
    signal(&child.0, rustix::process::Signal::KILL);
    child.0.wait().unwrap();
    let argv = stage.recorded(1, "argv");
    let id = argv.iter().find_map(|arg| arg.strip_prefix("--session-id=")).unwrap();
    assert_eq!(lineage(&stage)["steps"]["a"], id);
    stage.script(2, &done("x"));
    assert_eq!(stage.run(&["--no-probe", "run", "flow.json"]).code, Some(0));
    assert!(
        stage.recorded(2, "argv").iter().any(|arg| arg.starts_with("--session-id=")),
        "nothing is in the store: begun anew"
    );
}

#[test]
fn a_wrong_flow_is_named_before_anything_runs() {
    let stage = Stage::fake();
    let ended = run(&stage, &json!({"steps": []}));
    assert_eq!((ended.code, ended.err.as_str()), (Some(1), "error: flow.json: it has no steps; add one\n"));
    assert!(!stage.path("runs").exists());
}
