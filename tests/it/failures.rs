//! What failed: kinds, verdicts, attempts and outages are exactly what happened in the runs and what each fixture is made for.

use flower_analyze::analysis::{Evidence, FailureClass, judge};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

use crate::program::{json, run};
use crate::store::{Case, fixtures, names};

/// The last part of a store key.
fn short(key: &Value) -> String {
    let last = key.as_str().unwrap_or("(none)").rsplit('/').next().unwrap();
    last.chars().take(if last.starts_with("agent-") { 12 } else { 8 }).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("-")
}

/// Errors as `step#attempt entry source kind outcome`.
fn errors(name: &str) -> Vec<String> {
    let case = Case::open(name);
    let report = json(&case.root, &["errors", case.source]);
    let shown = |row: &Value| {
        let place = if row["seq"].is_null() { format!("line {}", row["line"]) } else { row["seq"].to_string() };
        let again = if row["repeats"].is_null() { "" } else { " (again)" };
        format!(
            "{}#{} {}:{place} {} {} {}{again}",
            text(&row["step"]),
            row["attempt"],
            short(&row["store_key"]),
            text(&row["source"]),
            text(&row["kind"]),
            text(&row["outcome"])
        )
    };
    report["result"]["errors"].as_array().unwrap().iter().map(shown).collect()
}

#[test]
fn an_overloaded_api_is_told_failure_by_failure() {
    insta::assert_snapshot!(errors("overloaded").join("\n"));
}

#[test]
fn an_outage_is_told_failure_by_failure() {
    assert_eq!(
        errors("outage"),
        [
            "inspect#1 84d156aa:27 cli-retry network resumed",
            "inspect#1 84d156aa:28 cli-retry network resumed",
            "inspect#1 84d156aa:29 final network resumed",
            "inspect#1 84d156aa:line 2 manifest network resumed (again)",
            "inspect#2 84d156aa:35 cli-retry network recovered-by-cli",
            "inspect#2 84d156aa:39 cli-retry network recovered-by-cli",
            "delegate#1 agent-a1c322:19 final network final",
            "delegate#1 201d282c:22 agent-result network final (again)",
            "delegate#1 201d282c:26 cli-retry network resumed",
            "delegate#1 201d282c:27 cli-retry network resumed",
            "delegate#1 201d282c:28 final network resumed",
            "delegate#1 201d282c:line 22 manifest network resumed (again)",
        ]
    );
}

/// A session of each kind carries its name; the one of the network tells it twice.
#[test]
fn each_kind_has_its_fixture() {
    let case = Case::open("error-kinds");
    let report = json(&case.root, &["errors", case.source]);
    let rows = report["result"]["errors"].as_array().unwrap();
    for row in rows {
        assert_eq!(text(&row["store_key"]), format!("-w-demo/{}", text(&row["kind"])), "{row}");
    }
    let kinds = report["result"]["by_kind"].as_array().unwrap();
    assert_eq!((rows.len(), kinds.len()), (18, 17));
    let likely: Vec<_> = kinds.iter().filter(|kind| kind["likely"] != 0).map(|kind| text(&kind["kind"])).collect();
    assert_eq!(likely, ["interrupted", "killed", "budget", "turns"]);
}

/// Session and code of every finding about failures.
fn findings(name: &str, command: &str, codes: &[&str]) -> Vec<String> {
    let case = Case::open(name);
    let report = json(&case.root, &[command, case.source]);
    let found = report["findings"].as_array().unwrap().iter();
    let found = found.filter(|found| codes.contains(&text(&found["code"])));
    let mut found: Vec<String> = found
        .map(|found| {
            let key = text(&found["place"]["store_key"]).rsplit('/').next().unwrap();
            format!("{key} {}", text(&found["code"]))
        })
        .collect();
    found.sort();
    found.dedup();
    found
}

const DISAGREEMENTS: [&str; 12] = [
    "fatal-retried",
    "transient-given-up",
    "transient-not-known",
    "digits-read-as-status",
    "unknown-decided",
    "type-against-status",
    "too-long-as-server-error",
    "quota-used-up",
    "bare-400",
    "retry-without-reason",
    "cut-stream",
    "dead-agent-as-completed",
];

