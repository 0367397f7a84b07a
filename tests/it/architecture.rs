//! The rules of the layout, read from the text of the tree. Every rule has a test that it still catches a bad snippet.

use crate::rust_text::RustText;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// Who may use whom: a layer and the layers below it that it may name.
const LAYERS: [(&str, &[&str]); 13] = [
    ("unit", &[]),
    // The runner may not know `report`, and prints the same hostile text: what makes it harmless stands below both.
    ("masking", &[]),
    // `flower-run` follows these rules, `flower-analyze env` explains them: they stand below both.
    ("environment", &["unit"]),
    ("run_dir", &["unit"]),
    ("evidence", &["unit", "run_dir"]),
    ("transcript", &["unit", "run_dir"]),
    ("session", &["unit", "run_dir", "transcript"]),
    ("layers", &["unit", "run_dir", "transcript", "session"]),
    ("plugin", &["unit"]),
    ("analysis", &["unit", "environment", "run_dir", "transcript", "session", "layers", "plugin"]),
    ("report", &["unit", "masking", "environment", "run_dir", "analysis"]),
    (
        "cli",
        &[
            "unit",
            "environment",
            "run_dir",
            "evidence",
            "transcript",
            "session",
            "layers",
            "plugin",
            "analysis",
            "report",
        ],
    ),
    ("runner", &["unit", "masking", "environment", "run_dir", "transcript", "session", "layers", "plugin"]),
];

/// Crates that only some places may name. A place is a file, or a folder with its slash.
const CRATES: [(&str, &[&str]); 17] = [
    ("anyhow", &["src/cli/", "src/runner/"]),
    ("clap", &["src/cli/", "src/runner/args.rs", "src/runner/run.rs"]),
    ("clap_complete", &["src/cli/"]),
    ("comfy_table", &["src/report/table.rs"]),
    ("csv", &["src/report/csv.rs"]),
    ("plotters", &["src/report/chart/svg.rs"]),
    ("polars", &["src/analysis/tables/frame.rs"]),
    ("polars_expr", &["src/analysis/tables/frame.rs"]),
    ("polars_io", &["src/analysis/tables/frame.rs"]),
    ("polars_mem_engine", &["src/analysis/tables/frame.rs"]),
    ("polars_plan", &["src/analysis/tables/frame.rs"]),
    ("resvg", &["src/report/chart/fonts.rs", "src/report/chart/png.rs"]),
    ("rusqlite", &["src/evidence/", "src/runner/"]),
    // A plugin is a directory, so its layer has to look at one; everything else there gets the tree that `reader` made.
    ("std::fs", &["src/evidence/", "src/plugin/reader.rs", "src/cli/", "src/runner/"]),
    ("skrifa", &["src/report/chart/fonts.rs"]),
    (
        "sqlparser",
        &["src/analysis/tables/dialect.rs", "src/analysis/tables/join_keys.rs", "src/analysis/tables/join_size.rs"],
    ),
    // Nothing else speaks to a server.
    ("ureq", &["src/runner/probe.rs"]),
];

/// Crates that stand in one file or one folder below a layer, wherever that is.
const CONFINED: [&str; 1] = ["minijinja"];

const MAX_BINARY_LINES: usize = 40;
const MAX_FILE_LINES: usize = 300;
const MAX_FUNCTION_LINES: usize = 50;

/// The text of every file of the tree, by its path with forward slashes.
struct Tree(BTreeMap<String, String>);

/// A broken rule: where, what, and what to do.
type Broken = String;

type Rule = fn(&Tree) -> Vec<Broken>;

impl Tree {
    /// The tree of this package without what is built.
    fn here() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut files = BTreeMap::new();
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let entry = entry.unwrap();
                let name = entry.file_name();
                let is_built = ["target", ".git", "artifacts", "coverage"].iter().any(|built| name == *built);
                if entry.file_type().unwrap().is_dir() {
                    folders.extend((!is_built).then(|| entry.path()));
                } else if !is_built {
                    let path = entry.path().strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
                    files.insert(path, String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).into_owned());
                }
            }
        }
        Self(files)
    }

    fn of(files: &[(&str, &str)]) -> Self {
        Self(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect())
    }

    fn below<'a>(&'a self, folder: &'a str, ending: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let wanted = move |path: &str| path.starts_with(folder) && path.ends_with(ending);
        self.0.iter().filter(move |(path, _)| wanted(path)).map(|(path, text)| (path.as_str(), text.as_str()))
    }

    fn sources(&self) -> impl Iterator<Item = (&str, RustText)> {
        self.below("src/", ".rs").map(|(path, text)| (path, RustText::parse(text)))
    }
}

