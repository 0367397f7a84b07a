//! How fast a plugin of 500 components is checked, beside reading the same files with nothing done to them.
//!
//! ```sh
//! cargo bench --bench plugins
//! ```
#![expect(clippy::disallowed_methods, reason = "a bench makes files and looks at the clock")]
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "what fails here ends the bench, and it prints its table"
)]

use flower_analyze::plugin::{details, validate};
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

const RUNS: usize = 21;

/// Components of each of the five kinds: skills, commands, agents, output styles, hooks.
const EACH: usize = 100;

fn main() {
    let plugin = tempfile::tempdir().unwrap();
    make(plugin.path());
    let (files, bytes) = read_all(plugin.path());
    println!("{} components in {files} files, {bytes} bytes; median of {RUNS}\n", EACH * 5);
    println!("| what | time | of a plain reading |");
    println!("|---|---|---|");
    let plain = median(|| _ = black_box(read_all(plugin.path())));
    report("list and read every file", plain, plain);
    report("plugin::validate", median(|| drop(black_box(validate(plugin.path()).unwrap()))), plain);
    report("plugin::details", median(|| drop(black_box(details(plugin.path()).unwrap()))), plain);
}

fn make(root: &Path) {
    let write = |path: String, text: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let manifest = r#"{"name": "demo", "version": "1.0.0", "description": "d", "author": {"name": "A"}}"#;
    write(".claude-plugin/plugin.json".to_owned(), manifest);
    let body = "What to do, step by step, with all that has to be known for it.\n".repeat(60);
    for n in 0..EACH {
        let text = format!("---\nname: part-{n}\ndescription: Does part {n}. Use when asked: for it.\n---\n{body}");
        write(format!("skills/part-{n}/SKILL.md"), &text);
        for folder in ["commands", "agents", "output-styles"] {
            write(format!("{folder}/part-{n}.md"), &text);
        }
    }
    let hook =
        |n: usize| format!(r#"{{"matcher": "Tool{n}", "hooks": [{{"type": "command", "command": "run {n}"}}]}}"#);
    let hooks: Vec<String> = (0..EACH).map(hook).collect();
    write("hooks/hooks.json".to_owned(), &format!(r#"{{"hooks": {{"PostToolUse": [{}]}}}}"#, hooks.join(",")));
}

/// Files and bytes below a folder.
fn read_all(folder: &Path) -> (usize, usize) {
    let mut found = (0, 0);
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (files, bytes) = if entry.file_type().unwrap().is_dir() {
            read_all(&entry.path())
        } else {
            (1, fs::read(entry.path()).unwrap().len())
        };
        found = (found.0 + files, found.1 + bytes);
    }
    found
}

fn median(run: impl Fn()) -> Duration {
    run();
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        run();
        times.push(start.elapsed());
    }
    times.sort();
    times.get(RUNS / 2).copied().unwrap()
}

fn report(what: &str, time: Duration, plain: Duration) {
    let ratio = time.as_secs_f64() / plain.as_secs_f64();
    println!("| {what} | {:.1} ms | {ratio:.1} |", time.as_secs_f64() * 1000.0);
}
