//! What fails is told from every source that tells of it, once, and held against all the others.

use crate::program::{json as report, run};
use crate::store::write_run;
use serde_json::{Value, json};
use tempfile::TempDir;

const KEY: &str = "-w/s";

/// 14:00 of the day of these runs, in seconds.
const START: f64 = 1_796_047_200.0;

/// An entry of the session, at so many seconds after the start; without a time for none.
fn entry(n: u32, seconds: Option<f64>, fields: Value) -> Value {
    let parent = (n > 0).then(|| format!("u{}", n - 1));
    let mut entry = json!({"uuid": format!("u{n}"), "parentUuid": parent, "sessionId": "s", "version": "2.1.332"});
    if let Some(seconds) = seconds {
        entry["timestamp"] = stamp(seconds).into();
    }
    with(entry, fields)
}

/// The object with these fields put over its own.
fn with(mut object: Value, fields: Value) -> Value {
    let Value::Object(fields) = fields else { panic!("an object: {fields}") };
    object.as_object_mut().unwrap().extend(fields);
    object
}

fn stamp(seconds: f64) -> String {
    let millis = (3_600_000.0_f64 * 14.0 + seconds * 1000.0).round();
    let part = |of: f64, every: f64| (millis / of).floor() % every;
    format!(
        "2026-11-30T{:02}:{:02}:{:02}.{:03}Z",
        part(3_600_000.0, 24.0),
        part(60_000.0, 60.0),
        part(1000.0, 60.0),
        part(1.0, 1000.0)
    )
}

fn asks(n: u32, seconds: impl Into<Option<f64>>, text: &str) -> Value {
    entry(n, seconds.into(), json!({"type": "user", "message": {"role": "user", "content": text}}))
}

fn says(n: u32, seconds: impl Into<Option<f64>>, text: &str, stop: Value) -> Value {
    let usage = json!({"input_tokens": 1000, "output_tokens": 0});
    let content = json!([{"type": "text", "text": text}]);
    let mut message = json!({"id": format!("m{n}"), "role": "assistant", "model": "claude-opus-5-5", "content": content,
        "usage": usage});
    message["stop_reason"] = stop;
    entry(n, seconds.into(), json!({"type": "assistant", "message": message}))
}

fn answers(n: u32, seconds: impl Into<Option<f64>>) -> Value {
    says(n, seconds, "done", "end_turn".into())
}

fn fails(n: u32, seconds: impl Into<Option<f64>>, text: &str, fields: Value) -> Value {
    let content = json!([{"type": "text", "text": text}]);
    let message = json!({"id": format!("e{n}"), "role": "assistant", "model": "<synthetic>", "content": content});
    let failed = entry(n, seconds.into(), json!({"type": "assistant", "isApiErrorMessage": true, "message": message}));
    with(failed, fields)
}

fn overloaded(n: u32, seconds: impl Into<Option<f64>>) -> Value {
    fails(n, seconds, "API Error: 529 Overloaded", json!({"error": "server_error", "apiErrorStatus": 529}))
}

/// One step that uses the session, from a second before the start.
fn step(fields: Value) -> Value {
    let row = json!({"step": "a", "session_id": "s", "ok": true, "cost_usd": 0.0, "num_turns": 1, "text": "",
        "error": null, "started_at": START - 1.0, "ended_at": START + 100.0, "attempts": 1, "errors": [],
        "resumed": false, "retired": [], "context": 1000, "duration_s": 101.0, "run": "20261130-140000-aaaaaa"});
    with(row, fields)
}

fn made(rows: &[Value], step: Option<Value>) -> TempDir {
    let rows: Vec<String> = rows.iter().map(Value::to_string).collect();
    let rows: Vec<(&str, &str)> = rows.iter().map(|row| (KEY, row.as_str())).collect();
    write_run(&rows, step.map(|step| json!([step]).to_string()).as_deref())
}