/// The layer of a file, or `main` for the files at the top of `src`.
fn layer(path: &str) -> &str {
    let inner = path.strip_prefix("src/").unwrap_or(path);
    inner.split_once('/').map(|(layer, _)| layer).filter(|layer| *layer != "bin").unwrap_or("main")
}

fn may_use(layer: &str, used: &str) -> bool {
    let allowed = LAYERS.iter().find(|(name, _)| *name == layer).map_or(&["cli", "runner"][..], |(_, uses)| uses);
    layer == used || allowed.contains(&used)
}

/// Layers that one line names: `crate::x`, `crate::{x, y::z}`, `flower_analyze::x`.
fn named_layers(line: &str) -> Vec<String> {
    static PATH: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\b(?:crate|flower_analyze)::(?:\{(?P<group>.*)|(?P<one>[a-z_]+))").unwrap());
    static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?:^|[{,]\s*)([a-z_]+)").unwrap());
    let is_layer = |name: &&str| LAYERS.iter().any(|(layer, _)| layer == name);
    let mut names = Vec::new();
    for found in PATH.captures_iter(line) {
        let group = found.name("group").map_or("", |group| group.as_str());
        let words = WORD.captures_iter(group).filter_map(|word| word.get(1)).map(|word| word.as_str());
        let one = found.name("one").map(|one| one.as_str());
        names.extend(one.into_iter().chain(words).filter(is_layer).map(str::to_owned));
    }
    names
}

fn layers_look_down(tree: &Tree) -> Vec<Broken> {
    let mut broken = Vec::new();
    for (path, source) in tree.sources().filter(|(path, _)| *path != "src/lib.rs") {
        let layer = layer(path);
        if layer != "main" && !LAYERS.iter().any(|(name, _)| *name == layer) {
            broken.push(format!("{path}: `{layer}` is no layer: add it to the table of who may use whom, or move it"));
            continue;
        }
        let joined = joined_groups(&source);
        for (number, line) in &joined {
            for used in named_layers(line).iter().filter(|used| !may_use(layer, used)) {
                broken.push(format!(
                    "{path}:{number}: `{layer}` may not use `{used}`: move what is needed down, or pass it in as a value"
                ));
            }
        }
        broken.extend(
            climbs(path, &source).into_iter().map(|number| {
                format!("{path}:{number}: `super` up to the root hides the layer: write `crate::<layer>`")
            }),
        );
    }
    broken
}

/// Lines, with a `use crate::{` that is spread over several joined into its first.
fn joined_groups(source: &RustText) -> Vec<(usize, String)> {
    let mut joined: Vec<(usize, String)> = Vec::new();
    let mut open = false;
    for (number, line) in source.lines() {
        match joined.last_mut().filter(|_| open) {
            Some((_, last)) => last.push_str(line.trim()),
            None => joined.push((number, line.to_owned())),
        }
        open = joined.last().is_some_and(|(_, last)| last.contains("crate::{") && !last.contains(';'));
    }
    joined
}

/// Lines on which a chain of `super` reaches the root of the crate.
fn climbs(path: &str, source: &RustText) -> Vec<usize> {
    let depth = path.matches('/').count() - usize::from(path.ends_with("/mod.rs"));
    let climbs = |(number, line): &(usize, &str)| {
        let depth = depth + usize::from(*number > source.before_tests);
        line.contains(&"super::".repeat(depth.max(1)))
    };
    let inside = layer(path) != "main";
    source.lines().filter(|line| inside && climbs(line)).map(|(number, _)| number).collect()
}

/// What names a crate, and not a module of the same name that the file declares.
fn mention_of(name: &str, source: &RustText) -> Regex {
    let declaration = format!("mod {name};");
    let has_module = source.lines().any(|(_, line)| line.ends_with(&declaration));
    let pattern = if has_module {
        format!(r"(?:^|[^:\w])::{name}\b")
    } else {
        format!(r"(?:^|[^:\w])(?:::)?{name}::|\buse (?:::)?{name}\s*(?:;|as\b)")
    };
    Regex::new(&pattern).unwrap()
}

/// Lines of the program, without its tests, that name a crate.
fn users<'a>(tree: &'a Tree, name: &str) -> Vec<(&'a str, usize)> {
    let mut users = Vec::new();
    for (path, source) in tree.sources().filter(|(_, source)| source.program().any(|(_, line)| line.contains(name))) {
        let mention = mention_of(name, &source);
        let named = source.program().filter(|(_, line)| mention.is_match(line));
        users.extend(named.map(|(number, _)| (path, number)));
    }
    users
}

