use super::inventory::manifest_name;
use super::issue::{
    Faults, Field, Issue, any_object, boolean, fields, kind_of, list_of, object, record_of, string, strings,
};
use super::limits::{MAX_CARRIED_ISSUES, MAX_PLUGINS};
use super::manifest::Said;
use super::manifest_schema::{self, owner};
use super::names::{is_id_part, is_reserved, judged_name};
use super::root::Root;
use super::sources::{self, source};
use super::tree::{join, normal};
use super::unknown_fields;
use super::validate::{PLUGIN_JSON, manifest_value, plugin_manifest};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

const FIELDS: [Field; 9] = [
    ("name", true, string),
    ("owner", true, owner),
    ("plugins", true, |path, value| list_of(path, value, entry)),
    ("metadata", false, metadata),
    ("description", false, string),
    ("$schema", false, string),
    ("forceRemoveDeletedPlugins", false, boolean),
    ("allowCrossMarketplaceDependenciesOn", false, strings),
    ("renames", false, |path, value| record_of(path, value, |path, _, value| rename(path, value))),
];

const ENTRY: [Field; 5] = [
    ("name", true, manifest_schema::name),
    ("source", true, source),
    ("category", false, string),
    ("tags", false, strings),
    ("strict", false, boolean),
];

/// Fields that an entry shares with a manifest.
const SHARED: [&str; 25] = [
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
];

/// Names of marketplaces that the CLI uses itself.
const RESERVED: [&str; 4] = ["inline", "builtin", "skills-dir", "synced"];

const ID_PART: &str = "Each part of a plugin id (plugin@marketplace) may use only the letters a-z and A-Z, digits, \".\", \
                       \"_\" and \"-\", and must start with a letter or digit.";

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

/// What the CLI says of a marketplace, without the plugins in it (spec/plugins.md, marketplace.json).
pub(super) fn check(value: &Value) -> Said {
    let Value::Object(market) = value else {
        let said = format!("Invalid input: expected object, received {}", kind_of(Some(value)));
        return Said::error(Issue::new("root", said));
    };
    let faults = fields("", market, &FIELDS);
    let fits = faults.is_empty();
    let mut said = Said { errors: faults.issues, ..Said::default() };
    let known: Vec<&str> = FIELDS.iter().map(|(name, _, _)| *name).collect();
    said.warnings.extend(unknown_fields::of_marketplace(market, &known, ""));
    if let Some(name) = market.get("name").and_then(Value::as_str) {
        said.add(judge_name(name));
    }
    let entries = market.get("plugins").and_then(Value::as_array);
    if let Some(entries) = entries {
        said.add(check_entries(entries));
        if entries.is_empty() {
            said.warnings.push(Issue::new("plugins", "Marketplace has no plugins defined"));
        }
    }
    said.errors.extend(lost_renames(market));
    let is_described = |of: Option<&Value>| of.and_then(|of| of.get("description")).is_some();
    if fits && !is_described(Some(value)) && !is_described(market.get("metadata")) {
        let message = "No marketplace description provided. Adding a description helps users understand what this \
                       marketplace offers";
        said.warnings.push(Issue::new("description", message));
    }
    said
}

fn judge_name(name: &str) -> Said {
    let mut said = Said::default();
    let mut error = |message: String| said.errors.push(Issue::new("name", message));
    if name.is_empty() {
        error("Marketplace must have a name".to_owned());
        return said;
    }
    if name.contains(' ') {
        error("Marketplace name cannot contain spaces. Use kebab-case (e.g., \"my-marketplace\")".to_owned());
    }
    if name.contains(['/', '\\']) || name.contains("..") || name == "." {
        error("Marketplace name cannot contain path separators (/ or \\), \"..\" sequences, or be \".\"".to_owned());
    }
    if RESERVED.contains(&name.to_lowercase().as_str()) {
        error(format!("Marketplace name \"{name}\" is reserved: Claude Code uses it itself. Choose another name."));
    }
    if is_impersonating(name) {
        error(format!("Marketplace name \"{name}\" impersonates an official Anthropic/Claude marketplace"));
    }
    if !is_id_part(name) {
        error(format!(
            "Claude Code cannot install plugins from marketplace \"{name}\". {ID_PART} Change the marketplace's \"name\"."
        ));
        said.warnings.push(Issue::new(
            "name",
            format!(
                "Marketplace name \"{name}\" is not accepted by Claude Desktop (letters, digits, \".\", \"_\", \"-\"; must \
                 start alphanumeric; max 128 chars). The Claude Desktop managed marketplace sync \
                 (allowedPluginMarketplaces) will reject the whole marketplace."
            ),
        ));
    }
    said
}

/// A name with `official` beside the maker's.
fn is_impersonating(name: &str) -> bool {
    let canonical = name.to_lowercase().replace(['_', '.'], "-");
    let words: Vec<&str> = canonical.split('-').collect();
    let maker = |word: &&str| ["claude", "anthropic", "anthropics"].contains(word);
    words.windows(2).any(|pair| pair.contains(&"official") && pair.iter().any(maker))
}

