//! How fast payloads become entries, and entries a model, in one thread and in memory: no SQLite, no files.
//!
//! ```sh
//! cargo bench --bench decode
//! ```
#![expect(clippy::disallowed_methods, reason = "a bench makes files and looks at the clock")]
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "what fails here ends the bench, and it prints its table"
)]
#![expect(dead_code, reason = "the making of run directories serves the other bench")]

mod made_run;

use flower_analyze::run_dir::{Position, Row};
use flower_analyze::session::Model;
use flower_analyze::transcript::{Collector, Interner, decode_row};
use std::hint::black_box;
use std::time::{Duration, Instant};

const RUNS: usize = 7;

/// The fixture's rows are decoded again and again until this many bytes went through.
const BYTES: usize = 64 << 20;

fn main() {
    let (rows, _) = made_run::source();
    let bytes: usize = rows.iter().map(|(_, payload)| payload.len()).sum();
    let rounds = BYTES.div_ceil(bytes);
    println!("{} rows of {} bytes on average, {rounds} times; median of {RUNS}\n", rows.len(), bytes / rows.len());
    println!("| what | time | throughput |");
    println!("|---|---|---|");
    let column = |at| Position::Database { rowid: at, seq: Some(at) };
    let line = |at: i64| Position::Line { file: 0, line: at.unsigned_abs(), offset: 0 };
    report("decode columns", bytes * rounds, || (0..rounds).for_each(|_| decode(&rows, column)));
    report("decode lines", bytes * rounds, || (0..rounds).for_each(|_| decode(&rows, line)));
    report("decode, collect, model", bytes * rounds, || (0..rounds).for_each(|_| build(&rows, column)));
}

fn decode(rows: &[(String, String)], position: impl Fn(i64) -> Position) {
    let mut interner = Interner::default();
    for (at, (store_key, payload)) in (0..).zip(rows) {
        let row = Row { store_key, position: position(at), uid: Some("u"), payload: Ok(payload.as_bytes()) };
        decode_row(&row, &mut interner, &mut |outcome| drop(black_box(outcome)));
    }
}

fn build(rows: &[(String, String)], position: impl Fn(i64) -> Position) {
    let mut collector = Collector::default();
    for (at, (store_key, payload)) in (0..).zip(rows) {
        collector.push(&Row { store_key, position: position(at), uid: Some("u"), payload: Ok(payload.as_bytes()) });
    }
    black_box(Model::build(Collector::finish([collector])));
}

fn report(what: &str, bytes: usize, run: impl Fn()) {
    run();
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        run();
        times.push(start.elapsed());
    }
    times.sort();
    let time = times.get(RUNS / 2).copied().unwrap().as_secs_f64();
    let mebibytes = f64::from(u32::try_from(bytes >> 10).unwrap()) / 1024.0;
    println!("| {what} | {:.0} ms | {:.0} MiB/s |", time * 1000.0, mebibytes / time);
}
