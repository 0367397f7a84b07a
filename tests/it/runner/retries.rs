//! What is tried again, how, and at whose expense.

use super::stage::{SESSION, Stage, entry, exit, hello, mirrors, result, says, script, text};
use serde_json::{Value, json};

const RESUME: &str = "上一轮在中途被打断,没有跑完。检查一下工作台里已经落盘的东西,从中断处接着做,不要重头来过。";

fn api_error(status: u16, error: &str, said: &str) -> Vec<Value> {
    let synthetic = says(&json!({"type": "assistant", "error": error,
        "message": {"model": "<synthetic>", "content": [{"type": "text", "text": said}]}}));
    let ended = result(&json!({"is_error": true, "api_error_status": status, "result": said, "total_cost_usd": 0.02}));
    vec![synthetic, ended, exit(1)]
}

#[test]
fn a_failed_attempt_is_resumed_at_its_expense() {
    let stage = Stage::fake();
    stage.script(
        1,
        &script(&[
            &hello(),
            &[mirrors(&[entry("a")]), text("half")],
            &api_error(500, "server_error", "API Error: 500"),
        ]),
    );
    stage.script(2, &script(&[&hello(), &[text("whole"), result(&json!({"total_cost_usd": 0.03}))]]));
    let ended = stage.once(&["-b", "0.10", "P"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let second = stage.recorded(2, "argv").join(" ");
    assert!(second.contains(&format!("--resume={SESSION}")) && second.contains("--max-budget-usd=0.08"), "{second}");
    let prompt: Value = serde_json::from_str(&stage.recorded(2, "stdin")[1]).unwrap();
    assert_eq!(prompt["message"]["content"], RESUME);
    let [row] = stage.manifest().try_into().unwrap();
    assert_eq!(
        (row["attempts"].as_u64(), row["resumed"].as_bool(), row["cost_usd"].as_f64()),
        (Some(2), Some(true), Some(0.05))
    );
    assert_eq!(
        (row["text"].as_str(), row["errors"].as_array().unwrap().len(), &row["error"]),
        (Some("whole"), 1, &Value::Null)
    );
    assert!(row["errors"][0].as_str().unwrap().contains("500"));
    assert!(ended.out.contains("↻ 第 1 次失败(transient),准备重试"), "{}", ended.out);
    assert!(
        ended.out.trim_end().ends_with("manifest.json") && ended.out.contains("总花费 $0.0500 · 清单 "),
        "{}",
        ended.out
    );
}

#[test]
fn what_cannot_help_is_not_tried_again() {
    let limits = result(
        &json!({"is_error": true, "subtype": "error_max_turns", "errors": ["Reached maximum number of turns (2)"]}),
    );
    let missing = api_error(404, "model_not_found", "There's an issue with the selected model (x).");
    for (failure, class) in [
        (api_error(401, "authentication_failed", "Invalid API key"), "fatal: Invalid API key"),
        (vec![limits, exit(1)], "fatal: Reached maximum number of turns (2)"),
        (missing, "fatal: There's an issue with the selected model (x)."),
    ] {
        let stage = Stage::fake();
        stage.script(1, &script(&[&hello(), &failure]));
        let ended = stage.once(&["P"]);
        assert_eq!((ended.code, stage.starts()), (Some(1), 1), "{ended:?}");
        let [row] = stage.manifest().try_into().unwrap();
        assert_eq!((row["error"].as_str(), row["attempts"].as_u64()), (Some(class), Some(1)));
        assert!(ended.err.contains(class), "{}", ended.err);
    }
}

#[test]
fn a_killed_cli_is_started_again_with_the_same_prompt_if_nothing_was_stored() {
    let stage = Stage::fake();
    stage.script(1, &script(&[&hello(), &[exit(-9)]]));
    stage.script(2, &script(&[&hello(), &[text("done"), result(&json!({}))]]));
    let ended = stage.once(&["P"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(stage.recorded(1, "argv"), stage.recorded(2, "argv"));
    assert!(stage.recorded(2, "stdin")[1].contains(r#""content":"P""#));
    let [row] = stage.manifest().try_into().unwrap();
    assert_eq!(
        (row["attempts"].as_u64(), row["resumed"].as_bool(), row["errors"][0].as_str()),
        (Some(2), Some(false), Some("exit -9"))
    );
}

#[test]
fn results_of_one_process_are_not_added_up() {
    let stage = Stage::fake();
    let idle = |state: &str| says(&json!({"type": "system", "subtype": "session_state_changed", "state": state}));
    let turns = [
        idle("running"),
        result(&json!({"total_cost_usd": 0.0402})),
        result(&json!({"total_cost_usd": 0.0804, "num_turns": 2})),
        idle("idle"),
    ];
    stage.script(1, &script(&[&hello(), &turns]));
    assert_eq!(stage.once(&["P"]).code, Some(0));
    let [row] = stage.manifest().try_into().unwrap();
    assert_eq!((row["cost_usd"].as_f64(), row["num_turns"].as_u64()), (Some(0.0804), Some(3)));
}

#[test]
fn a_cli_that_does_not_begin_says_why() {
    let stage = Stage::fake();
    stage.script(1, &[json!({"dir": "stderr", "text": "error: unknown option"}), exit(1)]);
    let ended = stage.once(&["P"]);
    assert_eq!((ended.code, stage.starts()), (Some(1), 1));
    assert!(ended.err.contains("unknown option"), "{}", ended.err);
    let missing = stage.run(&["--no-probe", "--claude", "no-such-program", "once", "P"]);
    assert_eq!(missing.code, Some(2), "named twice");
}
