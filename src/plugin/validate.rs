use super::components::Kind;
use super::contents::{Contents, Options};
use super::hooks;
use super::install::{self, ListedPlugin};
use super::inventory::{Inventory, Search, manifest_name};
use super::issue::Issue;
use super::json::parse_manifest;
use super::lint;
use super::manifest::{self, Said, inline_objects};
use super::marketplace;
use super::paths;
use super::reader::{Named, Reader};
use super::root::{Root, Text};
use super::target::{self, TargetError};
use super::tree::{Node, Tree, base_name, join};
use super::verdict::{FileVerdict, Hosts, Provides, Verdict};
use super::wanted;
use crate::unit::Finding;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

pub(super) const PLUGIN_JSON: &str = ".claude-plugin/plugin.json";
pub(super) const MARKETPLACE_JSON: &str = ".claude-plugin/marketplace.json";

/// What was found out about a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Validation {
    target: String,
    manifest: Option<FileVerdict>,
    contents: Vec<FileVerdict>,
    /// What the plugin brings, as far as it could be read; `None` where the target is no plugin with a manifest.
    pub inventory: Option<Inventory>,
    declares_hosts: bool,
    /// The plugins of a marketplace.
    pub listed: Vec<ListedPlugin>,
    /// What the CLI does not check.
    pub lint: Vec<Finding>,
}

impl Validation {
    fn new(target: String) -> Self {
        Self {
            target,
            manifest: None,
            contents: Vec::new(),
            inventory: None,
            declares_hosts: false,
            listed: Vec::new(),
            lint: Vec::new(),
        }
    }

    /// The target as a whole cannot be a plugin.
    fn refused(target: String, path: &str, message: impl Into<String>) -> Self {
        let said = Said::error(Issue::new(path, message));
        Self { manifest: Some(FileVerdict::new(target.clone(), "plugin", said)), ..Self::new(target) }
    }

    /// The verdict as the CLI gives it. With `strict`, warnings fail too.
    pub fn verdict(&self, strict: bool) -> Verdict {
        let mut verdict = Verdict {
            success: false,
            strict,
            target: self.target.clone(),
            manifest: self.manifest.clone(),
            contents: self.contents.clone(),
            provides: None,
            hosts: None,
            advice: [],
            directory: (),
        };
        let errors = verdict.errors();
        verdict.success = errors == 0 && !(strict && verdict.warnings() > 0);
        if let Some(inventory) = self.inventory.as_ref().filter(|inventory| errors == 0 && !inventory.incomplete) {
            verdict.provides = Some(Provides::of(inventory));
            verdict.hosts = Some(Hosts::of(inventory, self.declares_hosts));
        }
        verdict
    }
}

/// Checks a plugin, a marketplace, a manifest, or a folder of components, as `claude plugin validate` does
/// (spec/plugins.md, What a target resolves to).
///
/// # Errors
///
/// The path cannot be looked at; that nothing is there is a verdict.
pub fn validate(path: &Path) -> Result<Validation, TargetError> {
    let shown = path.display().to_string();
    match target::look(path)? {
        Named::Missing => {
            let message = format!("File not found: {shown}");
            Ok(Validation::refused(shown, "file", message))
        }
        Named::Special => {
            let message = format!("Not a regular file (a FIFO, a socket or a device), so it was not read: {shown}");
            Ok(Validation::refused(shown, "file", message))
        }
        Named::File => of_file(path),
        Named::Folder => Ok(of_folder(target::open(path)?, base_name(&shown))),
    }
}

/// A manifest that is named itself: its folder, or the one above `.claude-plugin`, is the plugin.
fn of_file(path: &Path) -> Result<Validation, TargetError> {
    let folder = path.parent().unwrap_or(path);
    let is_inside = folder.file_name().is_some_and(|name| name == ".claude-plugin");
    let root = if is_inside { folder.parent().unwrap_or(folder) } else { folder };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let file = if is_inside { format!(".claude-plugin/{name}") } else { name.clone().into_owned() };
    let mut reader = target::open(root)?;
    reader.read(&wanted::file(&file));
    if name == "marketplace.json" { Ok(of_marketplace(reader, &file)) } else { Ok(of_plugin(reader, &file)) }
}

fn of_folder(mut reader: Reader, name: &str) -> Validation {
    reader.read_all(&wanted::manifests(""));
    let has = |reader: &Reader, path: &str| reader.tree().at(path).is_some();
    if has(&reader, MARKETPLACE_JSON) {
        return of_marketplace(reader, MARKETPLACE_JSON);
    }
    if has(&reader, PLUGIN_JSON) {
        return of_plugin(reader, PLUGIN_JSON);
    }
    without_manifest(reader, name)
}

fn without_manifest(mut reader: Reader, name: &str) -> Validation {
    let kind = match name {
        "skills" => Some(Kind::Skill),
        "agents" => Some(Kind::LooseAgent),
        "commands" => Some(Kind::Command),
        _ => None,
    };
    let wanted = if kind.is_some() { wanted::of_component_folder() } else { wanted::of_plugin("", None) };
    reader.read_all(&wanted);
    let tree = reader.finish();
    let root = Root { tree: &tree, base: "" };
    let contents = Contents::new(root, None);
    let shown = tree.shown("");
    let found = match kind {
        Some(kind) => Validation { contents: contents.of_component_folder(kind), ..Validation::new(shown) },
        None if root.at("skills").is_some() || root.at(".claude/skills").is_some() => {
            Validation { contents: contents.without_manifest(), ..Validation::new(shown) }
        }
        None => {
            let said = "No manifest found in directory. Expected .claude-plugin/marketplace.json or \
                        .claude-plugin/plugin.json";
            Validation { contents: contents.hooks_only(), ..Validation::refused(shown, "directory", said) }
        }
    };
    Validation { lint: lint::check(root, None, None), ..found }
}

