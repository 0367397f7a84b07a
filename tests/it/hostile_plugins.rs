//! Plugin directories that were made to hurt: each ends soon, within little memory, and with something said.

use crate::program::{Ended, command, run};
use serde_json::Value;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Address space that a run may use, in KiB; a run on a plugin of a few files takes about a tenth.
const MEMORY_KIB: u32 = 1 << 20;

const MANIFEST: &str = r#"{"name": "demo", "version": "1", "description": "d", "author": {"name": "A"}}"#;

fn plugin() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".claude-plugin")).unwrap();
    fs::write(folder.path().join(".claude-plugin/plugin.json"), MANIFEST).unwrap();
    folder
}

fn write(folder: &TempDir, path: &str, text: &str) {
    let path = folder.path().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Validates with the findings of our own, within bounded memory.
fn validate(folder: &Path, options: &str) -> Ended {
    let program = env!("CARGO_BIN_EXE_flower-analyze");
    let script = format!("ulimit -v {MEMORY_KIB}; exec timeout 60 {program} plugin validate . {options}");
    let output = Command::new("sh").args(["-c", &script]).current_dir(folder).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ended { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// Codes of the findings, each with its file.
fn findings(folder: &TempDir) -> Vec<(String, String)> {
    let ended = validate(folder.path(), "--lint --format json");
    assert!(matches!(ended.code, Some(0 | 1)), "{ended:?}");
    let report: Value = serde_json::from_str(&ended.out).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let findings = report["findings"].as_array().unwrap().iter();
    findings.map(|finding| (text(&finding["code"]), text(&finding["place"]["file"]))).collect()
}

fn has(folder: &TempDir, code: &str, file: &str) {
    let findings = findings(folder);
    assert!(findings.contains(&(code.to_owned(), file.to_owned())), "no {code} at {file}: {findings:?}");
}

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn what_is_no_regular_file_is_never_opened() {
    let folder = plugin();
    fs::create_dir(folder.path().join("hooks")).unwrap();
    fifo(&folder.path().join("hooks/hooks.json"));
    fifo(&folder.path().join(".mcp.json"));
    let _socket = UnixListener::bind(folder.path().join("SKILL.md")).unwrap();
    for file in ["hooks/hooks.json", ".mcp.json", "SKILL.md"] {
        has(&folder, "file-not-read", file);
    }
    fs::remove_file(folder.path().join(".claude-plugin/plugin.json")).unwrap();
    fifo(&folder.path().join(".claude-plugin/plugin.json"));
    let ended = validate(folder.path(), "--json");
    assert!(ended.code == Some(1) && ended.out.contains("Not a regular file of the plugin"), "{ended:?}");
    for target in ["/dev/zero", folder.path().join(".mcp.json").to_str().unwrap()] {
        let ended = run(folder.path(), &["plugin", "validate", target, "--json"]);
        assert!(ended.code == Some(1) && ended.out.contains("Not a regular file (a FIFO"), "{ended:?}");
    }
}

#[test]
fn a_file_of_a_gigabyte_is_not_read() {
    let folder = plugin();
    write(&folder, "skills/a/SKILL.md", "");
    for file in [".mcp.json", "skills/a/SKILL.md"] {
        File::create(folder.path().join(file)).unwrap().set_len(1 << 30).unwrap();
        has(&folder, "file-not-read", file);
    }
    File::create(folder.path().join(".claude-plugin/plugin.json")).unwrap().set_len(1 << 30).unwrap();
    let ended = validate(folder.path(), "--json");
    assert!(ended.code == Some(1) && ended.out.contains("Larger than 16777216 bytes"), "{ended:?}");
}

/// The CLI reads a manifest of any length, no more than a mebibyte of a component, and says which of them it left out.
#[test]
fn files_over_a_mebibyte_are_read_as_far_as_the_cli_reads_them() {
    let folder = plugin();
    let long = "x".repeat(1_100_000);
    write(&folder, ".claude-plugin/plugin.json", &MANIFEST.replace("\"d\"", &format!("\"{long}\"")));
    let text = format!("---\ndescription: d\n---\n{long}");
    for file in ["skills/a/SKILL.md", "agents/a.md", "agents/b.md"] {
        write(&folder, file, &text);
    }
    let ended = validate(folder.path(), "--json");
    let verdict: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!((ended.code, &verdict["manifest"]["errors"]), (Some(0), &serde_json::json!([])));
    for said in [
        "plugin.json was not read for the hooks files it names",
        "1 file here is larger than 1048576 bytes and was not validated.",
        "2 files here are larger than 1048576 bytes and were not validated.",
    ] {
        assert!(ended.out.contains(said), "{said}: {}", ended.out);
    }
    let ended = run(folder.path(), &["plugin", "details", ".", "--format", "json"]);
    let report: Value = serde_json::from_str(&ended.out).unwrap();
    let components = report["result"]["components"].as_array().unwrap();
    let tokens: Vec<_> = components.iter().map(|component| component["on_invoke_tokens"].as_u64().unwrap()).collect();
    assert!(tokens.len() == 3 && tokens.iter().all(|tokens| (262_100..262_144).contains(tokens)), "{tokens:?}");
}

#[test]
fn a_hundred_thousand_files_are_a_finding() {
    let folder = plugin();
    fs::create_dir(folder.path().join("commands")).unwrap();
    for n in 0..100_000 {
        File::create(folder.path().join(format!("commands/{n}.md"))).unwrap();
    }
    has(&folder, "directory-too-large", "");
    let ended = validate(folder.path(), "--json");
    let verdict: Value = serde_json::from_str(&ended.out).unwrap();
    assert!(verdict["provides"].is_null(), "a list that is short is not given for whole");
}

#[test]
fn links_are_not_followed_out_or_in_circles() {
    let outside = tempfile::tempdir().unwrap();
    write(&outside, "a/SKILL.md", "---\nname: [\n---\n");
    let folder = plugin();
    fs::create_dir(folder.path().join("skills")).unwrap();
    fs::create_dir(folder.path().join("commands")).unwrap();
    let links = [
        ("skills/out", outside.path().join("a").to_str().unwrap().to_owned()),
        ("skills/loop", "loop".to_owned()),
        ("skills/up", "..".to_owned()),
        ("commands/up", "../commands".to_owned()),
        ("commands/etc", "/etc".to_owned()),
        ("commands/gone.md", "nowhere".to_owned()),
        ("data/deep/etc", "/etc".to_owned()),
        ("data/deep/inside", "..".to_owned()),
    ];
    fs::create_dir_all(folder.path().join("data/deep")).unwrap();
    for (link, target) in &links {
        symlink(target, folder.path().join(link)).unwrap();
    }
    has(&folder, "link-leaves-plugin", "skills/out");
    has(&folder, "link-leaves-plugin", "commands/etc");
    has(&folder, "link-leads-nowhere", "skills/loop");
    has(&folder, "link-leads-nowhere", "commands/gone.md");
    has(&folder, "link-leaves-plugin", "data/deep/etc");
    assert!(!findings(&folder).iter().any(|(_, file)| file == "data/deep/inside"));
    let ended = validate(folder.path(), "--json");
    assert!(ended.out.contains("3 entries here are symlinks") && !ended.out.contains("YAML"), "{}", ended.out);
}

#[test]
fn nothing_is_written_into_a_plugin_however_it_is_named() {
    let folder = plugin();
    for target in [".", ".claude-plugin/plugin.json", ""] {
        let ended = run(folder.path(), &["plugin", "validate", target]);
        assert_eq!(ended.code, Some(0), "{target:?}: {ended:?}");
        let ended = run(folder.path(), &["plugin", "validate", target, "-o", "report.txt"]);
        assert!(ended.code == Some(2) && ended.err.contains("evidence is never changed"), "{target:?}: {ended:?}");
    }
    assert!(!folder.path().join("report.txt").exists());
}

/// What no component is made of takes nothing from the verdict.
#[test]
fn files_beside_the_components_are_only_searched_for_links() {
    let folder = plugin();
    fs::create_dir(folder.path().join("node_modules")).unwrap();
    for n in 0..60_000 {
        File::create(folder.path().join(format!("node_modules/{n}"))).unwrap();
    }
    has(&folder, "links-not-looked-for", "");
    let verdict: Value = serde_json::from_str(&validate(folder.path(), "--json").out).unwrap();
    assert!(verdict["provides"].is_object(), "{verdict}");
}

#[test]
fn matchers_that_would_take_all_the_stack_are_not_compiled() {
    let folder = plugin();
    let matched = |matcher: &str| {
        let hook = serde_json::json!({"matcher": matcher, "hooks": [{"type": "command", "command": "x"}]});
        let hooks = serde_json::json!({"hooks": {"Stop": [hook]}});
        write(&folder, "hooks/hooks.json", &hooks.to_string());
    };
    let nested = format!("{}{}", "(".repeat(100_000), ")".repeat(100_000));
    for matcher in [nested, "a.|".repeat(100_000), "(".repeat(101), "[a]".repeat(1000)] {
        matched(&matcher);
        has(&folder, "matcher-not-checked", "hooks/hooks.json");
    }
    for matcher in ["(".repeat(99), "(?=".repeat(99), "a.|".repeat(98) + "["] {
        matched(&matcher);
        has(&folder, "matcher-invalid", "hooks/hooks.json");
    }
}

#[test]
fn names_cannot_draw_on_the_terminal() {
    let folder = plugin();
    let name = "a\n\u{1b}[31mred\u{202e}";
    write(&folder, &format!("agents/{name}.md"), "no head");
    write(&folder, &format!("skills/{name}/SKILL.md"), "no head");
    for options in ["--lint", "--format md", "--format csv", "--json", "--format json"] {
        let ended = validate(folder.path(), options);
        assert!(!ended.out.contains(['\u{1b}', '\u{202e}']), "{options}: {}", ended.out);
    }
    let ended = command(folder.path()).args(["plugin", "details", "."]).output().unwrap();
    assert!(!String::from_utf8(ended.stdout).unwrap().contains(['\u{1b}', '\u{202e}']));
}

#[test]
fn nesting_ends_somewhere() {
    let folder = plugin();
    let deep = (0..40).fold("commands".to_owned(), |path, level| format!("{path}/{level}"));
    write(&folder, &format!("{deep}/x.md"), "no head");
    has(&folder, "directory-too-large", "");
    let folder = plugin();
    let brackets = "[".repeat(500_000);
    write(&folder, ".mcp.json", &brackets);
    write(&folder, "hooks/hooks.json", &format!("{{\"hooks\": {{\"Stop\": {brackets}"));
    write(&folder, "skills/a/SKILL.md", &format!("---\na: {}\n---\n", "- ".repeat(100_000)));
    write(&folder, "skills/b/SKILL.md", &format!("---\na:\n  {}x\n---\n", "- ".repeat(100_000)));
    let ended = validate(folder.path(), "--lint");
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let folder = plugin();
    let closed = format!("{}{}", "[".repeat(500_000), "]".repeat(500_000));
    write(&folder, "hooks/hooks.json", &format!("{{\"hooks\": {{}}, \"x\": {closed}}}"));
    let ended = validate(folder.path(), "--lint --strict");
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[test]
fn anchors_do_not_explode() {
    let folder = plugin();
    let level = |n: usize| format!("a{n}: &a{n} [{}]", vec![format!("*a{}", n - 1); 10].join(", "));
    let levels: Vec<String> = (1..500).map(level).collect();
    let text = format!("---\ndescription: d\na0: &a0 [x, x, x]\n{}\n---\nBody.\n", levels.join("\n"));
    write(&folder, "skills/a/SKILL.md", &text);
    let ended = validate(folder.path(), "--json --strict");
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

/// A manifest as long as one may be, full of what could be compared with each other.
#[test]
fn long_lists_take_no_square_of_their_length() {
    let folder = plugin();
    let list = |item: &dyn Fn(usize) -> String, n: usize| (0..n).map(item).collect::<Vec<_>>().join(",");
    let skills = list(&|n| format!("\"./{n}\""), 20_000);
    let hooks = list(&|n| format!("\"./{n}.json\""), 20_000);
    let unknown = list(&|n| format!("\"u{n}\":0"), 20_000);
    let long = format!("./{}", "a/".repeat(100_000));
    let manifest = format!(r#"{{"name":"demo","skills":[{skills},"{long}"],"hooks":[{hooks}],{unknown}}}"#);
    write(&folder, ".claude-plugin/plugin.json", &manifest);
    let servers = list(&|n| format!(r#""s{n}":{{"command":"${{user_config.k{n}}}"}}"#), 15_000);
    write(&folder, ".mcp.json", &format!("{{{servers}}}"));
    let ended = validate(folder.path(), "--lint --json");
    assert_eq!(ended.code, Some(1), "{}", ended.err);
}
