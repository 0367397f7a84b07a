//! Plugin directories against the verdicts of the real agent CLI, which `expected.json` of each case holds.

use crate::program::{Ended, run};
use crate::store::{copy_folder, fixtures};
use flower_analyze::plugin::Estimate;
use flower_analyze::unit::Tokens;
use regex::Regex;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder of `fixtures/plugins`.
struct Case {
    name: String,
    folder: PathBuf,
    target: PathBuf,
    expected: Value,
    _copy: Option<TempDir>,
}

fn cases() -> Vec<Case> {
    let folders = fs::read_dir(fixtures().join("plugins")).unwrap().map(|entry| entry.unwrap().path());
    let mut cases: Vec<Case> = folders
        .filter(|folder| folder.join("expected.json").exists())
        .map(|folder| {
            let expected: Value = serde_json::from_slice(&fs::read(folder.join("expected.json")).unwrap()).unwrap();
            let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
            let copy = folder.join("links").exists().then(|| with_links(&folder));
            let folder = copy.as_ref().map_or(folder, |copy| copy.path().to_owned());
            Case { name, target: folder.join(expected["target"].as_str().unwrap()), folder, expected, _copy: copy }
        })
        .collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    cases
}

/// A copy of a case with the links that its file `links` lists: links themselves do not survive every way of copying.
fn with_links(folder: &Path) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    copy_folder(folder, copy.path());
    for line in fs::read_to_string(folder.join("links")).unwrap().lines() {
        let (link, target) = line.split_once(" -> ").unwrap();
        let link = copy.path().join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(target, link).unwrap();
    }
    copy
}

fn plugin(case: &Case, command: &str, options: &[&str]) -> Ended {
    let target = case.target.to_str().unwrap();
    run(&case.folder, &[&["plugin", command, target], options].concat())
}

