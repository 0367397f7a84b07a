//! What lies within the bounds of the report is explained by them, no cause explains more than it can, and a guess is marked.

use crate::program::{json as report, run};
use crate::small_runs::{START, TOKENS, answer, entry, made, prompt, put, step};
use serde_json::{Value, json};
use tempfile::TempDir;

fn usage(usage: &Value) -> Value {
    json!({"message": {"usage": usage}})
}

fn cost(run: &TempDir) -> Value {
    report(run.path(), &["cost", "runs"])
}

/// The causes of the first step with their parts in dollars.
fn causes(report: &Value) -> Vec<(&str, Option<f64>)> {
    let causes = report["result"]["steps"][0]["causes"].as_array().unwrap();
    causes.iter().map(|cause| (cause["code"].as_str().unwrap(), cause["amount_usd"].as_f64())).collect()
}

/// The codes of the findings that are not about the evidence.
fn findings(report: &Value) -> Vec<&str> {
    report["findings"].as_array().unwrap().iter().map(|finding| finding["code"].as_str().unwrap()).collect()
}

/// Measured, low and high of all.
fn figures(report: &Value) -> [Option<f64>; 3] {
    ["measured_usd", "low_usd", "high_usd"].map(|name| report["result"][name].as_f64())
}

#[test]
fn what_lies_within_the_bounds_is_no_riddle() {
    let of = |reported| {
        let written = usage(&json!({"input_tokens": 0, "cache_creation_input_tokens": TOKENS}));
        cost(&made(&[answer("s", 0, &written)], &[step("a", "s", reported, &json!({}))]))
    };
    let inside = of(8.0);
    assert_eq!(figures(&inside), [Some(5.0), Some(5.0), Some(8.0)]);
    assert_eq!((causes(&inside), findings(&inside)), (vec![("cache-write-duration", Some(3.0))], vec![]));
    let over = of(9.0);
    assert_eq!(causes(&over), [("cache-write-duration", None), ("unexplained", Some(1.0))]);
    assert_eq!(findings(&over), ["unexplained-cost"]);
}

#[test]
fn a_turn_of_no_known_time_has_the_prices_of_all_periods() {
    let read = json!({"input_tokens": 0, "cache_read_input_tokens": 10 * TOKENS});
    let mut undated = json!({"timestamp": null, "message": {"model": "claude-sonnet-5-5"}});
    put(&mut undated, &usage(&read));
    let report = cost(&made(&[answer("s", 0, &undated)], &[step("a", "s", 1.5, &json!({}))]));
    assert_eq!(figures(&report), [Some(1.0), Some(1.0), Some(2.0)]);
    assert_eq!(causes(&report), [("undated-price", Some(0.5))]);
}

