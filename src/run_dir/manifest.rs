use std::collections::BTreeSet;

use super::json_scan::{Break, Item, Scanner, Shape};
use super::limits::{MAX_MANIFEST_ROWS, MAX_STATE_LIST};
use super::names::MANIFEST;
use super::state_problem::{StateFault, StateProblem};
use super::state_reader::{StateReader, UnknownKey};
use crate::unit::{Span, Timestamp, Usd};

/// The manifest: one row per executed step, accumulated across processes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The rows that could be read, in the order of the file.
    pub rows: Vec<ManifestRow>,
    /// What was wrong, in the order of the file.
    pub problems: Vec<StateProblem>,
}

/// One executed step. What is missing, null or unreadable is `None`; the problems say which.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ManifestRow {
    /// Line at which the row starts, counted from 1.
    pub line: u64,
    /// The file broke inside of this row: keys may be missing.
    pub torn: bool,
    /// Name of the step, with its marks; empty if unreadable.
    pub step: String,
    /// The last living session.
    pub session_id: Option<String>,
    /// The step succeeded.
    pub ok: Option<bool>,
    /// Cost as the CLI reported it.
    pub cost_usd: Option<Usd>,
    /// Turns as the CLI counted them.
    pub num_turns: Option<u64>,
    /// The final reply.
    pub text: Option<String>,
    /// Why the step failed.
    pub error: Option<String>,
    /// When it started; `None` also for zero, which means never.
    pub started_at: Option<Timestamp>,
    /// When it ended; `None` also for zero, which means never.
    pub ended_at: Option<Timestamp>,
    /// How often it was tried.
    pub attempts: Option<u64>,
    /// Why attempts failed, in order.
    pub errors: Vec<String>,
    /// It continued from the break instead of starting again.
    pub resumed: Option<bool>,
    /// Sessions used up by handoffs, in order; older files lack it.
    pub retired: Option<Vec<String>>,
    /// Largest context of the main thread, in tokens; older files lack it.
    pub context: Option<u64>,
    /// How long it took.
    pub duration_s: Option<Span>,
    /// The process that executed it; older files lack it.
    pub run: Option<String>,
    /// Keys that are not known here, as they stand.
    pub unknown: Vec<UnknownKey>,
}

/// Keys that every version of the manifest writes.
const REQUIRED: [&str; 12] = [
    "step",
    "session_id",
    "ok",
    "cost_usd",
    "num_turns",
    "text",
    "error",
    "started_at",
    "ended_at",
    "attempts",
    "errors",
    "resumed",
];

impl Manifest {
    /// Reads a manifest. Never fails: what can be read is read, everything else becomes a problem.
    pub fn parse(bytes: &[u8]) -> Self {
        let mut reader = StateReader::new(MANIFEST, bytes);
        let mut rows = Vec::new();
        if let Some(mut scanner) = reader.start() {
            match scanner.peek() {
                Some(b'[') => read_rows(&mut reader, &mut scanner, bytes, &mut rows),
                Some(_) | None => read_other(&mut reader, &mut scanner, bytes, &mut rows),
            }
        }
        Self { rows, problems: reader.finish() }
    }
}

/// Something else than an array: a single row, or nothing.
fn read_other(reader: &mut StateReader<'_>, scanner: &mut Scanner<'_>, bytes: &[u8], rows: &mut Vec<ManifestRow>) {
    let at = scanner.at();
    let found = match scanner.clone().value() {
        Ok(item) => item.shape,
        Err(_) if scanner.peek() == Some(b'{') => Shape::Object,
        Err(broken) => return reader.note_break(Break { expected: "an array", ..broken }, bytes.len()),
    };
    reader.note(at, StateFault::WrongTop { expected: "an array", found: found.name() });
    if found == Shape::Object {
        let (row, end) = read_row(reader, scanner);
        if !row.step.is_empty() {
            rows.push(row);
        }
        if let Err(broken) = end {
            return reader.note_break(broken, bytes.len());
        }
        reader.end(scanner);
    }
}

fn read_rows(reader: &mut StateReader<'_>, scanner: &mut Scanner<'_>, bytes: &[u8], rows: &mut Vec<ManifestRow>) {
    let mut number = 0;
    let mut left_out = 0;
    let mut closed = scanner.take(b'[') && scanner.take(b']');
    while !closed {
        number += 1;
        reader.enter_row(Some(number));
        let start = scanner.at();
        let next =
            read_element(
                reader,
                scanner,
                |row| {
                    if rows.len() < MAX_MANIFEST_ROWS { rows.push(row) } else { left_out += 1 }
                },
            );
        match next {
            Ok(last) => closed = last,
            Err(broken) => {
                let resumed = next_row(bytes, broken.at.max(start + 1));
                reader.note_break(broken, resumed.unwrap_or(bytes.len()));
                let Some(at) = resumed else { break };
                scanner.jump(at);
            }
        }
    }
    reader.enter_row(None);
    if left_out > 0 {
        reader.note(scanner.at(), StateFault::TooMany { what: "rows", kept: MAX_MANIFEST_ROWS, more: left_out });
    }
    if closed {
        reader.end(scanner);
    }
}