fn said(run: &TempDir, command: &str) -> Value {
    report(run.path(), &[command, "runs"])
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}

/// The fields of each row of a list.
fn fields(report: &Value, list: &str, names: &[&str]) -> Vec<String> {
    let rows = report["result"][list].as_array().unwrap().iter();
    rows.map(|row| names.iter().map(|name| text(&row[*name])).collect::<Vec<_>>().join(" ")).collect()
}

fn codes(report: &Value) -> Vec<String> {
    let found = report["findings"].as_array().unwrap().iter();
    let mut codes: Vec<String> = found.map(|found| text(&found["code"])).collect();
    codes.sort();
    codes.dedup();
    codes
}

fn errors(run: &TempDir) -> Vec<String> {
    fields(&said(run, "errors"), "errors", &["source", "kind", "text"])
}

fn attempts(run: &TempDir) -> Vec<String> {
    fields(&said(run, "retries"), "attempts", &["step", "attempt", "seq", "begun", "ending", "kind"])
}

#[test]
fn the_error_of_a_row_is_told_though_errors_does_not_hold_it() {
    let answered = [asks(0, 0.0, "Work."), answers(1, 1.0)];
    let of = |fields: Value| made(&answered, Some(step(fields)));
    let killed = of(json!({"ok": false, "error": "killed-by-signal"}));
    assert_eq!(errors(&killed), ["manifest killed killed-by-signal"]);
    assert_eq!(attempts(&killed), ["a 1 0 first unfinished killed"]);
    let without_session = of(json!({"ok": false, "error": "killed-by-signal", "session_id": null}));
    assert_eq!(errors(&without_session), ["manifest killed killed-by-signal"]);
    let refused = of(json!({"ok": false, "error": "API Error: 529 Overloaded"}));
    assert_eq!(errors(&refused), ["manifest overloaded API Error: 529 Overloaded"]);
    let two = json!({"ok": false, "error": "Reached maximum budget ($1)", "errors": ["API Error: 529 Overloaded"],
        "attempts": 2});
    let mut told = errors(&of(two));
    told.sort();
    assert_eq!(told, ["manifest budget Reached maximum budget ($1)", "manifest overloaded API Error: 529 Overloaded"]);
    let signal = json!({"ok": false, "error": "killed-by-signal", "errors": ["no exit"]});
    assert_eq!(errors(&of(signal)), ["manifest killed killed-by-signal; no exit"]);
    let same = json!({"ok": false, "error": "fatal: 401 no", "errors": ["401 no"]});
    assert_eq!(errors(&of(same)), ["manifest auth 401 no"], "a verdict before the reason is no other reason");
}

#[test]
fn a_row_cut_short_by_a_signal_contradicts_no_client_total() {
    let total = json!({"type": "cost-state", "sessionId": "s", "totalCostUSD": 0.05, "startTime": 1_796_047_199_000_i64,
        "modelUsage": {"claude-opus-5-5": {"inputTokens": 1000, "outputTokens": 0, "cacheReadInputTokens": 0,
        "cacheCreationInputTokens": 0, "webSearchRequests": 0, "costUSD": 0.05}}});
    let rows = [asks(0, 0.0, "Work."), answers(1, 1.0), total];
    let contradicts = |fields: Value| {
        codes(&said(&made(&rows, Some(step(fields))), "cost")).contains(&"manifest-contradicts-client".to_owned())
    };
    assert!(!contradicts(json!({"ok": false, "error": "killed-by-signal", "errors": ["no exit"]})));
    assert!(contradicts(json!({})), "a row that ended in order does");
}

