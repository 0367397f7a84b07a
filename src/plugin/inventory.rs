use super::frontmatter::Document;
use super::hooks::Hook;
use super::lsp::LspServer;
use super::manifest::{declared_paths, experimental};
use super::mcp::McpServer;
use super::monitors::Monitor;
use super::root::Root;
use super::scripts::script_name;
use super::tree::{Node, Resolved, base_name, join, normal, stem};
use super::wanted::is_markdown;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A component that is a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Component {
    /// Full name, such as `plugin:folder:name`.
    pub name: String,
    /// Path from the directory that was read; empty for a command that is written inline.
    pub file: String,
}

/// Everything that a plugin brings, as it loads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inventory {
    /// Name of the plugin.
    pub plugin: String,
    /// Skills, by name.
    pub skills: Vec<Component>,
    /// Commands, by name.
    pub commands: Vec<Component>,
    /// Agents, by name.
    pub agents: Vec<Component>,
    /// Output styles, by name.
    pub output_styles: Vec<Component>,
    /// Themes, by name.
    pub themes: Vec<Component>,
    /// Workflows, by name.
    pub workflows: Vec<Component>,
    /// Programs, by file name.
    pub bin: Vec<String>,
    /// Hooks, in file order.
    pub hooks: Vec<Hook>,
    /// MCP servers, by name.
    pub mcp_servers: Vec<McpServer>,
    /// Language servers, by name.
    pub lsp_servers: Vec<LspServer>,
    /// Monitors, in file order.
    pub monitors: Vec<Monitor>,
    /// Something could not be read: the lists may be short.
    pub incomplete: bool,
}

/// Finds what a plugin brings (spec/plugins.md, Discovery).
pub(super) struct Search<'a> {
    pub(super) root: Root<'a>,
    pub(super) manifest: Option<&'a Value>,
    pub(super) found: Inventory,
    pub(super) seen_hooks: BTreeSet<Hook>,
}

impl<'a> Search<'a> {
    pub(super) fn new(root: Root<'a>, manifest: Option<&'a Value>, plugin: &str) -> Self {
        let found = Inventory { plugin: plugin.to_owned(), ..Inventory::default() };
        Self { root, manifest, found, seen_hooks: BTreeSet::new() }
    }

    pub(super) fn run(mut self) -> Inventory {
        self.found.skills = self.skills();
        self.found.commands = self.commands();
        self.found.agents = self.agents();
        self.found.output_styles = self.output_styles();
        self.found.themes = self.themes();
        self.found.workflows = self.workflows();
        self.found.bin = self.bin();
        self.hooks();
        self.mcp_servers();
        self.lsp_servers();
        self.monitors();
        self.found.incomplete |= !self.root.tree.left_out.is_empty() || self.root.manifest_is_unread();
        self.found
    }