/// Reads one element of the array and what follows it; true if that ends the array.
fn read_element(
    reader: &mut StateReader<'_>,
    scanner: &mut Scanner<'_>,
    mut keep: impl FnMut(ManifestRow),
) -> Result<bool, Break> {
    if scanner.peek() == Some(b'{') {
        let (row, end) = read_row(reader, scanner);
        if end.is_ok() || row != (ManifestRow { line: row.line, torn: true, ..ManifestRow::default() }) {
            keep(row);
        }
        end?;
    } else {
        let item = scanner.value()?;
        reader.note(item.at, StateFault::RowNotObject { found: item.shape.name() });
    }
    match scanner.peek() {
        Some(b',') => Ok(!scanner.take(b',')),
        Some(b']') => Ok(scanner.take(b']')),
        _ => Err(Break { at: scanner.at(), expected: "`,` or `]`" }),
    }
}

/// Where the next row starts behind a break: at a brace and the key that is always written first. Inside of a string the
/// quote of that key would be escaped, so that text cannot be taken for a row.
fn next_row(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let starts = rest.iter().enumerate().filter(|(_, b)| **b == b'{').map(|(at, _)| from + at);
    starts.into_iter().find(|at| {
        let inside = bytes.get(at + 1..).unwrap_or_default();
        inside.trim_ascii_start().starts_with(b"\"step\"")
    })
}

fn read_row(reader: &mut StateReader<'_>, scanner: &mut Scanner<'_>) -> (ManifestRow, Result<(), Break>) {
    let at = scanner.at();
    let mut row = ManifestRow { line: reader.line(at), ..ManifestRow::default() };
    let mut seen = BTreeSet::new();
    let mut more = 0;
    let end = scanner.object(|scanner, literal| {
        let key = reader.key(literal, &mut seen);
        let item = scanner.value()?;
        more += usize::from(!read_field(reader, &mut row, &key, item));
        Ok(())
    });
    row.torn = end.is_err();
    if more > 0 {
        reader.note(at, StateFault::TooMany { what: "unknown keys", kept: row.unknown.len(), more });
    }
    if !row.torn {
        for key in REQUIRED.into_iter().filter(|key| !seen.contains(*key)) {
            reader.note(at, StateFault::MissingKey { key });
        }
    }
    if let (Some(start), Some(end)) = (row.started_at, row.ended_at)
        && end < start
    {
        reader.note(at, StateFault::EndsBeforeStart { millis: start.since(end).millis().unsigned_abs() });
    }
    (row, end)
}