fn crates_stay_in_their_place(tree: &Tree) -> Vec<Broken> {
    let mut broken = Vec::new();
    for (name, places) in CRATES {
        let is_placed =
            |path: &str| places.iter().any(|place| path == *place || place.ends_with('/') && path.starts_with(place));
        for (path, number) in users(tree, name).into_iter().filter(|(path, _)| !is_placed(path)) {
            let places = places.join(" and ");
            broken.push(format!("{path}:{number}: `{name}` belongs to {places}: wrap what is needed there"));
        }
    }
    for name in CONFINED {
        let users = users(tree, name);
        let files: BTreeSet<&str> = users.iter().map(|(path, _)| *path).collect();
        let folders: BTreeSet<&str> = files.iter().filter_map(|path| path.rsplit_once('/')).map(|(f, _)| f).collect();
        let is_folder = folders.len() == 1 && folders.iter().all(|folder| folder.matches('/').count() >= 2);
        if files.len() > 1 && !is_folder {
            let files: Vec<&str> = files.into_iter().collect();
            broken.push(format!(
                "{}: `{name}` is used in several places: keep it in one file or folder",
                files.join(", ")
            ));
        }
    }
    broken
}

fn modules_only_declare(tree: &Tree) -> Vec<Broken> {
    let item =
        Regex::new(r"^\s*(?:pub(?:\([a-z]+\))? )?(?:const |async )*(fn|struct|enum|impl|trait|static|macro_rules!)\b")
            .unwrap();
    let mut broken = Vec::new();
    for (path, text) in tree.below("src/", "/mod.rs").chain(tree.below("src/lib.rs", "")) {
        if !text.starts_with("//!") {
            broken.push(format!("{path}:1: no `//!` at the top: say in one sentence what the module answers for"));
        }
        for (number, line) in RustText::parse(text).lines() {
            if let Some(found) = item.captures(line).and_then(|found| found.get(1)) {
                let kind = found.as_str();
                broken.push(format!(
                    "{path}:{number}: a `{kind}` where only declarations belong: move it to a file of its own"
                ));
            }
        }
    }
    broken
}

fn binaries_are_short(tree: &Tree) -> Vec<Broken> {
    let binaries = tree.below("src/main.rs", "").chain(tree.below("src/bin/", ".rs"));
    binaries
        .filter(|(_, text)| text.lines().count() > MAX_BINARY_LINES)
        .map(|(path, text)| {
            let lines = text.lines().count();
            format!("{path}: {lines} lines, at most {MAX_BINARY_LINES}: parse, run, exit code; the rest belongs to cli")
        })
        .collect()
}

fn code_lines<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> usize {
    lines.filter(|(_, line)| !line.trim().is_empty()).count()
}

fn files_are_short(tree: &Tree) -> Vec<Broken> {
    let lines = tree.sources().map(|(path, source)| (path, code_lines(source.program())));
    lines
        .filter(|(_, lines)| *lines > MAX_FILE_LINES)
        .map(|(path, lines)| {
            format!("{path}: {lines} lines of code, at most {MAX_FILE_LINES}: split it by what changes together")
        })
        .collect()
}