#[test]
fn a_cut_last_answer_is_told_where_the_version_writes_every_end() {
    let cut = |stop: Value, version: &str| {
        let mut answer = says(1, 1.0, "half", stop);
        answer["version"] = version.into();
        codes(&said(&made(&[asks(0, 0.0, "Work."), answer], Some(step(json!({})))), "errors"))
    };
    assert_eq!(cut(Value::Null, "2.1.197"), ["cut-stream"]);
    assert_eq!(cut(Value::Null, "2.1.332"), ["cut-stream"]);
    assert_eq!(cut(Value::Null, "1.0.71"), Vec::<String>::new(), "of an old version null tells nothing");
    assert_eq!(cut("end_turn".into(), "2.1.332"), Vec::<String>::new());
}

/// The stream was cut, the runner tried again: two attempts, and the half answer is no error of its own.
#[test]
fn what_follows_a_cut_answer_is_a_new_attempt() {
    let rows = [asks(0, 0.0, "Work."), says(1, 1.0, "half", Value::Null), asks(2, 5.5, "Go on."), answers(3, 7.0)];
    let run = made(&rows, Some(step(json!({"attempts": 2, "errors": ["half"], "resumed": true}))));
    assert_eq!(attempts(&run), ["a 1 0 first failed network", "a 2 2 resumed answered null"]);
    assert_eq!(codes(&said(&run, "retries")), ["cut-stream"; 0]);
    let told = said(&run, "errors");
    assert_eq!(fields(&told, "errors", &["source", "kind"]), ["cut-stream network", "manifest network"]);
    assert!(told["result"]["errors"][1]["repeats"].is_object(), "{told:#}");
    let once = made(&rows, Some(step(json!({}))));
    assert_eq!(attempts(&once), ["a 1 0 first answered null"], "the manifest knows of no other attempt");
}

#[test]
fn the_sequence_orders_the_attempts_of_a_session() {
    let rows = [asks(0, 0.0, "Work."), overloaded(1, 1.0), asks(2, -3.0, "Go on."), answers(3, 5.0)];
    let fields = json!({"started_at": START - 100.0, "attempts": 2, "errors": ["API Error: 529 Overloaded"],
        "resumed": true});
    let run = made(&rows, Some(step(fields)));
    assert_eq!(attempts(&run), ["a 1 0 first failed overloaded", "a 2 2 resumed answered null"]);
    let report = said(&run, "retries");
    assert_eq!(text(&report["result"]["attempts"][0]["wait"]["verdict"]), "impossible");
    assert_eq!(text(&report["result"]["attempts"][0]["spend"]["model_turns"]), "0");
    assert!(!codes(&report).contains(&"attempts-differ".to_owned()), "{report:#}");
}

#[test]
fn attempts_without_times_belong_to_the_step_of_their_session() {
    let rows = [asks(0, None, "Work."), overloaded(1, None), asks(2, None, "Go on."), answers(3, None)];
    let fields = json!({"attempts": 2, "errors": ["API Error: 529 Overloaded"], "resumed": true});
    let run = made(&rows, Some(step(fields)));
    assert_eq!(attempts(&run), ["a 1 0 first failed overloaded", "a 2 2 resumed answered null"]);
    assert_eq!(codes(&said(&run, "retries")), Vec::<String>::new());
    let cost = said(&run, "cost");
    assert_eq!(cost["result"]["steps"][0]["measured_usd"], cost["result"]["measured_usd"], "{cost:#}");
}

#[test]
fn times_after_the_end_of_a_step_are_told_and_not_counted() {
    let mut ahead = answers(2, 3.0);
    ahead["timestamp"] = "2099-01-01T00:00:00.000Z".into();
    let run = made(&[asks(0, 0.0, "Work."), answers(1, 2.0), ahead], Some(step(json!({}))));
    let report = said(&run, "retries");
    assert!(codes(&report).contains(&"dated-after-end".to_owned()), "{report:#}");
    assert_eq!(report["result"]["attempts"][0]["lasted_s"], json!(2.0));
}

