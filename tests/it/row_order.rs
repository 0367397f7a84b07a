//! The order of rows inside of a store key says nothing: only `seq` does. Which key has which row still decides between keys.

use flower_analyze::run_dir::Position;
use proptest::prelude::*;
use rusqlite::{Connection, params};
use serde_json::Value;
use std::path::Path;

use crate::program::{json, run};
use crate::properties::any_forest;
use crate::store::{Case, write_rows_of};

/// Every command that adds up, compares or lists over the whole store.
const COMMANDS: [&str; 10] =
    ["summary", "sessions", "chain", "cost", "errors", "retries", "outages", "context", "tools", "timeline"];

/// Gives the rows of every store key the rowids of that key in another order.
fn shuffle_inside_keys(database: &Path, seed: i64) {
    let database = Connection::open(database).unwrap();
    let batch = "
        BEGIN;
        CREATE TEMP TABLE places AS SELECT store_key, rowid AS place,
            row_number() OVER (PARTITION BY store_key ORDER BY rowid) AS n FROM entries;
        CREATE TEMP TABLE shuffled AS SELECT *, row_number() OVER
            (PARTITION BY store_key ORDER BY (rowid * 7919 + ?1) * 104729 % 1000003, rowid) AS n FROM entries;";
    for statement in batch.split_inclusive(';').filter(|statement| !statement.trim().is_empty()) {
        if statement.contains("?1") {
            database.execute(statement, params![seed]).unwrap();
        } else {
            database.execute_batch(statement).unwrap();
        }
    }
    database
        .execute_batch(
            "DELETE FROM entries;
            INSERT INTO entries(rowid, store_key, seq, uid, payload)
                SELECT place, store_key, seq, uid, payload FROM shuffled JOIN places USING (store_key, n);
            COMMIT;",
        )
        .unwrap();
    database.close().unwrap();
}

fn told(root: &Path, command: &str) -> Value {
    let mut report = json(root, &[command, "runs"]);
    Value::from(vec![report["result"].take(), report["findings"].take()])
}

/// The first place where two documents differ, for people.
fn difference(a: &Value, b: &Value, at: &str) -> Option<String> {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            a.iter().find_map(|(name, value)| difference(value, &b[name], &format!("{at}.{name}")))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            (0..).zip(a.iter().zip(b)).find_map(|(i, (a, b))| difference(a, b, &format!("{at}[{i}]")))
        }
        (a, b) => (a != b).then(|| format!("{at}: {a} against {b}")),
    }
}

fn seq(position: Position) -> i64 {
    let Position::Database { seq: Some(seq), .. } = position else { panic!("a row with a number") };
    seq
}

/// Where commands tell something else after the rows were shuffled.
fn differences(root: &Path, seed: i64) -> Vec<String> {
    let before = COMMANDS.map(|command| told(root, command));
    shuffle_inside_keys(&root.join("runs/sessions.db"), seed);
    let compared = COMMANDS.iter().zip(&before);
    compared.filter_map(|(command, before)| difference(before, &told(root, command), command)).collect()
}

#[test]
fn shuffling_the_rows_of_a_key_changes_nothing() {
    for name in [
        "healthy",
        "healthy-2.1.197",
        "denials",
        "outage",
        "overloaded",
        "interrupted",
        "compact",
        "forked",
        "handoff",
        "fork-agent",
        "usage-copies",
        "usage-request-ids",
        "repeated-work",
        "context-falls",
        "error-kinds",
        "odd-clock",
    ] {
        let case = Case::copy(name);
        let found = differences(&case.root, 3);
        assert!(found.is_empty(), "{name}: {}", found.join("\n"));
    }
}

/// The bytes of a session come out in its order, whatever the order of its rows.
#[test]
fn raw_payloads_come_out_in_the_order_of_the_session() {
    let case = Case::copy("denials");
    let sessions = json(&case.root, &["sessions", "runs"]);
    let session = sessions["result"]["sessions"][0]["store_key"].as_str().unwrap();
    let raw = || run(&case.root, &["show", "runs", session, "--raw"]).out;
    let before = raw();
    shuffle_inside_keys(&case.root.join("runs/sessions.db"), 5);
    assert!(!before.is_empty() && before == raw());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn shuffling_the_rows_of_a_key_of_any_store_changes_nothing(rows in any_forest(), seed in 0..1000_i64) {
        let entries: Vec<(&str, i64, &[u8])> =
            rows.iter().map(|row| (row.store_key, seq(row.position), row.payload.as_slice())).collect();
        let folder = write_rows_of(&entries);
        let manifest = r#"[{"step":"a","session_id":"main","ok":true,"attempts":2,"errors":["exit code -9"],"cost_usd":0.5,
            "started_at":1796047000,"ended_at":1796049000},{"step":"b","session_id":"other","cost_usd":0.1,
            "started_at":1796047100,"ended_at":1796048000}]"#;
        std::fs::write(folder.path().join("runs/manifest.json"), manifest).unwrap();
        prop_assert_eq!(differences(folder.path(), seed), Vec::<String>::new());
    }
}