/// The manifest at a path: its value, or why there is none.
pub(super) fn manifest_value(tree: &Tree, path: &str) -> Result<Value, Issue> {
    let root = Root { tree, base: "" };
    let refused = |why: String| Err(Issue::new("file", why));
    match root.text_followed(path) {
        Text::Is(text) => parse_manifest(text),
        Text::Missing => refused(format!("File not found: {}", root.shown(path))),
        Text::NotRegular => refused(
            "Not a regular file of the plugin (a FIFO, a device, or a link out of it), so it was \
                                     not read: put the manifest itself here"
                .to_owned(),
        ),
        Text::TooLong => refused(
            "Larger than 1048576 bytes, so it was not read: a manifest names parts, it does not hold \
                                  them"
                .to_owned(),
        ),
        Text::Failed(error) => refused(format!("Could not be read: {error}")),
    }
}

/// What is said of the manifest of a plugin, together with the paths in it and what is written inline.
pub(super) fn plugin_manifest(root: &Root<'_>, value: &Value) -> Said {
    let Value::Object(fields) = value else { return Said::error(Issue::new("root", "manifest must be an object")) };
    let mut said = manifest::check(fields);
    said.errors.extend(paths::check(root, value));
    for events in fields.get("hooks").map(inline_objects).unwrap_or_default() {
        said.add(hooks::read(events).said);
    }
    said.add(Options::of(Some(value)).check_inline());
    said
}

fn of_plugin(mut reader: Reader, file: &str) -> Validation {
    let shown = reader.tree().shown(file);
    let value = match manifest_value(reader.tree(), file) {
        Ok(value) => value,
        Err(issue) => return unreadable_plugin(reader, shown, issue),
    };
    reader.read_all(&wanted::of_plugin("", Some(&value)));
    let tree = reader.finish();
    let root = Root { tree: &tree, base: "" };
    let said = plugin_manifest(&root, &value);
    let name = value.as_object().and_then(manifest_name);
    let inventory = name.map(|name| Search::new(root, Some(&value), name).run());
    let hosts = value.get("network").and_then(|network| network.get("hosts")).is_some_and(Value::is_array);
    Validation {
        manifest: Some(FileVerdict::new(shown.clone(), "plugin", said)),
        contents: Contents::new(root, Some(&value)).of_plugin(),
        declares_hosts: hosts,
        lint: lint::check(root, Some(&value), inventory.as_ref()),
        inventory,
        ..Validation::new(shown)
    }
}

/// A plugin whose manifest cannot be read; its files are checked all the same.
fn unreadable_plugin(mut reader: Reader, shown: String, issue: Issue) -> Validation {
    reader.read_all(&wanted::of_plugin("", None));
    let tree = reader.finish();
    let root = Root { tree: &tree, base: "" };
    Validation {
        manifest: Some(FileVerdict::new(shown.clone(), "plugin", Said::error(issue))),
        contents: Contents::new(root, None).of_plugin(),
        lint: lint::check(root, None, None),
        ..Validation::new(shown)
    }
}

fn of_marketplace(mut reader: Reader, file: &str) -> Validation {
    let shown = reader.tree().shown(file);
    let value = match manifest_value(reader.tree(), file) {
        Ok(value) => value,
        Err(issue) => {
            let manifest = FileVerdict::new(shown.clone(), "marketplace", Said::error(issue));
            return Validation { manifest: Some(manifest), ..Validation::new(shown) };
        }
    };
    let locals = marketplace::local_plugins(&value);
    for folder in locals.keys() {
        reader.read_all(&wanted::manifests(folder));
        let plugin = manifest_value(reader.tree(), &join(folder, PLUGIN_JSON)).ok();
        reader.read_all(&wanted::of_plugin(folder, plugin.as_ref()));
    }
    let tree = reader.finish();
    let mut said = marketplace::check(&value);
    let mut found = Validation { contents: own_plugin(&tree), ..Validation::new(shown.clone()) };
    let mut manifests = BTreeMap::new();
    for (folder, entries) in &locals {
        let root = Root { tree: &tree, base: folder };
        let (about, plugin) = marketplace::local_plugin(&root, entries);
        said.add(about);
        found.contents.extend(Contents::new(root, plugin.as_ref()).of_plugin());
        found.lint.extend(lint::check(root, plugin.as_ref(), None));
        manifests.insert(folder, plugin);
    }
    let by_entry: BTreeMap<usize, &String> =
        locals.iter().flat_map(|(folder, entries)| entries.iter().map(move |entry| (entry.at, folder))).collect();
    found.listed = install::listed(&value, |at| manifests.get(by_entry.get(&at)?)?.as_ref());
    found.manifest = Some(FileVerdict::new(shown, "marketplace", said));
    found
}

/// What is said of a plugin that is the marketplace's own folder.
fn own_plugin(tree: &Tree) -> Vec<FileVerdict> {
    if !matches!(tree.at(PLUGIN_JSON), Some(Node::File(_))) {
        return Vec::new();
    }
    let said = match manifest_value(tree, PLUGIN_JSON) {
        Ok(value) => plugin_manifest(&Root { tree, base: "" }, &value),
        Err(issue) => Said::error(issue),
    };
    if said.is_empty() { Vec::new() } else { vec![FileVerdict::new(tree.shown(PLUGIN_JSON), "plugin", said)] }
}