#[test]
fn a_slow_start_explains_no_more_than_ten_seconds_of_a_wait() {
    let waited = |start_up: f64, wait: f64| {
        let rows = [asks(0, 0.0, "Work."), overloaded(1, 1.0), asks(2, 1.0 + wait, "Go on."), answers(3, 2.0 + wait)];
        let fields = json!({"started_at": START - start_up, "ended_at": START + wait + 10.0, "attempts": 2,
            "errors": ["API Error: 529 Overloaded"], "resumed": true});
        let report = said(&made(&rows, Some(step(fields))), "retries");
        let wait = &report["result"]["attempts"][0]["wait"];
        (text(&wait["verdict"]), text(&wait["start_up_s"]), codes(&report))
    };
    assert_eq!(waited(2.0, 6.5), ("in-window".to_owned(), "2.0".to_owned(), vec![]));
    assert_eq!(waited(200.0, 90.0), ("longer".to_owned(), "10.0".to_owned(), vec![]));
    assert_eq!(waited(2.0, 3_621.0).2, Vec::<String>::new());
    assert_eq!(waited(2.0, 3_700.0), ("longer".to_owned(), "2.0".to_owned(), vec!["wait-too-long".to_owned()]));
}

#[test]
fn a_process_that_left_no_row_was_not_resumed() {
    let rows = [asks(0, 5.0, "Work."), answers(1, 6.0)];
    let of = |resumed: bool| {
        let fields = json!({"attempts": 2, "errors": ["exit -9"], "resumed": resumed});
        made(&rows, Some(step(fields)))
    };
    let fresh = of(false);
    assert_eq!(attempts(&fresh), ["a 1 null first unfinished killed", "a 2 0 restarted answered null"]);
    assert_eq!(codes(&said(&fresh, "retries")), Vec::<String>::new());
    assert_eq!(attempts(&of(true))[1], "a 2 0 resumed answered null");
}

#[test]
fn a_dead_subagent_is_not_recovered() {
    let call = json!([{"type": "tool_use", "id": "t1", "name": "Agent", "input": {"prompt": "x"}}]);
    let mut calls = says(1, 1.0, "", "tool_use".into());
    calls["message"]["content"] = call;
    let result = json!([{"type": "tool_result", "tool_use_id": "t1", "content": "API Error: 529 Overloaded"}]);
    let mut died = asks(2, 2.0, "");
    died["message"]["content"] = result;
    died["toolUseResult"] = json!({"status": "completed", "totalTokens": 0});
    let run = made(&[asks(0, 0.0, "Work."), calls, died, answers(3, 3.0)], Some(step(json!({}))));
    let report = said(&run, "errors");
    assert_eq!(fields(&report, "errors", &["source", "outcome"]), ["agent-result final"]);
    let outages = said(&run, "outages");
    assert_eq!(fields(&outages, "outages", &["ended"]), ["recovered-by-cli"], "the thread of its parent went on");
}

#[test]
fn a_type_that_contradicts_the_status_is_told_whoever_names_it() {
    let announced = |error: Value| {
        let fields = json!({"type": "system", "subtype": "api_error", "retryAttempt": 1, "maxRetries": 10,
            "retryInMs": 500, "error": error});
        entry(1, Some(1.0), fields)
    };
    let quoted = r#"{"type":"error","error":{"type":"rate_limit_error"}}"#;
    let nested = json!({"status": 529, "error": {"type": "error", "error": {"type": "rate_limit_error"}}});
    let sources = [
        fails(1, 1.0, "slow down", json!({"apiErrorStatus": 500, "apiErrorType": "rate_limit_error"})),
        fails(1, 1.0, "slow down", json!({"apiErrorStatus": 500, "error": "rate_limit"})),
        fails(1, 1.0, &format!("API Error: 500 {quoted}"), json!({"apiErrorStatus": 500, "error": "server_error"})),
        fails(1, 1.0, &format!("API Error: 500 {quoted}"), json!({})),
        announced(json!({"status": 500, "message": format!("500 {quoted}")})),
        announced(nested),
    ];
    for source in sources {
        let report = said(&made(&[asks(0, 0.0, "Work."), source.clone(), answers(2, 2.0)], None), "errors");
        assert_eq!(fields(&report, "errors", &["kind"]), ["rate-limit"], "{source:#}");
        assert!(codes(&report).contains(&"type-against-status".to_owned()), "{source:#} {report:#}");
    }
    let agreeing = overloaded(1, 1.0);
    let report = said(&made(&[asks(0, 0.0, "Work."), agreeing], None), "errors");
    assert_eq!(codes(&report), Vec::<String>::new());
}