/// Functions with the line they begin on and their lines of code.
fn functions(source: &RustText) -> Vec<(usize, String, usize)> {
    let head = Regex::new(r"\bfn ([a-z_][a-z0-9_]*)").unwrap();
    let mut functions = Vec::new();
    for (number, line) in source.program() {
        let Some(found) = head.captures(line) else { continue };
        let begin = found.get(0).map_or(0, |head| head.start());
        let name = found.get(1).map_or("", |name| name.as_str());
        let (mut depth, mut nested, mut lines, mut ended) = (0_usize, 0_usize, 0, false);
        for (at, body) in source.program().skip(number - 1) {
            let body = if at == number { body.get(begin..).unwrap_or_default() } else { body };
            lines += usize::from(!body.trim().is_empty());
            for c in body.chars() {
                match c {
                    '(' | '[' => nested += 1,
                    ')' | ']' => nested = nested.saturating_sub(1),
                    '{' => depth += 1,
                    '}' => {
                        depth = depth.saturating_sub(1);
                        ended |= depth == 0;
                    }
                    ';' => ended |= depth == 0 && nested == 0,
                    _ => {}
                }
            }
            if ended {
                break;
            }
        }
        functions.push((number, name.to_owned(), lines));
    }
    functions
}

fn functions_are_short(tree: &Tree) -> Vec<Broken> {
    let mut broken = Vec::new();
    for (path, source) in tree.sources() {
        let long = functions(&source).into_iter().filter(|(_, _, lines)| *lines > MAX_FUNCTION_LINES);
        broken.extend(long.map(|(number, name, lines)| {
            format!("{path}:{number}: `{name}` has {lines} lines of code, at most {MAX_FUNCTION_LINES}: give its parts names")
        }));
    }
    broken
}

fn names_say_something(tree: &Tree) -> Vec<Broken> {
    let empty = ["util", "utils", "helper", "helpers", "manager", "common", "misc"];
    let is_empty = |name: &str| name.split('_').any(|part| empty.contains(&part));
    let module = Regex::new(r"\bmod ([a-z_0-9]+)").unwrap();
    let mut broken = Vec::new();
    for (path, source) in tree.sources() {
        if path.trim_end_matches(".rs").split('/').any(is_empty) {
            broken.push(format!("{path}: the name says nothing: name what is in it"));
        }
        for (number, line) in source.lines() {
            let names = module.captures_iter(line).filter_map(|found| found.get(1));
            broken.extend(names.filter(|name| is_empty(name.as_str())).map(|name| {
                format!("{path}:{number}: the module name `{}` says nothing: name what is in it", name.as_str())
            }));
        }
    }
    broken
}

fn the_store_is_named_once(tree: &Tree) -> Vec<Broken> {
    let mut places = Vec::new();
    for (path, source) in tree.sources() {
        let named = source.strings.iter().filter(|(_, inside)| inside == "sessions.db");
        places.extend(named.map(|(number, _)| format!("{path}:{number}")));
    }
    let several = places.len() > 1;
    let places = places.join(", ");
    several
        .then(|| format!("{places}: the store's name is written twice: use `run_dir::names::SESSIONS_DB`"))
        .into_iter()
        .collect()
}

fn sql_stands_in_queries(tree: &Tree) -> Vec<Broken> {
    let sql =
        Regex::new(r"\b(?:SELECT|INSERT|UPDATE|DELETE FROM|CREATE (?:TABLE|INDEX|VIEW)|ATTACH|REPLACE INTO) ").unwrap();
    let mut broken = Vec::new();
    for (path, source) in tree.sources() {
        let found = source.strings.iter().filter(|(line, inside)| *line <= source.before_tests && sql.is_match(inside));
        broken.extend(
            found.map(|(number, _)| format!("{path}:{number}: SQL in a literal: put it into a file in queries/")),
        );
    }
    broken
}

fn queries_are_stated(tree: &Tree) -> Vec<Broken> {
    let included: BTreeSet<String> =
        tree.sources().flat_map(|(_, source)| source.strings).map(|(_, inside)| inside).collect();
    let mut broken = Vec::new();
    for (path, text) in tree.below("queries/", ".sql") {
        let mut say = |what: &str| broken.push(format!("{path}: {what}"));
        let header: Vec<&str> = text.lines().take_while(|line| line.starts_with("--")).collect();
        let statement: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("--")).collect();
        let statement = statement.join("\n");
        let is_purpose = |line: &&str| {
            !["-- Parameters:", "-- Columns:", "-- Order:", "-- Writes:"].iter().any(|h| line.starts_with(h))
        };
        if !header.first().is_some_and(is_purpose) {
            say("no purpose: begin with a comment that says what it is for");
        }
        // What is read has columns and an order; what is written has a place.
        let is_reading = statement.contains("SELECT") && !statement.starts_with("INSERT");
        let headings: &[&str] = if is_reading { &["-- Columns:", "-- Order:"] } else { &["-- Writes:"] };
        for heading in headings {
            if !header.iter().any(|line| line.starts_with(*heading)) {
                say(&format!("no line `{heading}` in its header: add it"));
            }
        }
        if is_reading && !statement.contains("ORDER BY") {
            say("no ORDER BY: without it the order of the rows is chance");
        }
        if statement.trim_end().trim_end_matches(';').contains(';') {
            say("more than one statement: one file, one statement");
        }
        if !included.iter().any(|inside| inside.ends_with(path)) {
            say("not included by any file under src: use it or delete it");
        }
    }
    broken
}

