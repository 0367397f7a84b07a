use super::issue::{
    Faults, Field, Issue, any_object, boolean, fields, kind_of, list_of, object, record_of, string, strings,
};
use super::manifest::Said;
use super::manifest_schema::{self, not_a_name, owner};
use super::sources::{self, source};
use super::{ignored_fields, market_names, market_renames, relevance, unknown_fields};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

const FIELDS: [Field; 10] = [
    ("name", true, |path, value| not_a_name(path, value, "Marketplace must have a name")),
    ("version", false, string),
    ("owner", true, owner),
    ("plugins", true, |path, value| list_of(path, value, entry)),
    ("metadata", false, metadata),
    ("description", false, string),
    ("$schema", false, string),
    ("forceRemoveDeletedPlugins", false, boolean),
    ("allowCrossMarketplaceDependenciesOn", false, strings),
    ("renames", false, |path, value| record_of(path, value, |path, _, value| rename(path, value))),
];

const ENTRY: [Field; 6] = [
    ("name", true, manifest_schema::name),
    ("source", true, source),
    ("category", false, string),
    ("tags", false, strings),
    ("strict", false, boolean),
    ("relevance", false, relevance::faults),
];

/// Fields that an entry shares with a manifest.
const SHARED: [&str; 31] = [
    "name",
    "version",
    "description",
    "author",
    "homepage",
    "repository",
    "license",
    "keywords",
    "displayName",
    "defaultEnabled",
    "dependencies",
    "hooks",
    "commands",
    "agents",
    "skills",
    "outputStyles",
    "workflows",
    "channels",
    "mcpServers",
    "lspServers",
    "settings",
    "userConfig",
    "experimental",
    "metadata",
    "$schema",
    "engines",
    "network",
    "optionalDependencies",
    "types",
    "themes",
    "monitors",
];

fn metadata(path: &str, value: &Value) -> Faults {
    const METADATA: [Field; 3] =
        [("description", false, string), ("version", false, string), ("pluginRoot", false, string)];
    object(path, value, &METADATA)
}

fn rename(path: &str, value: &Value) -> Faults {
    if value.is_null() { Faults::none() } else { string(path, value) }
}

fn entry(path: &str, value: &Value) -> Faults {
    let Value::Object(entry) = value else { return any_object(path, value) };
    let mut faults = fields(path, entry, &ENTRY);
    faults.add(manifest_schema::of_entry(path, entry));
    faults
}

/// What the CLI says of a marketplace, without the plugins in it (spec/plugins.md, marketplace.json), and whether it is of the
/// right form: else the CLI looks no further.
pub(super) fn check(value: &Value) -> (Said, bool) {
    let Value::Object(market) = value else {
        let said = format!("Invalid input: expected object, received {}", kind_of(Some(value)));
        return (Said::error(Issue::new("root", said)), false);
    };
    let faults = fields("", market, &FIELDS);
    let fits = faults.is_empty();
    let mut said = Said { errors: faults.issues, ..Said::default() };
    let known: Vec<&str> = FIELDS.iter().map(|(name, _, _)| *name).collect();
    said.warnings.extend(unknown_fields::of_marketplace(market, &known, ""));
    if let Some(name) = market.get("name").and_then(Value::as_str) {
        said.add(market_names::of_marketplace(name));
    }
    let entries = market.get("plugins").and_then(Value::as_array);
    if let Some(entries) = entries {
        let root = market.get("metadata").and_then(|metadata| metadata.get("pluginRoot"));
        let entries_said = check_entries(entries, root.is_some());
        said.add(entries_said);
        if fits && entries.is_empty() {
            said.warnings.push(Issue::new("plugins", "Marketplace has no plugins defined"));
        }
    }
    if fits {
        said.errors.extend(entries.map(Vec::as_slice).map(duplicates).unwrap_or_default());
        said.errors.extend(market_renames::check(market));
    }
    let is_described = |of: Option<&Value>| of.and_then(|of| of.get("description")).is_some();
    if fits && !is_described(Some(value)) && !is_described(market.get("metadata")) {
        let message = "No marketplace description provided. Adding a description helps users understand what this \
                       marketplace offers";
        said.warnings.push(Issue::new("description", message));
    }
    (said, fits)
}

fn check_entries(entries: &[Value], has_root: bool) -> Said {
    let mut said = Said::default();
    let mut known: Vec<&str> = SHARED.to_vec();
    known.extend(["source", "category", "tags", "strict", "relevance"]);
    for (at, entry) in entries.iter().enumerate() {
        let Some(fields) = entry.as_object() else { continue };
        let path = format!("plugins[{at}]");
        said.warnings.extend(unknown_fields::of_marketplace(fields, &known, &format!("{path}.")));
        said.warnings.extend(ignored(&path, fields));
        if let Some(relevance) = fields.get("relevance") {
            said.warnings.extend(relevance::warnings(&format!("{path}.relevance"), relevance));
        }
        said.errors.extend(sources::leading_up(&path, fields));
        said.errors.extend(sources::bare(at, fields, has_root));
        if let Some(name) = name_of(entry) {
            said.add(market_names::of_entry(&path, name));
        }
    }
    said
}

/// What the CLI ignores of an entry, as of a manifest.
fn ignored(path: &str, entry: &Map<String, Value>) -> Vec<Issue> {
    let experimental = entry.get("experimental").and_then(Value::as_object);
    let unknown = experimental.map(unknown_fields::of_experimental).unwrap_or_default();
    let all = ignored_fields::warnings(entry).into_iter().chain(unknown);
    all.map(|issue| Issue::new(format!("{path}.{}", issue.path), issue.message)).collect()
}

fn name_of(entry: &Value) -> Option<&str> {
    entry.get("name").and_then(Value::as_str).filter(|name| !name.is_empty())
}

/// Each entry of a name that more than one has.
fn duplicates(entries: &[Value]) -> Vec<Issue> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    entries.iter().filter_map(name_of).for_each(|name| *times.entry(name).or_default() += 1);
    let names = entries.iter().enumerate().filter_map(|(at, entry)| Some((at, name_of(entry)?)));
    let twice = names.filter(|(_, name)| times.get(name).is_some_and(|times| *times > 1));
    twice
        .map(|(at, name)| {
            let said = format!("Duplicate plugin name \"{name}\" found in marketplace");
            Issue::new(format!("plugins[{at}].name"), said)
        })
        .collect()
}
