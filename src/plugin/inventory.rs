use super::frontmatter::Document;
use super::hooks::Hook;
use super::lsp::LspServer;
use super::manifest::{declared_paths, experimental};
use super::mcp::McpServer;
use super::monitors::Monitor;
use super::names::slug;
use super::root::Root;
use super::scripts::script_name;
use super::tree::{Node, Resolved, base_name, join, normal, stem};
use super::wanted::has_ending;
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
        self.found.incomplete |= !self.root.tree.left_out.is_empty();
        self.found
    }

    pub(super) fn key(&self, key: &str) -> Option<&'a Value> {
        self.manifest?.get(key)
    }

    fn declared(&self, key: &str) -> Vec<String> {
        self.key(key).map(declared_paths).unwrap_or_default().into_iter().filter_map(normal).collect()
    }

    fn full_name(&self, name: &str) -> String {
        format!("{}:{name}", self.found.plugin)
    }

    /// The name in the head of a file, else `otherwise`.
    fn head_name(&self, real: &str, otherwise: &str) -> String {
        let text = self.root.text_at(real).unwrap_or_default();
        let name = Document::parse(text).text("name").map(std::borrow::Cow::into_owned);
        name.filter(|name| !name.is_empty()).unwrap_or_else(|| otherwise.to_owned())
    }

    fn skills(&mut self) -> Vec<Component> {
        let mut folders = vec![("skills".to_owned(), true)];
        folders.extend(self.declared("skills").into_iter().map(|path| (path, false)));
        if self.manifest.is_none() {
            folders.push((".claude/skills".to_owned(), true));
        }
        let mut skills = BTreeMap::new();
        for (folder, is_default) in folders {
            self.skills_in(&folder, is_default, &mut skills);
        }
        if !self.root.is_folder("skills") && self.key("skills").is_none() {
            self.skill_itself("", &mut skills);
        }
        named_once(skills.into_iter().map(|(file, name)| Component { name, file }))
    }

    fn skills_in(&mut self, folder: &str, is_default: bool, skills: &mut BTreeMap<String, String>) {
        if matches!(self.root.resolve(folder), Resolved::Outside) {
            self.found.incomplete = true;
        }
        if self.skill_itself(folder, skills) && !is_default {
            return;
        }
        for name in self.root.names(folder) {
            match self.root.resolve(&join(folder, &format!("{name}/SKILL.md"))) {
                Resolved::Node(real, Node::File(_)) => {
                    skills.entry(real).or_insert_with(|| self.full_name(&slug(name)));
                }
                Resolved::Outside => self.found.incomplete = true,
                Resolved::Node(..) | Resolved::Missing => {}
            }
        }
    }

    /// A folder that is a skill itself: named by its head, else by the folder.
    fn skill_itself(&mut self, folder: &str, skills: &mut BTreeMap<String, String>) -> bool {
        let Resolved::Node(real, Node::File(_)) = self.root.resolve(&join(folder, "SKILL.md")) else { return false };
        let shown = self.root.shown(folder);
        let name = self.head_name(&real, base_name(&shown));
        skills.entry(real).or_insert_with(|| self.full_name(&slug(&name)));
        true
    }

    fn commands(&mut self) -> Vec<Component> {
        let mut commands = Vec::new();
        match self.key("commands") {
            Some(Value::Object(named)) => {
                for (name, entry) in named {
                    let source = entry.get("source").and_then(Value::as_str).and_then(normal);
                    let file = source.map(|path| join(self.root.base, &path)).unwrap_or_default();
                    commands.push(Component { name: self.full_name(name), file });
                }
            }
            declared => {
                let folders = if declared.is_some() { self.declared("commands") } else { vec!["commands".to_owned()] };
                for folder in &folders {
                    self.commands_in(folder, &mut commands);
                }
            }
        }
        named_once(commands)
    }

    fn commands_in(&mut self, folder: &str, commands: &mut Vec<Component>) {
        let files = self.root.markdown(folder, true, &mut self.found.incomplete);
        let is_skill = |name: &str| name.eq_ignore_ascii_case("SKILL.md");
        let skilled: BTreeSet<Vec<String>> =
            files.iter().filter(|file| is_skill(&file.name)).map(|file| file.folders.clone()).collect();
        for file in files {
            let mut parts = file.folders.clone();
            if !is_skill(&file.name) {
                if skilled.contains(&file.folders) {
                    continue;
                }
                parts.push(stem(&file.name).to_owned());
            } else if parts.is_empty() {
                parts.push(base_name(folder).to_owned());
            }
            commands.push(Component { name: self.full_name(&parts.join(":")), file: file.real });
        }
    }

    fn agents(&mut self) -> Vec<Component> {
        let declared = self.key("agents").is_some();
        let starts = if declared { self.declared("agents") } else { vec!["agents".to_owned()] };
        let mut agents = Vec::new();
        for start in starts {
            for file in self.root.markdown(&start, true, &mut self.found.incomplete) {
                let mut parts = if declared { Vec::new() } else { file.folders };
                parts.push(self.head_name(&file.real, stem(&file.name)));
                agents.push(Component { name: self.full_name(&parts.join(":")), file: file.real });
            }
        }
        named_once(agents)
    }

    fn output_styles(&mut self) -> Vec<Component> {
        let declared = self.key("outputStyles").is_some();
        let starts = if declared { self.declared("outputStyles") } else { vec!["output-styles".to_owned()] };
        let mut styles = Vec::new();
        for start in starts {
            for file in self.root.markdown(&start, true, &mut self.found.incomplete) {
                let name = self.full_name(&self.head_name(&file.real, stem(&file.name)));
                styles.push(Component { name, file: file.real });
            }
        }
        named_once(styles)
    }

    /// Files of one folder, or the file itself, with an ending.
    fn files(&mut self, start: &str, ending: &str) -> Vec<String> {
        match self.root.resolve(start) {
            Resolved::Node(real, Node::File(_)) if has_ending(&real, ending) => vec![real],
            Resolved::Node(_, Node::Folder(names)) => {
                let mut files = Vec::new();
                for name in names.iter().filter(|name| has_ending(name, ending)) {
                    match self.root.resolve(&join(start, name)) {
                        Resolved::Node(real, Node::File(_)) => files.push(real),
                        Resolved::Outside => self.found.incomplete = true,
                        Resolved::Node(..) | Resolved::Missing => {}
                    }
                }
                files
            }
            Resolved::Outside => {
                self.found.incomplete = true;
                Vec::new()
            }
            Resolved::Node(..) | Resolved::Missing => Vec::new(),
        }
    }

    fn themes(&mut self) -> Vec<Component> {
        let declared = self.manifest.and_then(|manifest| experimental(manifest, "themes"));
        let starts = declared.map_or_else(
            || vec!["themes".to_owned()],
            |value| declared_paths(value).into_iter().filter_map(normal).collect(),
        );
        let files: Vec<String> = starts.iter().flat_map(|start| self.files(start, ".json")).collect();
        let parses = |file: &String| self.root.text_at(file).is_some_and(|text| super::json::parse(text).is_ok());
        let theme = |file: String| Component { name: self.full_name(stem(base_name(&file))), file };
        named_once(files.into_iter().filter(parses).map(theme))
    }

    fn workflows(&mut self) -> Vec<Component> {
        let declared = self.key("workflows").is_some();
        let starts = if declared { self.declared("workflows") } else { vec!["workflows".to_owned()] };
        let files: Vec<String> = starts.iter().flat_map(|start| self.files(start, ".js")).collect();
        let workflow = |file: String| {
            let name = script_name(self.root.text_at(&file)?)?;
            Some(Component { name: self.full_name(&name), file })
        };
        named_once(files.into_iter().filter_map(workflow))
    }

    fn bin(&self) -> Vec<String> {
        let is_file =
            |name: &&String| matches!(self.root.resolve(&join("bin", name)), Resolved::Node(_, Node::File(_)));
        self.root.names("bin").iter().filter(is_file).cloned().collect()
    }
}

/// In the order of their names, each name once.
fn named_once(components: impl IntoIterator<Item = Component>) -> Vec<Component> {
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
