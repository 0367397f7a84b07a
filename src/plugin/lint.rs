use super::inventory::{Inventory, manifest_name};
use super::limits::{MAX_DEPTH, MAX_ENTRIES, MAX_FILE_BYTES, MAX_TOTAL_BYTES};
use super::lint_agents;
use super::lint_hooks;
use super::lint_monitors;
use super::lsp;
use super::manifest::{experimental, inline_objects};
use super::paths;
use super::remark::Remark;
use super::root::{Root, Text};
use super::tree::{Content, LeftOut, Node, Resolved, join, normal};
use crate::unit::{Diagnosis, Finding, Place};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Default folders and files, and the keys of the manifest that hide them.
const SHADOWS: [(&str, &str); 6] = [
    ("commands", "commands"),
    ("agents", "agents"),
    ("workflows", "workflows"),
    ("output-styles", "outputStyles"),
    ("themes", "themes"),
    ("monitors/monitors.json", "monitors"),
];

/// Everything that the CLI does not say of a plugin.
pub(super) fn check(root: Root<'_>, manifest: Option<&Value>, inventory: Option<&Inventory>) -> Vec<Finding> {
    let mut findings = left_out(&root);
    findings.extend(links(&root));
    findings.extend(lsp_servers(&root, manifest));
    findings.extend(lint_monitors::check(&root, manifest, inventory));
    findings.extend(stray_links(&root));
    findings.extend(lint_agents::check(&root, manifest));
    if let Some(manifest) = manifest {
        findings.extend(declared_paths(&root, manifest));
        findings.extend(shadows(&root, manifest));
        findings.extend(depends_on_itself(&root, manifest));
        findings.extend(lint_hooks::user_config(&root, manifest));
    }
    if let Some(inventory) = inventory {
        findings.extend(lint_hooks::check(inventory));
        findings.extend(channels(&root, manifest, inventory));
        findings.extend(same_names(&root, inventory));
    }
    findings.sort_by(|a, b| b.level.cmp(&a.level).then_with(|| (&a.place, a.code).cmp(&(&b.place, b.code))));
    findings
}

/// The manifest of the plugin, as a place.
pub(super) fn manifest_place(root: &Root<'_>) -> Place {
    Place::file(join(root.base, super::manifest_file::PLUGIN_JSON))
}

fn left_out(root: &Root<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, node) in root.nodes() {
        let (what, advice) = match node {
            Node::Special => ("It is a FIFO, a socket or a device".to_owned(), "remove it"),
            Node::File(file) => match &file.content {
                Content::TooLarge(_) => {
                    (format!("It has {} bytes, more than {MAX_FILE_BYTES}", file.bytes), "make it shorter")
                }
                Content::BudgetSpent => {
                    (format!("More than {MAX_TOTAL_BYTES} bytes were read before it"), "make the plugin smaller")
                }
                Content::Unreadable(error) => (format!("It cannot be read ({error})"), "look at its permissions"),
                Content::NotRead | Content::Text(_) => continue,
            },
            Node::Folder(_) | Node::Link(_) => continue,
        };
        findings.push(Remark::FileNotRead { what, advice }.at(Place::file(path)));
    }
    findings.extend(root.tree.left_out.iter().filter(|_| root.base.is_empty()).map(|what| {
        let what = match what {
            LeftOut::Entries => format!("more than {MAX_ENTRIES} files and folders"),
            LeftOut::Depth => format!("folders that are nested deeper than {MAX_DEPTH}"),
            LeftOut::Bytes => format!("more than {MAX_TOTAL_BYTES} bytes of text"),
        };
        Remark::DirectoryTooLarge { what }.at(Place::default())
    }));
    findings
}

fn links(root: &Root<'_>) -> Vec<Finding> {
    root.bad_links().map(|(path, nowhere)| link(nowhere).at(Place::file(path))).collect()
}

/// Links beside the components: nothing loads them, but an installed copy does not have what they lead to.
fn stray_links(root: &Root<'_>) -> Vec<Finding> {
    let below = root.tree.stray_links.iter().filter(|(path, _)| root.holds(path));
    let mut findings: Vec<Finding> = below.map(|(path, nowhere)| link(*nowhere).at(Place::file(path))).collect();
    if root.base.is_empty() && root.tree.links_left_out {
        findings.push(Remark::LinksNotLookedFor.at(Place::default()));
    }
    findings
}

