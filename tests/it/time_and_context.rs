//! What `context`, `tools` and `timeline` say of every fixture adds up, and odd clocks lose nothing.

use serde_json::Value;

use crate::program::{command, json, run};
use crate::small_runs::{TOKENS, answer, entry, made, prompt, step};
use crate::store::{Case, names};

/// Every fixture that can be read.
fn cases() -> impl Iterator<Item = Case> {
    let readable = |name: &String| !["torn-page", "torn-tail"].contains(&name.as_str());
    names().into_iter().filter(readable).map(|name| Case::open(&name))
}

fn list<'a>(value: &'a Value, name: &str) -> &'a Vec<Value> {
    value[name].as_array().unwrap_or_else(|| panic!("{name} is no list in {value}"))
}

fn sum(values: &[Value], name: &str) -> u64 {
    values.iter().map(|value| value[name].as_u64().unwrap()).sum()
}

#[test]
fn every_call_is_counted_once_in_every_table() {
    for case in cases() {
        let tools = &json(&case.root, &["tools", case.source])["result"];
        let summary = &json(&case.root, &["summary", case.source])["result"];
        let timeline = &json(&case.root, &["timeline", case.source])["result"];
        for count in ["calls", "errors", "denied", "likely_denied", "orphans", "result_characters"] {
            let total = tools["total"][count].as_u64().unwrap();
            for by in ["tools", "threads"] {
                let rows: Vec<Value> =
                    list(tools, by).iter().flat_map(|thread| list(thread, "tools")).cloned().collect();
                assert_eq!(sum(list(tools, by), count), total, "{}: {by} {count}", case.name);
                assert_eq!(sum(&rows, count), total, "{}: {by} by tool {count}", case.name);
            }
            assert_eq!(sum(list(&summary["tools"], "rows"), count), total, "{}: summary {count}", case.name);
        }
        let placed = list(timeline, "spans").iter().filter(|span| span["kind"] == "tool-call").count();
        let unplaced = list(timeline, "unplaced")
            .iter()
            .filter(|row| row["kind"] == "tool-call" && row["why"].as_str().unwrap().starts_with("no time stamp"));
        let unplaced: u64 = unplaced.map(|row| row["count"].as_u64().unwrap()).sum();
        let calls = tools["total"]["calls"].as_u64().unwrap();
        assert_eq!(u64::try_from(placed).unwrap() + unplaced, calls, "{}: calls on the axis", case.name);
    }
}

#[test]
fn times_stand_in_order_and_inside_of_the_axis() {
    for case in cases() {
        let timeline = &json(&case.root, &["timeline", case.source])["result"];
        let all = list(timeline, "spans").iter().chain(list(timeline, "events"));
        let all: Vec<&str> =
            all.flat_map(|value| ["start", "end", "time"].map(|name| value[name].as_str())).flatten().collect();
        assert_eq!(timeline["from"].as_str(), all.iter().min().copied(), "{}", case.name);
        assert_eq!(timeline["to"].as_str(), all.iter().max().copied(), "{}", case.name);
        let starts: Vec<&str> = list(timeline, "spans").iter().map(|span| span["start"].as_str().unwrap()).collect();
        assert!(starts.is_sorted(), "{}", case.name);
        for span in list(timeline, "spans") {
            let backwards = span["end"].as_str().is_some_and(|end| end < span["start"].as_str().unwrap());
            assert!(!backwards, "{}: {span}", case.name);
        }
    }
}

#[test]
fn the_outages_of_the_axis_are_those_of_their_command() {
    let mut seen = 0;
    for case in cases() {
        let told = &json(&case.root, &["outages", case.source])["result"];
        let timeline = &json(&case.root, &["timeline", case.source])["result"];
        let told: Vec<_> = list(told, "outages")
            .iter()
            .map(|outage| {
                let last = if outage["first_success"].is_null() { "last_failure" } else { "first_success" };
                (&outage["first_failure"], &outage[last], &outage["lasted_s"], &outage["failures"])
            })
            .collect();
        let spans = list(timeline, "spans").iter().filter(|span| span["kind"] == "outage");
        let drawn: Vec<_> =
            spans.map(|span| (&span["start"], &span["end"], &span["duration_s"], &span["failures"])).collect();
        assert_eq!(drawn, told, "{}", case.name);
        seen += told.len();
    }
    assert!(seen > 5, "{seen} outages in all fixtures");
}

#[test]
fn contexts_hold_every_model_turn_and_character() {
    for case in cases() {
        let context = &json(&case.root, &["context", case.source])["result"];
        let summary = &json(&case.root, &["summary", case.source])["result"];
        if summary["main_threads"] != 0 {
            assert_eq!(context["points"], summary["context_curve"]["points"], "{}", case.name);
        }
        let threads = list(context, "threads");
        let points = u64::try_from(list(context, "points").len()).unwrap();
        assert_eq!(sum(threads, "model_turns"), points, "{}", case.name);
        let fills: Vec<Value> = threads.iter().map(|thread| thread["fill"].clone()).collect();
        for fill in fills.iter().chain([&context["fill"]]) {
            assert_eq!(sum(list(fill, "parts"), "characters"), fill["characters"].as_u64().unwrap(), "{}", case.name);
        }
        assert_eq!(sum(&fills, "characters"), context["fill"]["characters"].as_u64().unwrap(), "{}", case.name);
    }
}