#[test]
fn a_killed_attempt_explains_its_own_spend_alone() {
    let rows = [
        prompt("s", 0),
        answer(
            "s",
            1,
            &json!({"message": {"stop_reason": "tool_use",
        "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]}}),
        ),
        prompt("s", 2),
        answer("s", 3, &json!({})),
    ];
    let of = |reported, more: &Value| {
        let report = cost(&made(&rows, &[step("a", "s", reported, more)]));
        causes(&report).into_iter().map(|(code, part)| (code.to_owned(), part)).collect::<Vec<_>>()
    };
    let killed = json!({"attempts": 2, "errors": ["exit -9"]});
    assert_eq!(of(4.0, &killed), [("killed-attempt".to_owned(), Some(-4.0))]);
    let beyond = of(1.0, &killed);
    assert_eq!(beyond, [("killed-attempt".to_owned(), None), ("unexplained".to_owned(), Some(-3.0))]);
    let alone = json!({"ok": false, "errors": ["exit -9"], "error": "unknown: exit -9"});
    let report = cost(&made(&rows[..2], &[step("a", "s", 0.0, &alone)]));
    assert_eq!(causes(&report), [("killed-attempt", Some(-4.0))]);
}

#[test]
fn the_row_of_a_killed_process_does_not_contradict_its_client() {
    let total = entry("s", 2, &json!({"type": "cost-state", "totalCostUSD": 4.0, "startTime": 1}));
    let killed = json!({"ok": false, "errors": ["exit 143"], "error": "unknown: exit 143"});
    let report = cost(&made(&[prompt("s", 0), answer("s", 1, &json!({})), total], &[step("a", "s", 0.0, &killed)]));
    assert_eq!((causes(&report), findings(&report)), (vec![("killed-attempt", Some(-4.0))], vec![]));
    assert_eq!(report["result"]["steps"][0]["client_usd"], 4.0);
}

#[test]
fn a_title_is_a_hidden_call_of_builds_that_leave_no_total() {
    let title = entry("s", 2, &json!({"type": "ai-title", "aiTitle": "t", "timestamp": null}));
    let rows = [prompt("s", 0), answer("s", 1, &json!({})), title];
    let of = |rows: &[(String, String)], reported| {
        let report = cost(&made(rows, &[step("a", "s", reported, &json!({}))]));
        causes(&report).into_iter().map(|(code, _)| code.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(of(&rows, 4.01), ["hidden-calls"]);
    assert_eq!(of(&rows, 40.0), ["hidden-calls", "unexplained"]);
    assert_eq!(of(&rows[..2], 4.01), ["unexplained"]);
}

#[test]
fn a_split_counts_without_a_total_and_bounds_it_with_one() {
    let of = |total: Value| {
        let split = json!({"ephemeral_5m_input_tokens": 900_000, "ephemeral_1h_input_tokens": 300_000});
        let written = usage(&json!({"input_tokens": 0, "cache_creation_input_tokens": total, "cache_creation": split}));
        let report = cost(&made(&[answer("s", 0, &written)], &[]));
        (figures(&report), findings(&report).contains(&"cache-split-differs"))
    };
    assert_eq!(of(Value::Null), ([Some(6.9); 3], false));
    assert_eq!(of(TOKENS.into()), ([Some(5.3), Some(5.3), Some(6.9)], true));
    assert_eq!(of(json!(1_200_000)), ([Some(6.9); 3], false));
}

#[test]
fn a_session_that_no_step_names_is_marked_as_a_guess() {
    let rows = [answer("s", 0, &json!({})), answer("stray", 0, &json!({}))];
    let run_folder = made(&rows, &[step("a", "s", 4.0, &json!({}))]);
    let report = cost(&run_folder);
    let told = &report["result"]["steps"][0];
    assert_eq!((told["measured_usd"].as_f64(), told["by_time_usd"].as_f64()), (Some(8.0), Some(4.0)));
    assert_eq!(report["result"]["rows"][0]["by_time_usd"], 4.0);
    assert_eq!((causes(&report), findings(&report)), (vec![("assigned-by-time", Some(-4.0))], vec!["step-by-time"]));
    let shown = run(run_folder.path(), &["cost", "runs"]).out;
    assert_eq!(shown.matches("~ $8.00").count(), 2, "{shown}");
}

#[test]
fn steps_that_claim_a_session_for_one_time_are_a_finding() {
    let later = json!({"started_at": START - 30, "ended_at": START + 30});
    let steps = [step("a", "s", 0.0, &later), step("b", "s", 4.0, &json!({}))];
    let report = cost(&made(&[answer("s", 0, &json!({}))], &steps));
    assert_eq!((causes(&report), findings(&report)), (vec![], vec!["overlapping-steps"]));
    let apart = json!({"started_at": START - 30, "ended_at": START - 1});
    let report =
        cost(&made(&[answer("s", 0, &json!({}))], &[step("a", "s", 0.0, &apart), step("b", "s", 4.0, &json!({}))]));
    assert_eq!(findings(&report), [""; 0]);
}

#[test]
fn a_request_of_another_model_has_the_price_of_that_model() {
    let of = |model: &str| {
        let own = json!({"type": "message", "input_tokens": TOKENS});
        let other = json!({"type": "advisor_message", "model": model, "input_tokens": TOKENS});
        cost(&made(&[answer("s", 0, &usage(&json!({"iterations": [own, other]})))], &[]))
    };
    assert_eq!(figures(&of("claude-opus-4-5")), [Some(9.0); 3]);
    let unpriced = of("some-model");
    assert_eq!((figures(&unpriced), findings(&unpriced)), ([Some(4.0), Some(4.0), None], vec!["unpriced-model"]));
    let named = &unpriced["result"]["unpriced"][0];
    assert_eq!((named["model"].as_str(), named["input"].as_u64()), (Some("some-model"), Some(u64::from(TOKENS))));
}

#[test]
fn an_empty_id_is_none() {
    let rows = [0, 1].map(|n| answer("s", n, &json!({"message": {"id": ""}})));
    assert_eq!(figures(&cost(&made(&rows, &[])))[0], Some(8.0));
}

#[test]
fn a_time_years_ahead_is_not_believed() {
    let rows =
        [prompt("s", 0), answer("s", 1, &json!({})), answer("s", 2, &json!({"timestamp": "2099-01-01T00:00:00Z"}))];
    let folder = made(&rows, &[step("a", "s", 8.0, &json!({}))]);
    let cost = report(folder.path(), &["cost", "runs", "--by", "day"]);
    let days: Vec<&str> =
        cost["result"]["rows"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!((days, causes(&cost)), (vec!["2026-11-30"], vec![]));
    assert!(findings(&cost).contains(&"time-in-future"), "{:?}", findings(&cost));
    let timeline = &report(folder.path(), &["timeline", "runs"])["result"];
    assert_eq!(timeline["to"], "2026-11-30T14:01:00.000Z", "the end of the step");
    let unplaced = timeline["unplaced"].as_array().unwrap();
    assert!(
        unplaced.iter().any(|row| row["why"].as_str().unwrap().contains("years after everything else")),
        "{unplaced:?}"
    );
}
