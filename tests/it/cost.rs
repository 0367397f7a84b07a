//! What a run cost: the golden figures, the named causes, prices by service, time ranges.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;

use crate::program::{json as report, run};
use crate::store::{Case, fixtures};

fn result(name: &str, args: &[&str]) -> Value {
    let case = Case::open(name);
    report(&case.root, &[&["cost", case.source], args].concat())["result"].take()
}

/// Nano-dollars of a figure in JSON.
fn nanos(value: &Value) -> i64 {
    let dollars = value.as_f64().unwrap_or_else(|| panic!("{value} is no figure"));
    format!("{:.0}", dollars * 1e9).parse().unwrap()
}

#[test]
fn measured_cost_equals_the_golden_figures() {
    let golden: BTreeMap<String, Value> =
        serde_json::from_str(&fs::read_to_string(fixtures().join("golden/cost.json")).unwrap()).unwrap();
    assert_eq!(golden.len(), 10);
    for (name, expected) in golden {
        let cost = result(&name, &["--by", "session"]);
        assert_eq!(nanos(&cost["measured_usd"]), nanos(&expected["measured_usd"]), "{name}");
        assert_eq!(cost["unpriced_turns"], expected["unpriced_turns"], "{name}");
        let figures = |sessions: &Value| -> BTreeMap<String, i64> {
            sessions.as_object().unwrap().iter().map(|(key, usd)| (key.clone(), nanos(usd))).collect()
        };
        assert_eq!(figures(&cost["by_session"]), figures(&expected["by_session"]), "{name}");
        let rows = cost["rows"].as_array().unwrap();
        let rows: BTreeMap<String, i64> =
            rows.iter().map(|row| (row["name"].as_str().unwrap().to_owned(), nanos(&row["measured_usd"]))).collect();
        assert_eq!(rows, figures(&expected["by_session"]), "{name}");
    }
}

/// Steps of a run with their reported, measured and client's own figure in micro-dollars, and the causes.
fn steps(name: &str) -> Vec<(String, [Option<i64>; 3], Vec<String>)> {
    let cost = result(name, &[]);
    let step = |step: &Value| {
        let micros =
            |figure: &str| Some(&step[figure]).filter(|usd| !usd.is_null()).map(|usd| (nanos(usd) + 500) / 1000);
        let causes = step["causes"].as_array().unwrap().iter().map(|cause| cause["code"].as_str().unwrap().to_owned());
        let figures = ["reported_usd", "measured_usd", "client_usd"].map(micros);
        (step["step"].as_str().unwrap().to_owned(), figures, causes.collect())
    };
    cost["steps"].as_array().unwrap().iter().map(step).collect()
}

#[test]
fn what_is_known_of_real_runs_is_found() {
    let named = |name: &str| -> BTreeMap<String, ([Option<i64>; 3], Vec<String>)> {
        steps(name).into_iter().map(|(step, figures, causes)| (step, (figures, causes))).collect()
    };
    let healthy = named("healthy");
    assert_eq!(healthy["build"], ([Some(238_406), Some(238_406), Some(238_406)], vec![]));
    assert_eq!(healthy["report"], ([Some(313_726), Some(75_320), Some(75_320)], vec!["cumulative-resume".to_owned()]));
    let outage = named("outage");
    assert_eq!(outage["inspect"].0, [Some(122_592), Some(64_676), Some(64_676)]);
    let interrupted = named("interrupted");
    assert_eq!(interrupted["kill-cli-two"].0[..2], [Some(7_360), Some(61_751)]);
    assert_eq!(interrupted["kill-cli-two"].1, ["killed-attempt"]);
    let hidden: Vec<_> = named("compact").into_iter().map(|(step, (_, causes))| (step, causes)).collect();
    let of =
        |step: &str, causes: &[&str]| (step.to_owned(), causes.iter().map(ToString::to_string).collect::<Vec<_>>());
    let calls = &["hidden-calls"][..];
    assert_eq!(hidden, [of("after", &[]), of("auto", calls), of("manual", calls), of("too-long", calls)]);
}

/// No difference of a real run is left without a cause, and each cause's part adds up.
#[test]
fn every_difference_of_real_runs_is_explained() {
    for name in [
        "compact",
        "denials",
        "forked",
        "healthy",
        "healthy-2.1.197",
        "interrupted",
        "interrupted-2.1.197",
        "outage",
        "outage-2.1.197",
        "overloaded",
    ] {
        for step in result(name, &[])["steps"].as_array().unwrap() {
            let causes = step["causes"].as_array().unwrap();
            assert!(causes.iter().all(|cause| cause["code"] != "unexplained"), "{name} {step}");
            let parts: i64 = causes.iter().map(|cause| nanos(&cause["amount_usd"])).sum();
            let left = nanos(&step["difference_usd"]) - parts;
            assert!(left.abs() <= 1_000 * (step["attempts"].as_i64().unwrap() + 1), "{name} {step}");
        }
    }
}

/// Each step of the fixture is named after its cause.
#[test]
fn each_cause_is_told() {
    for (step, [reported, measured, _], causes) in steps("cost-causes") {
        if ["agrees", "before-new", "origin"].contains(&step.as_str()) {
            assert_eq!((reported, causes), (measured, vec![]), "{step}");
        } else {
            assert_eq!(causes, [step.as_str()], "{step}");
        }
    }
    let findings = report(&Case::open("cost-causes").root, &["cost", "runs"])["findings"].take();
    let codes: Vec<_> = findings.as_array().unwrap().iter().map(|finding| finding["code"].as_str().unwrap()).collect();
    assert!(codes.contains(&"unexplained-cost") && codes.contains(&"unpriced-model"), "{codes:?}");
}

