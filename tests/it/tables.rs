//! The tables: what is written about them, what stands in them by every way, what SQL may and may not do, where files go.

use flower_analyze::analysis::tables::{SCHEMA_VERSION, schemas};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::program::{json as report, run};
use crate::store::{Case, fixtures};

/// Text that a table of Markdown can hold.
fn line(text: &str) -> String {
    text.replace('|', "\\|")
}

/// `reports/tables.md` begins with what is written by hand; the tables below its last line are made by
/// `UPDATE=1 cargo test tables`.
#[test]
fn the_documented_tables_are_the_tables() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/tables.md");
    let page = fs::read_to_string(&path).unwrap();
    let mark =
        format!("<!-- Schema version {SCHEMA_VERSION}. Made by `UPDATE=1 cargo test tables`; do not edit below. -->\n");
    let (by_hand, _) = page.split_once(&mark).expect("the line that says where the made part begins");
    let mut made = format!("{by_hand}{mark}");
    for table in schemas() {
        write!(
            made,
            "\n## {}\n\n{}\n\n| column | type | unit | meaning |\n| --- | --- | --- | --- |\n",
            table.name, table.row
        )
        .unwrap();
        for column in table.columns {
            let unit = column.unit.unwrap_or_default();
            writeln!(made, "| `{}` | {} | {unit} | {} |", column.name, column.kind, line(column.meaning)).unwrap();
        }
    }
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &made).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), made, "run `UPDATE=1 cargo test tables`, then read the difference");
}

/// The rows of a query as a program sees them.
fn rows(case: &Case, args: &[&str]) -> Vec<Value> {
    let report = report(&case.root, &[&["query"], args].concat());
    let rows = report["result"]["rows"].as_array().unwrap().clone();
    assert_eq!(report["result"]["row_count"], rows.len());
    rows
}

fn ask(case: &Case, sql: &str) -> Vec<Value> {
    rows(case, &["--sql", sql, case.source])
}

fn golden(file: &str) -> BTreeMap<String, Value> {
    serde_json::from_str(&fs::read_to_string(fixtures().join("golden").join(file)).unwrap()).unwrap()
}

/// Nano-dollars of a figure in JSON.
fn nanos(value: &Value) -> i64 {
    format!("{:.0}", value.as_f64().unwrap() * 1e9).parse().unwrap()
}

const CLASSES: [&str; 6] = ["entries_with_usage", "input", "output", "cache_read", "cache_write", "cache_write_1h"];

#[test]
fn queries_give_the_golden_figures() {
    let costs = golden("cost.json");
    for (name, usage) in golden("usage.json") {
        let case = Case::open(&name);
        let totals = &rows(&case, &["totals", case.source])[0];
        let cost = &costs[&name];
        assert_eq!(totals["measured_nanos"], nanos(&cost["measured_usd"]), "{name}");
        assert_eq!(nanos(&totals["measured_usd"]), nanos(&cost["measured_usd"]), "{name}");
        assert_eq!(totals["unpriced_turns"], cost["unpriced_turns"], "{name}");
        assert_eq!(totals["model_turns"], usage["model_turns"], "{name}");
        for class in CLASSES {
            assert_eq!(totals[class], usage[class], "{name} {class}");
        }
        let sums = CLASSES.map(|class| format!("sum({class}) AS {class}")).join(", ");
        let by_session = ask(
            &case,
            &format!(
                "SELECT store_key, count(*) AS model_turns, {sums}, sum(measured_nanos) AS nanos FROM turns GROUP BY store_key"
            ),
        );
        assert_eq!(by_session.len(), usage["by_session"].as_object().unwrap().len(), "{name}");
        for session in by_session {
            let key = session["store_key"].as_str().unwrap();
            assert_eq!(session["nanos"], nanos(&cost["by_session"][key]), "{name} {key}");
            for class in CLASSES.iter().chain(&["model_turns"]) {
                assert_eq!(session[*class], usage["by_session"][key][*class], "{name} {key} {class}");
            }
        }
        let told = ask(&case, "SELECT store_key, measured_nanos, input, output FROM sessions WHERE model_turns > 0");
        for session in told {
            let key = session["store_key"].as_str().unwrap();
            assert_eq!(session["measured_nanos"], nanos(&cost["by_session"][key]), "{name} {key}");
        }
    }
}