#[test]
fn a_limit_in_plain_text_is_an_error_where_no_model_wrote_it() {
    let limit = "You've hit your session limit · resets 3pm (UTC)";
    let of = |text: &str, model: &str, tokens: u32| {
        let mut answer = says(1, 1.0, text, "end_turn".into());
        answer["message"]["model"] = model.into();
        answer["message"]["usage"] = json!({"input_tokens": tokens, "output_tokens": tokens});
        made(&[asks(0, 0.0, "Work."), answer, asks(2, 5.0, "Go on."), answers(3, 6.0)], None)
    };
    for model in ["<synthetic>", "claude-opus-5-5"] {
        let run = of(limit, model, 0);
        let report = said(&run, "errors");
        assert_eq!(fields(&report, "errors", &["source", "kind", "outcome"]), ["plain-limit quota resumed"], "{model}");
        assert_eq!(text(&report["result"]["errors"][0]["reset_at"]), "2026-11-30T15:00:00.000Z");
        assert_eq!(attempts(&run), ["null 1 0 first failed quota", "null 2 2 resumed answered null"]);
    }
    assert_eq!(errors(&of(limit, "claude-opus-5-5", 20)), Vec::<String>::new(), "an agent's own prose");
    assert_eq!(errors(&of("No response requested.", "<synthetic>", 0)), Vec::<String>::new());
}

#[test]
fn a_denial_of_the_runner_is_known_by_its_mark() {
    let denied = |content: Value, is_error: bool| {
        let mut calls = says(1, 1.0, "", "tool_use".into());
        calls["message"]["content"] =
            json!([{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "rm x"}}]);
        let mut result = asks(2, 2.0, "");
        result["message"]["content"] =
            json!([{"type": "tool_result", "tool_use_id": "t1", "content": content, "is_error": is_error}]);
        let run = made(&[asks(0, 0.0, "Work."), calls, result, answers(3, 3.0)], None);
        let report = said(&run, "errors");
        report["result"]["denials"]
            .as_array()
            .unwrap()
            .first()
            .map(|row| (row["denied"].clone(), row["commands"][0]["kind"].clone()))
    };
    let reason = format!("{} [flower-run:denied]", "只读。".repeat(60));
    let marked = Some((json!(1), json!("flower-run")));
    assert_eq!(denied(reason.clone().into(), true), marked, "however long the reason");
    assert_eq!(denied(json!([{"type": "text", "text": reason}]), true), marked);
    assert_eq!(denied(reason.into(), false), None, "what a tool printed");
    assert_eq!(denied("it said [flower-run:denied] somewhere".into(), true), None);
}

#[test]
fn a_step_that_was_given_up_is_not_said_to_be_retried() {
    let of = |attempts: u32| {
        let failed = "No message found with message.uuid of: 1";
        let fields =
            json!({"ok": false, "error": format!("fatal: {failed}"), "errors": [failed], "attempts": attempts});
        codes(&said(&made(&[asks(0, 0.0, "Work.")], Some(step(fields))), "errors"))
    };
    assert!(!of(1).contains(&"fatal-retried".to_owned()));
    assert!(of(6).contains(&"fatal-retried".to_owned()), "after six attempts nobody can tell");
}

