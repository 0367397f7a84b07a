//! Run directories of a few entries, made for one test.

use crate::store::write_run;
use serde_json::{Value, json};
use tempfile::TempDir;

/// 14:00 of the day of these runs, in seconds.
pub(crate) const START: u32 = 1_796_047_200;

/// Tokens of an answer.
pub(crate) const TOKENS: u32 = 1_000_000;

/// A step from 14:00 to 14:01; `more` beats what it has.
pub(crate) fn step(name: &str, session: &str, reported: f64, more: &Value) -> Value {
    let mut step = json!({"step": name, "session_id": session, "ok": true, "cost_usd": reported, "attempts": 1,
        "errors": [], "started_at": START, "ended_at": START + 60, "num_turns": 1, "text": "", "error": null,
        "resumed": false, "retired": [], "context": 1000, "duration_s": 60.0, "run": "20261130-140000-aaaaaa"});
    put(&mut step, more);
    step
}

/// Puts fields over those of a value, into the depth.
pub(crate) fn put(into: &mut Value, more: &Value) {
    match (into, more) {
        (Value::Object(into), Value::Object(more)) => {
            more.iter().for_each(|(name, value)| put(into.entry(name).or_insert(Value::Null), value));
        }
        (into, more) => *into = more.clone(),
    }
}

/// The n-th entry of a session, n seconds after 14:00, with its store key.
pub(crate) fn entry(session: &str, n: u32, more: &Value) -> (String, String) {
    let parent = n.checked_sub(1).map(|before| format!("{session}-{before}"));
    let mut entry = json!({"uuid": format!("{session}-{n}"), "parentUuid": parent, "sessionId": session,
        "version": "2.1.332", "timestamp": format!("2026-11-30T14:00:{n:02}.000Z")});
    put(&mut entry, more);
    (format!("-w/{session}"), entry.to_string())
}

/// An answer to a million tokens of input: $4.
pub(crate) fn answer(session: &str, n: u32, more: &Value) -> (String, String) {
    let mut answer = json!({"type": "assistant", "message": {"role": "assistant", "id": format!("m-{session}-{n}"),
        "model": "claude-opus-5-5", "stop_reason": "end_turn", "content": [{"type": "text", "text": "x"}],
        "usage": {"input_tokens": TOKENS, "output_tokens": 0}}});
    put(&mut answer, more);
    entry(session, n, &answer)
}

pub(crate) fn prompt(session: &str, n: u32) -> (String, String) {
    entry(session, n, &json!({"type": "user", "message": {"role": "user", "content": "Work."}}))
}

/// A run directory with these entries and steps.
pub(crate) fn made(rows: &[(String, String)], steps: &[Value]) -> TempDir {
    let rows: Vec<(&str, &str)> = rows.iter().map(|(key, row)| (key.as_str(), row.as_str())).collect();
    write_run(&rows, Some(&Value::from(steps).to_string()))
}