fn only_cli_prints(tree: &Tree) -> Vec<Broken> {
    let print = Regex::new(r"\b(e?print(?:ln)?|dbg|todo|unimplemented)!").unwrap();
    let mut broken = Vec::new();
    for (path, source) in tree.sources() {
        broken.extend(source.program().filter_map(|(number, line)| {
            let name = print.captures(line)?.get(1)?.as_str();
            Some(format!("{path}:{number}: `{name}!`: return the text; cli::output writes it"))
        }));
    }
    broken
}

fn no_test_file_is_forgotten(tree: &Tree) -> Vec<Broken> {
    let main = tree.0.get("tests/it/main.rs").map(|text| RustText::parse(text));
    let modules: BTreeSet<String> = main
        .iter()
        .flat_map(RustText::lines)
        .filter_map(|(_, line)| line.trim().strip_prefix("mod ")?.strip_suffix(';').map(str::to_owned))
        .collect();
    let mut broken = Vec::new();
    for (path, _) in tree.below("tests/", ".rs") {
        let inner = path.trim_start_matches("tests/");
        match inner.split_once('/') {
            None => broken.push(format!("{path}: a second test binary: move it to tests/it/ and add it to main.rs")),
            Some(("it", file)) => {
                let module = file.split('/').next().unwrap_or(file).trim_end_matches(".rs");
                if module != "main" && !modules.contains(module) {
                    broken
                        .push(format!("{path}: no module of the test binary: add `mod {module};` to tests/it/main.rs"));
                }
            }
            Some((folder, "main.rs")) => {
                broken.push(format!("{path}: Cargo makes a second test binary of tests/{folder}: rename main.rs"));
            }
            Some(_) => {}
        }
    }
    broken
}

/// What a reader of the repository cannot look up: paths of one machine and words about how the work was divided.
fn nothing_points_outside(tree: &Tree) -> Vec<Broken> {
    let words =
        [["/wo", "rk/"], ["/ro", "ot/"], ["../sha", "red"], ["inte", "grator"], ["DES", "IGN.md"], ["DES", "IGN's"]];
    let words = words.map(|parts| parts.concat());
    let mut broken = Vec::new();
    for (path, text) in &tree.0 {
        for (number, line) in (1..).zip(text.lines()) {
            broken.extend(words.iter().filter(|word| line.contains(*word)).map(|word| {
                format!("{path}:{number}: `{word}` means nothing to a reader of this repository: say it without")
            }));
        }
    }
    broken
}

fn dependencies_have_a_reason(tree: &Tree) -> Vec<Broken> {
    let mut broken = Vec::new();
    for (path, text) in tree.below("Cargo.toml", "").chain(tree.below("tests/fuzz/Cargo.toml", "")) {
        let (mut section, mut before) = ("", "");
        for (number, line) in (1..).zip(text.lines()) {
            if line.starts_with('[') {
                section = line.trim();
            } else if section.ends_with("dependencies]") && line.contains('=') && !before.starts_with('#') {
                broken.push(format!("{path}:{number}: a dependency without its reason: add one line above it"));
            }
            before = line;
        }
    }
    broken
}

/// The lines of the script that run the tests, and the README's, are the same command.
fn ci_runs_the_command_of_the_readme(tree: &Tree) -> Vec<Broken> {
    let command = "cargo test --locked";
    let is_command = |line: &str| line.trim() == command;
    [("README.md", "in a code block"), (".ci/run", "as a step")]
        .iter()
        .filter(|(path, _)| !tree.0.get(*path).is_some_and(|text| text.lines().any(is_command)))
        .map(|(path, how)| format!("{path}: no line `{command}`: the tests have one command; write it {how}"))
        .collect()
}

