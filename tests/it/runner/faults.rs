//! Runs under injected faults, made with the CLI itself and read by `flower-analyze`: each fault is found, and nothing else.

use super::super::program::json;
use super::api::{Answer, Api, INPUT, OUTPUT, bash, says};
use super::books::{signal, until};
use super::claude_code::{VERSIONS, program};
use super::stage::{Running, Stage};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::{fs, thread};

/// What so many answers cost by the table of prices.
fn dollars_of_answers(stage: &Stage, answers: u64) -> f64 {
    let model = "SELECT DISTINCT payload ->> '$.message.model' FROM entries WHERE payload ->> '$.type' = 'assistant' \
                 AND payload ->> '$.message.model' <> '<synthetic>'";
    let models = stage.column(model);
    let [model] = models.as_slice() else { panic!("{models:?}") };
    let table: Value = serde_json::from_str(include_str!("../../../src/analysis/prices/table.json")).unwrap();
    let prices = &table["models"][model.as_str()]["periods"][0]["per_mtok"];
    let [input, output] = [&prices["input"], &prices["output"]].map(|price| price.as_f64().unwrap());
    let [answers, in_each, out_each] = [answers, INPUT, OUTPUT].map(|n| f64::from(u32::try_from(n).unwrap()));
    answers * (in_each * input + out_each * output) / 1e6
}

fn each(check: impl Fn(&Stage, &Api, &str)) {
    for version in VERSIONS {
        let api = Api::start(Vec::new());
        check(&Stage::real(&program(version), &api.base()), &api, version);
    }
}

fn own(codes: &[&str]) -> Vec<String> {
    codes.iter().map(|code| (*code).to_owned()).collect()
}

/// Fails unless the answers that are in the store were counted and priced, each once.
fn measures(stage: &Stage, answers: u64, version: &str) {
    let cost = json(stage.root.path(), &["cost", "runs"]);
    let measured = cost["result"]["measured_usd"].as_f64().unwrap();
    let expected = if answers == 0 { 0.0 } else { dollars_of_answers(stage, answers) };
    assert!((measured - expected).abs() < 1e-9, "{version}: {measured} instead of {expected}");
    let usage = &stage.summary()["result"]["economics"]["main"];
    let counted = [&usage["model_turns"], &usage["input"], &usage["output"]].map(|n| n.as_u64().unwrap());
    assert_eq!(counted, [answers, answers * INPUT, answers * OUTPUT], "{version}");
}

/// What commands say of a run: the causes of `cost`, then the codes of the findings of each in the order of the alphabet.
#[derive(Debug, Default, PartialEq, Eq)]
struct Told<'a> {
    causes: Vec<&'a str>,
    cost: Vec<&'a str>,
    errors: Vec<&'a str>,
    retries: Vec<&'a str>,
}

/// Fails unless the commands say exactly this of the run.
fn tells(stage: &Stage, version: &str, expected: &Told<'_>) {
    let report = |command: &str| json(stage.root.path(), &[command, "runs"]);
    let [cost, errors, retries] = ["cost", "errors", "retries"].map(report);
    let codes = |list: &'_ Value| -> Vec<String> {
        let codes = list.as_array().unwrap().iter().map(|of| of["code"].as_str().unwrap().to_owned());
        codes.collect()
    };
    let sorted = |report: &Value| {
        let mut codes = codes(&report["findings"]);
        codes.sort_unstable();
        codes
    };
    let causes: Vec<String> =
        cost["result"]["steps"].as_array().unwrap().iter().flat_map(|step| codes(&step["causes"])).collect();
    let [cost, errors, retries] = [&cost, &errors, &retries].map(sorted);
    let told = Told {
        causes: borrowed(&causes),
        cost: borrowed(&cost),
        errors: borrowed(&errors),
        retries: borrowed(&retries),
    };
    assert_eq!(&told, expected, "{version}");
}

fn borrowed(codes: &[String]) -> Vec<&str> {
    codes.iter().map(String::as_str).collect()
}

/// The same in every command.
fn everywhere<'a>(causes: &[&'a str], findings: &[&'a str]) -> Told<'a> {
    let [cost, errors, retries] = [(); 3].map(|()| findings.to_vec());
    Told { causes: causes.to_vec(), cost, errors, retries }
}

/// A CLI that is told to end may still write a result for its call.
fn left_open(stage: &Stage) -> &'static [&'static str] {
    let has_result = stage.payloads().iter().any(|payload| payload.contains("tool_result"));
    if has_result { &[] } else { &["orphan-call"] }
}

/// A stream was cut and the client did not count it.
fn cut() -> Told<'static> {
    Told { causes: vec!["cut-stream"], errors: vec!["cut-stream", "transient-not-known"], ..Told::default() }
}

