//! Laws that hold whatever the rows are: nothing is lost, everything stands in one place, order does not matter.

use flower_analyze::analysis::{Selection, View, chains, sessions, shown_entries, usage_report};
use flower_analyze::run_dir::{Position, Row};
use flower_analyze::session::Model;
use flower_analyze::transcript::{Collector, Transcripts};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use std::collections::BTreeMap;

use crate::program;
use crate::store::{Case, write_rows};

/// A row with its own bytes.
#[derive(Clone)]
pub(crate) struct Owned {
    pub(crate) store_key: &'static str,
    pub(crate) position: Position,
    uid: Option<String>,
    pub(crate) payload: Vec<u8>,
}

/// One line a row, so that a failure can be read.
impl std::fmt::Debug for Owned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let payload = self.payload.escape_ascii();
        write!(f, "{} {:?} {:?} {payload}", self.store_key, self.position, self.uid)
    }
}

impl Owned {
    fn row(&self) -> Row<'_> {
        Row { store_key: self.store_key, position: self.position, uid: self.uid.as_deref(), payload: Ok(&self.payload) }
    }
}

/// Decodes rows, spread over several collectors as over threads.
fn collect(rows: &[Owned], collectors: usize) -> Transcripts {
    let mut all: Vec<Collector> = (0..collectors).map(|_| Collector::default()).collect();
    for (at, owned) in rows.iter().enumerate() {
        // Not in turns: neighbours often land in the same collector.
        all[at / 3 % collectors].push(&owned.row());
    }
    Collector::finish(all)
}

/// Everything that a person could see of the rows.
fn seen(rows: &[Owned], collectors: usize) -> Value {
    let model = Model::build(collect(rows, collectors));
    let all = Selection::all(&model);
    let of_each = |view| chains(all.sessions(&model).map(|(_, session)| session), view);
    let views = [View::Loaded, View::History, View::All].map(of_each);
    let shown: Vec<_> = all.sessions(&model).map(|(_, session)| shown_entries(session)).collect();
    json!({
        "chains": views,
        "usage": usage_report(&model, &all),
        "sessions": sessions(&model, &all),
        "findings": all.sort(&model, model.findings()),
        "shown": shown,
        "notes": model.notes,
    })
}

const KEYS: [&str; 4] = ["-w/main", "-w/other", "-w/main/subagents/agent-a", "-w/main/subagents/agent-b"];