/// What is compared: paths relative to the case, contents as a set, without what looks above the plugin, and without the
/// words of the parsers.
fn comparable(case: &Case, mut verdict: Value) -> Value {
    let object = verdict.as_object_mut().unwrap();
    object.remove("directory");
    object.remove("advice");
    object["contents"].as_array_mut().unwrap().sort_by_key(Value::to_string);
    let files = object["contents"].as_array().unwrap().len();
    for file in (0..=files).map(|at| if at == files { "/manifest".to_owned() } else { format!("/contents/{at}") }) {
        for list in ["errors", "warnings"] {
            if let Some(Value::Array(issues)) = verdict.pointer_mut(&format!("{file}/{list}")) {
                issues.sort_by_key(Value::to_string);
            }
        }
    }
    let (target, folder) = (case.target.to_str().unwrap(), case.folder.to_str().unwrap());
    let text = verdict.to_string().replace(target, "<TARGET>").replace(folder, "<CASE>");
    let parser = Regex::new(r#"(JSON|YAML) Parse error: .*?(\. At runtime|\. The plugin|"[,}])"#).unwrap();
    serde_json::from_str(&parser.replace_all(&text, "$1 Parse error: …$2")).unwrap()
}

#[test]
fn every_verdict_is_that_of_the_cli() {
    let mut wrong = Vec::new();
    let cases = cases();
    assert!(cases.len() >= 170, "{} cases", cases.len());
    for case in &cases {
        for (options, code) in [(&["--json"][..], "exit_code"), (&["--json", "--strict"], "strict_exit_code")] {
            let ended = plugin(case, "validate", options);
            if ended.code.map(Value::from).as_ref() != Some(&case.expected[code]) {
                wrong.push(format!("{} {options:?}: exit code {:?}: {}", case.name, ended.code, ended.err));
                continue;
            }
            if case.expected["json"].is_null() {
                let said = case.expected["stderr"].as_str().unwrap().replace("<TARGET>", case.target.to_str().unwrap());
                let said = said.trim_start_matches("✘ Unexpected error during validation: ");
                assert!(ended.out.is_empty() && ended.err.contains(said), "{}: {}", case.name, ended.err);
                continue;
            }
            let verdict: Value = serde_json::from_str(&ended.out).unwrap();
            let strict = options.len() > 1;
            let mut expected = case.expected["json"].clone();
            if strict {
                expected["strict"] = json!(true);
                expected["success"] = case.expected["strict_success"].clone();
            }
            let (verdict, expected) = (comparable(case, verdict), comparable(case, expected));
            let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
            if verdict != expected || keys(&verdict) != keys(&expected) {
                wrong.push(format!("{} {options:?}:\n  {verdict}\n  {expected}", case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

/// The document of the CLI is whole, the report is not: it is made to be shown to others.
#[test]
fn secrets_are_masked_in_reports_and_not_in_the_document_of_the_cli() {
    let secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    let case = cases().into_iter().find(|case| case.name == "mcp-secret").unwrap();
    for (options, is_shown) in
        [(&["--json"][..], true), (&["--format", "json"], false), (&["--format", "json", "--reveal"], true)]
    {
        let ended = plugin(&case, "validate", options);
        assert_eq!((ended.code, ended.out.contains(secret)), (Some(0), is_shown), "{options:?}");
    }
}

/// The CLI reads what links out of the plugin lead to; here that is left out and told.
const FOLLOWED_BY_THE_CLI: [&str; 3] = ["links-out", "symlink-mcp-outside", "symlink-skill-outside"];

/// The numbers of `plugin details`: names of each group in order, total, and the rows as a set.
#[test]
fn every_estimate_is_that_of_the_cli() {
    let mut compared = 0;
    for case in cases() {
        let Some(page) = case.expected["details"]["stdout"].as_str() else { continue };
        if FOLLOWED_BY_THE_CLI.contains(&case.name.as_str()) {
            continue;
        }
        let ended = plugin(&case, "details", &["--format", "json"]);
        assert_eq!(ended.code, Some(0), "{}: {}", case.name, ended.err);
        let report: Value = serde_json::from_str(&ended.out).unwrap();
        let details = &report["result"];
        assert!(details["loads"].as_bool().unwrap(), "{}", case.name);
        let own = (heading(details), groups(details), total(details), rows(details));
        assert_eq!(own, parsed(page), "{}", case.name);
        compared += 1;
    }
    assert!(compared > 50, "{compared} compared");
}

/// A plugin without details is one that the CLI does not load.
#[test]
fn what_the_cli_does_not_load_does_not_load() {
    let mut refused = 0;
    for case in cases() {
        let Some(row) = case.expected["load"].as_array().and_then(|rows| rows.first()) else { continue };
        if !case.target.is_dir() || row["id"] != "inline[0]" {
            continue;
        }
        let report: Value = serde_json::from_str(&plugin(&case, "details", &["--format", "json"]).out).unwrap();
        assert_eq!(report["result"]["loads"], false, "{}", case.name);
        refused += 1;
    }
    assert!(refused > 15, "{refused} refused");
}

type Parsed = (String, Vec<(String, Vec<String>)>, String, BTreeSet<[String; 3]>);

/// The CLI's page, taken apart.
fn parsed(page: &str) -> Parsed {
    let heading = page.lines().next().unwrap().to_owned();
    let group =
        Regex::new(r"^  (Skills|Agents|Hooks|MCP servers|LSP servers) \((\d+)\)(?:  (.*?))?(?:  \(.*\))?$").unwrap();
    let groups = page.lines().filter_map(|line| group.captures(line)).map(|found| {
        let names = found.get(3).map_or("", |names| names.as_str());
        let names: Vec<String> = names.split(", ").filter(|name| !name.is_empty()).map(ToOwned::to_owned).collect();
        assert_eq!(names.len(), found[2].parse::<usize>().unwrap(), "{page}");
        (found[1].to_owned(), names)
    });
    let total = Regex::new(r"Always-on:\s+(~[\d,]+ tok)").unwrap().captures(page).unwrap()[1].to_owned();
    let row = Regex::new(r"^  (.+?)\s+(< 20|~[\d.]+k?)\s+(< 20|~[\d.]+k?)$").unwrap();
    let rows = page.lines().filter_map(|line| row.captures(line));
    let rows = rows.map(|found| [1, 2, 3].map(|at| found[at].to_owned())).collect();
    (heading, groups.map(sorted_agents).collect(), total, rows)
}

/// Agents come in the order in which the directory was read.
fn sorted_agents((group, mut names): (String, Vec<String>)) -> (String, Vec<String>) {
    if group == "Agents" {
        names.sort();
    }
    (group, names)
}

fn heading(details: &Value) -> String {
    let version = details["version"].as_str().unwrap_or_default();
    let name = details["name"].as_str().unwrap();
    let name = details["display_name"].as_str().map_or(name.to_owned(), |shown| format!("{shown} ({name})"));
    format!("{name} {version}").trim_end().to_owned()
}

fn groups(details: &Value) -> Vec<(String, Vec<String>)> {
    let keys = [
        ("Skills", "skills"),
        ("Agents", "agents"),
        ("Hooks", "hooks"),
        ("MCP servers", "mcp_servers"),
        ("LSP servers", "lsp_servers"),
    ];
    let names = |key: &str| {
        let names = details["inventory"][key].as_array().unwrap().iter();
        names.map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    keys.map(|(group, key)| (group.to_owned(), names(key))).to_vec()
}

fn total(details: &Value) -> String {
    Estimate::total(Tokens(details["always_on_tokens"].as_u64().unwrap()))
}

fn rows(details: &Value) -> BTreeSet<[String; 3]> {
    let shown = |component: &Value, key: &str| Estimate::part(Tokens(component[key].as_u64().unwrap()));
    let row = |component: &Value| {
        let name = component["short_name"].as_str().unwrap().to_owned();
        [name, shown(component, "always_on_tokens"), shown(component, "on_invoke_tokens")]
    };
    details["components"].as_array().unwrap().iter().map(row).collect()
}

/// Where an expected verdict names a path that is there, it is looked at: a fixture that was not copied whole fails here.
#[test]
fn the_fixtures_are_whole() {
    for case in cases().iter().filter(|case| !case.name.starts_with("target-")) {
        assert!(Path::new(&case.target).exists(), "{} has no {}", case.name, case.target.display());
    }
}