fn check(rule: Rule) {
    let broken = rule(&Tree::here());
    assert!(broken.is_empty(), "\n{}\n", broken.join("\n"));
}

/// Fails unless `rule` finds exactly one thing wrong and says `expected`.
fn catches(rule: Rule, files: &[(&str, &str)], expected: &str) {
    let broken = rule(&Tree::of(files));
    let [only] = broken.as_slice() else { panic!("one violation expected in {files:?}: {broken:?}") };
    assert!(only.contains(expected), "{only} does not say {expected}");
}

fn accepts(rule: Rule, files: &[(&str, &str)]) {
    assert_eq!(rule(&Tree::of(files)), Vec::<Broken>::new());
}

#[test]
fn layers_only_look_down() {
    let rule = layers_look_down;
    check(rule);
    let upward = "`transcript` may not use `session`";
    for line in [
        "use crate::session::Chain;",
        "fn f() { let x = crate::session::Chain::new(); }",
        "#[cfg(test)]\nmod tests {\n    use crate::session::Chain;\n}",
        "use crate::{run_dir::Row, session::Chain};",
        "use crate::{\n    run_dir::{Row, Position},\n    session,\n};",
        "fn f() -> flower_analyze::session::Chain;",
    ] {
        catches(rule, &[("src/transcript/a.rs", line)], upward);
    }
    catches(rule, &[("src/unit/a.rs", "use crate::run_dir::Row;")], "`unit` may not use `run_dir`");
    catches(rule, &[("src/runner/a.rs", "use crate::evidence::Evidence;")], "src/runner/a.rs:1: `runner` may not use");
    catches(rule, &[("src/main.rs", "flower_analyze::report::x();")], "`main` may not use `report`");
    catches(rule, &[("src/store/a.rs", "")], "`store` is no layer");
    catches(rule, &[("src/report/a.rs", "use super::super::evidence::X;")], "`super` up to the root");
    catches(rule, &[("src/report/mod.rs", "use super::evidence::X;")], "`super` up to the root");
    accepts(rule, &[("src/transcript/a.rs", "// use crate::session::Chain;\nlet x = \"crate::session\";")]);
    accepts(rule, &[("src/report/views/a.rs", "use super::super::page::Page;\nuse crate::analysis::{session, x};")]);
    accepts(rule, &[("src/session/a.rs", "#[cfg(test)]\nmod tests {\n    use super::super::Chain;\n}")]);
}

#[test]
fn crates_stay_where_they_belong() {
    let rule = crates_stay_in_their_place;
    check(rule);
    catches(rule, &[("src/report/tree.rs", "use comfy_table::Table;")], "`comfy_table` belongs to src/report/table.rs");
    catches(rule, &[("src/report/json.rs", "let x = ::csv::Writer::new();")], "`csv` belongs to");
    catches(rule, &[("src/report/mod.rs", "mod csv;\nuse ::csv::Writer;")], "src/report/mod.rs:2");
    catches(rule, &[("src/session/a.rs", "fn f(c: &rusqlite::Connection) {}")], "`rusqlite` belongs to");
    catches(rule, &[("src/report/a.rs", "use clap as c;")], "`clap` belongs to");
    catches(rule, &[("src/evidence/a.rs", "use anyhow::Result;")], "`anyhow` belongs to src/cli/ and src/runner/");
    catches(rule, &[("src/report/a.rs", "use std::fs;")], "`std::fs` belongs to");
    catches(rule, &[("src/plugin/validate.rs", "use std::fs::File;")], "src/evidence/ and src/plugin/reader.rs and");
    accepts(rule, &[("src/plugin/reader.rs", "use std::fs::File;")]);
    accepts(rule, &[("src/report/mod.rs", "mod csv;\npub use csv::csv;")]);
    accepts(rule, &[("src/report/render.rs", "use super::csv::csv;")]);
    catches(rule, &[("src/report/chart/cost.rs", "use plotters::x;")], "`plotters` belongs to src/report/chart/svg.rs");
    catches(rule, &[("src/cli/chart.rs", "use resvg::usvg;")], "`resvg` belongs to");
    let two = [("src/report/html/a.rs", "use minijinja::x;"), ("src/report/html/b.rs", "use minijinja::y;")];
    accepts(rule, &two);
    catches(rule, &[two[0], ("src/report/b.rs", "use minijinja::y;")], "`minijinja` is used in several places");
    catches(rule, &[("src/analysis/a.rs", "use polars::x;")], "`polars` belongs to src/analysis/tables/frame.rs");
    catches(rule, &[("src/analysis/tables/a.rs", "use polars_plan::x;")], "`polars_plan` belongs to");
    accepts(rule, &[("src/analysis/tables/frame.rs", "use polars::x;\nuse polars_io::y;")]);
    catches(rule, &[("src/report/a.rs", "use minijinja::x;"), ("src/cli/b.rs", "use minijinja::x;")], "`minijinja`");
}

