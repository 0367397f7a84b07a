//! Real runs: what the program says of them is what is known of them.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;

use crate::program::{json as report, run};
use crate::store::{Case, fixtures};

/// What every real run used, every message counted once.
fn golden() -> BTreeMap<String, Value> {
    serde_json::from_str(&fs::read_to_string(fixtures().join("golden/usage.json")).unwrap()).unwrap()
}

#[test]
fn usage_equals_the_golden_figures() {
    let golden = golden();
    assert_eq!(golden.len(), 10);
    for (name, expected) in golden {
        let case = Case::open(&name);
        assert_eq!(report(&case.root, &["summary", case.source])["result"]["usage"], expected, "{name}");
    }
}

#[test]
fn usage_of_each_session_is_its_own() {
    for (name, expected) in golden() {
        let case = Case::open(&name);
        let sessions = report(&case.root, &["sessions", case.source]);
        for session in sessions["result"]["sessions"].as_array().unwrap() {
            let none = json!({"model_turns": 0, "entries_with_usage": 0, "input": 0, "output": 0, "cache_read": 0,
                "cache_write": 0, "cache_write_1h": 0});
            let expected = expected["by_session"].get(session["store_key"].as_str().unwrap()).unwrap_or(&none);
            for (class, count) in expected.as_object().unwrap() {
                assert_eq!(session[class], *count, "{name} {} {class}", session["store_key"]);
            }
        }
    }
}

#[test]
fn every_row_is_an_entry() {
    let table = [
        ("compact", 188, 3),
        ("denials", 412, 14),
        ("forked", 130, 3),
        ("healthy", 181, 4),
        ("healthy-2.1.197", 117, 4),
        ("interrupted", 382, 12),
        ("interrupted-2.1.197", 189, 12),
        ("outage", 144, 5),
        ("outage-2.1.197", 75, 5),
        ("overloaded", 285, 8),
        ("crash-journal", 144, 5),
        ("crash-wal", 149, 5),
        ("crash-wal-no-shm", 149, 5),
        ("crash-wal-mid", 149, 5),
    ];
    for (name, entries, sessions) in table {
        let case = Case::open(name);
        let rows = &report(&case.root, &["summary", case.source])["result"]["rows"];
        assert_eq!((&rows["rows"], &rows["entries"], &rows["defects"]), (&json!(entries), &json!(entries), &json!(0)));
        let listed = report(&case.root, &["sessions", case.source]);
        let listed: Vec<_> =
            listed["result"]["sessions"].as_array().unwrap().iter().map(|s| s["entries"].as_u64()).collect();
        assert_eq!((listed.len(), listed.into_iter().map(Option::unwrap).sum()), (sessions, entries), "{name}");
    }
}

/// What is wrong in a run, session by session: branches and breaks as `seq code`.
fn wrong(name: &str) -> Vec<(String, Vec<String>)> {
    let case = Case::open(name);
    let chains = report(&case.root, &["chain", case.source]);
    let of = |session: &Value| {
        let found = ["branches", "breaks"].into_iter().flat_map(|list| session[list].as_array().unwrap());
        let found: Vec<String> =
            found.map(|found| format!("{} {}", found["seq"], found["code"].as_str().unwrap())).collect();
        (session["store_key"].as_str().unwrap().rsplit('/').next().unwrap().to_owned(), found)
    };
    let sessions = chains["result"]["sessions"].as_array().unwrap();
    sessions.iter().map(of).filter(|(_, found)| !found.is_empty()).collect()
}

#[test]
fn only_what_really_parts_is_a_branch() {
    let expected = |table: &[(&str, &[&str])]| -> Vec<(String, Vec<String>)> {
        let texts = |found: &[&str]| found.iter().map(ToString::to_string).collect();
        table.iter().map(|(session, found)| ((*session).to_owned(), texts(found))).collect()
    };
    for name in golden().keys() {
        let known: &[(&str, &[&str])] = match name.as_str() {
            "forked" => &[("5d816f9d-86f3-424b-ad6d-defcbbe9b540", &["23 several-prompts"])],
            // The files of the CLI still hold the entries that these parents name: they never came to the store.
            "interrupted" => &[("a67bbbcb-bb40-4ef2-b376-8463178978dc", &["2 phantom-parent", "3 phantom-parent"])],
            "interrupted-2.1.197" => &[
                ("4582d2ea-c37f-42d3-8ed5-f4167842038a", &["2 phantom-parent"]),
                ("5bd3dae4-06af-4052-a83b-4d0bce4ced40", &["5 inside-turn"]),
                ("aa778196-fbef-473c-9581-97ebd916e5f7", &["5 inside-turn"]),
                ("fe5a73c7-c8ca-49c0-9083-02a331c51717", &["5 inside-turn"]),
            ],
            _ => &[],
        };
        assert_eq!(wrong(name), expected(known), "{name}");
    }
    let case = Case::open("forked");
    let chains = report(&case.root, &["chain", case.source, "5d816f9d"]);
    let lines = chains["result"]["sessions"][0]["branches"][0]["lines"].as_array().unwrap();
    let lines: Vec<_> = lines.iter().map(|line| (line["seq"].as_u64().unwrap(), line["live"] == true)).collect();
    assert_eq!(lines, [(27, false), (38, false), (49, true)]);
}