fn check_entries(entries: &[Value]) -> Said {
    let mut said = Said::default();
    let name = |entry: &Value| entry.get("name").and_then(Value::as_str).map(ToOwned::to_owned);
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    entries.iter().filter_map(name).for_each(|name| *times.entry(name).or_default() += 1);
    let mut known: Vec<&str> = SHARED.to_vec();
    known.extend(["source", "category", "tags", "strict", "relevance", "id"]);
    for (at, entry) in entries.iter().enumerate() {
        let Some(fields) = entry.as_object() else { continue };
        let path = format!("plugins[{at}]");
        said.warnings.extend(unknown_fields::of_marketplace(fields, &known, &format!("{path}.")));
        said.errors.extend(sources::leading_up(&path, fields));
        let Some(name) = name(entry).filter(|name| !name.is_empty()) else { continue };
        if times.get(&name).is_some_and(|times| *times > 1) {
            let message = format!("Duplicate plugin name \"{name}\" found in marketplace");
            said.errors.push(Issue::new(format!("{path}.name"), message));
        }
        said.errors.extend(judge_entry_name(&path, &name));
    }
    said
}

fn judge_entry_name(path: &str, name: &str) -> Vec<Issue> {
    let mut issues = Vec::new();
    if is_reserved(name) {
        issues.extend(judged_name(name).0);
    }
    if !is_id_part(name) && !name.contains(' ') {
        let message = format!("Claude Code cannot install plugin \"{name}\". {ID_PART} Change the entry's \"name\".");
        issues.push(Issue::new("name", message));
    }
    for issue in &mut issues {
        issue.path = format!("{path}.name");
    }
    issues
}

fn lost_renames(market: &Map<String, Value>) -> Vec<Issue> {
    let Some(renames) = market.get("renames").and_then(Value::as_object) else { return Vec::new() };
    let entries = market.get("plugins").and_then(Value::as_array).into_iter().flatten();
    let names: BTreeSet<&str> = entries.filter_map(|entry| entry.get("name")?.as_str()).collect();
    let is_known = |name: &str| names.contains(name) || renames.contains_key(name);
    let lost = renames.iter().filter_map(|(old, new)| Some((old, new.as_str()?))).filter(|(_, new)| !is_known(new));
    lost.map(|(old, new)| {
        Issue::new(format!("renames.{old}"), format!("Renamed to \"{new}\", which is not a plugin of this marketplace"))
    })
    .collect()
}

/// An entry whose plugin lies in the marketplace's own folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Local {
    /// Number of the entry.
    pub(super) at: usize,
    /// Its folder, from the root of the marketplace.
    pub(super) folder: String,
    version: Option<String>,
}

impl Local {
    /// A file of the plugin, from the root of the marketplace.
    pub(super) fn file(&self, path: &str) -> String {
        join(&self.folder, path)
    }
}

/// The entries whose plugins lie in the marketplace's own folder, by that folder.
pub(super) fn local_plugins(value: &Value) -> BTreeMap<String, Vec<Local>> {
    let root = value.get("metadata").and_then(|metadata| metadata.get("pluginRoot")).and_then(Value::as_str);
    let entries = value.get("plugins").and_then(Value::as_array).into_iter().flatten();
    let mut by_folder: BTreeMap<String, Vec<Local>> = BTreeMap::new();
    for (at, entry) in entries.enumerate().take(MAX_PLUGINS) {
        let Some(source) = entry.get("source").and_then(Value::as_str) else { continue };
        let is_path = source == "." || source.starts_with("./");
        let path = match root {
            Some(root) if !is_path => format!("{root}/{source}"),
            _ if is_path => source.to_owned(),
            _ => continue,
        };
        let Some(folder) = normal(&path) else { continue };
        let version = entry.get("version").and_then(Value::as_str).map(ToOwned::to_owned);
        by_folder.entry(folder.clone()).or_default().push(Local { at, folder, version });
    }
    by_folder
}

/// What the manifest of a local plugin says for each of its entries; and the manifest.
pub(super) fn local_plugin(root: &Root<'_>, entries: &[Local]) -> (Said, Option<Value>) {
    let mut said = Said::default();
    if root.at(PLUGIN_JSON).is_none() {
        return (said, None);
    }
    let (about, value) = match manifest_value(root.tree, &join(root.base, PLUGIN_JSON)) {
        Ok(value) => (plugin_manifest(root, &value), Some(value)),
        Err(issue) => (Said::error(issue), None),
    };
    let version = value.as_ref().and_then(|value| value.get("version")?.as_str());
    for entry in entries {
        let at = entry.at;
        let left = MAX_CARRIED_ISSUES.saturating_sub(said.errors.len());
        said.errors.extend(
            about
                .errors
                .iter()
                .take(left)
                .map(|issue| Issue::new(format!("plugins[{at}] plugin.json → {}", issue.path), issue.message.clone())),
        );
        if about.errors.len() > left {
            let message = format!("and {} more errors, which are not listed", about.errors.len() - left);
            said.errors.push(Issue::new(format!("plugins[{at}] plugin.json"), message));
        }
        if let (Some(declared), Some(own)) = (&entry.version, version)
            && declared != own
        {
            let message = format!(
                "Entry declares version \"{declared}\" but {} says \"{own}\". At install time, plugin.json wins \
                 (calculatePluginVersion precedence) — the entry version is silently ignored. Update this entry to \
                 \"{own}\" to match.",
                entry.file(PLUGIN_JSON)
            );
            said.warnings.push(Issue::new(format!("plugins[{at}].version"), message));
        }
    }
    (said, value.filter(|value| value.as_object().and_then(manifest_name).is_some()))
}