/// Bytes as they stand on lines of real, damaged and hostile files.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let record =
        r#"{"parentUuid":null,"type":"user","uuid":"u1","message":{"role":"user","content":"a \ud83d \u0000 b"}}"#;
    let piece = prop_oneof![
        4 => Just(record.as_bytes().to_vec()),
        2 => (0..record.len()).prop_map(move |end| record.as_bytes()[..end].to_vec()),
        2 => (0..record.len()).prop_map(move |start| record.as_bytes()[start..].to_vec()),
        1 => (0..40_usize).prop_map(|n| vec![0; n]),
        1 => Just(br#"{"type":"#.to_vec()),
        1 => Just("\u{feff}".as_bytes().to_vec()),
        1 => Just(b" \r\t ".to_vec()),
        1 => Just(b"[[[[{{{{".to_vec()),
        1 => Just(br#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":7}],"usage":{"input_tokens":1e99,"iterations":[{},null,3]}}}"#.to_vec()),
        2 => vec(any::<u8>(), 0..60),
        1 => "\\PC{0,20}".prop_map(String::into_bytes),
    ];
    vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

/// Rows with any bytes, as lines of files or as rows of a database.
fn any_rows() -> impl Strategy<Value = Vec<Owned>> {
    (any::<bool>(), vec((select(&KEYS[..]), bytes(), proptest::option::of("u[0-3]")), 0..12)).prop_map(
        |(lines, rows)| {
            let owned = |(at, (store_key, payload, uid)): (i64, (&'static str, Vec<u8>, Option<String>))| {
                let file = u32::try_from(KEYS.iter().position(|key| *key == store_key).unwrap()).unwrap();
                let offset = u64::try_from(at).unwrap();
                let (position, uid) = if lines {
                    (Position::Line { file, line: offset + 1, offset: offset * 1000 }, None)
                } else {
                    (Position::Database { rowid: at, seq: (at % 5 != 4).then_some(at) }, uid)
                };
                Owned { store_key, position, uid, payload }
            };
            (0..).zip(rows).map(owned).collect()
        },
    )
}

/// One entry of a forest in which anything may hang below anything.
fn any_entry() -> impl Strategy<Value = (usize, Value)> {
    let uid = || prop_oneof![8 => (0..14_u8).prop_map(|n| json!(format!("e{n}"))), 1 => Just(json!("nowhere")), 2 => Just(Value::Null)];
    let kind = select(
        &[
            "user",
            "user",
            "user",
            "assistant",
            "assistant",
            "assistant",
            "system",
            "attachment",
            "progress",
            "last-prompt",
            "hologram",
        ][..],
    );
    let block = prop_oneof![
        3 => Just(json!({"type": "text", "text": "said"})),
        3 => (0..4_u8).prop_map(|n| json!({"type": "tool_use", "id": format!("t{n}"), "name": "Bash", "input": {"command": "ls"}})),
        3 => (0..4_u8, any::<bool>()).prop_map(|(n, bad)| json!({"type": "tool_result", "tool_use_id": format!("t{n}"), "content": "[Request interrupted", "is_error": bad})),
    ];
    let message = (
        0..6_u8,
        vec(block, 0..3),
        proptest::option::of(0..3_u8),
        select(&["opus", "haiku", "<synthetic>"][..]),
        0..50_u64,
    );
    let flags = (0..100_u8, any::<bool>(), any::<bool>(), 0..400_u64);
    (0..KEYS.len(), kind, uid(), proptest::option::weighted(0.9, uid()), uid(), message, flags).prop_map(
        |(key, kind, uuid, parent, other, (id, blocks, request, model, tokens), (rare, side, absent, time))| {
            let mut entry = json!({"type": kind, "uuid": uuid, "sessionId": if rare == 7 { "stranger" } else { "main" },
                "timestamp": format!("2026-11-30T14:{:02}:{:02}Z", time / 60, time % 60), "version": if rare == 8 { "1.0" } else { "2.1" }});
            if let Some(parent) = parent.filter(|_| !(absent && rare < 5)) {
                entry["parentUuid"] = parent;
            }
            if matches!(kind, "user" | "assistant") {
                entry["message"] = json!({"id": format!("m{id}"), "role": kind, "model": model, "content": blocks,
                    "usage": {"input_tokens": tokens, "output_tokens": 1, "cache_read_input_tokens": tokens * 2}});
            }
            if let Some(request) = request {
                entry["requestId"] = json!(format!("r{request}"));
            }
            match rare {
                10..20 => entry["isSidechain"] = json!(side),
                20..25 => entry["isMeta"] = json!(true),
                25..30 => entry["isCompactSummary"] = json!(true),
                30..40 => entry["sourceToolAssistantUUID"] = other,
                40..60 if kind == "system" => {
                    entry["subtype"] = json!("compact_boundary");
                    entry["logicalParentUuid"] = other.clone();
                    entry["compactMetadata"] = json!({"preservedMessages": {"uuids": [other]}});
                }
                _ if kind == "last-prompt" => entry["leafUuid"] = other,
                60..63 => entry = json!({"type": "agent_metadata", "toolUseId": format!("t{id}"), "parentAgentId": "a"}),
                _ => {}
            }
            (key, entry)
        },
    )
}

/// Sessions whose entries hang below each other in any way: circles, repeats, gaps, holes.
pub(crate) fn any_forest() -> impl Strategy<Value = Vec<Owned>> {
    vec((any_entry(), 0..20_u8), 0..60).prop_map(|entries| {
        let mut next = [0_i64; KEYS.len()];
        let owned = |(rowid, ((key, entry), gap)): (i64, ((usize, Value), u8))| {
            let seq = next[key] + i64::from(gap == 0);
            next[key] = seq + 1;
            let uid = entry["uuid"].as_str().filter(|_| gap != 1).map(ToOwned::to_owned);
            let position = Position::Database { rowid, seq: Some(seq) };
            Owned { store_key: KEYS[key], position, uid, payload: entry.to_string().into_bytes() }
        };
        (1..).zip(entries).map(owned).collect()
    })
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn laws(seen: &Value) {
    let notes = &seen["notes"];
    assert_eq!(count(&notes["rows"]) + count(&notes["split_off"]), count(&notes["entries"]) + count(&notes["defects"]));
    for view in seen["chains"].as_array().unwrap() {
        for session in view["sessions"].as_array().unwrap() {
            let standings: u64 = session["standing"].as_object().unwrap().values().map(count).sum();
            assert_eq!(standings, count(&session["entries"]));
            let reach = |part: &str| count(&session["reachable"][part]);
            assert!(reach("plain") <= reach("loaded") && reach("loaded") <= reach("history"), "{session}");
            assert!(reach("history") <= reach("of") && reach("of") <= count(&session["entries"]), "{session}");
            for branch in session["branches"].as_array().unwrap() {
                let lines = branch["lines"].as_array().unwrap();
                assert!(lines.len() > 1, "{branch}");
                assert!(lines.iter().filter(|line| line["live"] == true).count() <= 1, "{branch}");
            }
            // What the outline folds is counted; a line hangs below one that stands above it.
            for (at, line) in session["outline"].as_array().unwrap().iter().enumerate() {
                assert!(line["below"].is_null() || count(&line["below"]) < u64::try_from(at).unwrap(), "{line}");
            }
            if view["view"] == "all" {
                let shown: u64 =
                    session["outline"].as_array().unwrap().iter().map(|line| count(&line["entries"])).sum();
                assert_eq!(shown, reach("of"));
            }
        }
    }
    let usage = &seen["usage"];
    for class in ["model_turns", "entries_with_usage", "input", "output", "cache_read", "cache_write", "cache_write_1h"]
    {
        for by in ["by_model", "by_session"] {
            let sum: u64 = usage[by].as_object().unwrap().values().map(|totals| count(&totals[class])).sum();
            assert_eq!(sum, count(&usage[class]), "{class} {by}");
        }
        let sum: u64 = seen["sessions"]["sessions"].as_array().unwrap().iter().map(|row| count(&row[class])).sum();
        assert_eq!(sum, count(&usage[class]), "{class} sessions");
    }
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn rows_are_entries_or_defects_whatever_the_bytes(rows in any_rows()) {
        let transcripts = collect(&rows, 1);
        let notes = &transcripts.notes;
        prop_assert_eq!(notes.rows, u64::try_from(rows.len()).unwrap());
        prop_assert_eq!(notes.rows + notes.split_off, notes.entries + notes.defects);
        // A row of a database is one thing; only lines come apart.
        if rows.iter().all(|row| matches!(row.position, Position::Database { .. })) {
            prop_assert_eq!(notes.split_off, 0);
        }
        let mut found: BTreeMap<Position, usize> = BTreeMap::new();
        for session in &transcripts.sessions {
            session.entries.iter().for_each(|entry| *found.entry(entry.row).or_default() += 1);
            session.defects.iter().for_each(|defect| *found.entry(defect.position).or_default() += 1);
        }
        prop_assert!(rows.iter().all(|row| found.contains_key(&row.position)));
        laws(&seen(&rows, 1));
    }

    #[test]
    fn any_forest_is_read_and_each_entry_stands_in_one_place(rows in any_forest()) {
        laws(&seen(&rows, 1));
    }

    #[test]
    fn the_order_of_rows_changes_nothing(
        (rows, shuffled) in any_forest().prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle())),
        collectors in 1..5_usize,
    ) {
        prop_assert_eq!(seen(&rows, 1), seen(&shuffled, collectors));
    }

    #[test]
    fn the_order_of_lines_changes_nothing(
        (rows, shuffled) in any_rows().prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle())),
        collectors in 1..5_usize,
    ) {
        prop_assert_eq!(seen(&rows, 1), seen(&shuffled, collectors));
    }
}

