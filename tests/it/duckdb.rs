//! The same SQL over the exported Parquet gives the same answer in DuckDB, another engine by other people.

use flower_analyze::analysis::tables::{named_queries, schemas};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::program::{json as report, run};
use crate::store::Case;

/// The version that is installed.
const DUCKDB: &str = "duckdb==2.0.1";

/// Queries beside those with names: what joins, windows, nulls, text and moments come to.
const OTHERS: [&str; 12] = [
    "SELECT step_n, sum(input) AS input FROM turns GROUP BY step_n ORDER BY step_n",
    "SELECT thread, model, count(*) AS n FROM turns GROUP BY thread, model ORDER BY thread, model",
    "WITH a AS (SELECT step_n, sum(measured_nanos) AS m FROM turns GROUP BY step_n) SELECT s.n, a.m FROM steps AS s LEFT JOIN a ON a.step_n = s.n ORDER BY s.n",
    "SELECT s.kind, count(*) AS n, sum(t.output) AS output FROM turns AS t JOIN sessions AS s ON s.store_key = t.store_key GROUP BY s.kind ORDER BY s.kind",
    "SELECT store_key, seq, row_number() OVER (PARTITION BY store_key ORDER BY seq, message_id) AS nth FROM turns ORDER BY store_key, seq, message_id",
    "SELECT store_key, agent_id FROM sessions ORDER BY agent_id, store_key",
    "SELECT store_key, agent_id FROM sessions ORDER BY agent_id DESC NULLS LAST, store_key DESC",
    "SELECT count(*) AS n, count(agent_id) AS agents, count(DISTINCT agent_type) AS types FROM sessions",
    "SELECT upper(substr(type, 1, 4)) AS t, max(bytes) AS b FROM entries WHERE type LIKE '%s%' GROUP BY t HAVING count(*) > 1 ORDER BY t",
    "SELECT store_key, seq, timestamp FROM entries WHERE timestamp >= '2026-11-30 14:00:00' ORDER BY store_key, seq, part",
    "SELECT DISTINCT day FROM entries ORDER BY day",
    "SELECT coalesce(denial, 'none') AS denial, CASE WHEN is_error THEN 'error' ELSE 'fine' END AS how, count(*) AS n FROM tool_calls GROUP BY denial, how ORDER BY denial, how, n",
];

/// A Python that has DuckDB, below the folder of built things; the reason where there is none.
fn python() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(DUCKDB.replace("==", "-"));
    let python = folder.join("bin/python");
    let done = |command: &mut Command| match command.stdin(Stdio::null()).output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        Err(error) => Err(error.to_string()),
    };
    if done(Command::new(&python).args(["-c", "import duckdb"])).is_err() {
        done(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        done(Command::new(&python).args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", DUCKDB]))?;
    }
    Ok(python)
}

fn duckdb(python: &Path, folder: &Path, queries: &[String]) -> Vec<Vec<Value>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/ask_duckdb.py");
    let mut child =
        Command::new(python).arg(script).arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(serde_json::to_string(queries).unwrap().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Whole numbers, text and moments are equal; floats to the last but one of their digits, since engines add up in another
/// order.
fn is_same(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            ours.len() == theirs.len()
                && ours.iter().all(|(name, cell)| theirs.get(name).is_some_and(|other| is_same(cell, other)))
        }
        (Value::Number(ours), Value::Number(theirs)) if ours.is_f64() || theirs.is_f64() => {
            let (ours, theirs) = (ours.as_f64().unwrap(), theirs.as_f64().unwrap());
            (ours - theirs).abs() <= ours.abs() * 1e-14
        }
        (ours, theirs) => ours == theirs,
    }
}

/// In CI it is never left out.
#[test]
fn duckdb_gives_the_same_answers() {
    let python = match python() {
        Ok(python) => python,
        Err(reason) if std::env::var_os("CI").is_some() => panic!("{DUCKDB} cannot be installed: {reason}"),
        Err(reason) => {
            eprintln!("left out: {DUCKDB} cannot be installed: {reason}");
            return;
        }
    };
    let queries = named_queries().map(|query| query.sql.to_owned());
    let whole = schemas().into_iter().map(|table| {
        let order: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
        format!("SELECT * FROM {} ORDER BY {}", table.name, order.join(", "))
    });
    let queries: Vec<String> = queries.chain(OTHERS.map(str::to_owned)).chain(whole).collect();
    for name in ["cost-causes", "denials", "healthy", "hostile-text", "nested-agents", "outage"] {
        let case = Case::open(name);
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().to_str().unwrap();
        let ended = run(&case.root, &["export", case.source, "--tz", "UTC", "--dir", dir]);
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
        let theirs = duckdb(&python, folder.path(), &queries);
        for (sql, theirs) in queries.iter().zip(theirs) {
            let file = folder.path().join("query.sql");
            fs::write(&file, sql).unwrap();
            let ours = report(&case.root, &["query", "--file", file.to_str().unwrap(), case.source]);
            let ours = ours["result"]["rows"].as_array().unwrap();
            assert_eq!(ours.len(), theirs.len(), "{name}: {sql}");
            for (ours, theirs) in ours.iter().zip(&theirs) {
                assert!(is_same(ours, theirs), "{name}: {sql}\n{ours}\n{theirs}");
            }
        }
    }
}
