use super::estimate::{always_on, on_invoke};
use super::hooks;
use super::install::{self, NodeInstall};
use super::inventory::{Inventory, Search, manifest_name};
use super::lint;
use super::lsp;
use super::manifest::{declared_paths, inline_objects};
use super::manifest_file::{MARKETPLACE_JSON, PLUGIN_JSON, manifest_value};
use super::manifest_schema;
use super::mcp;
use super::names::{is_refused_by_path, printable, slug};
use super::paths;
use super::placeholders::{self, Placeholder};
use super::reader::Named;
use super::root::{Root, Text};
use super::target::{self, TargetError};
use super::tree::{Node, Resolved, base_name, join, normal, stem};
use super::wanted::{self, HOOKS_JSON};
use crate::unit::{Finding, Tokens};
use serde::Serialize;
use serde_json::{Map, Value};
use std::path::Path;
use thiserror::Error;

/// Why there are no details of a plugin.
#[derive(Debug, Error)]
pub enum DetailsError {
    /// The path cannot be looked at.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The path is no folder.
    #[error("{path} is no folder: name the folder of the plugin, the one that holds .claude-plugin")]
    NoFolder {
        /// The path.
        path: String,
    },
    /// The folder is a marketplace, and no plugin itself.
    #[error("{path} is a marketplace and no plugin: name the folder of one of its plugins")]
    Marketplace {
        /// The path.
        path: String,
    },
}

/// What a plugin is and what it costs, as `claude plugin details` tells (spec/plugins.md, plugin details).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details {
    /// Name: of the manifest, else of the folder.
    pub name: String,
    /// Name for people, if the manifest has one.
    pub display_name: Option<String>,
    /// Version, if the manifest has one.
    pub version: Option<String>,
    /// Description, if the manifest has one.
    pub description: Option<String>,
    /// Id under which a session loads the folder.
    pub id: String,
    /// A session would load it, if it has what it depends on.
    pub loads: bool,
    /// Names of the plugins that it depends on, without that of a marketplace and without its own.
    pub dependencies: Vec<String>,
    /// Folder of its data, below `~/.claude/plugins/data`.
    pub data_folder: String,
    /// Lockfile by which an installed copy gets its Node packages.
    pub lockfile: Option<&'static str>,
    /// How.
    pub node_install: NodeInstall,
    /// Skills and commands, by short name, in order.
    pub skills: Vec<String>,
    /// Agents of the folder `agents` itself, by file name.
    pub agents: Vec<String>,
    /// Events with hooks, in file order.
    pub hooks: Vec<String>,
    /// MCP servers, in file order.
    pub mcp_servers: Vec<String>,
    /// Language servers, in file order.
    pub lsp_servers: Vec<String>,
    /// What each skill, command and agent costs, the dearest first.
    pub components: Vec<ComponentCost>,
    /// Tokens that all of them add to every session: rounded once.
    pub always_on: Tokens,
    /// Placeholders in what it starts.
    pub placeholders: Vec<Placeholder>,
    /// Everything that it brings, as it loads.
    pub inventory: Inventory,
    /// What the CLI does not say.
    pub lint: Vec<Finding>,
}

/// What one component costs in context, estimated from its characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ComponentCost {
    /// `skill`, `command` or `agent`.
    pub kind: &'static str,
    /// Full name.
    pub name: String,
    /// Name as in the lists.
    pub short_name: String,
    /// UTF-16 units that are added to every session.
    pub always_on_units: u64,
    /// The same in tokens: a quarter, rounded.
    pub always_on_tokens: Tokens,
    /// Tokens that each use adds.
    pub on_invoke_tokens: Tokens,
}

