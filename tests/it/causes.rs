//! Every hand-made fixture shows exactly what it is named after: branches, breaks, faults of calls, and nothing else.

use serde_json::Value;
use std::collections::BTreeMap;

use crate::program::json;
use crate::store::Case;

/// `session:seq`, with the session as short as the program names it.
fn place(store_key: &Value, seq: &Value) -> String {
    let session = store_key.as_str().unwrap().rsplit('/').next().unwrap();
    if seq.is_null() { session.to_owned() } else { format!("{session}:{seq}") }
}

/// Branches as `session:seq code head head*`, with a star at the live line.
fn branches(report: &Value) -> String {
    let sessions = report["result"]["sessions"].as_array().unwrap();
    let of = |session: &Value| {
        let shown = |branch: &Value| {
            let head = |line: &Value| format!(" {}{}", line["seq"], if line["live"] == true { "*" } else { "" });
            let heads: String = branch["lines"].as_array().unwrap().iter().map(head).collect();
            format!("{} {}{heads}", place(&session["store_key"], &branch["seq"]), branch["code"].as_str().unwrap())
        };
        session["branches"].as_array().unwrap().iter().map(shown).collect::<Vec<_>>()
    };
    sessions.iter().flat_map(of).collect::<Vec<_>>().join(", ")
}

/// Breaks as `session:seq code`, with the guess at the parent behind it.
fn breaks(report: &Value) -> String {
    let sessions = report["result"]["sessions"].as_array().unwrap();
    let of = |session: &Value| {
        let shown = |found: &Value| {
            let guess = if found["guess_seq"].is_null() { String::new() } else { format!(" ?{}", found["guess_seq"]) };
            format!("{} {}{guess}", place(&session["store_key"], &found["seq"]), found["code"].as_str().unwrap())
        };
        session["breaks"].as_array().unwrap().iter().map(shown).collect::<Vec<_>>()
    };
    sessions.iter().flat_map(of).collect::<Vec<_>>().join(", ")
}

/// Findings that are neither a break nor a branch, as `session:seq code`; the worst first.
fn others(report: &Value) -> String {
    let breaks = breaks(report);
    let known: Vec<&str> = breaks.split([' ', ',']).collect();
    let findings = report["findings"].as_array().unwrap().iter();
    let shown = findings.filter_map(|found| {
        let (code, at) = (found["code"].as_str().unwrap(), &found["place"]);
        let is_known = code == "real-branch" || known.contains(&code);
        let at = if at["store_key"].is_null() {
            at["file"].as_str()?.to_owned()
        } else {
            place(&at["store_key"], &at["seq"])
        };
        (!is_known).then(|| format!("{at} {code}"))
    });
    shown.collect::<Vec<_>>().join(", ")
}

