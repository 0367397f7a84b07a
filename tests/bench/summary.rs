//! How long `summary` takes, compared with merely reading every payload with SQLite, and how long `layers` takes, compared
//! with `summary`.
//!
//! ```sh
//! cargo bench --bench summary                # 50 and 500 MiB, as in reports/bench.md; needs 600 MB of temporary space
//! cargo bench --bench summary -- 50          # other sizes, in MiB
//! ```
//!
//! The two programs run in turn on the same warm file, seven times after one run that does not count; the medians are
//! compared. Peak memory and processor time are the kernel's notes, from runs of their own; on a busy machine look at the
//! processor time, since `summary` uses several cores where they are free. SQLite is the command line tool (Debian:
//! sqlite3); where that is missing, the same statement runs through the SQLite in this crate, which the output then says.
#![expect(clippy::disallowed_methods, reason = "a bench makes files, starts processes and looks at the clock")]
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "what fails here ends the bench, and it prints its table"
)]

mod made_run;

use made_run::make_run;
use rusqlite::{Connection, OpenFlags};
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ANALYZE: &str = env!("CARGO_BIN_EXE_flower-analyze");
const STATEMENT: &str = "select sum(length(payload)), count(*) from entries";
const RUNS: usize = 7;
const STARTS: usize = 50;

fn main() {
    let sizes: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![50, 500] } else { sizes };
    let with_tool = Command::new("sqlite3").arg("--version").stdout(Stdio::null()).status().is_ok();
    println!(
        "SQLite: {}\n",
        if with_tool { "the command line tool" } else { "in this process; no tool sqlite3 found" }
    );
    println!("| payload | entries | summary | sqlite | ratio | summary: peak | processor | sqlite: peak | processor |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut times = Vec::new();
    for size in &sizes {
        times.push((*size, compare(*size, with_tool)));
    }
    for ((small, before), (large, after)) in times.iter().zip(times.iter().skip(1)) {
        let growth = after.as_secs_f64() / before.as_secs_f64();
        println!("\n{small} to {large} MiB: {growth:.1} times the time");
    }
    println!("\n| payload | layers | summary | ratio | layers: peak | processor |");
    println!("|---|---|---|---|---|---|");
    for size in &sizes {
        compare_layers(*size);
    }
    let folder = tempfile::tempdir().unwrap();
    let made = make_run(folder.path(), 0);
    let start = median((0..STARTS).map(|_| timed(|| run(&mut summary(folder.path())))).collect());
    println!("\nstart to end on {} entries: {:.1} ms, median of {STARTS}", made.entries, start.as_secs_f64() * 1000.0);
}

/// Measures both on a run of one size, prints the line, and gives the time of `summary`.
fn compare(mebibytes: usize, with_tool: bool) -> Duration {
    let folder = tempfile::tempdir().unwrap();
    let made = make_run(folder.path(), mebibytes << 20);
    let database = folder.path().join("sessions.db");
    let read = || if with_tool { run(&mut sqlite(&database)) } else { read_in_process(&database) };
    let analyze = || run(&mut summary(folder.path()));
    analyze();
    read();
    let (analyzed, read): (Vec<_>, Vec<_>) = (0..RUNS).map(|_| (timed(analyze), timed(read))).unzip();
    let (analyzed, read) = (median(analyzed), median(read));
    println!(
        "| {} MiB | {} | {:.0} ms | {:.0} ms | {:.2} | {} | {} |",
        made.bytes >> 20,
        made.entries,
        analyzed.as_secs_f64() * 1000.0,
        read.as_secs_f64() * 1000.0,
        analyzed.as_secs_f64() / read.as_secs_f64(),
        cost(&mut summary(folder.path())),
        if with_tool { cost(&mut sqlite(&database)) } else { "- | -".to_owned() },
    );
    analyzed
}

/// Measures `layers` and `summary` on a run of one size and prints the line.
fn compare_layers(mebibytes: usize) {
    let folder = tempfile::tempdir().unwrap();
    let made = make_run(folder.path(), mebibytes << 20);
    let time = |command: &str| timed(|| run(&mut analyze(command, folder.path())));
    time("layers");
    let (layers, summary): (Vec<_>, Vec<_>) = (0..RUNS).map(|_| (time("layers"), time("summary"))).unzip();
    let (layers, summary) = (median(layers), median(summary));
    println!(
        "| {} MiB | {:.0} ms | {:.0} ms | {:.2} | {} |",
        made.bytes >> 20,
        layers.as_secs_f64() * 1000.0,
        summary.as_secs_f64() * 1000.0,
        layers.as_secs_f64() / summary.as_secs_f64(),
        cost(&mut analyze("layers", folder.path())),
    );
}

fn summary(folder: &Path) -> Command {
    analyze("summary", folder)
}

fn analyze(what: &str, folder: &Path) -> Command {
    let mut command = Command::new(ANALYZE);
    command.arg(what).arg(folder).args(["--tz", "UTC"]);
    command
}

fn sqlite(database: &Path) -> Command {
    let mut command = Command::new("sqlite3");
    command.arg(database).arg(STATEMENT);
    command
}

fn run(command: &mut Command) {
    assert!(command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success(), "{command:?} failed");
}

fn read_in_process(database: &Path) {
    let connection = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    black_box(connection.query_row(STATEMENT, [], |row| row.get::<_, i64>(0)).unwrap());
}

fn timed(what: impl FnOnce()) -> Duration {
    let start = Instant::now();
    what();
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap()
}

/// Peak resident size and processor time, as the kernel notes them: asked again and again, since the note is gone when the
/// process is.
fn cost(command: &mut Command) -> String {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let process = format!("/proc/{}", child.id());
    let (mut peak, mut ticks) = (0, 0);
    while child.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(format!("{process}/status")).unwrap_or_default();
        let kibibytes = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.strip_suffix("kB"));
        peak = peak.max(kibibytes.and_then(|kibibytes| kibibytes.trim().parse::<u64>().ok()).unwrap_or(0));
        let stat = fs::read_to_string(format!("{process}/stat")).unwrap_or_default();
        let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
        ticks = ticks.max(fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum());
        std::thread::sleep(Duration::from_micros(500));
    }
    // Linux tells a hundred ticks a second to every program.
    format!("{} MiB | {} ms", peak.div_ceil(1024), ticks * 10)
}