#[test]
fn each_disagreement_has_its_fixture() {
    assert_eq!(
        findings("error-disagreements", "errors", &DISAGREEMENTS),
        [
            "- fatal-retried",
            "bare bare-400",
            "bare unknown-decided",
            "cut cut-stream",
            "digits digits-read-as-status",
            "gave-up transient-given-up",
            "interrupt unknown-decided",
            "max-turns fatal-retried",
            "no-pattern transient-not-known",
            "no-reason retry-without-reason",
            "no-status fatal-retried",
            "parent dead-agent-as-completed",
            "session-limit fatal-retried",
            "session-limit quota-used-up",
            "too-long fatal-retried",
            "too-long too-long-as-server-error",
            "type-wins type-against-status",
            "words digits-read-as-status",
        ]
    );
    let told = errors("error-disagreements");
    assert!(!told.iter().any(|row| row.contains(" prose:")), "an agent's own prose is no error: {told:?}");
    assert_eq!(told.iter().filter(|row| row.contains("agent-result")).count(), 1, "{told:?}");
}

/// The class of each recorded failure is what is expected of it; a text alone tells it where the CLI told no field.
#[test]
fn recorded_failures_have_their_class() {
    let rows: Vec<Value> =
        serde_json::from_slice(&fs::read(fixtures().join("recorded-failures/failures.json")).unwrap()).unwrap();
    let mut judged = 0;
    for row in rows.iter().filter(|row| row["result"]["is_error"] == true) {
        let result = &row["result"];
        let said = result["result"].as_str().or(result["errors"][0].as_str()).unwrap();
        let kind = judge(&Evidence {
            status: result["api_error_status"].as_u64(),
            error_type: result["api_error_type"].as_str(),
            error: row["assistant_error"][0].as_str(),
            connection: result["api_error"].as_str(),
            text: said,
            ..Evidence::default()
        })
        .kind;
        let expected = match row["expected_class"].as_str().unwrap() {
            "transient" => FailureClass::Transient,
            "fatal" | "overflow" => FailureClass::Fatal,
            _ => FailureClass::Unknown,
        };
        assert_eq!(kind.class(), expected, "{kind} of {row}");
        judged += 1;
    }
    assert_eq!((rows.len(), judged), (40, 30));
}

/// Attempts as `step#n session begun ending kind wait known-by`.
fn attempts(name: &str) -> Vec<String> {
    let case = Case::open(name);
    let report = json(&case.root, &["retries", case.source]);
    let shown = |row: &Value| {
        let fields = ["begun", "ending", "kind"].map(|field| text(&row[field]));
        let hopeless = if row["hopeless"] == true { " hopeless" } else { "" };
        let wait = text(&row["wait"]["verdict"]);
        let known_by = text(&row["known_by"]);
        let place = format!("{}#{} {}", text(&row["step"]), row["attempt"], short(&row["store_key"]));
        format!("{place} {} {wait} {known_by}{hopeless}", fields.join(" "))
    };
    report["result"]["attempts"].as_array().unwrap().iter().map(shown).collect()
}

#[test]
fn attempts_are_rebuilt_from_manifest_and_transcript() {
    assert_eq!(
        attempts("outage"),
        [
            "inspect#1 84d156aa first failed network in-window both",
            "inspect#2 84d156aa resumed answered - - both",
            "delegate#1 201d282c first failed network in-window both",
            "delegate#2 201d282c resumed answered - - both",
        ]
    );
    assert_eq!(
        attempts("hopeless-retries"),
        [
            "deploy#1 first first failed quota in-window guess",
            "deploy#2 second restarted failed quota longer both hopeless",
            "deploy#3 second resumed answered - - both",
            "push#1 auth first failed auth shorter transcript",
            "push#2 auth resumed failed auth - transcript hopeless",
            "push#3 (none) resumed failed auth - manifest hopeless",
            "fetch#1 offline first failed network longer both",
            "fetch#2 offline resumed answered - - both",
        ]
    );
    assert_eq!(
        findings("hopeless-retries", "retries", &["hopeless-retry", "attempts-differ"]),
        ["- hopeless-retry", "auth attempts-differ", "auth hopeless-retry", "second hopeless-retry"]
    );
}

