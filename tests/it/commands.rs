//! The golden matrix: every command on every fixture, as a person sees it. A new fixture adds its rows by itself; accept
//! them with `INSTA_UPDATE=always`, then read the difference.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use crate::program::run;
use crate::store::{Case, fixtures, names};

/// What differs from run to run, with something of the same width in its place.
static REDACTIONS: LazyLock<[(Regex, &str); 2]> = LazyLock::new(|| {
    let with = |pattern: &str| Regex::new(pattern).unwrap();
    [
        (with(r"\bcase-[A-Za-z0-9]{6}\b"), "case-xxxxxx"),
        // The time at which the fixture was built.
        (with(r#""mtime": "[^"]{24}""#), r#""mtime": "2026-11-30T00:00:00.000Z""#),
    ]
});

fn redacted(text: &str) -> String {
    REDACTIONS.iter().fold(text.to_owned(), |text, (pattern, with)| pattern.replace_all(&text, *with).into_owned())
}

/// What a run printed: standard output, then what went wrong, if anything did.
fn printed(folder: &Path, args: &[&str]) -> String {
    let (command, rest) = args.split_first().unwrap();
    // Of a command with commands of its own, the second word belongs to its name.
    let (inner, rest) = if *command == "plugin" { rest.split_at(1) } else { rest.split_at(0) };
    let ended = run(folder, &[&[*command], inner, &["--tz", "UTC", "--color", "never"], rest].concat());
    let failed = if ended.code == Some(0) { String::new() } else { format!("exit code {}\n", ended.code.unwrap()) };
    redacted(&format!("{}{}{failed}", ended.out, ended.err))
}

/// One snapshot file for a command and a fixture.
fn snapshot(command: &str, case: &Case, args: &[&str]) {
    let mut settings = insta::Settings::clone_current();
    settings.set_omit_expression(true);
    settings.set_prepend_module_to_snapshot(false);
    let line = args.join(" ").replace(fixtures().to_str().unwrap(), "fixtures");
    settings.set_description(redacted(&format!("flower-analyze {line}")));
    settings.set_snapshot_path(format!("snapshots/{command}"));
    settings.bind(|| insta::assert_snapshot!(case.name.as_str(), printed(&case.root, args)));
}

/// Runs `check` on a copy of every fixture, at a path of always the same width.
fn each_fixture(check: impl Fn(&Case)) {
    for name in names() {
        check(&Case::copy(&name));
    }
}

#[test]
fn summary() {
    each_fixture(|case| snapshot("summary", case, &["summary", case.source]));
}

#[test]
fn sessions() {
    each_fixture(|case| snapshot("sessions", case, &["sessions", case.source]));
}

#[test]
fn errors() {
    each_fixture(|case| snapshot("errors", case, &["errors", case.source]));
}

#[test]
fn retries() {
    each_fixture(|case| snapshot("retries", case, &["retries", case.source]));
}

#[test]
fn outages() {
    each_fixture(|case| snapshot("outages", case, &["outages", case.source]));
}

/// Each form of what failed, on a small fixture that has all of it.
#[test]
fn failures_for_machines() {
    for (command, name) in
        [("errors", "error-disagreements"), ("retries", "hopeless-retries"), ("outages", "hopeless-retries")]
    {
        let case = Case::copy(name);
        for format in ["csv", "md", "json"] {
            snapshot(&format!("{command}-{format}"), &case, &[command, case.source, "--format", format]);
        }
    }
}

#[test]
fn chain() {
    each_fixture(|case| snapshot("chain", case, &["chain", case.source]));
}

#[test]
fn chain_check() {
    each_fixture(|case| snapshot("chain-check", case, &["chain", case.source, "--check"]));
}

#[test]
fn chain_loaded() {
    each_fixture(|case| snapshot("chain-loaded", case, &["chain", case.source, "--view", "loaded"]));
}

#[test]
fn layers() {
    each_fixture(|case| snapshot("layers", case, &["layers", case.source]));
}

#[test]
fn layers_of_a_strict_policy() {
    for name in ["compaction", "denials", "healthy", "hostile-text", "interrupted-2.1.197", "load-layers"] {
        let case = Case::copy(name);
        snapshot("layers-changes", &case, &["layers", case.source, "--policy", "tight", "--changes"]);
        snapshot("layers-diff", &case, &["layers", case.source, "--diff", "default", "flower-run"]);
    }
    let case = Case::copy("load-layers");
    let changes = ["layers", case.source, "--session", "denied-in-company", "--changes", "--full"];
    for format in ["csv", "md", "json"] {
        let args = [&changes[..], &["--format", format]].concat();
        snapshot(&format!("layers-changes-{format}"), &case, &args);
    }
    snapshot("layers-explain", &case, &["layers", "--explain", "git log --oneline | head && sed -i s/a/b/ \"f;g\""]);
}

#[test]
fn context() {
    each_fixture(|case| snapshot("context", case, &["context", case.source]));
}

#[test]
fn tools() {
    each_fixture(|case| snapshot("tools", case, &["tools", case.source]));
}

#[test]
fn timeline() {
    each_fixture(|case| snapshot("timeline", case, &["timeline", case.source]));
}

#[test]
fn env() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("a.env"),
        "export A=1\nANTHROPIC_MODEL=x # note\nANTHROPIC_API_KEY=sk-ant-fake-1111\n",
    )
    .unwrap();
    // Tables are as wide as the path of the folder.
    for format in ["csv", "json"] {
        let mut command = super::program::command(folder.path());
        command.env_clear().env("ANTHROPIC_API_KEY", "sk-ant-fake-0000").env("COLUMNS", "100").env("LANG", "C.UTF-8");
        let output = command.args(["env", "--env-file", "a.env", "--format", format]).output().unwrap();
        let path = folder.path().canonicalize().unwrap().display().to_string();
        let text = String::from_utf8(output.stdout).unwrap();
        let text = text.replace(&path, "/f").replace(env!("CARGO_PKG_VERSION"), "[version]");
        insta::assert_snapshot!(format!("env-{format}"), text);
    }
}