#[test]
fn each_fixture_shows_its_cause_and_nothing_else() {
    let table = [
        ("linear", "", "", ""),
        ("orphan-parent", "", "main:2 phantom-parent ?1", "main:0 detached-entries"),
        (
            "resume-break",
            "",
            "pause:2 resume-break ?1, version:2 resume-break ?1",
            "pause:0 detached-entries, version:0 detached-entries",
        ),
        ("lost-rows", "", "main:5 lost-rows ?1", "main:0 detached-entries"),
        ("unreadable-parent", "", "main:2 unreadable-parent ?0", "main:1 torn-record, main:0 detached-entries"),
        ("parent-in-other-key", "", "agent-acompact-1:0 parent-in-other-key", "agent-acompact-1 no-agent-metadata"),
        ("lost-logical-parent", "", "main:2 lost-logical-parent ?1", "main:0 detached-entries"),
        ("mid-file-root", "", "main:2 mid-file-root ?1", "main:0 detached-entries"),
        ("cycle", "", "three:1 cycle, two:1 cycle", "three:0 detached-entries, two:0 detached-entries"),
        ("self-parent", "", "main:1 self-parent ?0", "main:0 detached-entries"),
        (
            "duplicate-uuid",
            "",
            "differs:2 duplicate-uuid-differs, same:2 duplicate-uuid, same-without-uid:2 duplicate-uuid",
            "differs:2 uid-differs, same:1 uid-differs, same-without-uid:2 uid-differs",
        ),
        ("out-of-time-order", "", "main:2 out-of-time-order", ""),
        ("foreign-session", "", "main:2 foreign-session", ""),
        ("interleaved-writers", "main:1 several-prompts 2 3*", "main:1 interleaved-writers", ""),
        ("branch-several-prompts", "main:1 several-prompts 2 4*", "", ""),
        ("branch-several-answers", "main:0 several-answers 1 2*", "", ""),
        ("branch-prompt-beside-answer", "main:0 prompt-beside-answer 1 2*", "", ""),
        (
            "branch-inside-turn",
            "main:1 inside-turn 2 3*, notice:1 inside-turn 3 4*",
            "",
            "main:2 orphan-call, notice:3 orphan-call",
        ),
        ("message-out-of-order", "", "", ""),
        ("parallel-calls", "", "", ""),
        ("progress-child", "", "", ""),
        ("sidechain-in-main", "", "", ""),
        ("compaction", "", "", "main:8 preserved-lost"),
        ("leaf-disagrees", "main:1 several-prompts 2 4*", "", "main:3 leaf-disagrees, not-here leaf-not-here"),
        ("orphan-call", "", "", "main:1 orphan-call"),
        ("healed-parent", "", "main:2 healed-parent", "main:1 orphan-call"),
        ("result-without-call", "", "", "main:1 result-without-call"),
        ("second-result", "", "", "main:3 second-result"),
        ("hidden-result", "", "", "main:3 hidden-result"),
        ("result-before-call", "", "", "main:1 result-before-call"),
        ("result-on-other-branch", "main:0 prompt-beside-answer 1 2*", "", "main:3 result-on-other-branch"),
        ("result-not-next", "", "", "main:3 result-not-next"),
        ("tool-name-too-long", "", "", "main:1 tool-name-too-long"),
        ("repeated-tool-ids", "", "", ""),
        ("nested-agents", "", "", ""),
        ("fork-agent", "", "", ""),
        ("unknown-types", "", "", ""),
        ("hostile-text", "", "", ""),
        ("usage-placeholder", "", "", ""),
        ("usage-iterations", "", "", ""),
        ("usage-request-ids", "", "", ""),
        ("usage-copies", "", "", ""),
        ("usage-synthetic", "", "", ""),
        ("byte-order-mark", "", "", ""),
        ("crlf", "", "", ""),
        ("blank-lines", "", "", "main blank-line, main blank-line, main blank-line"),
        ("line-separators", "", "", ""),
        ("nul-block", "", "", "main:1 nul-block, main:4 nul-block"),
        ("glued-records", "", "", ""),
        (
            "torn-lines",
            "",
            "main:2 unreadable-before ?0",
            "main:1 torn-record, main:3 torn-record, main:0 detached-entries",
        ),
        ("torn-tail-line", "", "", "main:2 torn-record"),
        ("invalid-utf8", "", "", "main:1 repaired-utf8"),
        ("lone-surrogates", "", "", ""),
        ("nul-escapes", "", "", ""),
        ("deep-nesting", "", "", ""),
    ];
    for (name, expected_branches, expected_breaks, expected_others) in table {
        let case = Case::open(name);
        let report = json(&case.root, &["chain", case.source]);
        let found = (branches(&report), breaks(&report), others(&report));
        let expected = (expected_branches.to_owned(), expected_breaks.to_owned(), expected_others.to_owned());
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn parts_that_contradict_each_other_are_named() {
    let table = [
        ("linear", ""),
        ("lost-rows", "main seq-gap, main:5 lost-rows, main:0 detached-entries"),
        ("next-seq-wrong", "main next-seq-wrong"),
        ("meta-row-missing", "main no-meta-row, long-gone meta-without-entries"),
        ("summary-missing", "long-gone summary-without-session, main no-summary-row"),
        ("step-session-missing", "manifest.json step-session-missing"),
        ("session-without-step", "unnamed session-without-step, unnamed session-not-in-lineage"),
        ("lineage-session-missing", "lineage.json lineage-session-missing"),
        ("spill-changed", "BENCH/spill spill-changed"),
        ("spill-missing", "main:2 spill-missing"),
        ("spill-unused", "BENCH/spill spill-unused"),
    ];
    for (name, expected) in table {
        let case = Case::open(name);
        let report = json(&case.root, &["summary", case.source]);
        let bench = case.root.canonicalize().unwrap().join(".flower");
        let findings = report["findings"].as_array().unwrap().iter();
        let shown = findings.map(|found| {
            let at = &found["place"];
            let at = if at["store_key"].is_null() {
                at["file"].as_str().unwrap().replace(bench.to_str().unwrap(), "BENCH")
            } else {
                place(&at["store_key"], &at["seq"])
            };
            format!("{at} {}", found["code"].as_str().unwrap())
        });
        assert_eq!(shown.collect::<Vec<_>>().join(", "), expected, "{name}");
    }
}

/// Sequence numbers by what `of` says of an entry of `show SESSION`.
fn members(case: &Case, session: &str, of: impl Fn(&Value) -> Option<String>) -> BTreeMap<String, Vec<i64>> {
    let report = json(&case.root, &["show", case.source, session]);
    let mut members: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for entry in report["result"]["entries"].as_array().unwrap() {
        if let Some(name) = of(entry) {
            members.entry(name).or_default().push(entry["seq"].as_i64().unwrap());
        }
    }
    members
}

/// Sequence numbers by standing.
type Standings = &'static [(&'static str, &'static [i64])];

#[test]
fn every_entry_stands_where_it_belongs() {
    let table: [(&str, &str, Standings); 18] = [
        ("linear", "main", &[("live", &[0, 1, 2, 3, 4]), ("side", &[5])]),
        ("orphan-parent", "main", &[("detached", &[0, 1]), ("live", &[2, 3])]),
        ("cycle", "two", &[("detached", &[0]), ("live", &[1, 2, 3])]),
        ("cycle", "three", &[("detached", &[0]), ("live", &[1, 2, 3, 4])]),
        ("self-parent", "main", &[("detached", &[0]), ("live", &[1, 2])]),
        ("lost-logical-parent", "main", &[("detached", &[0, 1]), ("live", &[2, 3, 4])]),
        ("branch-several-prompts", "main", &[("branch", &[2, 3]), ("live", &[0, 1, 4, 5])]),
        ("branch-several-answers", "main", &[("branch", &[1]), ("live", &[0, 2, 3])]),
        ("branch-prompt-beside-answer", "main", &[("branch", &[1]), ("live", &[0, 2, 3])]),
        // The call is of the turn that the live line goes through: the model would see it, and the API refuse it.
        ("branch-inside-turn", "main", &[("live", &[0, 1, 2, 3, 4])]),
        ("interleaved-writers", "main", &[("branch", &[2, 4]), ("live", &[0, 1, 3, 5])]),
        ("parallel-calls", "main", &[("live", &[0, 1, 2, 3, 4, 5, 6, 7])]),
        ("progress-child", "main", &[("live", &[0, 1, 4, 5]), ("side", &[2, 3])]),
        ("sidechain-in-main", "main", &[("live", &[0, 1, 4, 5]), ("side", &[2, 3])]),
        ("leaf-disagrees", "main", &[("branch", &[2, 3]), ("live", &[0, 1, 4, 5]), ("side", &[6])]),
        ("result-on-other-branch", "main", &[("branch", &[1]), ("live", &[0, 2, 3, 4])]),
        ("fork-agent", "agent-fork", &[("live", &[1, 2, 3, 4]), ("side", &[0])]),
        ("unknown-types", "main", &[("live", &[0, 1, 2, 5]), ("side", &[3, 4])]),
    ];
    for (name, session, expected) in table {
        let found = members(&Case::open(name), session, |entry| Some(entry["standing"].as_str()?.to_owned()));
        let expected = expected.iter().map(|(standing, seqs)| ((*standing).to_owned(), seqs.to_vec())).collect();
        assert_eq!(found, expected, "{name} {session}");
    }
}

#[test]
fn the_views_end_where_the_model_stops_seeing() {
    let case = Case::open("compaction");
    let seen = members(&case, "main", |entry| Some(entry["loaded"].to_string()));
    assert_eq!(seen["true"], [8, 9, 10, 11]);
    assert_eq!(seen["false"], [0, 1, 2, 3, 4, 5, 6, 7]);
    for (view, lines) in [
        // Entry 7 is before the boundary, but kept verbatim.
        ("loaded", vec![7, 8, 10, 11]),
        ("history", vec![0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11]),
        ("all", vec![0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11]),
    ] {
        let report = json(&case.root, &["chain", case.source, "--view", view]);
        let session = &report["result"]["sessions"][0];
        let outline = session["outline"].as_array().unwrap();
        assert_eq!(outline.iter().map(|line| line["seq"].as_i64().unwrap()).collect::<Vec<_>>(), lines, "{view}");
        assert_eq!(session["reachable"], serde_json::json!({"of": 12, "plain": 4, "loaded": 4, "history": 12}));
        assert_eq!(session["segments"][0]["preserved_seqs"], serde_json::json!([2, 3]));
        assert_eq!(session["segments"][1]["before_seq"], 7);
    }
    // An entry whose parent is written after it is shown like any other.
    let case = Case::open("message-out-of-order");
    let report = json(&case.root, &["chain", case.source]);
    let outline = report["result"]["sessions"][0]["outline"].as_array().unwrap();
    let shown: Vec<_> =
        outline.iter().map(|line| (line["seq"].as_u64().unwrap(), line["entries"].as_u64().unwrap())).collect();
    assert_eq!(shown, [(0, 1), (1, 3), (4, 1)]);
    // Of parallel calls the bare walk reaches one result; a turn is taken as a whole.
    let case = Case::open("parallel-calls");
    let report = json(&case.root, &["chain", case.source]);
    let reachable = &report["result"]["sessions"][0]["reachable"];
    assert_eq!(*reachable, serde_json::json!({"of": 8, "plain": 5, "loaded": 8, "history": 8}));
}

/// Figures by the key that was written first.
type Spent = &'static [(&'static str, [u64; 7])];

