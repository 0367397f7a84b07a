//! What is written about the program is what it does: the CLI reference, the JSON contract, the commands of the README.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{json, run};
use crate::store::{Case, fixtures, names};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn text(name: &str) -> String {
    fs::read_to_string(repository().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The help of one command, as it is printed into a file.
fn help(command: &[&str]) -> String {
    let ended = run(&fixtures(), &[command, &["--help"]].concat());
    assert_eq!(ended.code, Some(0), "{command:?}");
    let lines: Vec<&str> = ended.out.lines().map(str::trim_end).collect();
    lines.join("\n")
}

/// Every command, by its help.
fn commands() -> Vec<String> {
    commands_of(&[])
}

/// The commands below a command, by its help.
fn commands_of(command: &[&str]) -> Vec<String> {
    let help = help(command);
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| !name.is_empty() && *name != "help").map(ToOwned::to_owned).collect()
}

/// `reports/cli.md` is made by `UPDATE=1 cargo test documents`.
#[test]
fn the_cli_reference_is_what_the_program_prints() {
    let mut page = vec![
        "# The commands of `flower-analyze`".to_owned(),
        "What `--help` prints, command by command. Made by `UPDATE=1 cargo test documents`; do not edit.".to_owned(),
        format!("## flower-analyze\n\n```text\n{}\n```", help(&[])),
    ];
    for command in commands() {
        page.push(format!("## flower-analyze {command}\n\n```text\n{}\n```", help(&[&command])));
        for inner in commands_of(&[&command]) {
            let text = help(&[&command, &inner]);
            page.push(format!("## flower-analyze {command} {inner}\n\n```text\n{text}\n```"));
        }
    }
    let page = page.join("\n\n") + "\n";
    if std::env::var_os("UPDATE").is_some() {
        fs::write(repository().join("reports/cli.md"), &page).unwrap();
    }
    assert_eq!(text("reports/cli.md"), page, "run `UPDATE=1 cargo test documents`, then read the difference");
}

/// Types by path, as the tables of a section of `reports/json-schema.md` say; whether the path is always there.
fn documented(section: &str) -> BTreeMap<String, (BTreeSet<String>, bool)> {
    let page = text("reports/json-schema.md");
    let section = page.split("\n## ").find(|part| part.starts_with(&format!("{section}\n"))).expect(section);
    let row = |line: &str| {
        let mut cells = line.strip_prefix("| `")?.splitn(3, " | ");
        let path = cells.next()?.strip_suffix('`')?.to_owned();
        let types = cells.next()?.split(", ").map(ToOwned::to_owned).collect();
        Some((path, (types, !cells.next()?.starts_with("only if"))))
    };
    section.lines().filter_map(row).collect()
}

/// Objects whose names are data.
const MAPS: [&str; 10] = [
    "result.by_model",
    "result.by_session",
    "result.usage.by_model",
    "result.usage.by_session",
    "result.sessions[].standing",
    "result.sessions[].outline[].calls",
    "result.sessions[].outline[].notices",
    "result.keys",
    "result.keys.*.relinked",
    "result.totals.verdicts",
];

/// Every path of a report with the types that were seen there.
fn walk(path: &str, value: &Value, maps: &[&str], seen: &mut BTreeMap<String, BTreeSet<String>>) {
    // The second policy of a comparison has the fields of the first.
    let same_as = path.strip_prefix("result.other.").map(|rest| format!("result.{rest}"));
    let path = same_as.as_deref().unwrap_or(path);
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    if !path.is_empty() {
        seen.entry(path.to_owned()).or_default().insert(kind.to_owned());
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(&format!("{path}[]"), item, maps, seen)),
        Value::Object(fields) => {
            for (name, field) in fields {
                let name = if maps.contains(&path) { "*" } else { name };
                walk(&if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }, field, maps, seen);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The reports of a command on every fixture that can be read.
fn reports(command: &str) -> Vec<Value> {
    let mut reports = Vec::new();
    for name in names() {
        let case = Case::open(&name);
        if ["torn-page", "torn-tail"].contains(&name.as_str()) {
            continue;
        }
        if command == "layers" {
            let tight = ["--policy", "tight", "--changes", "--diff", "none"];
            reports.push(json(&case.root, &[&["layers", case.source], &tight[..]].concat()));
        }
        if command == "query" {
            for query in ["totals", "cost-by-step", "denied-calls", "findings-by-code"] {
                reports.push(json(&case.root, &["query", query, case.source]));
            }
            let sql = "SELECT seq, timestamp, is_meta, bytes / 2.0 AS half FROM entries";
            reports.push(json(&case.root, &["query", case.source, "--sql", sql]));
        } else if command == "export" {
            let folder = tempfile::tempdir().unwrap();
            reports.push(json(&case.root, &["export", case.source, "--dir", folder.path().to_str().unwrap()]));
        } else if command == "show" {
            let sessions = json(&case.root, &["sessions", case.source]);
            let key = sessions["result"]["sessions"][0]["store_key"].as_str().unwrap();
            let whole = json(&case.root, &["show", case.source, key]);
            let entries = whole["result"]["entries"].as_array().unwrap();
            let name = format!("{key}:{}", entries[entries.len() / 2]["seq"]);
            reports.push(json(&case.root, &["show", case.source, &name]));
            reports.push(whole);
        } else {
            reports.push(json(&case.root, &[command, case.source]));
        }
    }
    if command == "cost" {
        let options =
            [("healthy", ["--by", "tool"]), ("healthy", ["--by", "subagent"]), ("healthy", ["--since", "2026-11-30"])];
        for (name, option) in options {
            let case = Case::open(name);
            reports.push(json(&case.root, &[&["cost", case.source], &option[..]].concat()));
        }
    }
    if command == "summary" {
        let case = Case::open("healthy");
        reports.push(json(&case.root, &["summary", case.source, "--hash"]));
    }
    reports
}

/// Documented paths that no fixture has.
const NEVER_SEEN: [&str; 2] = ["source.recovery.journal.super_journal", "source.changes[]"];

fn holds_its_contract(command: &str) {
    fits_its_contract(command, &documented("Envelope"), &reports(command));
}

/// What a command documents, `envelope` included, is what its reports hold.
fn fits_its_contract(command: &str, envelope: &BTreeMap<String, (BTreeSet<String>, bool)>, reports: &[Value]) {
    let mut contract = envelope.clone();
    contract.extend(documented(command));
    let mut seen = BTreeMap::new();
    for report in reports {
        assert_eq!(report["schema"], format!("flower-analyze/{command}/1"));
        // The rows of an answer have the columns that a query names.
        let maps = if command == "query" { &["result.rows[]"][..] } else { &MAPS };
        walk("", report, maps, &mut seen);
    }
    for (path, types) in &seen {
        let (known, _) =
            contract.get(path).unwrap_or_else(|| panic!("{command}: {path} is not in reports/json-schema.md"));
        for kind in types {
            // A number may be whole.
            let fits = known.contains(kind) || (kind == "integer" && known.contains("number"));
            assert!(fits, "{command}: {path} is {kind}, documented as {known:?}");
        }
    }
    let unseen = contract.iter().filter(|(path, _)| !seen.contains_key(*path));
    let unseen: Vec<_> = unseen
        // What only `--hash` and damaged stores have is seen in the summary.
        .filter(|(path, (_, always))| *always || command == "summary" || !envelope.contains_key(*path))
        .map(|(path, _)| path.as_str())
        .filter(|path| !NEVER_SEEN.contains(path))
        .collect();
    assert!(unseen.is_empty(), "{command}: documented, but no fixture has {unseen:?}");
}

/// The envelope of the reports on a plugin directory: they tell of no run, so that their source is only a path.
fn plugin_envelope() -> BTreeMap<String, (BTreeSet<String>, bool)> {
    let mut envelope = documented("Envelope");
    envelope.retain(|path, _| !path.starts_with("source.") || ["source.path", "source.kind"].contains(&path.as_str()));
    envelope
}

#[test]
fn the_summary_holds_its_contract() {
    holds_its_contract("summary");
}

#[test]
fn sessions_hold_their_contract() {
    holds_its_contract("sessions");
}

#[test]
fn chains_hold_their_contract() {
    holds_its_contract("chain");
}

/// The reports on a plugin directory tell of no run: their source is only a path.
#[test]
fn plugins_hold_their_contract() {
    let plugin = |command: &str, target: &str, options: &[&str]| {
        let ended = run(&fixtures(), &[&["plugin", command, target, "--format", "json"], options].concat());
        serde_json::from_str(&ended.out).unwrap()
    };
    let mut verdicts: Vec<Value> = Vec::new();
    for entry in fs::read_dir(fixtures().join("plugins")).unwrap().map(Result::unwrap) {
        for folder in ["plugin", "market"] {
            let target = entry.path().join(folder);
            verdicts.extend(target.is_dir().then(|| plugin("validate", target.to_str().unwrap(), &["--lint"])));
        }
    }
    verdicts.push(plugin("validate", "plugin-used/plugin", &["--lint"]));
    fits_its_contract("plugin-validate", &plugin_envelope(), &verdicts);
    let details = [
        "plugin-used/plugin",
        "plugins/details-tokens/plugin",
        "plugins/minimal/plugin",
        "plugins/metadata-complete/plugin",
        "plugins/lsp-valid/plugin",
        "plugins/agent-unsupported-fields/plugin",
    ];
    let mut details: Vec<Value> = details.iter().map(|folder| plugin("details", folder, &[])).collect();
    details.push(plugin("details", "plugin-used/plugin", &["--model", "claude-opus-5-5"]));
    fits_its_contract("plugin-details", &plugin_envelope(), &details);
}

#[test]
fn uses_of_plugins_hold_their_contract() {
    let folder = fixtures().join("plugin-used/plugin");
    let report = |name: &str| {
        let case = Case::open(name);
        let ended = run(
            &case.root,
            &["plugin", "used", case.source, "--plugin", folder.to_str().unwrap(), "--format", "json", "--tz", "UTC"],
        );
        serde_json::from_str(&ended.out).unwrap()
    };
    fits_its_contract(
        "plugin-used",
        &documented("Envelope"),
        &["plugin-used", "denials", "orphan-call", "crash-journal", "crash-wal"].map(report),
    );
}

#[test]
fn layers_hold_their_contract() {
    holds_its_contract("layers");
}

#[test]
fn rulings_hold_their_contract() {
    let contract = documented("layers-explain");
    let mut seen = BTreeMap::new();
    for command in ["git status | cat", "rm x > y && sed -i s/a/b/ f", " "] {
        let report = json(&fixtures(), &["layers", "--explain", command]);
        assert_eq!((&report["schema"], &report["source"]), (&"flower-analyze/layers-explain/1".into(), &Value::Null));
        walk("result", &report["result"], &MAPS, &mut seen);
    }
    let paths: BTreeMap<_, _> = contract.into_iter().map(|(path, (types, _))| (path, types)).collect();
    assert_eq!(seen, paths);
}

#[test]
fn errors_hold_their_contract() {
    holds_its_contract("errors");
}

#[test]
fn explained_errors_hold_their_contract() {
    let contract = documented("errors-explain");
    let mut seen = BTreeMap::new();
    for text in ["API Error: 529 Overloaded", "You've hit your session limit · resets 3pm", "line 12:429"] {
        let report = json(&fixtures(), &["errors", "--explain", text]);
        assert_eq!((&report["schema"], &report["source"]), (&"flower-analyze/errors-explain/1".into(), &Value::Null));
        walk("result", &report["result"], &MAPS, &mut seen);
    }
    let paths: BTreeMap<_, _> = contract.into_iter().map(|(path, (types, _))| (path, types)).collect();
    assert_eq!(seen, paths);
}

#[test]
fn retries_hold_their_contract() {
    holds_its_contract("retries");
}

#[test]
fn outages_hold_their_contract() {
    holds_its_contract("outages");
}

#[test]
fn contexts_hold_their_contract() {
    holds_its_contract("context");
}

#[test]
fn tools_hold_their_contract() {
    holds_its_contract("tools");
}

#[test]
fn timelines_hold_their_contract() {
    holds_its_contract("timeline");
}

#[test]
fn settings_hold_their_contract() {
    let contract = documented("env");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".env"), "A=1\nANTHROPIC_API_KEY=sk-ant-fake-1111\n").unwrap();
    let mut command = super::program::command(folder.path());
    command.env_clear().env("HOME", folder.path()).env("ANTHROPIC_API_KEY", "sk-ant-fake-0000");
    let output = command.args(["env", "--format", "json"]).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["schema"], &report["source"]), (&"flower-analyze/env/1".into(), &Value::Null));
    let mut seen = BTreeMap::new();
    walk("result", &report["result"], &MAPS, &mut seen);
    for (path, (types, _)) in &contract {
        assert!(seen.get(path).is_some_and(|found| found.is_subset(types)), "{path}: {:?}", seen.get(path));
    }
    assert_eq!(seen.len(), contract.len(), "{seen:?}");
}