/// Neither depth nor width is a matter of the stack: a line, a circle, a star and one huge turn.
#[test]
fn large_forests_are_read() {
    const ENTRIES: i64 = 30_000;
    type ParentOf = fn(i64) -> i64;
    let parent: [(&str, ParentOf); 4] =
        [("line", |at| at - 1), ("circle", |at| (at + ENTRIES - 1) % ENTRIES), ("star", |_| 0), ("turn", |at| at - 1)];
    for (name, parent) in parent {
        let row = |at: i64| {
            let kind = if at % 2 == 0 && name != "turn" { "user" } else { "assistant" };
            let message = if name == "turn" { 1 } else { at };
            let parent = parent(at);
            let parent =
                if parent < 0 || (at == 0 && name == "star") { Value::Null } else { json!(format!("e{parent}")) };
            let entry = json!({"type": kind, "uuid": format!("e{at}"), "parentUuid": parent, "sessionId": "main",
                "message": {"id": format!("m{message}"), "model": "opus", "usage": {"input_tokens": 1},
                "content": [{"type": "tool_use", "id": format!("t{}", at % 7), "name": "Bash"}]}});
            Owned {
                store_key: KEYS[0],
                position: Position::Database { rowid: at, seq: Some(at) },
                uid: Some(format!("e{at}")),
                payload: entry.to_string().into_bytes(),
            }
        };
        let rows: Vec<Owned> = (0..ENTRIES).map(row).collect();
        let model = Model::build(collect(&rows, 2));
        let all = Selection::all(&model);
        let shown = chains(all.sessions(&model).map(|(_, session)| session), View::All);
        let reach = shown.sessions[0].reachable;
        assert_eq!(reach.of, 30_000, "{name}");
        assert_eq!(reach.history, if name == "star" { 2 } else { 30_000 }, "{name}");
    }
}