#[test]
fn module_files_only_declare() {
    let rule = modules_only_declare;
    check(rule);
    catches(rule, &[("src/unit/mod.rs", "mod usd;\n")], "no `//!` at the top");
    for (line, kind) in [
        ("fn f() {}", "`fn`"),
        ("    pub(crate) const fn f() {}", "`fn`"),
        ("pub struct X;", "`struct`"),
        ("impl X {}", "`impl`"),
        ("enum E {}", "`enum`"),
    ] {
        let text = format!("//! Units.\n{line}\n");
        catches(rule, &[("src/unit/mod.rs", &text)], kind);
        catches(rule, &[("src/lib.rs", &text)], kind);
    }
    accepts(rule, &[("src/unit/mod.rs", "//! Units: no fn here.\n\nmod usd;\npub use usd::Usd;\n")]);
}

#[test]
fn the_binaries_only_parse_and_run() {
    check(binaries_are_short);
    let long = "//\n".repeat(MAX_BINARY_LINES + 1);
    catches(binaries_are_short, &[("src/main.rs", &long)], "41 lines, at most 40");
    catches(binaries_are_short, &[("src/bin/flower-run.rs", &long)], "src/bin/flower-run.rs");
}

#[test]
fn files_have_at_most_300_lines_of_code() {
    check(files_are_short);
    let code = "const A: u8 = 1;\n".repeat(MAX_FILE_LINES);
    catches(files_are_short, &[("src/unit/a.rs", &format!("{code}x"))], "301 lines of code");
    let free = "// why\n/// what\n\n";
    accepts(files_are_short, &[("src/unit/a.rs", &format!("{free}{code}#[cfg(test)]\nmod tests {{\n{code}}}\n"))]);
}

#[test]
fn functions_have_at_most_50_lines_of_code() {
    check(functions_are_short);
    let function = |lines: usize| format!("fn f(x: [u8; 2]) -> u8 {{\n{}}}\n", "    { a(\"}\"); }\n".repeat(lines - 2));
    catches(functions_are_short, &[("src/unit/a.rs", &function(51))], "`f` has 51 lines");
    accepts(functions_are_short, &[("src/unit/a.rs", &format!("trait T {{ fn g(); }}\n{}{0}", function(50)))]);
}

#[test]
fn names_tell_what_is_in_them() {
    check(names_say_something);
    catches(names_say_something, &[("src/unit/common.rs", "")], "src/unit/common.rs");
    catches(names_say_something, &[("src/report/util/a.rs", "")], "src/report/util/a.rs");
    catches(names_say_something, &[("src/unit/a.rs", "mod test_helpers {}")], "`test_helpers` says nothing");
    accepts(names_say_something, &[("src/unit/utility_cost.rs", "mod utilities;")]);
}

#[test]
fn the_store_has_its_name_in_one_place() {
    let name = r#"const A: &str = "sessions.db";"#;
    check(the_store_is_named_once);
    catches(the_store_is_named_once, &[("src/run_dir/names.rs", name), ("src/cli/a.rs", name)], "src/cli/a.rs:1");
    accepts(the_store_is_named_once, &[("src/run_dir/names.rs", name), ("src/cli/a.rs", "// \"sessions.db\"")]);
}

