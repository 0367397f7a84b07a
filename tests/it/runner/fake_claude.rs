//! A stand-in for the CLI: the test binary itself, started through a script, says what a recording says and records what
//! it is told. So the package has no program that is only there for tests.

use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufRead, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, thread};

/// Names the folder of the scripts; without it the test below does nothing.
const FOLDER: &str = "FAKE_CLAUDE_FOLDER";
const NUMBER: &str = "FAKE_CLAUDE_NUMBER";

/// Makes the program in `folder`: its n-th start follows `n.ndjson` and records `n.argv`, `n.env` and `n.stdin`.
pub(crate) fn make(folder: &Path) -> PathBuf {
    let binary = env::current_exe().unwrap();
    let script = format!(
        "#!/bin/sh\ncd '{folder}' || exit 9\nn=1\nwhile ! mkdir $n.lock 2>/dev/null; do n=$((n+1)); done\n\
         for a in \"$@\"; do printf '%s\\n' \"$a\"; done > $n.argv\nenv > $n.env\n\
         {FOLDER}='{folder}' {NUMBER}=$n exec '{binary}' --exact runner::fake_claude::says_what_its_script_says --nocapture --test-threads=1\n",
        folder = folder.display(),
        binary = binary.display(),
    );
    let path = folder.join("claude");
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn says_what_its_script_says() {
    let (Ok(folder), Ok(number)) = (env::var(FOLDER), env::var(NUMBER)) else { return };
    let folder = PathBuf::from(folder);
    let config = env::var("CLAUDE_CONFIG_DIR").unwrap();
    let script = fs::read_to_string(folder.join(format!("{number}.ndjson"))).unwrap_or_default();
    let heard = File::create(folder.join(format!("{number}.stdin"))).unwrap();
    let code = Speaker { config, heard }.follow(&script);
    #[expect(clippy::exit, reason = "the stand-in ends as its script says")]
    std::process::exit(code);
}

struct Speaker {
    config: String,
    heard: File,
}

impl Speaker {
    fn follow(&mut self, script: &str) -> i32 {
        // The harness has begun a line of its own.
        say("");
        let mut code = 0;
        for line in script.lines() {
            // Parsed only as far as needed: a recording may hold what no parser takes.
            let line = line.replace("/CFG", &self.config);
            let (_, direction) = line.split_once("\"dir\":").unwrap();
            match direction.trim_start().trim_start_matches('"').split('"').next().unwrap() {
                "to_cli" if line.contains("\"eof\"") => {}
                "to_cli" => drop(self.hear()),
                "from_cli" => {
                    let (_, frame) = line.split_once("\"frame\":").unwrap();
                    say(frame.trim().strip_suffix('}').unwrap());
                }
                "raw" => say(field(&line, "text").as_str().unwrap()),
                "large" => say(&format!("{{\"type\":\"large\",\"text\":\"{}\"}}", "x".repeat(5 << 20))),
                "sleep" => thread::sleep(Duration::from_millis(field(&line, "ms").as_u64().unwrap())),
                "file" => {
                    let path = PathBuf::from(field(&line, "path").as_str().unwrap());
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    fs::write(path, field(&line, "text").as_str().unwrap()).unwrap();
                }
                "stderr" => {
                    let text = field(&line, "text");
                    std::io::stderr().write_all(text.as_str().unwrap().as_bytes()).unwrap();
                }
                "exit" => {
                    code = i32::try_from(field(&line, "code").as_i64().unwrap()).unwrap();
                    break;
                }
                _ => {}
            }
        }
        if code < 0 {
            let signal = if code == -9 { rustix::process::Signal::KILL } else { rustix::process::Signal::TERM };
            rustix::process::kill_process(rustix::process::getpid(), signal).unwrap();
            thread::sleep(Duration::from_secs(9));
        }
        while code == 0 && self.hear() {}
        code
    }

    fn hear(&mut self) -> bool {
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line).unwrap();
        self.heard.write_all(line.as_bytes()).unwrap();
        read > 0
    }
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).unwrap();
}

fn field(line: &str, name: &str) -> Value {
    serde_json::from_str::<Value>(line).unwrap()[name].clone()
}