/// Takes one key into `row`; false if there is no room for it.
fn read_field(reader: &mut StateReader<'_>, row: &mut ManifestRow, key: &str, item: Item<'_>) -> bool {
    match key {
        "step" => row.step = reader.text(key, item).unwrap_or_default(),
        "session_id" => row.session_id = reader.text_or_null(key, item),
        "ok" => row.ok = reader.flag(key, item),
        "cost_usd" => row.cost_usd = reader.money(key, item),
        "num_turns" => row.num_turns = reader.count(key, item),
        "text" => row.text = reader.text(key, item),
        "error" => row.error = reader.text_or_null(key, item),
        "started_at" => row.started_at = reader.moment(key, item),
        "ended_at" => row.ended_at = reader.moment(key, item),
        "attempts" => row.attempts = reader.count(key, item),
        "errors" => row.errors = reader.texts(key, item).unwrap_or_default(),
        "resumed" => row.resumed = reader.flag(key, item),
        "retired" => row.retired = reader.texts(key, item),
        "context" => row.context = reader.count(key, item),
        "duration_s" => row.duration_s = reader.span(key, item),
        "run" => row.run = reader.text(key, item),
        _ if row.unknown.len() >= MAX_STATE_LIST => return false,
        _ => row.unknown.push(reader.unknown(key, item)),
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::Diagnosis;
    use proptest::prelude::*;

    const REAL: &str = r#"[
  {
    "step": "inspect",
    "session_id": "84d156aa-4777-4de8-b004-f35dc0ca67b3",
    "ok": true,
    "cost_usd": 0.122592,
    "num_turns": 6,
    "text": "Step finished after the outage.",
    "error": null,
    "started_at": 1796047744.2464395,
    "ended_at": 1796047761.4340374,
    "attempts": 2,
    "errors": [
      "API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)"
    ],
    "resumed": true,
    "retired": [],
    "context": 10947,
    "duration_s": 17.188,
    "run": "20261130-140904-a3ccbb"
  },
  {
    "step": "干活·判定#1",
    "session_id": null,
    "ok": false,
    "cost_usd": 0.0,
    "num_turns": 0,
    "text": "",
    "error": "killed-by-signal",
    "started_at": 1796047761.4344304,
    "ended_at": 0.0,
    "attempts": 1,
    "errors": [],
    "resumed": false
  }
]
"#;

    fn told(manifest: &Manifest) -> String {
        let lines = manifest.problems.iter().map(|p| format!("{} {} {}", p.line, p.fault.code(), p.finding().message));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The first row of the real manifest with `from` replaced by `to`.
    fn changed(from: &str, to: &str) -> (ManifestRow, String) {
        assert!(REAL.contains(from), "{from}");
        let manifest = Manifest::parse(REAL.replacen(from, to, 1).as_bytes());
        assert_eq!(manifest.rows.len(), 2);
        (manifest.rows[0].clone(), told(&manifest))
    }

    #[test]
    fn a_real_manifest_is_read_whole() {
        let manifest = Manifest::parse(REAL.as_bytes());
        assert_eq!(told(&manifest), "");
        let [first, second] = &manifest.rows[..] else { panic!("two rows") };
        assert_eq!(first.cost_usd, Some(Usd::from_nanos(122_592_000)));
        assert_eq!(first.duration_s, Some(Span::from_millis(17_188)));
        assert_eq!(first.started_at.unwrap().to_string(), "2026-11-30T14:09:04.246Z");
        assert_eq!((first.attempts, first.context, first.errors.len()), (Some(2), Some(10_947), 1));
        assert_eq!((second.line, second.step.as_str(), second.torn), (22, "干活·判定#1", false));
        assert_eq!((second.ended_at, &second.retired, &second.run), (None, &None, &None));
    }

    #[test]
    fn odd_values_are_told_and_the_rest_is_kept() {
        for (from, to) in [
            ("0.122592", "NaN"),
            ("0.122592", "1e400"),
            ("0.122592", "1e300"),
            ("0.122592", "-0.5"),
            ("0.122592", "\"0.12\""),
            ("17.188", "-17.188"),
            ("17.188", "-Infinity"),
            ("\"num_turns\": 6", "\"num_turns\": 6.5"),
            ("\"num_turns\": 6", "\"num_turns\": -6"),
            ("\"num_turns\": 6", "\"num_turns\": 99999999999999999999999"),
            ("\"ok\": true", "\"ok\": \"yes\""),
            ("\"inspect\"", "\"in\\ud83dspect\""),
            ("\"inspect\"", "\"in\\xspect\""),
            ("1796047761.4340374", "1796047700.0"),
            ("    \"num_turns\": 6,\n", ""),
            ("\"num_turns\": 6", "\"num_turns\": 5, \"num_turns\": 6"),
            ("\"num_turns\": 6", "\"num_turns\": 6, \"new\": {\"a\": NaN}"),
            ("\"retired\": []", "\"retired\": [\"a\", 1]"),
            ("\"errors\": [\n", "\"errors\": [ ?,\n"),
        ] {
            let (row, told) = changed(from, to);
            assert_eq!(told.lines().count(), 1, "{to}: {told}");
            assert_eq!(row.run.as_deref(), Some("20261130-140904-a3ccbb"), "{to}");
        }
        insta::assert_snapshot!(changed("0.122592", "NaN").1, @"6 state-not-finite row 1: `cost_usd` is NaN, which is no JSON; it is read as unknown");
        insta::assert_snapshot!(changed("0.122592", "1e400").1, @"6 state-too-large row 1: `cost_usd` is 1e400, beyond anything possible; it is read as unknown");
        insta::assert_snapshot!(changed("\"num_turns\": 6", "\"num_turns\": 6.5").1, @"7 state-wrong-type row 1: `num_turns` should be a whole number, found 6.5");
        insta::assert_snapshot!(changed("1796047761.4340374", "1796047700.0").1, @"2 state-ends-before-start row 1: `ended_at` is 44246 ms before `started_at`");
        assert_eq!(changed("\"num_turns\": 6", "\"num_turns\": 3.0").0.num_turns, Some(3));
        assert_eq!(changed("17.188", "-17.188").0.duration_s, Some(Span::from_millis(-17_188)));
        assert_eq!(changed("\"inspect\"", "\"in\\ud83dspect\"").0.step, "in\u{fffd}spect");
        assert_eq!(changed("\"num_turns\": 6", "\"num_turns\": 5, \"num_turns\": 6").0.num_turns, Some(6));
        let unknown = changed("\"num_turns\": 6", "\"num_turns\": 6, \"new\": [1, 2]").0.unknown;
        assert_eq!(unknown, [UnknownKey { name: "new".to_owned(), json: "[1, 2]".to_owned() }]);
    }

    #[test]
    fn other_shapes_are_told() {
        for (text, rows, codes) in [
            ("", 0, "state-empty"),
            (" \n", 0, "state-empty"),
            ("[]", 0, ""),
            ("null", 0, "state-wrong-top"),
            ("{}", 0, "state-wrong-top"),
            ("NaN", 0, "state-wrong-top"),
            ("hello", 0, "state-truncated"),
            (
                "[1, \"a\", [], null]",
                0,
                "state-row-not-object state-row-not-object state-row-not-object state-row-not-object",
            ),
        ] {
            let manifest = Manifest::parse(text.as_bytes());
            let mut found: Vec<_> = manifest.problems.iter().map(|p| p.fault.code()).collect();
            found.retain(|code| *code != "state-missing-key");
            assert_eq!((manifest.rows.len(), found.join(" ").as_str()), (rows, codes), "{text}");
        }
        let alone = REAL.replacen('[', "", 1);
        assert_eq!(Manifest::parse(alone.as_bytes()).rows.len(), 1, "an object that is a row");
        let marked = [b"\xef\xbb\xbf", REAL.as_bytes()].concat();
        assert_eq!(
            told(&Manifest::parse(&marked)),
            "1 state-byte-order-mark the file starts with a byte order mark, which is skipped"
        );
        let bytes = REAL.replace("inspect", "in?spect").into_bytes();
        let broken: Vec<u8> = bytes.iter().map(|b| if *b == b'?' { 0xff } else { *b }).collect();
        assert_eq!(Manifest::parse(&broken).rows[0].step, "in\u{fffd}spect");
    }

    #[test]
    fn reading_goes_on_behind_a_hole() {
        let hole = REAL.replacen("\"ok\": true", "\"ok\": tr\0\0\0\0", 1);
        let manifest = Manifest::parse(hole.as_bytes());
        assert_eq!(
            manifest.rows.iter().map(|r| (r.torn, r.step.as_str())).collect::<Vec<_>>(),
            [(true, "inspect"), (false, "干活·判定#1")]
        );
        insta::assert_snapshot!(told(&manifest), @"5 state-broken row 1: expected a value at byte 97, found `t`; 463 bytes are skipped");
        let twice = format!("{REAL}{REAL}");
        insta::assert_snapshot!(told(&Manifest::parse(twice.as_bytes())), @"37 state-trailing 846 bytes follow the end of the JSON text at byte 846; they are not read");
        let comma = REAL.replacen("}\n]", "},\n]", 1);
        let manifest = Manifest::parse(comma.as_bytes());
        assert_eq!(manifest.rows.len(), 2);
        insta::assert_snapshot!(told(&manifest), @"36 state-broken row 3: expected a value at byte 845, found `]`; 2 bytes are skipped");
    }

    #[test]
    fn every_truncation_is_told_once_and_keeps_what_stands_before() {
        let text = REAL.trim_end().as_bytes();
        for end in 1..text.len() {
            let manifest = Manifest::parse(&text[..end]);
            let truncated =
                manifest.problems.iter().filter(|p| matches!(p.fault, StateFault::Truncated { .. })).count();
            assert_eq!(truncated, 1, "{end}: {:?}", manifest.problems);
            let whole = manifest.rows.iter().filter(|r| !r.torn).count();
            let closed = text[..end].windows(4).filter(|w| w == b"\n  }").count();
            assert_eq!(whole, closed, "{end}");
        }
    }

    #[test]
    fn hostile_files_are_bounded() {
        let many = format!("[{}]", vec!["1"; 5000].join(","));
        let manifest = Manifest::parse(many.as_bytes());
        assert!(manifest.problems.len() <= 1001, "{}", manifest.problems.len());
        assert!(told(&manifest).contains("4000 more problems"));
        let deep = "[".repeat(1_000_000);
        assert_eq!(Manifest::parse(deep.as_bytes()).problems.len(), 1);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            Manifest::parse(&bytes);
        }

        #[test]
        fn a_changed_byte_never_stops_the_reading(at in 0..REAL.len(), byte in any::<u8>()) {
            let mut bytes = REAL.as_bytes().to_vec();
            bytes[at] = byte;
            let manifest = Manifest::parse(&bytes);
            prop_assert!(!manifest.rows.is_empty() || !manifest.problems.is_empty());
        }
    }
}