/// JSON objects with blanks, escapes and order as nobody would write them.
fn odd_object() -> impl Strategy<Value = String> {
    let text =
        prop_oneof![Just(r"\ud800 \u0000 \u00e9".to_owned()), "[^\"\\\\\\x00-\\x1f]{0,30}", Just("x".repeat(9000))];
    ("[ \t\r\n]{0,4}", vec(text, 0..4), any::<bool>()).prop_map(|(blank, texts, twice)| {
        let fields: Vec<String> = texts.iter().map(|text| format!("{blank},{blank}\"f\" :{blank}\"{text}\"")).collect();
        let fields = fields.concat();
        let again = if twice { r#", "type": "user" "# } else { "" };
        format!("{blank}{{{blank}\"type\"{blank}:\"user\"{again}{fields}{blank}}}{blank}")
    })
}

proptest! {
    #![proptest_config(config(12))]

    #[test]
    fn raw_payloads_come_out_byte_for_byte(payloads in vec(odd_object(), 1..6)) {
        let folder = write_rows("-w/main", &payloads);
        let raw = |name: &str| {
            let output = program::command(folder.path()).args(["show", "runs", name, "--raw"]).output().unwrap();
            prop_assert_eq!(output.status.code(), Some(0));
            Ok(output.stdout)
        };
        for (seq, payload) in payloads.iter().enumerate() {
            prop_assert_eq!(raw(&format!("main:{seq}"))?, payload.as_bytes());
        }
        let all = payloads.join("\n") + "\n";
        prop_assert_eq!(raw("main")?, all.into_bytes());
    }
}

#[test]
fn raw_payloads_of_a_real_session_come_out_byte_for_byte() {
    let case = Case::open("healthy");
    let database = rusqlite::Connection::open_with_flags(
        format!("file:{}?immutable=1", case.path().join("sessions.db").display()),
        rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY | rusqlite::OpenFlags::SQLITE_OPEN_URI,
    )
    .unwrap();
    let key = "-workspace-demo-healthy/82f57757-dbf3-432d-a759-aae0391a3be7";
    let mut payloads = database.prepare("SELECT payload FROM entries WHERE store_key = ?1 ORDER BY seq").unwrap();
    let payloads: Vec<String> = payloads.query_map([key], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let expected = payloads.join("\n") + "\n";
    let shown = program::run(&case.root, &["show", "runs", "82f5", "--raw"]);
    assert!(shown.out == expected, "{} bytes, expected {}", shown.out.len(), expected.len());
}

/// Records of a file come out without what stands around them on their line.
#[test]
fn raw_records_of_a_file_come_out_byte_for_byte() {
    for (name, seq, expected) in
        [("glued-records", 1, "a1"), ("crlf", 2, "p2"), ("nul-block", 2, "a1"), ("torn-lines", 4, "a2")]
    {
        let case = Case::open(name);
        let text = String::from_utf8(std::fs::read(case.path()).unwrap()).unwrap();
        let shown = program::run(&case.root, &["show", case.source, &format!("main:{seq}"), "--raw"]);
        assert!(
            shown.out.starts_with('{') && shown.out.ends_with('}') && text.contains(&shown.out),
            "{name}: {}",
            shown.out
        );
        let value: Value = serde_json::from_str(&shown.out).unwrap();
        assert_eq!(value["uuid"], expected, "{name}");
    }
}
