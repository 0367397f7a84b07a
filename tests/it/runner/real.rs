//! The CLI itself, in both versions, against an API on loopback.

use super::api::{Answer, Api, INPUT, OUTPUT, bash, calls, says};
use super::books::until;
use super::claude_code::{VERSIONS, program};
use super::stage::Stage;
use serde_json::{Value, json};
use std::fs;

/// Runs a check with every version.
fn each(check: impl Fn(&Stage, &Api, &str)) {
    for version in VERSIONS {
        let api = Api::start(Vec::new());
        let stage = Stage::real(&program(version), &api.base());
        check(&stage, &api, version);
    }
}

/// Runs a step that must succeed.
fn done(stage: &Stage, args: &[&str]) {
    let ended = stage.once(args);
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

fn session(stage: &Stage) -> String {
    stage.manifest().last().unwrap()["session_id"].as_str().unwrap().to_owned()
}

/// Texts of a request in their order, without what the harness adds.
fn texts(request: &Value) -> Vec<String> {
    let messages = request["messages"].as_array().unwrap().iter();
    let said = |block: &Value| block["text"].as_str().or(block["content"].as_str()).unwrap_or_default().to_owned();
    let blocks = messages.flat_map(|message| match message["content"].as_array() {
        Some(blocks) => blocks.iter().map(said).collect(),
        None => vec![message["content"].as_str().unwrap().to_owned()],
    });
    blocks.filter(|text| !text.starts_with("<system-reminder>") && !text.is_empty()).collect()
}

#[test]
fn a_step_is_stored_as_the_cli_wrote_it() {
    each(|stage, api, version| {
        api.then(vec![bash("until ls \"$CLAUDE_CONFIG_DIR\"/projects/*/*.jsonl; do sleep 0.1; done >/dev/null 2>&1; cp -r \"$CLAUDE_CONFIG_DIR\" ../copy; echo hi"), says("all done")]);
        done(stage, &["-t", "Bash", "do it"]);
        let row = &stage.manifest()[0];
        assert_eq!(
            (row["text"].as_str(), row["num_turns"].as_u64()),
            (Some("calling Bash\nall done"), Some(2)),
            "{version}"
        );
        assert_eq!(stage.findings(), Vec::<String>::new(), "{version}");
        let main = &stage.summary()["result"]["economics"]["main"];
        assert_eq!((main["input"].as_u64(), main["output"].as_u64()), (Some(2 * INPUT), Some(2 * OUTPUT)), "{version}");
        // What the CLI had written by then is in the store, in its order.
        let session = session(stage);
        let projects = fs::read_dir(stage.path("copy/projects")).unwrap().next().unwrap().unwrap().path();
        let written = fs::read_to_string(projects.join(format!("{session}.jsonl"))).unwrap();
        let written: Vec<&str> = written.lines().filter(|line| !line.contains("\"type\":\"api-request")).collect();
        let stored = stage.payloads();
        assert!(written.len() >= 4 && stored.len() > written.len(), "{version}: {} {}", written.len(), stored.len());
        assert_eq!(stored.iter().take(written.len()).map(String::as_str).collect::<Vec<_>>(), written, "{version}");
    });
}

#[test]
fn a_failure_leaves_no_trace_in_what_the_model_sees() {
    each(|stage, api, version| {
        api.then(vec![
            bash("echo one"),
            Answer::Fails(500, "api_error"),
            Answer::Fails(500, "api_error"),
            says("recovered"),
        ]);
        done(stage, &["--cli-retries", "1", "-t", "Bash", "P1"]);
        let row = &stage.manifest()[0];
        assert_eq!((row["attempts"].as_u64(), row["resumed"].as_bool()), (Some(2), Some(true)), "{version}: {row}");
        let last = api.last();
        assert!(
            last.contains("P1") && last.contains("calling Bash") && !last.contains("API Error"),
            "{version}: {last}"
        );
    });
}

#[test]
fn a_call_that_was_killed_is_healed() {
    each(|stage, api, version| {
        // The CLI is the parent of the shell: the call kills it.
        api.then(vec![bash("sleep 0.5; kill -9 $PPID; sleep 5"), says("went on")]);
        done(stage, &["-t", "Bash", "P1"]);
        let row = &stage.manifest()[0];
        assert_eq!(
            (row["attempts"].as_u64(), row["errors"][0].as_str()),
            (Some(2), Some("exit -9")),
            "{version}: {row}"
        );
        let last = api.last();
        assert!(
            last.contains("kill -9 $PPID") && last.contains("[这一步被打断了,没有结果。需要的话重做。]"),
            "{version}: {last}"
        );
    });
}

#[test]
fn a_trimmed_result_is_in_the_file_that_is_named() {
    each(|stage, api, version| {
        // More long results than are kept.
        api.then((0..22).map(|n| bash(&format!("printf '{n}%.0s' $(seq 1 2500)"))).collect());
        api.then(vec![says("first"), says("second")]);
        done(stage, &["-t", "Bash", "P1"]);
        let session = session(stage);
        done(stage, &["-T", "--resume", &session, "P2"]);
        let last = api.last();
        let (_, pointer) = last.split_once("[工具结果已归档:").unwrap_or_else(|| panic!("{version}: {last}"));
        let (_, path) = pointer.split_once("完整内容在 ").unwrap();
        let path = path.split(',').next().unwrap();
        let full = fs::read_to_string(stage.path("ws").join(path)).unwrap();
        assert_eq!(full, "0".repeat(2500), "{version}");
    });
}

#[test]
fn a_fork_leaves_its_parent_alone() {
    each(|stage, api, version| {
        api.then(vec![says("first"), says("second")]);
        done(stage, &["P1"]);
        let parent = session(stage);
        let of_parent = format!("SELECT payload FROM entries WHERE store_key LIKE '%/{parent}' ORDER BY seq");
        let before = stage.column(&of_parent);
        done(stage, &["--resume", &parent, "--fork", "P2"]);
        let child = session(stage);
        assert_ne!(child, parent, "{version}");
        assert_eq!(stage.column(&of_parent), before, "{version}");
        let forked =
            stage.column(&format!("SELECT payload FROM entries WHERE store_key LIKE '%/{child}' ORDER BY seq"));
        let holds = |text: &str| forked.iter().any(|payload| payload.contains(text));
        assert!(holds("\"P1\"") && holds("first") && holds("\"P2\"") && holds("second"), "{version}: {forked:?}");
    });
}

#[test]
fn four_resumes_keep_the_whole_history() {
    each(|stage, api, version| {
        api.then((1..=4).map(|n| says(&format!("A{n}"))).collect());
        done(stage, &["P1"]);
        let session = session(stage);
        for prompt in ["P2", "P3", "P4"] {
            done(stage, &["--resume", &session, prompt]);
        }
        let last = texts(api.requests().last().unwrap());
        for text in ["P1", "A1", "P2", "A2", "P3", "A3", "P4"] {
            assert!(last.iter().any(|said| said == text), "{version}: {text} in {last:?}");
        }
        assert_eq!(stage.findings(), Vec::<String>::new(), "{version}");
    });
}

#[test]
fn a_prompt_with_a_slash_reaches_the_model() {
    each(|stage, api, version| {
        api.then(vec![says("ok")]);
        done(stage, &["/help me"]);
        assert!(api.last().contains("/help me"), "{version}");
    });
}

#[test]
fn tools_that_were_not_asked_for_do_not_run() {
    each(|stage, api, version| {
        api.then(vec![calls("Write", &json!({"file_path": stage.path("ws/x.txt"), "content": "x"})), says("denied")]);
        done(stage, &["-p", "acceptEdits", "P"]);
        assert!(!stage.path("ws/x.txt").exists(), "{version}");
        assert!(api.last().contains("[flower-run:denied]"), "{version}: {}", api.last());
    });
}

#[test]
fn long_results_are_put_on_the_workbench() {
    each(|stage, api, version| {
        api.then(vec![bash("printf 'x%.0s' $(seq 1 4000)"), says("seen")]);
        let ended = stage.run(&["--no-probe", "-W", "once", "-t", "Bash", "P"]);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let last = api.last();
        let (_, pointer) = last.split_once("[输出 4000 字符,已落盘到 ").unwrap_or_else(|| panic!("{version}: {last}"));
        let path = pointer.split(" ——").next().unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), "x".repeat(4000), "{version}");
        let request = api.requests()[0]["system"].to_string();
        assert!(request.contains("# 工作台"), "{version}: the index is in the system prompt");
    });
}

