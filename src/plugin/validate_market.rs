use super::contents::Contents;
use super::ignored_fields::declared_hosts;
use super::install;
use super::inventory::{Search, manifest_name};
use super::issue::Issue;
use super::lint;
use super::local_plugins;
use super::look_alikes;
use super::manifest::Said;
use super::manifest_file::{MARKETPLACE_JSON, PLUGIN_JSON, manifest_value, plugin_manifest};
use super::marketplace;
use super::not_read;
use super::reader::Reader;
use super::root::Root;
use super::tree::{Node, Tree, join};
use super::validate::Validation;
use super::verdict::FileVerdict;
use super::wanted;
use serde_json::Value;
use std::collections::BTreeMap;

/// Checks a marketplace, the plugins that lie in its folder, and the one that this folder may be itself.
pub(super) fn of_marketplace_folder(reader: Reader) -> Validation {
    let (tree, mut found) = of_tree(reader, MARKETPLACE_JSON);
    // Hooks load from here though no entry names the folder.
    add_once(&mut found.contents, Contents::new(Root { tree: &tree, base: "" }, None).hooks_only());
    found
}

/// Checks a marketplace whose manifest was named itself: nothing beside it, but for the manifests of its plugins.
pub(super) fn of_marketplace_file(reader: Reader, file: &str) -> Validation {
    let (tree, found) = of_tree(reader, file);
    let clash = look_alikes::of_manifest(&tree, MARKETPLACE_JSON);
    let contents = clash.map(|clash| clash.verdict(&tree)).into_iter().collect();
    Validation { contents, inventory: None, ..found }
}

fn of_tree(mut reader: Reader, file: &str) -> (Tree, Validation) {
    let shown = reader.tree().shown(file);
    let value = match manifest_value(reader.tree(), file) {
        Ok(value) => value,
        Err(issue) => {
            let manifest = FileVerdict::new(&shown, "marketplace", Said::error(issue));
            return (reader.finish(), Validation { manifest: Some(manifest), ..Validation::new(shown) });
        }
    };
    let locals = local_plugins::by_folder(&value);
    for folder in locals.keys() {
        reader.read_all(&wanted::manifests(folder));
        let plugin = manifest_value(reader.tree(), &join(folder, PLUGIN_JSON)).ok();
        reader.read_all(&wanted::of_plugin(folder, plugin.as_ref()));
    }
    reader.read_all(&wanted::manifests(""));
    let own = manifest_value(reader.tree(), PLUGIN_JSON).ok();
    match &own {
        Some(_) => reader.read_all(&wanted::of_plugin("", own.as_ref())),
        None => reader.read_all(&wanted::hooks("", None)),
    }
    let tree = reader.finish();
    let (mut said, is_well_formed) = marketplace::check(&value);
    let mut found = own_plugin(&tree, own.as_ref());
    found.target.clone_from(&shown);
    let mut manifests = BTreeMap::new();
    for (folder, entries) in &locals {
        let root = Root { tree: &tree, base: folder };
        let (about, plugin) = local_plugins::judge(&root, entries);
        said.add(about);
        if local_plugins::is_linked(&root) {
            let warning = Said::warning(Issue::new("directory", not_read::LINKED_PLUGIN));
            found.contents.push(FileVerdict::unread_hooks(&root.shown(""), warning));
        } else if !(folder.is_empty() && own.is_some()) && tree.has(folder) && is_well_formed {
            add_once(&mut found.contents, Contents::new(root, plugin.as_ref()).hooks_only());
        }
        found.lint.extend(lint::check(root, plugin.as_ref(), None));
        manifests.insert(folder, plugin);
    }
    let by_entry: BTreeMap<usize, &String> =
        locals.iter().flat_map(|(folder, entries)| entries.iter().map(move |entry| (entry.at, folder))).collect();
    found.listed = install::listed(&value, |at| manifests.get(by_entry.get(&at)?)?.as_ref());
    found.manifest = Some(FileVerdict::new(&shown, "marketplace", said));
    (tree, found)
}

/// Adds what was not said before: a name on the way to several files is told once.
fn add_once(all: &mut Vec<FileVerdict>, new: Vec<FileVerdict>) {
    for verdict in new {
        if !all.contains(&verdict) {
            all.push(verdict);
        }
    }
}

/// What is said of a plugin that is the marketplace's own folder, and what it brings.
fn own_plugin(tree: &Tree, manifest: Option<&Value>) -> Validation {
    let mut found = Validation::new(String::new());
    if !matches!(tree.at(PLUGIN_JSON), Some(Node::File(_))) {
        return found;
    }
    let root = Root { tree, base: "" };
    let said = match manifest_value(tree, PLUGIN_JSON) {
        Ok(value) => plugin_manifest(&root, &value),
        Err(issue) => Said::error(issue),
    };
    if !said.is_empty() {
        found.contents.push(FileVerdict::new(&tree.shown(PLUGIN_JSON), "plugin", said));
    }
    found.contents.extend(Contents::new(root, manifest).of_plugin());
    let name = manifest.and_then(Value::as_object).and_then(manifest_name);
    found.inventory = name.map(|name| Search::new(root, manifest, name).run());
    found.declared_hosts = manifest.and_then(declared_hosts);
    found
}