#[test]
fn the_window_is_the_documented_or_the_given_one() {
    let case = Case::open("handoff");
    let projection = |args: &[&str]| {
        let report = json(&case.root, &[&["context", case.source], args].concat());
        report["result"]["threads"][0]["projection"].clone()
    };
    let documented = projection(&[]);
    assert_eq!((&documented["window"]["source"], &documented["turns_to_window"]), (&"model".into(), &14.into()));
    let given = projection(&["--window", "200k"]);
    assert_eq!((&given["window"]["tokens"], &given["turns_to_window"]), (&200_000.into(), &1.into()));
    assert_eq!(projection(&["--window", "100k"])["turns_to_window"], 0, "it is full already");
    let wrong = run(&case.root, &["context", case.source, "--window", "many"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.err.contains("such as 200000, 200k or 1M"), "{}", wrong.err);
}

/// The hour that comes twice is told apart by its offset, in every zone nothing moves but the clock.
#[test]
fn clocks_that_are_set_change_labels_only() {
    let case = Case::open("odd-clock");
    let shown = |zone: &str| run(&case.root, &["timeline", case.source, "--tz", zone, "--color", "never"]).out;
    let berlin = shown("Europe/Berlin");
    let scale = berlin.lines().find(|line| line.contains("2026-10-25 02:19:00+02:00")).expect(&berlin);
    assert!(scale.contains(" 02:") && scale.contains("+01:00"), "{scale}");
    let kolkata = shown("Asia/Kolkata");
    assert!(kolkata.contains("2026-10-25 05:49:00  "), "{kolkata}");
    let lanes = |text: &str| {
        let drawn = text.lines().skip_while(|line| *line != "Steps").take_while(|line| *line != "Longest calls");
        drawn.map(ToOwned::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lanes(&berlin), lanes(&kolkata));
    assert!(lanes(&berlin).len() > 4, "{berlin}");
    let reports = ["Europe/Berlin", "Asia/Kolkata"]
        .map(|zone| run(&case.root, &["timeline", case.source, "--format", "json", "--tz", zone]).out);
    assert_eq!(reports[0], reports[1], "JSON is in UTC");
}

#[test]
fn what_only_the_manifest_knows_is_listed_beside_the_axis() {
    let failed = serde_json::json!({"ok": false, "error": "API Error: 529 Overloaded"});
    let folder = made(&[prompt("s", 0), answer("s", 1, &serde_json::json!({}))], &[step("a", "s", 4.0, &failed)]);
    let timeline = &json(folder.path(), &["timeline", "runs"])["result"];
    let listed = timeline["unplaced"].as_array().unwrap().iter().find(|row| row["kind"] == "failure").unwrap();
    assert_eq!(listed["name"], "a: API Error: 529 Overloaded");
}

#[test]
fn a_context_is_more_than_its_transcript() {
    let folder = made(&[prompt("s", 0), answer("s", 1, &serde_json::json!({}))], &[]);
    let fill = &json(folder.path(), &["context", "runs"])["result"]["fill"];
    let part = |name: &str| fill[name].as_u64().unwrap();
    assert_eq!(part("measured_tokens"), u64::from(TOKENS));
    assert_eq!(part("beyond_tokens"), u64::from(TOKENS) - part("estimated_tokens"));
    let shown = run(folder.path(), &["context", "runs"]).out;
    assert!(shown.contains("the definitions of the tools"), "{shown}");
}

#[test]
fn what_a_compaction_took_away_is_not_read_again() {
    let read = |n: u32| {
        answer(
            "s",
            n,
            &serde_json::json!({"message": {"stop_reason": "tool_use",
            "content": [{"type": "tool_use", "id": format!("t{n}"), "name": "Read", "input": {"file_path": "/a"}}]}}),
        )
    };
    let result = |n: u32| {
        let content =
            serde_json::json!([{"type": "tool_result", "tool_use_id": format!("t{}", n - 1), "content": "text"}]);
        entry("s", n, &serde_json::json!({"type": "user", "message": {"role": "user", "content": content}}))
    };
    let boundary = entry(
        "s",
        5,
        &serde_json::json!({"type": "system", "subtype": "compact_boundary", "parentUuid": null,
        "logicalParentUuid": "s-4", "compactMetadata": {"trigger": "auto"}}),
    );
    let again = |rows: &[(String, String)]| {
        let tools = json(made(rows, &[]).path(), &["tools", "runs"]);
        let read = &tools["result"]["repeated_reads"][0];
        (read["reads"].as_u64(), read["again"].as_u64())
    };
    let rows =
        [prompt("s", 0), read(1), result(2), read(3), result(4), boundary, read(6), result(7), read(8), result(9)];
    assert_eq!(again(&rows[..5]), (Some(2), Some(1)));
    assert_eq!(again(&rows), (Some(4), Some(2)));
}

#[test]
fn the_zone_of_the_surroundings_is_honoured() {
    let folder = made(&[answer("s", 0, &serde_json::json!({}))], &[]);
    let said = |tz: &str, args: &[&str]| {
        let ended = command(folder.path()).env("TZ", tz).args(args).output().unwrap();
        (String::from_utf8(ended.stdout).unwrap(), String::from_utf8(ended.stderr).unwrap())
    };
    let (out, err) = said("Asia/Kolkata", &["cost", "runs"]);
    assert!(out.contains("Asia/Kolkata") && err.is_empty(), "{out} {err}");
    let (_, err) = said("Mars/Olympus", &["cost", "runs"]);
    assert!(err.starts_with("note: the variable TZ is \"Mars/Olympus\", which is no IANA name"), "{err}");
    assert_eq!(said("Mars/Olympus", &["cost", "runs", "--tz", "UTC"]).1, "");
}
