//! Starts the program as a person does.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

/// How a run of the program ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// The program in a folder, with nothing of the surroundings that could change what it says.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flower-analyze"));
    for name in ["NO_COLOR", "LC_ALL", "LC_CTYPE"] {
        command.env_remove(name);
    }
    command.current_dir(folder).env("LANG", "C.UTF-8").env("COLUMNS", "100").env("TZ", "UTC").stdin(Stdio::null());
    command
}

/// Runs the program to its end.
pub(crate) fn run(folder: &Path, args: &[&str]) -> Ended {
    let output = command(folder).args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("what the program writes is UTF-8");
    Ended { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// The JSON report of a run that must succeed.
pub(crate) fn json(folder: &Path, args: &[&str]) -> Value {
    let (command, rest) = args.split_first().unwrap();
    let ended = run(folder, &[&[command, "--format", "json", "--tz", "UTC"], rest].concat());
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{args:?}");
    serde_json::from_str(&ended.out).unwrap()
}
