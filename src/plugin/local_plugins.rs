use super::inventory::manifest_name;
use super::issue::Issue;
use super::limits::{MAX_CARRIED_ISSUES, MAX_PLUGINS};
use super::manifest::Said;
use super::manifest_file::{PLUGIN_JSON, manifest_value, plugin_manifest};
use super::names::OWN;
use super::root::Root;
use super::tree::{Node, join, normal};
use serde_json::Value;
use std::collections::BTreeMap;

/// An entry whose plugin lies in the marketplace's own folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Local {
    /// Number of the entry.
    pub(super) at: usize,
    /// Its folder, from the root of the marketplace.
    pub(super) folder: String,
    /// The folder as the entry has it.
    source: String,
    version: Option<String>,
    has_optional_dependencies: bool,
}

impl Local {
    /// A file of the plugin, from the root of the marketplace.
    pub(super) fn file(&self, path: &str) -> String {
        join(&self.folder, path)
    }
}

/// The entries whose plugins lie in the marketplace's own folder, by that folder.
pub(super) fn by_folder(value: &Value) -> BTreeMap<String, Vec<Local>> {
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
        let has_optional_dependencies = entry.get("optionalDependencies").is_some();
        let source = source.to_owned();
        let local = Local { at, folder: folder.clone(), source, version, has_optional_dependencies };
        by_folder.entry(folder).or_default().push(local);
    }
    by_folder
}

/// What the manifest of a local plugin says for each of its entries; and the manifest. One to which a link leads is not read.
pub(super) fn judge(root: &Root<'_>, entries: &[Local]) -> (Said, Option<Value>) {
    let mut said = Said::default();
    if is_linked(root) {
        said.warnings.extend(entries.iter().map(linked));
        return (said, None);
    }
    if is_below_file(root) {
        said.errors.extend(entries.iter().map(below_file));
        return (said, None);
    }
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
        for (issues, carried, kind) in
            [(&about.errors, &mut said.errors, "errors"), (&about.warnings, &mut said.warnings, "warnings")]
        {
            let left = MAX_CARRIED_ISSUES.saturating_sub(carried.len());
            carried.extend(issues.iter().take(left).map(|issue| carry(at, issue)));
            if issues.len() > left {
                let message = format!("and {} more {kind}, which are not listed", issues.len() - left);
                carried.push(Issue::new(format!("plugins[{at}] plugin.json"), message));
            }
        }
        said.warnings.extend(entry.has_optional_dependencies.then(|| unread_dependencies(entry)));
        if let (Some(declared), Some(own)) = (&entry.version, version)
            && declared != own
            && !declared.is_empty()
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

fn unread_dependencies(entry: &Local) -> Issue {
    let own = entry.file(PLUGIN_JSON);
    let said = format!("This plugin has its own plugin.json, so the entry's list is ignored. Move it to {own}.");
    Issue::new(format!("plugins[{}].optionalDependencies", entry.at), said)
}

/// An issue of a manifest in a list of several. What the maker itself would do about a name is left out.
fn carry(at: usize, issue: &Issue) -> Issue {
    let message = issue.message.strip_suffix(OWN).unwrap_or(&issue.message);
    Issue::new(format!("plugins[{at}] plugin.json → {}", issue.path), message)
}

/// Whether the folder of a plugin is a link, or lies behind one.
pub(super) fn is_linked(root: &Root<'_>) -> bool {
    let whole = Root { base: "", ..*root };
    whole.is_link(root.base) || whole.is_below_link(&join(root.base, PLUGIN_JSON))
}

fn linked(entry: &Local) -> Issue {
    let (source, file) = (&entry.source, entry.file(PLUGIN_JSON));
    let said = format!(
        "Local source \"{source}\" is or traverses a symlink, so {file} was not read — validation never follows one. Install \
         dereferences symlinks that stay inside the marketplace, so this entry still loads, unless it leads into a .git \
         folder. Validate the real path separately."
    );
    Issue::new(format!("plugins[{}].source", entry.at), said)
}

fn is_below_file(root: &Root<'_>) -> bool {
    ["", ".claude-plugin"].iter().any(|folder| matches!(root.at(folder), Some(Node::File(_))))
}

fn below_file(entry: &Local) -> Issue {
    let said = format!(
        "A path component of {} is not a directory, so the file cannot be read. The entry will fail to load at install time.",
        entry.file(PLUGIN_JSON)
    );
    Issue::new(format!("plugins[{}] plugin.json → file", entry.at), said)
}
