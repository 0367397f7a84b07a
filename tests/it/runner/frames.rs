//! What the CLI says, in all its forms.

use super::stage::{SESSION, Stage, entry, hello, mirrors, result, script, text};
use serde_json::json;

const ID: [&str; 3] = ["-t", "Bash,Write,Edit,NotebookEdit,Read", "P"];

#[test]
fn a_fresh_session_is_started_with_an_id_and_without_secrets() {
    let stage = Stage::fake();
    stage.script(1, &script(&[&hello(), &[mirrors(&[entry("a")]), text("done"), result(&json!({}))]]));
    let asked = [
        "--events",
        "events.jsonl",
        "--no-probe",
        "once",
        "-b",
        "0.5",
        "-i",
        "RULES",
        "-m",
        "m",
        "do sk-ant-fake-0000",
    ];
    let ended = stage.command(&asked).env("CLAUDECODE", "1").env("CLAUDE_CODE_ENTRYPOINT", "x").output().unwrap();
    assert!(ended.status.success(), "{ended:?}");
    let argv = stage.recorded(1, "argv");
    let id = argv.iter().find_map(|arg| arg.strip_prefix("--session-id=")).unwrap();
    assert_eq!(uuid::Uuid::parse_str(id).unwrap().get_version_num(), 4);
    let expected = format!(
        "--output-format stream-json --verbose --append-system-prompt=RULES --allowedTools=Read,Glob,Grep --max-budget-usd=0.5 --model=m --permission-mode=default --session-id={id} --session-mirror --setting-sources= --input-format stream-json"
    );
    assert_eq!(argv.join(" "), expected);
    let env = stage.recorded(1, "env");
    let variable = |name: &str| env.iter().find_map(|line| line.strip_prefix(&format!("{name}=")));
    assert_eq!((variable("CLAUDECODE"), variable("CLAUDE_CODE_ENTRYPOINT")), (None, None));
    assert_eq!(variable("CLAUDE_CODE_SDK_READS_SESSION_STATE"), Some("1"));
    assert_eq!(variable("ANTHROPIC_API_KEY"), Some("sk-ant-fake-0000"));
    assert_eq!(variable("CLAUDE_CODE_MAX_RETRIES"), None);
    let config = variable("CLAUDE_CONFIG_DIR").unwrap();
    assert!(config.starts_with('/') && config.contains("/runs/.cc/"), "{config}");
    assert!(!std::path::Path::new(config).exists(), "removed once it is drained");
    let stdin = stage.recorded(1, "stdin");
    assert!(stdin[0].contains(r#""matcher":"Bash|Write|Edit|NotebookEdit""#), "{stdin:?}");
    assert!(stdin[1].contains("do sk-ant-fake-0000"), "the prompt itself is the person's own");
    let [row] = stage.manifest().try_into().unwrap();
    assert_eq!(
        (row["ok"].as_bool(), row["session_id"].as_str(), row["text"].as_str()),
        (Some(true), Some(SESSION), Some("done"))
    );
    let out = super::super::program::Ended {
        code: Some(0),
        out: String::from_utf8(ended.stdout).unwrap(),
        err: String::from_utf8(ended.stderr).unwrap(),
    };
    stage.holds_no_secret(&out);
    let events = std::fs::read_to_string(stage.path("events.jsonl")).unwrap();
    assert!(events.contains(r#"{"kind":"text","text":"done""#) && !events.contains("fake-0000"), "{events}");
}

#[test]
fn odd_lines_do_not_stop_a_run_and_payloads_are_kept_byte_for_byte() {
    let stage = Stage::fake();
    let path = format!("/CFG/projects/PROJECT/{SESSION}.jsonl");
    let odd = r#"{"uuid":"a", "type":"user" ,"half":"\ud83d","n":1e400,"z":1,"b":2}"#;
    let mirror =
        format!(r#"{{"dir":"from_cli","frame":{{"entries":[{odd}],"filePath":"{path}","type":"transcript_mirror"}}}}"#);
    let half = r#"{"dir":"from_cli","frame":{"message":{"content":[{"text":"half \ud83d","type":"text"}],"model":"m"},"type":"assistant"}}"#;
    let lines = [
        json!({"dir": "raw", "text": "not JSON"}).to_string(),
        json!({"dir": "raw", "text": "{\"type\":"}).to_string(),
        json!({"dir": "raw", "text": "{\"type\":\"nobody knows\"}"}).to_string(),
        json!({"dir": "large"}).to_string(),
        mirror,
        half.to_owned(),
        result(&json!({"result": "x"})).to_string(),
    ];
    let begin = hello().iter().map(ToString::to_string).collect::<Vec<_>>();
    stage.raw_script(1, &[begin, lines.to_vec()].concat().join("\n"));
    let ended = stage.once(&ID);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(stage.payloads(), [odd]);
    assert_eq!(stage.manifest()[0]["text"], "half \u{fffd}");
}

#[test]
fn every_recording_is_followed_to_its_end() {
    let folder = super::super::store::fixtures().join("protocol");
    for name in [
        "2.1.197_sdk_fresh",
        "2.1.332_sdk_fresh",
        "2.1.197_sub",
        "2.1.332_subhook",
        "2.1.332_hooks",
        "2.1.332_fail_maxturns",
    ] {
        let stage = Stage::fake();
        let recording = std::fs::read_to_string(folder.join(format!("{name}.ndjson"))).unwrap();
        stage.raw_script(1, &recording.replace("/RESUME_CFG", "/CFG"));
        let ended = stage.once(&ID);
        let fails = name.contains("fail");
        assert_eq!(ended.code, Some(i32::from(fails)), "{name}: {ended:?}");
        let expected: serde_json::Value =
            serde_json::from_slice(&std::fs::read(folder.join("expected_store.json")).unwrap()).unwrap();
        let expected = &expected[format!("{name}.ndjson")]["meta_next_seq"];
        let found = stage.column("SELECT store_key || ' ' || next_seq FROM meta ORDER BY 1");
        let mut wanted: Vec<String> =
            expected.as_object().unwrap().iter().map(|(key, next)| format!("{key} {next}")).collect();
        wanted.sort();
        assert_eq!(found, wanted, "{name}");
    }
}