#[test]
fn entries_hold_their_contract() {
    holds_its_contract("show");
}

#[test]
fn the_cost_holds_its_contract() {
    holds_its_contract("cost");
}

#[test]
fn answers_hold_their_contract() {
    holds_its_contract("query");
}

#[test]
fn exports_hold_their_contract() {
    holds_its_contract("export");
}

/// The list of the named queries reads no source.
#[test]
fn the_list_of_queries_holds_its_contract() {
    let mut seen = BTreeMap::new();
    let list = json(&fixtures(), &["query"]);
    assert_eq!((list["schema"].as_str(), &list["source"]), (Some("flower-analyze/queries/1"), &Value::Null));
    walk("result", &list["result"], &MAPS, &mut seen);
    let known: BTreeMap<_, _> = documented("queries").into_iter().map(|(path, (types, _))| (path, types)).collect();
    assert_eq!(seen, known);
}

/// The commands of the README exist, with the options that they are shown with.
#[test]
fn the_readme_shows_commands_that_exist() {
    let readme = text("README.md");
    let known = commands();
    let mut shown = 0;
    for line in readme.split('`').filter(|code| code.starts_with("flower-analyze ")) {
        // In a table a pipe is escaped; what follows is another program.
        let line = line.split(['|', '\\', '>']).next().unwrap();
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        let Some((first, rest)) = words.split_first() else { continue };
        let command = if known.iter().any(|name| name == first) { first } else { "summary" };
        assert!(command == *first || first.starts_with(char::is_uppercase), "{line}: there is no command {first}");
        let inner = rest.first().filter(|name| commands_of(&[command]).iter().any(|known| known == *name));
        let help = inner.map_or_else(|| help(&[command]), |inner| help(&[command, inner]));
        for option in rest.iter().filter(|word| word.starts_with("--")) {
            assert!(help.contains(option), "{line}: {command} has no option {option}");
        }
        shown += 1;
    }
    assert!(shown >= 10, "{shown} commands found in the README");
    for option in ["--format", "--output", "--tz", "--session", "--hash", "--reveal", "--fail-on"] {
        for command in known.iter().filter(|name| !["completions", "plugin"].contains(&name.as_str())) {
            assert!(help(&[command]).contains(option), "{command} has no option {option}");
        }
        assert!(help(&["plugin", "used"]).contains(option), "plugin used has no option {option}");
    }
    for command in &known {
        assert!(readme.contains(&format!("flower-analyze {command}")), "the README does not show {command}");
    }
}