/// A process that was killed left no row: its attempt is shown, and its step is a guess.
#[test]
fn killed_processes_are_attempts_too() {
    let of_killed: Vec<String> = attempts("interrupted").into_iter().filter(|row| row.starts_with("kill-")).collect();
    assert_eq!(
        of_killed,
        [
            "kill-cli-two#1 e73ddeda first unfinished killed in-window both",
            "kill-cli-two#2 e73ddeda resumed answered - - both",
            "kill-cli-three#1 1d30bb1f first unfinished killed in-window both",
            "kill-cli-three#2 1d30bb1f resumed answered - - both",
            "kill-cli-subagent#1 2d3cc67f first unfinished killed in-window both",
            "kill-cli-subagent#2 2d3cc67f resumed answered - - both",
            "kill-driver-eager#1 2efb3d3e first unfinished killed - guess",
            "kill-driver-eager#1 2efb3d3e resumed answered - - both",
            "kill-driver-batched#1 a67bbbcb first answered - - both",
            "kill-driver-subagent#1 fa215542 first unfinished killed - guess",
            "kill-driver-subagent#1 fa215542 resumed answered - - both",
        ]
    );
}

/// Outages as `first..last success failures steps ended resumable`.
fn outages(name: &str) -> Vec<String> {
    let case = Case::open(name);
    let report = json(&case.root, &["outages", case.source]);
    let time = |value: &Value| text(value).get(11..19).unwrap_or("-").to_owned();
    let shown = |row: &Value| {
        let steps: Vec<&str> = row["steps"].as_array().unwrap().iter().map(text).collect();
        format!(
            "{}..{} {} {} of {} {} {}",
            time(&row["first_failure"]),
            time(&row["last_failure"]),
            time(&row["first_success"]),
            row["failures"],
            steps.join("+"),
            text(&row["ended"]),
            text(&row["resumable"])
        )
    };
    report["result"]["outages"].as_array().unwrap().iter().map(shown).collect()
}

#[test]
fn failures_cluster_into_outages() {
    assert_eq!(
        outages("outage"),
        [
            "14:09:11..14:09:19 14:09:20 5 of inspect recovered-by-cli resumable",
            "14:09:28..14:09:30 14:09:37 4 of delegate resumed resumable",
        ]
    );
    assert_eq!(
        outages("overloaded"),
        [
            "14:09:09..14:09:44 14:09:52 17 of cli-retries+driver-retries+rate-limited+server-error resumed resumable",
            "14:10:11..14:10:11 14:10:12 1 of mid-stream-reset-2 recovered-by-cli resumable",
            "14:10:17..14:10:31 - 9 of gives-up final resumable",
        ]
    );
    assert_eq!(outages("healthy"), Vec::<String>::new());
}