#[test]
fn a_run_without_a_fault_has_no_finding() {
    each(|stage, api, version| {
        api.then(vec![says("done")]);
        let ended = stage.once(&["P"]);
        assert_eq!(ended.code, Some(0), "{version}: {ended:?}");
        assert_eq!(stage.findings(), Vec::<String>::new(), "{version}");
        tells(stage, version, &Told::default());
        measures(stage, 1, version);
    });
}

#[test]
fn a_killed_cli_that_is_not_tried_again_is_a_killed_attempt() {
    for kill in ["-9", "-15"] {
        each(|stage, api, version| {
            api.then(vec![bash(&format!("sleep 0.5; kill {kill} $PPID; sleep 5")), says("went on")]);
            let ended = stage.run(&["--no-probe", "--no-resilience", "once", "-t", "Bash", "P"]);
            assert_eq!(ended.code, Some(1), "{version}: {ended:?}");
            // A CLI that is told to end leaves its total, if its version knows how to; a killed one cannot.
            let left_its_total = stage.payloads().iter().any(|payload| payload.contains(r#""type":"cost-state""#));
            assert!(!(left_its_total && kill == "-9"), "{version}");
            let causes: &[&str] = if left_its_total { &[] } else { &["killed-attempt"] };
            tells(stage, version, &everywhere(causes, left_open(stage)));
            measures(stage, 1, version);
        });
    }
}

#[test]
fn refused_connections_are_waited_out() {
    each(|stage, api, version| {
        api.then(vec![says("back")]);
        api.close();
        thread::scope(|scope| {
            let running = scope.spawn(|| stage.once(&["P"]));
            // The first attempt fails, the network is found dead.
            thread::sleep(std::time::Duration::from_secs(9));
            api.reopen();
            let ended = running.join().unwrap();
            assert_eq!(ended.code, Some(0), "{version}: {ended:?}");
        });
        assert_eq!(stage.findings(), Vec::<String>::new(), "{version}");
        tells(stage, version, &Told::default());
        measures(stage, 1, version);
    });
}

#[test]
fn an_overloaded_api_is_tried_again() {
    each(|stage, api, version| {
        api.then(vec![bash("echo one")]);
        api.then(vec![Answer::Fails(529, "overloaded_error"); 2]);
        api.then(vec![says("done")]);
        let ended = stage.run(&["--no-probe", "--cli-retries", "1", "once", "-t", "Bash", "P"]);
        assert_eq!(ended.code, Some(0), "{version}: {ended:?}");
        assert_eq!(
            (stage.manifest()[0]["attempts"].as_u64(), stage.findings()),
            (Some(2), own(&["step-retried"])),
            "{version}"
        );
        tells(stage, version, &Told::default());
        measures(stage, 2, version);
    });
}

#[test]
fn a_refused_credential_ends_the_run() {
    each(|stage, api, version| {
        api.then(vec![Answer::Fails(401, "authentication_error"); 9]);
        let ended = stage.run(&["--no-probe", "--cli-retries", "0", "once", "P"]);
        assert_eq!(ended.code, Some(1), "{version}: {ended:?}");
        assert_eq!(stage.manifest()[0]["attempts"], 1, "{version}");
        assert_eq!(stage.findings(), ["step-failed"], "{version}");
        tells(stage, version, &Told::default());
        measures(stage, 0, version);
    });
}

#[test]
fn a_cut_answer_is_no_success() {
    each(|stage, api, version| {
        api.then(vec![bash("echo one"), Answer::Cuts("half an ans")]);
        api.then(vec![says("whole"); 4]);
        let ended = stage.run(&["--no-probe", "--cli-retries", "0", "once", "-t", "Bash", "P"]);
        assert_eq!(ended.code, Some(0), "{version}: {ended:?}");
        let row = &stage.manifest()[0];
        assert!(row["text"].as_str().unwrap().ends_with("whole"), "{version}: {row}");
        assert_eq!(stage.findings(), Vec::<String>::new(), "{version}");
        let hidden = if version == "2.1.332" { &["hidden-calls"][..] } else { &[] };
        tells(stage, version, &everywhere(hidden, &[]));
    });
}

#[test]
fn an_answer_that_is_reset_behind_a_call_is_no_success() {
    each(|stage, api, version| {
        api.then(vec![bash("echo one"), Answer::Resets("half an answer"), says("whole")]);
        let ended = stage.run(&["--no-probe", "--cli-retries", "0", "once", "-t", "Bash", "P"]);
        assert_eq!(ended.code, Some(0), "{version}: {ended:?}");
        let row = &stage.manifest()[0];
        assert!(row["ok"] == true && row["text"].as_str().unwrap().ends_with("whole"), "{version}: {row}");
        // One version asks again by itself, the other one takes what it has for whole.
        let is_retried = row["attempts"] == 2;
        assert_eq!(row["errors"].as_array().unwrap().len(), usize::from(is_retried), "{version}: {row}");
        let expected = if is_retried { own(&["step-retried"]) } else { Vec::new() };
        assert_eq!(stage.findings(), expected, "{version}");
        tells(stage, version, &if is_retried { cut() } else { Told::default() });
    });
}

#[test]
fn a_killed_cli_leaves_an_unanswered_call() {
    each(|stage, api, version| {
        api.then(vec![bash("sleep 0.5; kill -9 $PPID; sleep 5"), says("went on")]);
        let ended = stage.once(&["-t", "Bash", "P"]);
        assert_eq!(ended.code, Some(0), "{version}: {ended:?}");
        let healed = ["healed-parent", "orphan-call", "step-retried"];
        assert_eq!(stage.findings(), healed, "{version}");
        let own = &healed[..2];
        tells(stage, version, &everywhere(&["killed-attempt"], own));
        measures(stage, 2, version);
    });
}

#[test]
fn a_runner_that_is_told_to_end_loses_no_row() {
    each(|stage, api, version| {
        api.then(vec![bash("until ls \"$CLAUDE_CONFIG_DIR\"/projects/*/*.jsonl; do sleep 0.1; done >/dev/null 2>&1; cp -r \"$CLAUDE_CONFIG_DIR\" ../copy; touch ../begun; sleep 30")]);
        let mut running = stage.start(&["--no-probe", "once", "-t", "Bash", "P"]);
        until("the call runs", || stage.path("begun").exists());
        signal(&running.0, rustix::process::Signal::TERM);
        running.0.wait().unwrap();
        assert_eq!(stage.manifest()[0]["error"], "killed-by-signal", "{version}");
        let stored = stage.payloads();
        for line in written(stage) {
            assert!(stored.contains(&line), "{version}: {line}");
        }
        tells(stage, version, &everywhere(&["killed-attempt"], left_open(stage)));
        measures(stage, 1, version);
    });
}

/// What the CLI had written to its own files when they were copied.
fn written(stage: &Stage) -> Vec<String> {
    let project = fs::read_dir(stage.path("copy/projects")).unwrap().next().unwrap().unwrap().path();
    let files = fs::read_dir(project).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let text: String = files.map(|path| fs::read_to_string(path).unwrap()).collect();
    text.lines().filter(|line| !line.contains("\"type\":\"api-request")).map(str::to_owned).collect()
}

#[test]
fn two_runners_share_a_directory() {
    each(|stage, api, version| {
        api.then(vec![bash("echo one"), bash("echo two"), says("a"), says("b")]);
        let start = || {
            Running(stage.command(&["--no-probe", "once", "-t", "Bash", "P"]).stdout(Stdio::null()).spawn().unwrap())
        };
        let runners = [start(), start()];
        for mut runner in runners {
            assert_eq!(runner.0.wait().unwrap().code(), Some(0), "{version}");
        }
        assert_eq!((stage.manifest().len(), stage.findings()), (2, vec![]), "{version}");
        tells(stage, version, &Told::default());
        measures(stage, 4, version);
    });
}

#[test]
fn a_full_disk_stops_neither_the_run_nor_the_books() {
    each(|stage, api, version| {
        api.then(vec![says("first"), bash("echo one"), says("done")]);
        let first = stage.once(&["P1"]);
        assert_eq!(first.code, Some(0), "{version}: {first:?}");
        let before = stage.payloads().len();
        // No file of the runner may grow beyond this, as on a full disk; the CLI writes elsewhere.
        let wrapper = stage.path("claude-elsewhere");
        fs::write(&wrapper, format!("#!/bin/bash\nulimit -S -f unlimited\nexec '{}' \"$@\"\n", stage.claude.display()))
            .unwrap();
        fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).unwrap();
        let inner = stage.command(&["--no-probe", "once", "-t", "Bash", "P2"]);
        let mut command = Command::new("bash");
        command.args(["-c", "trap '' XFSZ; ulimit -S -f 48; exec \"$@\"", "bash"]);
        let args = inner.get_args().map(|arg| if arg == stage.claude { wrapper.as_os_str() } else { arg });
        command.arg(inner.get_program()).args(args).env_clear().current_dir(stage.root.path());
        command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let ended = command.output().unwrap();
        let said = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert!(said.contains("held back"), "{version}: {ended:?}");
        assert!(said.contains("done"), "{version}: the run goes on: {said}");
        // The next run takes over what the CLI wrote.
        api.then(vec![says("third")]);
        let third = stage.once(&["P3"]);
        assert_eq!(third.code, Some(0), "{version}: {third:?}");
        let stored = stage.payloads();
        assert!(stored.len() > before && stored.iter().any(|payload| payload.contains("\"P2\"")), "{version}: {said}");
        assert!(stored.iter().any(|payload| payload.contains("echo one")), "{version}");
    });
}
