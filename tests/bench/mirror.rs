//! Mirroring 100,000 entries with `flower-run`, against a bare loop of one SQLite transaction per frame.
//!
//! The bench is its own CLI: started as one, it says the frames. `cargo bench --bench mirror`
#![expect(clippy::disallowed_methods, reason = "a bench measures time, starts processes and writes a store")]
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "what fails here ends the bench, and figures are printed"
)]

use rusqlite::{Connection, params};
use std::fmt::Write as _;
use std::io::{BufRead, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

const ENTRIES: usize = 100_000;
const PER_FRAME: usize = 4;
const SESSION: &str = "11111111-1111-4111-8111-111111111111";

fn main() {
    match env::var("CLAUDE_CONFIG_DIR") {
        Ok(config) => speak(&config),
        Err(_) => measure(),
    }
}

fn entry(n: usize) -> String {
    let text = "The quick brown fox jumps over the lazy dog. ".repeat(20);
    format!(
        r#"{{"type":"assistant","uuid":"{n:08x}-0000-4000-8000-000000000000","parentUuid":"{:08x}-0000-4000-8000-000000000000","sessionId":"{SESSION}","timestamp":"2026-11-30T14:00:00.000Z","message":{{"role":"assistant","content":[{{"type":"text","text":"{text}"}}]}}}}"#,
        n.saturating_sub(1)
    )
}

fn frame(at: usize) -> Vec<String> {
    (at * PER_FRAME..(at + 1) * PER_FRAME).map(entry).collect()
}

/// The stand-in for the CLI.
fn speak(config: &str) {
    let mut lines = std::io::stdin().lock().lines();
    let mut out = std::io::stdout().lock();
    let path = format!("{config}/projects/-w/{SESSION}.jsonl");
    lines.next();
    writeln!(out, r#"{{"type":"control_response","response":{{}}}}"#).unwrap();
    lines.next();
    writeln!(out, r#"{{"type":"system","subtype":"init","session_id":"{SESSION}"}}"#).unwrap();
    for at in 0..ENTRIES / PER_FRAME {
        let entries = frame(at).join(",");
        writeln!(out, r#"{{"type":"transcript_mirror","filePath":"{path}","entries":[{entries}]}}"#).unwrap();
    }
    writeln!(out, r#"{{"type":"result","subtype":"success","is_error":false,"stop_reason":"end_turn","num_turns":1}}"#)
        .unwrap();
    out.flush().unwrap();
}

fn measure() {
    // In memory where there is such a place: the flushing of a disk that others use is chance, and hides the rest.
    let memory = Path::new("/dev/shm");
    let place = if memory.is_dir() { memory } else { Path::new(env!("CARGO_TARGET_TMPDIR")) };
    let folder = tempfile::tempdir_in(place).unwrap();
    let bare = bare(folder.path());
    let (mirrored, peak) = mirrored(folder.path());
    let mut text = String::new();
    writeln!(text, "{ENTRIES} entries in frames of {PER_FRAME}, in {}", place.display()).unwrap();
    writeln!(text, "bare loop   {:.2} s", bare.as_secs_f64()).unwrap();
    writeln!(text, "flower-run  {:.2} s, {peak} kB at most", mirrored.as_secs_f64()).unwrap();
    writeln!(text, "ratio       {:.2}", mirrored.as_secs_f64() / bare.as_secs_f64()).unwrap();
    println!("{text}");
}

/// One transaction per frame, with the journal and the flushing of the runner.
fn bare(folder: &Path) -> Duration {
    let mut connection = Connection::open(folder.join("bare.db")).unwrap();
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())).unwrap();
    for file in ["entries", "entries_uid", "meta", "summaries"] {
        let path = format!("{}/queries/runner/create_{file}.sql", env!("CARGO_MANIFEST_DIR"));
        connection.execute_batch(&fs::read_to_string(path).unwrap()).unwrap();
    }
    let start = Instant::now();
    for at in 0..ENTRIES / PER_FRAME {
        let transaction = connection.transaction().unwrap();
        for (n, json) in frame(at).iter().enumerate() {
            let seq = at * PER_FRAME + n;
            let uid = format!("{seq:08x}-0000-4000-8000-000000000000");
            let sql = "INSERT INTO entries VALUES ('k', ?1, ?2, ?3)";
            transaction.prepare_cached(sql).unwrap().execute(params![i64::try_from(seq).unwrap(), uid, json]).unwrap();
        }
        transaction.commit().unwrap();
    }
    start.elapsed()
}

/// The whole program, from its start to its end, and the largest memory it held.
fn mirrored(folder: &Path) -> (Duration, u64) {
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_flower-run"))
        .args(["-w", "w", "--no-probe", "--claude"])
        .arg(env::current_exe().unwrap())
        .args(["once", "P"])
        .current_dir(folder)
        .env("ANTHROPIC_API_KEY", "sk-ant-fake-0000")
        .env("HOME", folder)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak = peak.max(line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse().ok()).unwrap_or(0));
        thread::sleep(Duration::from_millis(5));
    }
    let took = start.elapsed();
    assert!(child.wait().unwrap().success(), "flower-run failed");
    let store = Connection::open(folder.join("runs/sessions.db")).unwrap();
    let stored: i64 = store.query_row("SELECT count(*) FROM entries", [], |row| row.get(0)).unwrap();
    assert_eq!(usize::try_from(stored).unwrap(), ENTRIES, "no row is lost");
    (took, peak)
}