#[test]
fn usage_is_counted_once_and_at_home() {
    // Model turns, entries with usage, input, output, cache read, cache write, of it for an hour.
    let table: [(&str, Spent); 6] = [
        ("usage-placeholder", &[("-w-demo/main", [1, 3, 4, 183, 100, 20, 0])]),
        ("usage-iterations", &[("-w-demo/main", [1, 1, 9, 35, 300, 39, 30])]),
        ("usage-request-ids", &[("-w-demo/main", [3, 4, 7, 74, 700, 0, 0])]),
        ("usage-copies", &[("-w-demo/first", [1, 1, 2, 20, 200, 0, 0]), ("-w-demo/second", [1, 2, 1, 10, 100, 0, 0])]),
        ("usage-synthetic", &[("-w-demo/main", [1, 1, 1, 10, 100, 0, 0])]),
        (
            "fork-agent",
            &[
                ("-w-demo/main", [2, 3, 15, 26, 307, 48, 0]),
                ("-w-demo/main/subagents/agent-fork", [1, 1, 1, 2, 3, 4, 0]),
            ],
        ),
    ];
    for (name, expected) in table {
        let case = Case::open(name);
        let report = json(&case.root, &["summary", case.source]);
        let by_session = report["result"]["usage"]["by_session"].as_object().unwrap();
        let figures = |usage: &Value| {
            ["model_turns", "entries_with_usage", "input", "output", "cache_read", "cache_write", "cache_write_1h"]
                .map(|field| usage[field].as_u64().unwrap())
        };
        let found: Vec<_> = by_session.iter().map(|(key, usage)| (key.as_str(), figures(usage))).collect();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn subagents_hang_below_the_call_that_started_them() {
    for (name, expected) in [
        ("nested-agents", vec![("agent-inner", "Agent agent-outer:2"), ("agent-outer", "Agent main:1")]),
        // The fork's own copy of the call is not where it was started.
        ("fork-agent", vec![("agent-fork", "Agent main:1")]),
    ] {
        let case = Case::open(name);
        let report = json(&case.root, &["sessions", case.source]);
        let found: Vec<_> = report["result"]["sessions"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|session| !session["parent_call"].is_null())
            .map(|session| {
                let call = &session["parent_call"];
                let started = format!("{} {}", call["tool"].as_str().unwrap(), place(&call["store_key"], &call["seq"]));
                (place(&session["store_key"], &Value::Null), started)
            })
            .collect();
        let expected: Vec<_> = expected.into_iter().map(|(agent, call)| (agent.to_owned(), call.to_owned())).collect();
        assert_eq!(found, expected, "{name}");
    }
}

/// Files do not tell in which order they were written. The one whose own entries are older was first; without such, the
/// first by path is taken, and called a guess.
#[test]
fn of_files_that_share_messages_the_older_one_has_the_spend() {
    let line = |kind: &str, uuid: &str, parent: &str, minute: u8| {
        format!(
            "{{\"type\":\"{kind}\",\"uuid\":\"{uuid}\",\"parentUuid\":{parent},\"timestamp\":\"2026-11-30T14:{minute:02}:00.000Z\",\
             \"message\":{{\"id\":\"m-{uuid}\",\"model\":\"opus\",\"content\":\"\",\"usage\":{{\"output_tokens\":7}}}}}}\n"
        )
    };
    let shared = [line("user", "p1", "null", 0), line("assistant", "a1", "\"p1\"", 1)].concat();
    let older = line("assistant", "x1", "\"a1\"", 2);
    let newer = line("assistant", "y1", "\"a1\"", 9);
    for (first, second, home, guessed) in
        [(&newer, &older, "p/b", false), (&older, &newer, "p/a", false), (&String::new(), &String::new(), "p/a", true)]
    {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("p")).unwrap();
        std::fs::write(folder.path().join("p/a.jsonl"), format!("{shared}{first}")).unwrap();
        std::fs::write(folder.path().join("p/b.jsonl"), format!("{shared}{second}")).unwrap();
        let report = json(folder.path(), &["summary", "p"]);
        let usage = &report["result"]["usage"];
        assert_eq!((&usage["shared_turns"], &usage["output"]), (&1.into(), &(if guessed { 7 } else { 21 }).into()));
        assert_eq!(usage["by_session"][home]["output"], if guessed { 7 } else { 14 }, "{usage}");
        let said = report["findings"].as_array().unwrap().iter().filter(|found| found["code"] == "home-guessed");
        assert_eq!(said.count(), usize::from(guessed));
    }
}