/// The lines of an exported file, as JSON.
fn exported(folder: &Path, table: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder.join(format!("{table}.ndjson"))).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn export(case: &Case, form: &str, options: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("out");
    let args =
        [&["export", case.source, "--tz", "UTC", "--to", form, "--dir", dir.to_str().unwrap()], options].concat();
    let ended = run(&case.root, &args);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{args:?}");
    folder
}

#[test]
fn exports_give_the_golden_figures() {
    let usage = golden("usage.json");
    for (name, cost) in golden("cost.json") {
        let case = Case::open(&name);
        let folder = export(&case, "ndjson", &[]);
        let turns = exported(&folder.path().join("out"), "turns");
        let sum = |column: &str| turns.iter().map(|turn| turn[column].as_i64().unwrap()).sum::<i64>();
        assert_eq!(sum("measured_nanos"), nanos(&cost["measured_usd"]), "{name}");
        for class in CLASSES {
            assert_eq!(usage[&name][class], sum(class), "{name} {class}");
        }
        // CSV tells the same rows.
        let csv = export(&case, "csv", &[]);
        let text = fs::read_to_string(csv.path().join("out/turns.csv")).unwrap();
        let mut lines = text.lines();
        let at = lines.next().unwrap().split(',').position(|column| column == "measured_nanos").unwrap();
        // No cell of these runs holds a comma.
        let nanos: i64 = lines.map(|line| line.split(',').nth(at).unwrap().parse::<i64>().unwrap()).sum();
        assert_eq!(nanos, sum("measured_nanos"), "{name}");
    }
}

/// What a query answers about a whole table is what the export holds.
#[test]
fn queries_and_exports_tell_the_same() {
    for name in ["hostile-text", "cost-causes", "nested-agents", "outage"] {
        let case = Case::open(name);
        let folder = export(&case, "ndjson", &[]);
        for table in schemas() {
            let answer = ask(&case, &format!("SELECT * FROM {}", table.name));
            assert_eq!(answer, exported(&folder.path().join("out"), table.name), "{name} {}", table.name);
            let columns: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
            for row in answer {
                assert_eq!(row.as_object().unwrap().len(), columns.len(), "{name} {}", table.name);
            }
        }
        let schema: Value =
            serde_json::from_str(&fs::read_to_string(folder.path().join("out/schema.json")).unwrap()).unwrap();
        assert_eq!(schema["schema_version"], SCHEMA_VERSION);
        assert_eq!(schema["tables"], serde_json::to_value(schemas()).unwrap());
    }
}

/// Whatever money is grouped by, it adds up to the same.
#[test]
fn sums_agree_by_every_column() {
    for name in ["cost-causes", "forked", "healthy", "interrupted"] {
        let case = Case::open(name);
        let total = ask(&case, "SELECT sum(measured_nanos) AS n FROM turns")[0]["n"].clone();
        for column in ["step_n", "step", "run", "store_key", "model", "thread", "day", "hour"] {
            let sql = format!(
                "SELECT sum(n) AS n FROM (SELECT {column}, sum(measured_nanos) AS n FROM turns GROUP BY {column}) AS groups"
            );
            assert_eq!(ask(&case, &sql)[0]["n"], total, "{name} {column}");
        }
        let outside = "SELECT sum(measured_nanos) AS n FROM turns WHERE step_n IS NULL";
        let steps = "SELECT sum(measured_nanos) AS n FROM steps";
        let part = |sql: &str| ask(&case, sql)[0]["n"].as_i64().unwrap_or(0);
        assert_eq!(part(outside) + part(steps), total, "{name}");
        let wrong = "SELECT count(*) AS n FROM turns WHERE NOT (low_nanos <= measured_nanos AND measured_nanos <= coalesce(high_nanos, measured_nanos))";
        assert_eq!(part(wrong), 0, "{name}");
    }
}