/// Reads a plugin's folder.
///
/// # Errors
///
/// The path is no folder, is that of a marketplace, or cannot be looked at.
pub fn details(path: &Path) -> Result<Details, DetailsError> {
    let shown = path.display().to_string();
    if target::look(path)? != Named::Folder {
        return Err(DetailsError::NoFolder { path: shown });
    }
    let mut reader = target::open(path)?;
    reader.read_all(&wanted::manifests(""));
    let has_manifest = reader.tree().has(PLUGIN_JSON);
    if !has_manifest && reader.tree().has(MARKETPLACE_JSON) {
        return Err(DetailsError::Marketplace { path: shown });
    }
    let manifest = manifest_value(reader.tree(), PLUGIN_JSON).ok().filter(Value::is_object);
    reader.read_all(&wanted::of_plugin("", manifest.as_ref()));
    let tree = reader.finish();
    let root = Root { tree: &tree, base: "" };
    let fields = manifest.as_ref().and_then(Value::as_object);
    let name = fields.and_then(manifest_name).unwrap_or_else(|| base_name(&shown)).to_owned();
    let inventory = Search::new(root, manifest.as_ref(), &name).run();
    let loads = if has_manifest { fields.is_some_and(|fields| loads(&root, fields)) } else { true };
    Ok(Survey { root, manifest: manifest.as_ref() }.details(name, inventory, loads))
}

/// Whether the CLI would load a plugin with this manifest.
fn loads(root: &Root<'_>, manifest: &Map<String, Value>) -> bool {
    let is_named = manifest_name(manifest).is_some_and(|name| !is_refused_by_path(name));
    let value = Value::Object(manifest.clone());
    let files = paths::files(Some(&value), "hooks", HOOKS_JSON);
    let in_files = files.into_iter().filter_map(|path| match root.text(&path) {
        Text::Is(text) => Some(hooks::file(text)),
        Text::Missing | Text::NotRegular | Text::TooLong | Text::Failed(_) => None,
    });
    let inline = manifest.get("hooks").map(inline_objects).unwrap_or_default().into_iter().map(hooks::read);
    // A guard that does not load refuses the plugin; hooks that are no JSON, or not wrapped, are only lost.
    let is_fatal = |reading: hooks::HookReading| reading.said.errors.iter().any(|issue| issue.path == "hooks");
    let is_typed = manifest.get("types").and_then(Value::as_str).is_none_or(|path| path.ends_with(".d.ts"));
    is_named && is_typed && manifest_schema::fatal(manifest).is_empty() && !in_files.chain(inline).any(is_fatal)
}

struct Survey<'a> {
    root: Root<'a>,
    manifest: Option<&'a Value>,
}