/// The first session and its first entry that has something to show: a call, or whatever stands at 1.
#[test]
fn show() {
    each_fixture(|case| {
        let Some(session) = first_session(case) else { return };
        snapshot("show-session", case, &["show", case.source, &session]);
        snapshot("show-entry", case, &["show", case.source, &format!("{session}:1")]);
    });
}

/// The store key that comes first; `None` where the source cannot be read.
fn first_session(case: &Case) -> Option<String> {
    let ended = run(&case.root, &["sessions", case.source, "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&ended.out).ok()?;
    Some(report["result"]["sessions"][0]["store_key"].as_str()?.to_owned())
}

#[test]
fn cost() {
    each_fixture(|case| snapshot("cost", case, &["cost", case.source]));
    for by in ["session", "subagent", "model", "thread", "tool", "day", "hour", "run"] {
        let case = Case::copy("cost-causes");
        snapshot(&format!("cost-by-{by}"), &case, &["cost", case.source, "--by", by]);
    }
}

/// The plugin of a fixture, which lies beside its source and is not built.
fn demo_plugin() -> String {
    fixtures().join("plugin-used/plugin").to_str().unwrap().to_owned()
}

#[test]
fn plugin_used() {
    let plugin = demo_plugin();
    for name in ["plugin-used", "denials", "healthy-2.1.197"] {
        let case = Case::copy(name);
        snapshot("plugin-used", &case, &["plugin", "used", case.source, "--plugin", &plugin]);
    }
    let case = Case::copy("plugin-used");
    for format in ["json", "csv", "md"] {
        let args = ["plugin", "used", case.source, "--plugin", &plugin, "--format", format];
        snapshot(&format!("plugin-used-{format}"), &case, &args);
    }
}

/// What `plugin validate` and `plugin details` print of some of the cases in `plugins/`.
#[test]
fn plugin_pages() {
    let page = |name: &str, folder: &str, args: &[&str]| {
        let ended = run(&fixtures(), &[&["plugin", args[0], folder], &args[1..]].concat());
        let text = format!("{}{}exit code {}\n", ended.out, ended.err, ended.code.unwrap());
        let text = text.replace(fixtures().to_str().unwrap(), "/fixtures");
        let mut settings = insta::Settings::clone_current();
        settings.set_omit_expression(true);
        settings.set_prepend_module_to_snapshot(false);
        settings.set_snapshot_path("snapshots/plugin");
        settings.bind(|| insta::assert_snapshot!(name, text));
    };
    for case in ["mcp-bad-servers", "hooks-bad-matcher-type", "monitors-duplicate", "userconfig-not-cross-checked"] {
        page(&format!("validate-{case}"), &format!("plugins/{case}/plugin"), &["validate", "--lint"]);
    }
    for format in ["table", "csv"] {
        page(
            &format!("validate-lint-{format}"),
            "plugins/lint-only/plugin",
            &["validate", "--lint", "--format", format],
        );
    }
    page("validate-market", "plugins/market-version-mismatch/market", &["validate", "--strict"]);
    for format in ["table", "csv", "md", "json"] {
        page(&format!("validate-{format}"), "plugin-used/plugin", &["validate", "--lint", "--format", format]);
        let details = ["details", "--model", "claude-opus-5-5", "--format", format];
        page(&format!("details-{format}"), "plugins/details-tokens/plugin", &details);
    }
    page("details-placeholders", "plugin-used/plugin", &["details"]);
}

#[test]
fn query() {
    each_fixture(|case| snapshot("query", case, &["query", "totals", case.source]));
    for name in ["cost-causes", "denials", "outage"] {
        let case = Case::copy(name);
        for query in ["cost-by-step", "cost-by-session", "tools", "findings-by-code", "denied-calls"] {
            snapshot(&format!("query-{query}"), &case, &["query", query, case.source]);
        }
    }
    let sql = "SELECT seq, type, is_prompt, timestamp, characters / 3.0 AS thirds, excerpt FROM entries ORDER BY seq";
    for format in ["table", "json", "csv", "md"] {
        let case = Case::copy("hostile-text");
        let args = ["query", case.source, "--sql", sql, "--limit", "4", "--format", format];
        snapshot(&format!("query-{format}"), &case, &args);
    }
}

#[test]
fn query_list() {
    let folder = fixtures();
    for format in ["table", "json", "csv", "md"] {
        insta::assert_snapshot!(format!("query-list-{format}"), printed(&folder, &["query", "--format", format]));
    }
}

#[test]
fn export() {
    each_fixture(|case| snapshot("export", case, &["export", case.source, "--dir", "out", "--to", "ndjson"]));
    for name in ["cost-causes", "hostile-text", "nested-agents"] {
        let case = Case::copy(name);
        snapshot("export-json", &case, &["export", case.source, "--dir", "out", "--to", "csv", "--format", "json"]);
        for table in flower_analyze::analysis::tables::schemas() {
            let table = table.name;
            let mut settings = insta::Settings::clone_current();
            settings.set_omit_expression(true);
            settings.set_prepend_module_to_snapshot(false);
            settings.set_snapshot_path("snapshots/export-csv");
            let text = std::fs::read_to_string(case.root.join(format!("out/{table}.csv"))).unwrap();
            settings.bind(|| insta::assert_snapshot!(format!("{name}-{table}"), redacted(&text)));
        }
    }
}

#[test]
fn chain_dot() {
    for name in ["branch-several-prompts", "compaction", "cycle", "hostile-text", "parallel-calls"] {
        let case = Case::copy(name);
        snapshot("chain-dot", &case, &["chain", case.source, "--dot"]);
    }
}

#[test]
fn formats_for_machines() {
    for name in ["hostile-text", "leaf-disagrees"] {
        let case = Case::copy(name);
        for command in ["summary", "sessions", "chain", "layers"] {
            for format in ["csv", "md"] {
                snapshot(&format!("{command}-{format}"), &case, &[command, case.source, "--format", format]);
            }
        }
        snapshot("show-md", &case, &["show", case.source, "main:0", "--format", "md"]);
        snapshot("show-csv", &case, &["show", case.source, "main", "--format", "csv"]);
    }
    for name in ["compaction", "hostile-text", "nested-agents"] {
        let case = Case::copy(name);
        for command in ["summary", "sessions", "chain", "layers"] {
            snapshot(&format!("{command}-json"), &case, &[command, case.source, "--format", "json"]);
        }
        snapshot("show-json", &case, &["show", case.source, "main:1", "--format", "json"]);
    }
}

#[test]
fn formats_for_machines_of_time_and_context() {
    for (command, name) in [
        ("context", "context-falls"),
        ("tools", "workbench-scripts"),
        ("timeline", "odd-clock"),
        ("tools", "hostile-text"),
    ] {
        let case = Case::copy(name);
        for format in ["json", "csv", "md"] {
            snapshot(&format!("{command}-{format}"), &case, &[command, case.source, "--format", format]);
        }
    }
}

#[test]
fn narrow_and_wide() {
    let case = Case::copy("leaf-disagrees");
    for (columns, name) in [("40", "summary-40-columns"), ("200", "summary-200-columns")] {
        let output = crate::program::command(&case.root)
            .args(["summary", case.source, "--tz", "UTC"])
            .env("COLUMNS", columns)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let widest = text.lines().map(unicode_width::UnicodeWidthStr::width).max().unwrap();
        assert!(widest <= columns.parse().unwrap(), "{widest} columns wide:\n{text}");
        insta::assert_snapshot!(name, redacted(&text));
    }
}