#[test]
fn every_compaction_is_found_with_what_it_kept() {
    let case = Case::open("compact");
    let chains = report(&case.root, &["chain", case.source]);
    let of = |session: &Value| {
        let of = |segment: &Value| {
            let kept = segment["preserved_seqs"].as_array().unwrap().len();
            let (seq, trigger, before) =
                (&segment["seq"], segment["trigger"].as_str().unwrap(), &segment["before_seq"]);
            format!("{trigger} at {seq} after {before}, summary {}, {kept} kept; ", segment["summary_seq"])
        };
        let segments: String = session["segments"].as_array().unwrap().iter().map(of).collect();
        let [all, plain, loaded, history] =
            ["of", "plain", "loaded", "history"].map(|part| session["reachable"][part].as_u64().unwrap());
        format!("{segments}of {all}: plain {plain}, loaded {loaded}, history {history}")
    };
    let found: Vec<_> = chains["result"]["sessions"].as_array().unwrap().iter().map(of).collect();
    insta::assert_snapshot!(found.join("\n"), @r"
    auto at 25 after 20, summary 26, 0 kept; of 28: plain 12, loaded 12, history 27
    auto at 33 after 32, summary 36, 4 kept; auto at 59 after 56, summary 62, 3 kept; of 56: plain 13, loaded 13, history 55
    manual at 33 after 28, summary 34, 1 kept; of 44: plain 24, loaded 24, history 44
    ");
}

/// Tool calls that were in flight when a session was interrupted: seq and what was called.
#[test]
fn calls_in_flight_are_named() {
    let said = |name: &str| {
        let case = Case::open(name);
        let findings = report(&case.root, &["chain", case.source])["findings"].clone();
        let orphans = findings.as_array().unwrap().iter().filter(|found| found["code"] == "orphan-call");
        let said = orphans.map(|found| {
            let session: String = found["place"]["store_key"].as_str().unwrap().rsplit('/').next().unwrap().into();
            format!("{session}:{} {}", found["place"]["seq"], found["message"].as_str().unwrap())
        });
        said.collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!("calls-in-flight-interrupted", said("interrupted"));
    insta::assert_snapshot!("calls-in-flight-interrupted-2.1.197", said("interrupted-2.1.197"));
}

#[test]
fn what_recovery_did_is_told() {
    for (name, rows) in [("crash-journal", 144), ("crash-wal", 149), ("crash-wal-no-shm", 149), ("crash-wal-mid", 149)]
    {
        let case = Case::open(name);
        let source = report(&case.root, &["summary", case.source])["source"].clone();
        assert_eq!((&source["recovery"]["rows"], &source["unchanged"]), (&json!(rows), &json!(true)), "{name}");
        assert_eq!(source["recovery"]["rows_immutable"], json!(144), "{name}");
        let table = run(&case.root, &["summary", case.source, "--tz", "UTC"]);
        let said = if rows == 149 {
            "149 rows; the database file alone would have shown 144, which is not what was committed"
        } else {
            "144 rows; the database file alone has as many, but not the same pages"
        };
        // The table breaks the sentence into lines.
        let words = table.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(said), "{name}: {}", table.out);
    }
}

#[test]
fn torn_stores_pretend_nothing() {
    for (name, said) in [("torn-page", "is damaged"), ("torn-tail", "is cut off")] {
        let case = Case::open(name);
        for command in ["summary", "sessions", "chain", "layers"] {
            for format in ["table", "json", "csv", "md"] {
                let ended = run(&case.root, &[command, case.source, "--format", format]);
                assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{name} {command} {format}");
                assert!(ended.err.starts_with("error: runs/sessions.db ") && ended.err.contains(said), "{}", ended.err);
            }
        }
    }
}

/// Uuids and usage of each session of a source.
fn sessions(case: &Case, source: &str) -> BTreeMap<String, (Vec<String>, Value)> {
    let usage = report(&case.root, &["summary", source])["result"]["usage"]["by_session"].clone();
    let listed = report(&case.root, &["sessions", source]);
    let of = |session: &Value| {
        let key = session["store_key"].as_str().unwrap();
        let shown = report(&case.root, &["show", source, key]);
        let entries = shown["result"]["entries"].as_array().unwrap().iter();
        let mut uuids: Vec<String> = entries.filter_map(|entry| Some(entry["uuid"].as_str()?.to_owned())).collect();
        uuids.sort();
        (key.to_owned(), (uuids, usage.get(key).cloned().unwrap_or_default()))
    };
    listed["result"]["sessions"].as_array().unwrap().iter().map(of).collect()
}

/// The CLI writes its own files of the sessions that the store holds. Where both hold the same entries, both have used
/// the same. They hold the same but for: a resumed session, of which the CLI's file ends where its first process ended
/// (the second one got the history from the store); a session that was killed before its last entries came to the store;
/// forks and late subagents, which have no file.
#[test]
fn the_files_of_the_cli_tell_the_same() {
    let mut said = Vec::new();
    for name in ["healthy", "healthy-2.1.197", "forked", "interrupted-2.1.197", "outage-2.1.197"] {
        let case = Case::open(name);
        let (store, files) = (sessions(&case, case.source), sessions(&case, "cli-projects"));
        assert!(files.keys().all(|key| store.contains_key(key)), "{name}");
        let (mut same, mut longer, mut other) = (0, 0, 0);
        for (key, (uuids, usage)) in &files {
            let (all, spent) = &store[key];
            let missing = uuids.iter().filter(|uuid| all.binary_search(uuid).is_err()).count();
            if uuids == all {
                assert_eq!(usage, spent, "{name} {key}");
                same += 1;
            } else if missing == 0 {
                let turns = |usage: &Value| usage["model_turns"].as_u64().unwrap();
                assert!(turns(usage) < turns(spent), "{name} {key}");
                longer += 1;
            } else {
                other += 1;
            }
        }
        let without = store.len() - files.len();
        said.push(format!("{name}: {same} the same, {longer} longer in the store, {other} with entries only in the file, {without} only in the store"));
    }
    insta::assert_snapshot!(said.join("\n"));
}