#[test]
fn sql_stands_in_files() {
    check(sql_stands_in_queries);
    catches(sql_stands_in_queries, &[("src/evidence/a.rs", "f(\"SELECT 1\")")], "src/evidence/a.rs:1: SQL");
    catches(sql_stands_in_queries, &[("src/evidence/a.rs", "f(r\"\n  DELETE FROM t\")")], "SQL");
    accepts(sql_stands_in_queries, &[("src/evidence/a.rs", "#[cfg(test)]\nmod tests {\n    f(\"SELECT 1\") }")]);
}

#[test]
fn queries_have_purpose_columns_order_and_a_user() {
    let rule = queries_are_stated;
    check(rule);
    let user = ("src/evidence/a.rs", "include_str!(\"../../queries/store/a.sql\")");
    let caught = |text: &str, expected| catches(rule, &[("queries/store/a.sql", text), user], expected);
    let good = "-- What for.\n-- Columns: a.\n-- Order: by a.\nSELECT a FROM t ORDER BY a\n";
    accepts(rule, &[("queries/store/a.sql", good), user]);
    caught(good.trim_start_matches("-- What for.\n"), "no purpose");
    caught(&good.replace("-- Columns", "-- Fields"), "no line `-- Columns:`");
    caught(&good.replace("-- Order", "-- Sorted"), "no line `-- Order:`");
    caught(&good.replace(" ORDER BY a", ""), "no ORDER BY");
    caught(&good.replace("t ORDER", "t; SELECT a ORDER"), "more than one statement");
    catches(rule, &[("queries/store/a.sql", good)], "not included by any file");
    let write = "-- What for.\n-- Writes: t.\nINSERT INTO t VALUES (1)\n";
    accepts(rule, &[("queries/store/a.sql", write), user]);
    caught(&write.replace("-- Writes", "-- Fills"), "no line `-- Writes:`");
}

#[test]
fn nothing_below_cli_prints() {
    check(only_cli_prints);
    catches(only_cli_prints, &[("src/unit/a.rs", "println!(\"\");")], "`println!`");
    catches(only_cli_prints, &[("src/unit/a.rs", "let x = dbg!(y);")], "`dbg!`");
    accepts(only_cli_prints, &[("src/unit/a.rs", "// println!\nwriteln!(out, \"print!\");")]);
}

#[test]
fn every_test_file_is_part_of_the_one_binary() {
    let rule = no_test_file_is_forgotten;
    let main = ("tests/it/main.rs", "mod a;\nmod b;\n// mod c;\n");
    check(rule);
    catches(rule, &[main, ("tests/it/c.rs", "")], "add `mod c;`");
    catches(rule, &[main, ("tests/c.rs", "")], "a second test binary");
    catches(rule, &[main, ("tests/c/main.rs", "")], "a second test binary");
    accepts(rule, &[main, ("tests/it/a.rs", ""), ("tests/it/b/mod.rs", ""), ("tests/bench/x.rs", "")]);
}

#[test]
fn every_file_can_be_understood_from_the_repository() {
    check(nothing_points_outside);
    for word in [["/wo", "rk/x"], ["/ro", "ot/x"], ["../sha", "red"], ["inte", "grator"]] {
        catches(nothing_points_outside, &[("fixtures/README.md", &word.concat())], "fixtures/README.md:1");
    }
}

#[test]
fn every_dependency_says_why_it_is_there() {
    let rule = dependencies_have_a_reason;
    check(rule);
    catches(rule, &[("Cargo.toml", "[dependencies]\n# Why.\na = \"1\"\nb = \"1\"\n")], "Cargo.toml:4");
    catches(rule, &[("Cargo.toml", "[dev-dependencies]\na = { version = \"1\" }\n")], "Cargo.toml:2");
    accepts(rule, &[("Cargo.toml", "[dependencies]\n# Why.\na = \"1\"\n[lints.rust]\nx = \"warn\"\n")]);
}

#[test]
fn the_tests_have_one_command() {
    let rule = ci_runs_the_command_of_the_readme;
    check(rule);
    let line = "```sh\ncargo test --locked\n```";
    accepts(rule, &[("README.md", line), (".ci/run", line)]);
    catches(rule, &[("README.md", "cargo test"), (".ci/run", line)], "README.md");
    catches(rule, &[("README.md", line), (".ci/run", "cargo test --locked --release")], ".ci/run");
}