/// There is one way to judge: what `outages` says of a main thread is what `layers` says of it, on every fixture.
#[test]
fn outages_and_layers_judge_alike() {
    let mut told: BTreeSet<String> = BTreeSet::new();
    for name in names() {
        let case = Case::open(&name);
        let ended = run(&case.root, &["outages", case.source, "--format", "json"]);
        // A store that SQLite cannot read has no verdicts.
        let Ok(outages) = serde_json::from_str::<Value>(&ended.out) else {
            assert_eq!(ended.code, Some(2), "{name}: {}", ended.err);
            continue;
        };
        let outages = outages["result"]["outages"].as_array().unwrap();
        if outages.is_empty() {
            continue;
        }
        let layers = json(&case.root, &["layers", case.source]);
        for thread in outages.iter().flat_map(|outage| outage["threads"].as_array().unwrap()) {
            let judged = &thread["resumable"];
            assert_eq!(judged.is_null(), thread["is_subagent"] == true, "{name}: {thread:#}");
            if judged.is_null() {
                continue;
            }
            let key = &layers["result"]["keys"][text(&thread["store_key"])];
            let live = key["verdict"]["reasons"].as_array().unwrap().iter().filter(|reason| reason["live"] == true);
            let reasons: Vec<&Value> = live.map(|reason| &reason["message"]).collect();
            assert_eq!(judged["verdict"], key["verdict"]["live"], "{name}: {thread:#}");
            assert_eq!(judged["reasons"].as_array().unwrap().iter().collect::<Vec<_>>(), reasons, "{name}");
            assert_eq!(judged["healed_calls"], key["report"]["healed"], "{name}: {thread:#}");
            told.insert(text(&judged["verdict"]).to_owned());
        }
        let worst = |outage: &Value| outage["resumable"].as_str().map(ToOwned::to_owned);
        told.extend(outages.iter().filter_map(worst));
    }
    assert!(told.len() > 1, "every fixture says the same: {told:?}");
}

/// What lies outside of a range is counted, and said in words, by every command that takes one.
#[test]
fn what_a_range_leaves_out_is_told() {
    let case = Case::open("overloaded");
    let left = |command: &str, name: &str| {
        let args = [command, case.source, "--since", "2026-11-30T14:10:00Z", "--until", "2026-11-30T14:10:15Z"];
        let result = json(&case.root, &args)["result"].take();
        assert_eq!(text(&result["range"]["since"]), "2026-11-30T14:10:00.000Z", "{command}");
        let page = run(&case.root, &args).out;
        assert!(page.contains("left out: "), "{command}: {page}");
        let whole = json(&case.root, &[command, case.source])["result"].take();
        assert_eq!(whole[name]["outside"], 0, "{command} without a range");
        result[name]["outside"].as_u64().unwrap()
    };
    assert_eq!(left("outages", "outages_left_out"), 2);
    let all = [
        left("errors", "errors_left_out"),
        left("errors", "calls_left_out"),
        left("retries", "attempts_left_out"),
        left("retries", "ladders_left_out"),
        left("tools", "calls_left_out"),
        left("context", "points_left_out"),
        left("timeline", "spans_left_out"),
        left("timeline", "events_left_out"),
        left("cost", "turns_left_out"),
    ];
    assert!(all.iter().all(|left| *left > 0), "{all:?}");
}

/// Money of attempts adds up to what the whole run was measured at: no turn is in two attempts.
#[test]
fn the_money_of_attempts_is_that_of_the_run() {
    for name in ["outage", "outage-2.1.197", "healthy", "overloaded", "interrupted"] {
        let case = Case::open(name);
        let usage = json(&case.root, &["summary", case.source]);
        let report = json(&case.root, &["retries", case.source]);
        let own = report["result"]["attempts"].as_array().unwrap().iter();
        let sum: u64 = own.map(|attempt| attempt["spend"]["model_turns"].as_u64().unwrap()).sum();
        assert_eq!(Some(sum), usage["result"]["usage"]["model_turns"].as_u64(), "{name}");
    }
}

#[test]
fn one_text_is_explained_without_a_source() {
    let folder = fixtures();
    let ended =
        run(&folder, &["errors", "--explain", "API Error: Connection dropped after 400 ms", "--format", "json"]);
    let report: Value = serde_json::from_str(&ended.out).unwrap();
    let result = &report["result"];
    assert_eq!((text(&report["schema"]), &report["source"]), ("flower-analyze/errors-explain/1", &Value::Null));
    assert_eq!((text(&result["kind"]), text(&result["basis"])), ("network", "text"));
    assert_eq!((text(&result["flower"]["verdict"]), &result["flower"]["matched"]["position"]), ("fatal", &36.into()));
    let ended = run(&folder, &["errors", "--explain", "You've hit your session limit · resets 3pm (UTC) \u{1b}[31m"]);
    insta::assert_snapshot!(ended.out);
    assert_eq!(run(&folder, &["errors", "runs", "--explain", "x"]).code, Some(2));
}
