use super::components::Kind;
use super::contents::Contents;
use super::ignored_fields::declared_hosts;
use super::install::ListedPlugin;
use super::inventory::{Inventory, Search, manifest_name};
use super::issue::Issue;
use super::lint;
use super::manifest::Said;
use super::manifest_file::{MANIFESTS, MARKETPLACE_JSON, PLUGIN_JSON, manifest_value, plugin_manifest};
use super::reader::{Named, Reader};
use super::root::Root;
use super::target::{self, TargetError};
use super::tree::base_name;
use super::validate_market::{of_marketplace_file, of_marketplace_folder};
use super::verdict::{FileVerdict, Hosts, Provides, Verdict};
use super::wanted;
use crate::unit::Finding;
use serde_json::Value;
use std::path::Path;

/// What was found out about a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Validation {
    pub(super) target: String,
    pub(super) manifest: Option<FileVerdict>,
    pub(super) contents: Vec<FileVerdict>,
    /// What the plugin brings, as far as it could be read; `None` where the target is no plugin with a manifest.
    pub inventory: Option<Inventory>,
    pub(super) declared_hosts: Option<Vec<String>>,
    /// The plugins of a marketplace.
    pub listed: Vec<ListedPlugin>,
    /// What the CLI does not check.
    pub lint: Vec<Finding>,
}

impl Validation {
    pub(super) fn new(target: String) -> Self {
        Self {
            target,
            manifest: None,
            contents: Vec::new(),
            inventory: None,
            declared_hosts: None,
            listed: Vec::new(),
            lint: Vec::new(),
        }
    }

    /// The target as a whole cannot be a plugin.
    fn refused(target: String, path: &str, message: impl AsRef<str>) -> Self {
        let said = Said::error(Issue::new(path, message));
        Self { manifest: Some(FileVerdict::new(&target, "plugin", said)), ..Self::new(target) }
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
            verdict.hosts = Some(Hosts::of(inventory, self.declared_hosts.as_deref()));
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
    if is_inside {
        reader.read_all(&wanted::manifests(""));
    }
    let is_marketplace = match name.as_ref() {
        "marketplace.json" => true,
        "plugin.json" => false,
        // What a file of any other name is, is told by what is in it, unless it stands where the manifests do.
        _ => {
            !is_inside
                && manifest_value(reader.tree(), &file)
                    .is_ok_and(|value| value.get("plugins").is_some_and(Value::is_array))
        }
    };
    if is_marketplace { Ok(of_marketplace_file(reader, &file)) } else { Ok(of_plugin(reader, &file)) }
}

fn of_folder(mut reader: Reader, name: &str) -> Validation {
    reader.read_all(&wanted::manifests(""));
    if reader.tree().has(MARKETPLACE_JSON) {
        return of_marketplace_folder(reader);
    }
    if reader.tree().has(PLUGIN_JSON) {
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
    reader.read_all(&wanted::of_project());
    let tree = reader.finish();
    let root = Root { tree: &tree, base: "" };
    let contents = Contents::new(root, None);
    let shown = tree.shown("");
    let found = match kind {
        Some(kind) => Validation { contents: contents.of_component_folder(kind), ..Validation::new(shown) },
        None if ["skills", ".claude/skills"]
            .iter()
            .chain(&wanted::PROJECT_FOLDERS)
            .any(|path| root.is_folder(path) || root.is_link(path)) =>
        {
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

fn of_plugin(mut reader: Reader, file: &str) -> Validation {
    let shown = reader.tree().shown(file);
    let value = match manifest_value(reader.tree(), file) {
        Ok(value) => value,
        Err(issue) => return unreadable_plugin(reader, shown, issue),
    };
    // What is named need not be the manifest that a session reads.
    reader.read(&wanted::file(PLUGIN_JSON));
    let loaded =
        if file == PLUGIN_JSON { Some(value.clone()) } else { manifest_value(reader.tree(), PLUGIN_JSON).ok() };
    reader.read_all(&wanted::of_plugin("", Some(&value)));
    let tree = reader.finish();
    let root = Root { tree: &tree, base: "" };
    let said = plugin_manifest(&root, &value);
    let manifest = Some(FileVerdict::new(&shown, "plugin", said));
    if !file.starts_with(MANIFESTS) {
        let lint = lint::check(root, Some(&value), None);
        return Validation { manifest, lint, ..Validation::new(shown) };
    }
    let folder = tree.shown("");
    let name = loaded.as_ref().and_then(Value::as_object).and_then(manifest_name);
    let name = if loaded.is_some() { name } else { Some(base_name(&folder)) };
    let inventory = name.map(|name| Search::new(root, loaded.as_ref(), name).run());
    Validation {
        manifest,
        contents: Contents::new(root, Some(&value)).of_plugin(),
        declared_hosts: declared_hosts(&value),
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
        manifest: Some(FileVerdict::new(&shown, "plugin", Said::error(issue))),
        contents: Contents::new(root, None).of_plugin(),
        lint: lint::check(root, None, None),
        ..Validation::new(shown)
    }
}