    pub(super) fn key(&self, key: &str) -> Option<&'a Value> {
        self.manifest?.get(key)
    }

    pub(super) fn declared(&self, key: &str) -> Vec<String> {
        self.key(key).map(declared_paths).unwrap_or_default().into_iter().filter_map(normal).collect()
    }

    pub(super) fn full_name(&self, name: &str) -> String {
        format!("{}:{name}", self.found.plugin)
    }

    /// The name in the head of a file, else `otherwise`.
    pub(super) fn head_name(&self, real: &str, otherwise: &str) -> String {
        let text = self.root.text_at(real).unwrap_or_default();
        Document::parse(text).name().unwrap_or(otherwise).to_owned()
    }

    fn commands(&mut self) -> Vec<Component> {
        let mut commands = Vec::new();
        match self.key("commands") {
            Some(Value::Object(named)) => {
                for (name, entry) in named {
                    self.command(name, entry, &mut commands);
                }
            }
            declared => {
                let folders = if declared.is_some() { self.declared("commands") } else { vec!["commands".to_owned()] };
                for folder in &folders {
                    self.commands_in(folder, &mut commands);
                }
            }
        }
        named_once(commands.into_iter().filter(|command| !self.root.is_too_long(&command.file)))
    }

    /// A command of a map: written inline, a file, or a folder of commands with names of their own.
    fn command(&self, name: &str, entry: &Value, commands: &mut Vec<Component>) {
        let Some(path) = entry.get("source").and_then(Value::as_str).and_then(normal) else {
            commands.push(Component { name: self.full_name(name), file: String::new() });
            return;
        };
        match self.root.resolve(&path) {
            Resolved::Node(_, Node::Folder(_)) => self.commands_in(&path, commands),
            Resolved::Node(file, Node::File(_)) if is_markdown(&file) => {
                commands.push(Component { name: self.full_name(name), file });
            }
            Resolved::Node(..) | Resolved::Outside | Resolved::Missing => {}
        }
    }

    /// A folder with a `SKILL.md` is a command itself: what stands beside and below it are none.
    fn commands_in(&self, folder: &str, commands: &mut Vec<Component>) {
        let files = self.root.markdown(folder, true);
        let is_skill = |name: &str| name.eq_ignore_ascii_case("SKILL.md");
        let skilled: BTreeSet<&[String]> =
            files.iter().filter(|file| is_skill(&file.name)).map(|file| file.folders.as_slice()).collect();
        for file in &files {
            let mut parts = file.folders.clone();
            let hidden_by = if is_skill(&file.name) { parts.len() } else { parts.len() + 1 };
            if (0..hidden_by).any(|depth| parts.get(..depth).is_some_and(|above| skilled.contains(above))) {
                continue;
            }
            if !is_skill(&file.name) {
                parts.push(markdown_stem(&file.name).to_owned());
            } else if parts.is_empty() {
                parts.push(base_name(folder).to_owned());
            }
            commands.push(Component { name: self.full_name(&parts.join(":")), file: file.real.clone() });
        }
    }

    fn agents(&mut self) -> Vec<Component> {
        let declared = self.key("agents").is_some();
        let starts = if declared { self.declared("agents") } else { vec!["agents".to_owned()] };
        let mut agents = Vec::new();
        for start in starts {
            for file in self.root.markdown(&start, true) {
                let mut parts = if declared { Vec::new() } else { file.folders };
                parts.push(self.head_name(&file.real, markdown_stem(&file.name)));
                agents.push(Component { name: self.full_name(&parts.join(":")), file: file.real });
            }
        }
        named_once(agents.into_iter().filter(|agent| !self.root.is_too_long(&agent.file)))
    }

    fn output_styles(&mut self) -> Vec<Component> {
        let declared = self.key("outputStyles").is_some();
        let starts = if declared { self.declared("outputStyles") } else { vec!["output-styles".to_owned()] };
        let mut styles = Vec::new();
        for start in starts {
            for file in self.root.markdown(&start, true) {
                let name = self.full_name(&self.head_name(&file.real, markdown_stem(&file.name)));
                styles.push(Component { name, file: file.real });
            }
        }
        named_once(styles)
    }

    /// Files of one folder, or the file itself, with an ending.
    fn files(&self, start: &str, ending: &str) -> Vec<String> {
        let has_ending = |name: &str| name.strip_suffix(ending).is_some();
        match self.root.resolve(start) {
            Resolved::Node(real, Node::File(_)) if has_ending(&real) => vec![real],
            Resolved::Node(_, Node::Folder(names)) => {
                let paths =
                    names.iter().filter(|name| has_ending(name)).map(|name| self.root.resolve(&join(start, name)));
                let file = |resolved| match resolved {
                    Resolved::Node(real, Node::File(_)) => Some(real),
                    Resolved::Node(..) | Resolved::Outside | Resolved::Missing => None,
                };
                paths.filter_map(file).collect()
            }
            Resolved::Node(..) | Resolved::Outside | Resolved::Missing => Vec::new(),
        }
    }

    fn themes(&self) -> Vec<Component> {
        let declared = self.manifest.and_then(|manifest| experimental(manifest, "themes"));
        let starts = declared.map_or_else(
            || vec!["themes".to_owned()],
            |value| declared_paths(value).into_iter().filter_map(normal).collect(),
        );
        let files: Vec<String> = starts.iter().flat_map(|start| self.files(start, ".json")).collect();
        let is_theme = |file: &String| {
            let text = self.root.text_at(file);
            text.is_some_and(|text| super::json::parse(text).is_ok_and(|value| value.is_object()))
        };
        let theme = |file: String| Component { name: self.full_name(stem(base_name(&file))), file };
        named_once(files.into_iter().filter(is_theme).map(theme))
    }

    fn workflows(&self) -> Vec<Component> {
        let declared = self.key("workflows").is_some();
        let starts = if declared { self.declared("workflows") } else { vec!["workflows".to_owned()] };
        let files: Vec<String> = starts.iter().flat_map(|start| self.files(start, ".js")).collect();
        let workflow = |file: String| {
            let name = script_name(self.root.text_at(&file)?)?;
            Some(Component { name: self.full_name(&name), file })
        };
        named_once(files.into_iter().filter_map(workflow))
    }

    /// Files of `bin`, and links, wherever they lead: their names are all that is said of them.
    fn bin(&mut self) -> Vec<String> {
        self.found.incomplete |= matches!(self.root.resolve("bin"), Resolved::Outside);
        let is_program =
            |name: &&String| matches!(self.root.at(&join("bin", name)), Some(Node::File(_) | Node::Link(_)));
        self.root.names("bin").iter().filter(is_program).cloned().collect()
    }
}

/// The name of a Markdown file without its ending, which the CLI only cuts in lower case.
fn markdown_stem(name: &str) -> &str {
    name.strip_suffix(".md").filter(|stem| !stem.is_empty()).unwrap_or(name)
}

/// In the order of their names, each name once.
pub(super) fn named_once(components: impl IntoIterator<Item = Component>) -> Vec<Component> {
    let mut by_name = BTreeMap::new();
    for component in components {
        by_name.entry(component.name.clone()).or_insert(component);
    }
    by_name.into_values().collect()
}

/// The name that a manifest gives the plugin, if it is a usable one.
pub(super) fn manifest_name(manifest: &Map<String, Value>) -> Option<&str> {
    manifest.get("name").and_then(Value::as_str).filter(|name| !name.is_empty())
}
