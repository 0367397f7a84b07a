//! Runs of hundreds of steps: a page that people read is short, says what it leaves out, and JSON has all of it.

use crate::program::{command, json, run};
use crate::store::{write_rows, write_run};
use serde_json::json;

#[test]
fn pages_of_many_steps_are_short() {
    const STEPS: u64 = 400;
    let step = |n: u64| {
        let begin = 1_796_047_200 + n * 20;
        let failed = n.is_multiple_of(2);
        json!({
            "step": format!("step-{n}"), "session_id": format!("x{n}"), "ok": true, "cost_usd": 0.01, "num_turns": 1,
            "text": "", "error": null, "started_at": begin, "ended_at": begin + 9, "attempts": if failed { 2 } else { 1 },
            "errors": if failed { vec!["API Error: 529 Overloaded"] } else { Vec::new() }, "resumed": failed,
            "retired": [], "context": 1000, "duration_s": 9.0, "run": "20261130-140000-aaaaaa",
        })
    };
    let steps: Vec<_> = (0..STEPS).map(step).collect();
    let built = write_run(&[], Some(&json!(steps).to_string()));
    for name in ["cost", "retries", "errors", "timeline"] {
        for columns in ["100", "200"] {
            let shown = command(built.path()).args([name, "runs"]).env("COLUMNS", columns).output().unwrap();
            let text = String::from_utf8(shown.stdout).unwrap();
            assert!(text.lines().count() < 1000, "{name} {columns}: {} lines", text.lines().count());
            assert!(
                text.contains("--format json") || name == "timeline",
                "{name} {columns} says how to see all: {text}"
            );
        }
    }
    let all = json(built.path(), &["cost", "runs"]);
    assert_eq!(all["result"]["steps"].as_array().unwrap().len(), 400);
    let all = json(built.path(), &["retries", "runs"]);
    assert!(all["result"]["attempts"].as_array().unwrap().len() >= 400);
    assert!(all["findings"].as_array().unwrap().len() >= 400);
}

/// A join on a column of few values makes the square of the rows: the values are counted before it is run.
#[test]
fn a_join_that_fills_the_memory_is_refused() {
    let entry = |n: u64| json!({"type": "user", "uuid": format!("u{n}"), "message": {"role": "user", "content": "x"}});
    let rows: Vec<String> = (0..7500).map(|n| entry(n).to_string()).collect();
    let built = write_rows("-w-demo/main", &rows);
    let ask = |sql: &str| run(built.path(), &["query", "runs", "--sql", sql]);
    let refused = ask("SELECT count(*) AS n FROM entries a JOIN entries b ON b.store_key = a.store_key");
    assert_eq!(refused.code, Some(2));
    let said = "on columns of few values, which makes 56250000 rows of them: expected at most 50000000";
    assert!(refused.err.contains(said), "{}", refused.err);
    // A second column makes the same join small.
    let small = "SELECT count(*) AS n FROM entries a JOIN entries b ON a.store_key = b.store_key AND a.seq = b.seq";
    let small = ask(small);
    assert_eq!((small.code, small.err.as_str()), (Some(0), ""));
    assert!(small.out.contains("7500"), "{}", small.out);
    assert_eq!(ask("SELECT count(*) AS n FROM entries a JOIN entries b USING (seq)").code, Some(0));
}