/// Files and folders that the README links to are there.
#[test]
fn the_readme_links_to_what_is_there() {
    let readme = text("README.md");
    let links = readme.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    // The picture is made of a finished program.
    for link in links {
        assert!(link.contains("://") || repository().join(link).exists(), "{link} is not there");
    }
    let listed = text("fixtures/README.md");
    for name in names() {
        assert!(listed.contains(&format!("`{name}/`")), "fixtures/README.md does not tell what {name} is");
    }
}

/// Every picture of the gallery is small, and told with a command that exists on a fixture that exists.
#[test]
fn the_gallery_tells_the_command_of_every_picture() {
    let folder = repository().join("reports/gallery");
    let listed = text("reports/gallery/README.md");
    let commands = commands();
    let mut pictures = 0;
    for picture in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = picture.file_name().unwrap().to_str().unwrap().to_owned();
        if name == "README.md" {
            continue;
        }
        pictures += 1;
        assert!(fs::metadata(&picture).unwrap().len() < 150_000, "{name} is too large for a gallery");
        let row = listed.lines().find(|line| line.contains(&format!("]({name})"))).unwrap_or_else(|| panic!("{name}"));
        let (_, command) = row.split_once("`flower-analyze ").unwrap_or_else(|| panic!("no command: {row}"));
        let words: Vec<&str> = command.split('`').next().unwrap().split(' ').collect();
        assert!(commands.iter().any(|known| known == words[0]), "{row}");
        assert!(repository().join(words[1]).exists(), "{row}");
    }
    assert_eq!(pictures, 7, "one for each kind of chart");
}