#[test]
fn what_ran_outside_of_the_steps_is_shown() {
    let cost = result("cost-causes", &["--by", "step"]);
    assert_eq!(nanos(&cost["outside_steps"]["measured_usd"]), 1_000_000_000, "by hand");
    let rows = cost["rows"].as_array().unwrap();
    assert!(rows.iter().any(|row| row["name"] == "outside-steps"), "{rows:?}");
}

#[test]
fn services_have_their_prices() {
    let case = Case::open("cost-services");
    let whole = report(&case.root, &["cost", case.source]);
    let cost = &whole["result"];
    // In micro-dollars, turn by turn: 1000 input tokens of claude-opus-5-5 are 4000.
    let usual = 4_000 + 2_000 + 400 + 2_000;
    let turns = [usual, 8_000, 5_000, 4_400, 8_000, 2_000, 30_000, 50_000, 1_000, 4_000, 4_000, 60, 4_000];
    assert_eq!(nanos(&cost["measured_usd"]) / 1000, turns.iter().sum::<i64>());
    assert_eq!(cost["high_usd"], Value::Null, "a turn without a price takes the upper bound away");
    let reasons: Vec<_> = cost["unpriced"].as_array().unwrap().iter().map(|of| (&of["model"], &of["reason"])).collect();
    assert_eq!(
        reasons,
        [(&json!("claude-opus-5-5"), &json!("no-price-that-day")), (&json!("made-up-model"), &json!("unknown-model"))]
    );
    let codes: Vec<_> = whole["findings"].as_array().unwrap().iter().map(|f| f["code"].as_str().unwrap()).collect();
    for code in ["unpriced-model", "requested-model-differs", "fast-at-usual-price"] {
        assert!(codes.contains(&code), "{code} of {codes:?}");
    }
}

#[test]
fn a_price_file_overrides_and_adds() {
    let case = Case::copy("cost-services");
    let prices = r#"{"checked": "2026-12-24", "models": {"made-up-model": {"periods": [{"per_mtok": {"input": 10, "output": 20}}]}}}"#;
    fs::write(case.root.join("mine.json"), prices).unwrap();
    let cost = report(&case.root, &["cost", case.source, "--prices", "mine.json"])["result"].take();
    assert_eq!(nanos(&cost["by_model"]["made-up-model"]), 11_000_000);
    assert_eq!(cost["prices"][0], json!({"name": "mine.json", "checked": "2026-12-24"}));
    assert_eq!(cost["prices"][1]["name"], "built-in");
    for (wrong, said) in [("{", "is no price table"), (r#"{"models":{}}"#, "prices no model")] {
        fs::write(case.root.join("mine.json"), wrong).unwrap();
        let ended = run(&case.root, &["cost", case.source, "--prices", "mine.json"]);
        assert_eq!(ended.code, Some(2));
        assert!(ended.err.contains("mine.json") && ended.err.contains(said), "{}", ended.err);
    }
    for name in ["none.json", "."] {
        let ended = run(&case.root, &["cost", case.source, "--prices", name]);
        assert_eq!((ended.code, ended.err.contains("cannot read the prices")), (Some(2), true), "{}", ended.err);
    }
}

#[test]
fn a_range_takes_its_part_and_tells_what_has_no_time() {
    let part = |args: &[&str]| result("cost-causes", args);
    let (first, rest) = (part(&["--until", "2026-11-30 14:01"]), part(&["--since", "2026-11-30 14:01"]));
    let all = part(&[]);
    assert_eq!(nanos(&first["measured_usd"]) + nanos(&rest["measured_usd"]), nanos(&all["measured_usd"]));
    assert!(nanos(&first["measured_usd"]) > 0 && nanos(&rest["measured_usd"]) > 0);
    let case = Case::open("cost-causes");
    for (args, said) in [
        (["--since", "soon"], "--since \"soon\" is no time"),
        (["--until", "2026-13-01"], "--until \"2026-13-01\" is no time"),
    ] {
        let ended = run(&case.root, &[&["cost", case.source], &args[..]].concat());
        assert!(ended.code == Some(2) && ended.err.contains(said), "{}", ended.err);
    }
    let ended = run(&case.root, &["cost", case.source, "--since", "2026-12-01", "--until", "2026-11-30"]);
    assert!(ended.code == Some(2) && ended.err.contains("is not after"), "{}", ended.err);
}

/// An attempt whose step began again in another session, and its subagent, were paid for in vain; one that was resumed
/// failed, but its work lived on. Input costs $4 and output $20 for a million tokens.
#[test]
fn what_was_done_again_after_a_restart_is_waste() {
    let cost = result("redone-work", &[]);
    let turn = |input: i64, output: i64| input * 4_000 + output * 20_000;
    let (first, subagent, second) = (turn(1000, 100), turn(500, 50), turn(2000, 200));
    let (resumed, answer) = (turn(1000, 100), turn(2000, 200));
    assert_eq!(first + subagent + second, 21_000_000, "by hand: 0.006 + 0.003 + 0.012 dollars");
    let waste =
        |of: &str| (nanos(&cost["waste"][of]["measured_usd"]), cost["waste"][of]["model_turns"].as_i64().unwrap());
    assert_eq!(waste("redone_after_restart"), (first + subagent + second, 3));
    assert_eq!(waste("failed_attempts"), (first + subagent + second + resumed, 4));
    assert_eq!(waste("killed_subagents"), (0, 0));
    assert_eq!(nanos(&cost["measured_usd"]), first + subagent + second + resumed + answer);
    let retries = report(&Case::open("redone-work").root, &["retries", "runs"]);
    let begun: Vec<&str> =
        retries["result"]["attempts"].as_array().unwrap().iter().map(|row| row["begun"].as_str().unwrap()).collect();
    assert_eq!(begun, ["first", "restarted", "resumed"]);
}