#[test]
fn workspaces_of_any_name_are_continued() {
    each(|stage, api, version| {
        let long = format!("d {}/干活 😀 é.x_y/{}", "a".repeat(120), "b".repeat(120));
        let mut stage = Stage::real(&stage.claude, &api.base());
        stage.workspace = long;
        api.then(vec![says("one"), says("two")]);
        fs::write(stage.path("flow.json"), r#"{"steps":[{"name":"a","prompt":"P"}]}"#).unwrap();
        for _ in 0..2 {
            let ended = stage.run(&["--no-probe", "run", "flow.json"]);
            assert_eq!(ended.code, Some(0), "{version}: {ended:?}");
        }
        assert!(api.last().contains("one"), "{version}: the second run sees what the first one said");
        assert_eq!(stage.column("SELECT count(*) || '' FROM meta"), ["1"], "{version}");
    });
}

#[test]
fn an_interrupted_call_can_be_gone_on_with() {
    each(|stage, api, version| {
        api.then(vec![bash("touch ../begun; sleep 30"), says("changed")]);
        let mut terminal = super::terminal::Terminal::open(stage, &["--no-probe", "once", "-t", "Bash", "P1"]);
        until("the call runs", || stage.path("begun").exists());
        terminal.press("\u{3}");
        until("it asks", || terminal.shown().contains("Say what should change"));
        terminal.press("do less\r");
        assert_eq!(terminal.wait(), Some(0), "{version}: {}", terminal.shown());
        let row = &stage.manifest()[0];
        assert_eq!((row["ok"].as_bool(), row["resumed"].as_bool()), (Some(true), Some(true)), "{version}: {row}");
        let last = api.last();
        assert!(last.contains("人在这里打断了你") && last.contains("do less"), "{version}: {last}");
        assert!(last.contains("[上一轮在此处被中断,该工具结果未产生]"), "{version}: {last}");
    });
}