#[test]
fn a_wrong_key_and_a_used_up_quota_are_no_outage() {
    let refused = [
        fails(1, 1.0, "Invalid API key", json!({"error": "authentication_failed", "apiErrorStatus": 401})),
        fails(1, 1.0, "Credit balance is too low", json!({"error": "billing_error", "apiErrorStatus": 400})),
        fails(1, 1.0, "You've hit your session limit · resets 3pm (UTC)", json!({"error": "rate_limit"})),
    ];
    for failure in refused {
        let outages = said(&made(&[asks(0, 0.0, "Work."), failure.clone()], None), "outages");
        assert_eq!(outages["result"]["outages"], json!([]), "{failure:#}");
    }
}

/// The same failure in a second session, so many seconds after the first, with an answer in between.
#[test]
fn whether_two_failures_are_one_outage_follows_the_rule() {
    let outages = |first: &Value, second: &Value| {
        let rows = [first, &answers(2, 3.0), second].map(Value::to_string);
        let rows = [("-w/s", rows[0].as_str()), ("-w/s", rows[1].as_str()), ("-w/t", rows[2].as_str())];
        let run = write_run(&rows, None);
        said(&run, "outages")["result"]["outages"].as_array().unwrap().len()
    };
    let network =
        |n, seconds: f64| fails(n, seconds, "API Error: Connection refused", json!({"apiError": "ECONNREFUSED"}));
    assert_eq!(
        [outages(&overloaded(1, 1.0), &overloaded(7, 61.0)), outages(&overloaded(1, 1.0), &overloaded(7, 62.0))],
        [1, 2]
    );
    assert_eq!([outages(&network(1, 1.0), &network(7, 6.0)), outages(&network(1, 1.0), &network(7, 7.0))], [1, 2]);
    assert_eq!(outages(&network(1, 1.0), &overloaded(7, 7.0)), 2);
}

#[test]
fn a_failure_told_again_is_marked_at_every_width() {
    let rows = [asks(0, 0.0, "Work."), overloaded(1, 1.0)];
    let fields = json!({"ok": false, "error": "API Error: 529 Overloaded", "errors": ["API Error: 529 Overloaded"]});
    let run_dir = made(&rows, Some(step(fields)));
    for width in ["60", "80", "100", "140", "220"] {
        let shown = run_at(&run_dir, width);
        assert_eq!(shown.matches("(again)").count(), 1, "{width}: {shown}");
    }
}

fn run_at(made: &TempDir, width: &str) -> String {
    let mut command = crate::program::command(made.path());
    let output = command.env("COLUMNS", width).args(["errors", "runs"]).output().unwrap();
    assert!(output.status.success(), "{}", run(made.path(), &["errors", "runs"]).err);
    String::from_utf8(output.stdout).unwrap()
}

/// A page that is not there is a wrong address; only what names the model is a model that is not there. A status may be a
/// text, and a network that is down needs no code.
#[test]
fn fields_in_other_forms_are_read() {
    let of = |row: Value| said(&made(&[asks(0, 0.0, "Work."), row], None), "errors")["result"]["errors"][0].take();
    let told = |error: &Value| (text(&error["kind"]), text(&error["basis"]));
    let known = |kind: &str| (kind.to_owned(), "fields".to_owned());
    let missing = |text: &str| of(fails(1, 1.0, text, json!({"apiErrorStatus": 404})));
    assert_eq!(told(&missing("API Error: 404 page not found")), known("request"));
    assert_eq!(told(&missing("There's an issue with the selected model (x).")), known("model-not-found"));
    assert_eq!(told(&of(fails(1, 1.0, "x", json!({"apiErrorStatus": "529"})))), known("overloaded"));
    let notice = json!({"type": "system", "subtype": "api_error", "error": {"isNetworkDown": true}, "retryInMs": 500,
        "retryAttempt": 1, "maxRetries": 10});
    assert_eq!(told(&of(entry(1, 1.0.into(), notice))), known("network"));
}