const fn link(nowhere: bool) -> Remark {
    if nowhere { Remark::LinkLeadsNowhere } else { Remark::LinkLeavesPlugin }
}

fn depends_on_itself(root: &Root<'_>, manifest: &Value) -> Option<Finding> {
    let name = manifest_name(manifest.as_object()?)?;
    let dependencies = manifest.get("dependencies")?.as_array()?;
    let is_own = |dependency: &Value| dependency.as_str().or_else(|| dependency.get("name")?.as_str()) == Some(name);
    dependencies.iter().any(is_own).then(|| Remark::DependsOnItself.at(manifest_place(root)))
}

fn declared_paths(root: &Root<'_>, manifest: &Value) -> Vec<Finding> {
    let remark = |(component, path): (&'static str, &str)| {
        let leaves = || matches!(root.resolve(&normal(path)?), Resolved::Outside).then_some(());
        if path.contains('\\') {
            Some(Remark::PathWithBackslash { path: path.to_owned(), component })
        } else {
            leaves().map(|()| Remark::PathLeavesPlugin { path: path.to_owned(), component })
        }
    };
    paths::all(manifest).into_iter().filter_map(remark).map(|remark| remark.at(manifest_place(root))).collect()
}

fn shadows(root: &Root<'_>, manifest: &Value) -> Vec<Finding> {
    let declared = paths::all(manifest);
    let is_named = |key: &str, folder: &str| {
        declared.iter().any(|(component, path)| {
            *component == key && normal(path).is_some_and(|path| path.is_empty() || path.starts_with(folder))
        })
    };
    let hidden = |(folder, key): &(&'static str, &'static str)| {
        root.at(folder).is_some() && experimental(manifest, key).is_some() && !is_named(key, folder)
    };
    let remarks = SHADOWS.into_iter().filter(hidden).map(|(folder, key)| Remark::FolderShadowed { folder, key });
    remarks.map(|remark| remark.at(manifest_place(root))).collect()
}

fn lsp_servers(root: &Root<'_>, manifest: Option<&Value>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut taken: BTreeMap<String, String> = BTreeMap::new();
    let mut read = |reading: lsp::LspReading, place: &Place, is_file: bool| {
        let faults = reading.faults.issues.into_iter().filter(|_| is_file);
        let invalid = faults.map(|issue| Remark::LspServerInvalid { path: issue.path, reason: issue.message });
        findings.extend(invalid.map(|remark| remark.at(place.clone())));
        for server in reading.servers {
            for extension in server.extensions {
                let first = taken.entry(extension.clone()).or_insert_with(|| server.name.clone()).clone();
                if first != server.name {
                    let second = server.name.clone();
                    findings.push(Remark::LspExtensionTaken { extension, first, second }.at(place.clone()));
                }
            }
        }
    };
    for path in &paths::files(manifest, "lspServers", ".lsp.json") {
        if let Text::Is(text) = root.text(path) {
            read(lsp::file(text), &Place::file(join(root.base, path)), true);
        }
    }
    for inline in manifest.and_then(|manifest| manifest.get("lspServers")).map(inline_objects).unwrap_or_default() {
        read(lsp::read(&Value::Object(inline.clone())), &manifest_place(root), false);
    }
    findings
}

fn channels(root: &Root<'_>, manifest: Option<&Value>, inventory: &Inventory) -> Vec<Finding> {
    let channels = manifest.and_then(|manifest| manifest.get("channels")?.as_array()).into_iter().flatten();
    let servers = channels.filter_map(|channel| channel.get("server")?.as_str());
    let known: BTreeSet<&str> = inventory.mcp_servers.iter().map(|server| server.name.as_str()).collect();
    let lost = servers.filter(|server| !known.contains(server));
    lost.map(|server| Remark::ChannelWithoutServer { server: server.to_owned() }.at(manifest_place(root))).collect()
}

fn same_names(root: &Root<'_>, inventory: &Inventory) -> Vec<Finding> {
    let pairs = inventory.mcp_servers.windows(2);
    let twice = pairs.filter_map(|pair| match pair {
        [a, b] if a.name == b.name => Some(a.name.clone()),
        _ => None,
    });
    let names: BTreeSet<String> = twice.collect();
    names.into_iter().map(|name| Remark::McpServerTwice { name }.at(manifest_place(root))).collect()
}