impl Survey<'_> {
    fn details(&self, name: String, inventory: Inventory, loads: bool) -> Details {
        let components = self.components(&name);
        let short = |kinds: &[&str]| {
            let of_kind = components.iter().filter(|component| kinds.contains(&component.kind));
            let mut names: Vec<String> = of_kind.map(|component| component.short_name.clone()).collect();
            names.sort();
            names
        };
        let id = format!("{name}@inline");
        let text = |key: &str| self.manifest.and_then(|manifest| manifest.get(key)?.as_str()).map(ToOwned::to_owned);
        let (lockfile, node_install) = install::node_install(&self.root);
        let units = components.iter().map(|component| component.always_on_units).fold(0, u64::saturating_add);
        let mut details = Details {
            display_name: text("displayName"),
            version: text("version"),
            description: text("description"),
            data_folder: install::data_folder(&id),
            id,
            loads,
            dependencies: self.dependencies(&name),
            lockfile,
            node_install,
            skills: short(&["skill", "command"]),
            agents: short(&["agent"]),
            hooks: self.hook_events(),
            mcp_servers: self.server_names("mcpServers", ".mcp.json"),
            lsp_servers: self.server_names("lspServers", ".lsp.json"),
            components,
            always_on: Tokens::estimated(units),
            placeholders: placeholders::of_inventory(&inventory),
            lint: lint::check(self.root, self.manifest, Some(&inventory)),
            inventory,
            name,
        };
        details.components.sort_by(|a, b| (b.always_on_units, &a.name).cmp(&(a.always_on_units, &b.name)));
        details
    }

    fn components(&self, plugin: &str) -> Vec<ComponentCost> {
        let mut components = Vec::new();
        for skill in Search::new(self.root, self.manifest, plugin).skill_files() {
            let full = format!("{plugin}:{}", slug(&skill.name));
            components.extend(self.component("skill", &full, &skill.name, &skill.file));
        }
        if self.key("agents").is_none() {
            for name in self.root.names("agents").iter().filter(|name| name.strip_suffix(".md").is_some()) {
                let full = format!("{plugin}:{}", stem(name));
                components.extend(self.component("agent", &full, stem(name), &join("agents", name)));
            }
        }
        for folder in self.command_folders() {
            for name in self.root.names(&folder).iter().filter(|name| name.strip_suffix(".md").is_some()) {
                let full = format!("{plugin}:{}", stem(name));
                components.extend(self.component("command", &full, stem(name), &join(&folder, name)));
            }
        }
        components
    }

    /// A component, if its file can be read. An agent is listed for the model without the name of its plugin.
    fn component(&self, kind: &'static str, name: &str, short: &str, file: &str) -> Option<ComponentCost> {
        let is_agent = kind == "agent";
        let (text, units) = match self.root.tree.resolve(file) {
            Resolved::Node(real, Node::File(_)) => {
                let text = self.root.beginning_at(&real);
                (text, always_on(if is_agent { short } else { name }, text, !is_agent))
            }
            // An agent is listed by the name of its file, though that cannot be opened.
            Resolved::Missing if is_agent => ("", 0),
            Resolved::Node(..) | Resolved::Outside | Resolved::Missing => return None,
        };
        Some(ComponentCost {
            kind,
            name: name.to_owned(),
            short_name: printable(short),
            always_on_units: units,
            always_on_tokens: Tokens::estimated(units),
            on_invoke_tokens: on_invoke(text),
        })
    }

    fn key(&self, key: &str) -> Option<&Value> {
        self.manifest?.get(key)
    }

    fn dependencies(&self, plugin: &str) -> Vec<String> {
        let declared = self.key("dependencies").and_then(Value::as_array).into_iter().flatten();
        let names = declared.filter_map(|one| one.as_str().or_else(|| one.get("name")?.as_str()));
        let names = names.map(|name| name.split_once('@').map_or(name, |(name, _)| name));
        names.filter(|name| *name != plugin).map(ToOwned::to_owned).collect()
    }

    fn command_folders(&self) -> Vec<String> {
        match self.key("commands") {
            None => vec!["commands".to_owned()],
            Some(declared) => declared_paths(declared).into_iter().filter_map(normal).collect(),
        }
    }

    fn hook_events(&self) -> Vec<String> {
        let mut events: Vec<String> = Vec::new();
        let mut add = |names: Vec<String>| {
            for name in names {
                if !events.contains(&name) {
                    events.push(name);
                }
            }
        };
        for path in &paths::files(self.manifest, "hooks", HOOKS_JSON) {
            if let Text::Is(text) = self.root.text_followed(path) {
                add(hooks::file(text).events);
            }
        }
        for inline in self.key("hooks").map(inline_objects).unwrap_or_default() {
            add(hooks::read(inline).events);
        }
        events
    }

    /// Names of servers in file order, each once.
    fn server_names(&self, key: &str, default: &str) -> Vec<String> {
        let mut names: Map<String, Value> = Map::new();
        for path in &paths::files(self.manifest, key, default) {
            let Text::Is(text) = self.root.text_followed(path) else { continue };
            if key == "lspServers" {
                // A file of which one server is refused is refused whole.
                let reading = lsp::file(text);
                let loaded = reading.names.into_iter().filter(|_| reading.faults.is_empty());
                names.extend(loaded.map(|name| (name, Value::Null)));
            } else {
                names.extend(mcp::in_file(text).unwrap_or_default().servers);
            }
        }
        for inline in self.key(key).map(inline_objects).unwrap_or_default() {
            names.extend(inline.keys().map(|name| (name.clone(), Value::Null)));
        }
        names.into_iter().map(|(name, _)| name).collect()
    }
}