/// Days are those of the zone of the report; moments do not move.
#[test]
fn days_are_those_of_the_zone() {
    let case = Case::open("healthy");
    let days = |zone: &str| {
        let sql = "SELECT day, min(hour) AS hour, min(timestamp) AS first FROM turns GROUP BY day ORDER BY day";
        let ended = run(&case.root, &["query", "--sql", sql, case.source, "--format", "csv", "--tz", zone]);
        ended.out
    };
    insta::assert_snapshot!(["UTC", "Pacific/Kiritimati", "Asia/Kolkata"].map(days).join("\n"), @"
    day,hour,first
    2026-11-30,2026-11-30 14:00 +00:00,2026-11-30T14:21:58.809Z

    day,hour,first
    2026-12-01,2026-12-01 04:00 +14:00,2026-11-30T14:21:58.809Z

    day,hour,first
    2026-11-30,2026-11-30 19:00 +05:30,2026-11-30T14:21:58.809Z
    ");
}

#[test]
fn what_is_no_query_is_refused_with_a_reason() {
    let case = Case::open("linear");
    let said = |sql: &str| {
        let ended = run(&case.root, &["query", "--sql", sql, case.source]);
        assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{sql}");
        format!("{sql}\n{}", ended.err)
    };
    let said = [
        "",
        "-- nothing",
        "DROP TABLE turns",
        "DELETE FROM turns",
        "TRUNCATE TABLE turns",
        "CREATE TABLE other AS SELECT * FROM turns",
        "EXPLAIN SELECT * FROM turns",
        "SHOW TABLES",
        "WITH a AS (SELECT 1 AS b) DELETE FROM turns",
        "SELECT 1 FROM turns; SELECT 2 FROM turns",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_parquet('x.parquet')",
        "SELECT * FROM read_json('x.json')",
        "SELECT * FROM 'x.parquet'",
        "SELECT * FROM turn",
        "SELECT * FROM Turns",
        "SELECT cost FROM findings",
        "SELECT f.cost FROM findings AS f",
        "SELECT f.code FROM findings AS f JOIN findings AS g ON f.code = g.cost",
        "SELECT cod FROM (SELECT code FROM findings) AS f",
        "SELECT code, FROM findings WHERE",
        "SELECT nothing(code) FROM findings",
        "SELECT s.step FROM steps AS s LEFT JOIN errors AS e ON s.step = e.step AND e.kind = 'server'",
        "SELECT s.step FROM steps AS s JOIN steps AS t ON s.n < t.n",
        "SELECT s.step FROM steps AS s JOIN steps AS t ON 1 = 1",
        "SELECT s.step FROM steps AS s JOIN steps AS t ON s.n = s.context",
        "SELECT step, sum(sum(output)) OVER () AS t FROM turns GROUP BY step",
        "SELECT step, count(*) OVER () AS t FROM turns GROUP BY ALL",
        "SELECT 1 AS a FROM (SELECT max(seq) AS b, sum(seq) OVER () AS t FROM turns) AS x",
        "SELECT kind FROM errors WHERE kind NOT IN ('network', NULL)",
        "SELECT 1 AS a WHERE 1 = 0",
        "SELECT 1 AS a FROM turns UNION SELECT 2 WHERE 1 = 0",
        "SELECT count(*) AS n FROM turns TABLESAMPLE (1)",
    ]
    .map(said);
    insta::assert_snapshot!(said.join("\n"));
    for args in [
        &["query", "no-such-query"][..],
        &["query", "--file", "no-such-file.sql"],
        &["query", "totals", "linear", "--sql", "SELECT 1"],
    ] {
        assert_eq!(run(&case.root, args).code, Some(2), "{args:?}");
    }
}

/// What would overflow the stack or fill the memory of the engine is refused; what is just below that is answered.
#[test]
fn what_the_engine_cannot_bear_is_refused() {
    let case = Case::open("linear");
    let sum = |operators: usize| format!("SELECT 1{} AS a FROM turns LIMIT 1", "+1".repeat(operators));
    let either = |operators: usize| {
        format!("SELECT count(*) AS a FROM turns WHERE model = 'x'{}", " OR model = 'y'".repeat(operators))
    };
    let list = |values: usize| format!("SELECT count(*) AS a FROM turns WHERE model IN ('x'{})", ",'y'".repeat(values));
    let union = |others: usize| format!("SELECT 1 AS a FROM turns{}", " UNION SELECT 1 FROM turns".repeat(others));
    let joins = |others: usize| {
        let joins: Vec<String> = (0..others).map(|n| format!("JOIN turns AS t{n} ON t.seq = t{n}.seq")).collect();
        format!("SELECT count(*) AS a FROM turns AS t {}", joins.join(" "))
    };
    let crossed = |others: usize| {
        let joins: Vec<String> = (0..others).map(|n| format!("CROSS JOIN entries AS e{n}")).collect();
        format!("SELECT count(*) AS a FROM entries AS e {}", joins.join(" "))
    };
    let entries = ask(&case, "SELECT count(*) AS a FROM entries")[0]["a"].as_u64().unwrap();
    assert_eq!(ask(&case, &crossed(1))[0]["a"], entries * entries);
    for sql in [sum(98), either(97), list(9000), union(10), joins(40)] {
        assert_eq!(ask(&case, &sql).len(), 1, "{sql}");
    }
    let few = "(SELECT 1 AS x FROM entries LIMIT 1) AS f";
    assert!(!ask(&case, &format!("{} CROSS JOIN {few}", crossed(1))).is_empty());
    for (sql, said) in [
        (sum(500), "nested more than"),
        (sum(9000), "nested more than"),
        (either(500), "nested more than"),
        (list(20_000), "words and signs"),
        (union(11), "set operators"),
        (joins(51), "joins"),
        (crossed(20), "without a condition"),
        (
            format!("SELECT 1 AS a FROM turns WHERE seq IN (SELECT a FROM ({}) AS x)", crossed(20)),
            "without a condition",
        ),
        (format!("WITH x AS ({}) SELECT a FROM x", crossed(20)), "without a condition"),
    ] {
        let ended = run(&case.root, &["query", "--sql", &sql, case.source]);
        assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{sql}");
        assert!(ended.err.contains(said), "{sql}: {}", ended.err);
    }
}

/// Where polars parts from other engines, or once did: the figures are those that a person expects.
#[test]
fn the_traps_of_the_engine_are_known() {
    let case = Case::open("healthy");
    let one = |sql: &str| ask(&case, sql)[0]["x"].clone();
    // Groups by one plain column, joins of groups, common table expressions.
    assert_eq!(one("SELECT count(*) AS x FROM (SELECT step, sum(input) AS i FROM turns GROUP BY step) AS a"), 3);
    assert_eq!(
        one(
            "WITH a AS (SELECT step_n, sum(measured_nanos) AS m FROM turns GROUP BY step_n) SELECT max(abs(s.measured_nanos - a.m)) AS x FROM steps AS s JOIN a ON a.step_n = s.n"
        ),
        0
    );
    // Null is not equal to null, does not count and is not summed; it comes last.
    assert_eq!(one("SELECT count(unpriced) AS x FROM turns"), 0);
    assert_eq!(one("SELECT count(*) AS x FROM turns WHERE unpriced = unpriced"), 0);
    assert_eq!(one("SELECT sum(measured_nanos) AS x FROM turns WHERE store_key = 'none'"), 0, "SQL says null");
    let order = ask(&case, "SELECT agent_id AS x FROM sessions ORDER BY agent_id");
    assert!(order.first().unwrap()["x"].is_string() && order.last().unwrap()["x"].is_null());
    // Whole numbers are divided to whole numbers; by a literal with a point to fractions.
    assert_eq!(one("SELECT n / 2 AS x FROM steps WHERE n = 3"), 1);
    assert_eq!(one("SELECT n / 2.0 AS x FROM steps WHERE n = 3"), 1.5);
    assert_eq!(one("SELECT n / 0 AS x FROM steps WHERE n = 3"), Value::Null);
    // Moments are compared with text and with literals.
    for moment in ["'2026-11-30'", "timestamp '2026-11-30 00:00:00'"] {
        assert_eq!(one(&format!("SELECT count(*) AS x FROM turns WHERE timestamp > {moment}")), 33);
    }
}

/// Secrets are hidden before a query sees them: no part of one can be cut out.
#[test]
fn no_query_and_no_file_shows_a_secret() {
    let case = Case::copy("linear");
    let secret = "abcdefghijklmnopqrstuvwxyz0123456789";
    let store = rusqlite::Connection::open(case.path().join("sessions.db")).unwrap();
    let text = format!(
        r#"{{"type":"user","uuid":"x","parentUuid":null,"message":{{"role":"user","content":"=sk-ant-api03-{secret}"}}}}"#
    );
    store.execute("INSERT INTO entries (store_key, seq, payload) VALUES ('-w/secret', 1, ?1)", [text]).unwrap();
    drop(store);
    let sql = "SELECT substr(excerpt, 16) AS x FROM entries WHERE store_key = '-w/secret'";
    let query = |options: &[&str]| run(&case.root, &[&["query", "--sql", sql, case.source], options].concat()).out;
    for format in ["table", "json", "csv", "md"] {
        assert!(!query(&["--format", format]).contains("mnopqrst"), "{format}");
    }
    assert!(query(&["--reveal"]).contains("mnopqrst"));
    for form in ["parquet", "csv", "ndjson"] {
        let holds = |options: &[&str]| {
            let folder = export(&case, form, options);
            let bytes = fs::read(folder.path().join(format!("out/entries.{form}"))).unwrap();
            bytes.windows(8).any(|part| part == b"mnopqrst")
        };
        assert!(!holds(&[]), "{form}");
        assert!(holds(&["--reveal"]), "{form}");
    }
    let csv = export(&case, "csv", &[]);
    let text = fs::read_to_string(csv.path().join("out/entries.csv")).unwrap();
    assert!(text.contains(",'=sk-ant-api03-…[masked"), "a cell is no formula");
}

/// Nothing is written into the source, over other files or half.
#[test]
fn exports_go_where_nothing_is_lost() {
    let case = Case::copy("linear");
    let before = fs::read(case.path().join("sessions.db")).unwrap();
    let ended = |dir: &str, options: &[&str]| {
        run(&case.root, &[&["export", case.source, "--to", "csv", "--dir", dir], options].concat())
    };
    std::os::unix::fs::symlink(case.path(), case.root.join("link")).unwrap();
    for inside in [case.source, &format!("{}/out", case.source), "link/out", "link"] {
        let ended = ended(inside, &[]);
        assert_eq!(ended.code, Some(2), "{inside}");
        assert!(ended.err.contains("lies inside of the source"), "{}", ended.err);
    }
    assert!(ended("no/such/folder", &[]).err.contains("make it first"));
    fs::write(case.root.join("file"), "").unwrap();
    assert!(ended("file", &[]).err.contains("is a file"));
    // A second export needs to be told; files of other names stay.
    assert_eq!(ended("out", &[]).code, Some(0));
    fs::write(case.root.join("out/notes.txt"), "mine").unwrap();
    let again = ended("out", &[]);
    assert_eq!(again.code, Some(2));
    assert!(again.err.contains("--force"), "{}", again.err);
    // A file that is a link is replaced, not written through.
    fs::remove_file(case.root.join("out/steps.csv")).unwrap();
    std::os::unix::fs::symlink(case.path().join("sessions.db"), case.root.join("out/steps.csv")).unwrap();
    assert_eq!(ended("out", &["--force"]).code, Some(0));
    assert_eq!(fs::read_to_string(case.root.join("out/notes.txt")).unwrap(), "mine");
    assert!(!case.root.join("out/steps.csv").is_symlink());
    assert_eq!(fs::read(case.path().join("sessions.db")).unwrap(), before);
    let names: Vec<_> = fs::read_dir(case.root.join("out")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), schemas().len() + 2, "nothing is left over: {names:?}");
}

/// One session is exported with its subagents and nothing else.
#[test]
fn a_session_is_exported_alone() {
    let case = Case::open("nested-agents");
    let keys = |options: &[&str]| -> Vec<Value> {
        let folder = export(&case, "ndjson", options);
        exported(&folder.path().join("out"), "sessions").into_iter().map(|row| row["store_key"].clone()).collect()
    };
    let all = keys(&[]);
    let last = all.last().unwrap().as_str().unwrap().to_owned();
    assert!(all.len() > 1);
    assert_eq!(keys(&["--session", &last]), [json!(last)]);
}
