use super::components::{self, Kind};
use super::hooks;
use super::issue::Issue;
use super::manifest::{Said, deprecated, inline_objects};
use super::mcp::{self, NOT_READ};
use super::paths;
use super::root::{Root, Text};
use super::tree::{Node, join};
use super::verdict::FileVerdict;
use super::wanted::is_json;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

const LINKED_FOLDER: &str = "This directory is a symlink, so the validator read nothing in it — components are read \
     without following symlinks. To check what a symlink points to, validate that path.";

const LINKED_HOOKS: &str = "The file is not a regular file (a symlink, a FIFO, a directory) and was not read — hooks files \
     are read without following symlinks and are capped at 1048576 bytes. The plugin loader has neither limit, so validate \
     the real file separately.";

const CLAUDE_MD: &str = "CLAUDE.md at the plugin root is not loaded as project context. To ship context with your plugin, \
     use a skill (skills/<name>/SKILL.md) instead.";

/// The files of a plugin beside its manifest, as the CLI checks them; links are not followed (spec/plugins.md, Symlinks).
pub(super) struct Contents<'a> {
    root: Root<'a>,
    manifest: Option<&'a Value>,
    said: Vec<FileVerdict>,
}

impl<'a> Contents<'a> {
    pub(super) fn new(root: Root<'a>, manifest: Option<&'a Value>) -> Self {
        Self { root, manifest, said: Vec::new() }
    }

    /// Every file of a plugin.
    pub(super) fn of_plugin(mut self) -> Vec<FileVerdict> {
        if self.root.at("CLAUDE.md").is_some() {
            self.say("CLAUDE.md", "plugin", Said::warning(Issue::new("root", CLAUDE_MD)));
        }
        self.settings();
        self.skills("skills");
        let has_skills = self.root.at("skills").is_some() || self.manifest.is_some_and(|m| m.get("skills").is_some());
        if !has_skills {
            self.file("SKILL.md", Kind::Skill);
        }
        self.markdown("agents", Kind::Agent);
        self.markdown("commands", Kind::Command);
        self.hooks();
        self.mcp();
        self.said
    }

    /// The files of a folder without a manifest.
    pub(super) fn without_manifest(mut self) -> Vec<FileVerdict> {
        self.skills("skills");
        self.skills(".claude/skills");
        self.markdown("agents", Kind::Agent);
        self.markdown("commands", Kind::Command);
        self.hooks();
        self.said
    }

    /// The hooks alone.
    pub(super) fn hooks_only(mut self) -> Vec<FileVerdict> {
        self.hooks();
        self.said
    }

    /// The files of a folder that holds one kind of components itself.
    pub(super) fn of_component_folder(mut self, kind: Kind) -> Vec<FileVerdict> {
        match kind {
            Kind::Skill => self.skills(""),
            Kind::Agent | Kind::LooseAgent | Kind::Command => self.markdown("", kind),
        }
        self.said
    }

    fn say(&mut self, path: &str, kind: &'static str, said: Said) {
        if !said.is_empty() {
            self.said.push(FileVerdict::new(self.root.shown(path), kind, said));
        }
    }

    fn file(&mut self, path: &str, kind: Kind) {
        if let Text::Is(text) = self.root.text(path) {
            self.say(path, kind.word(), components::check(kind, text));
        }
    }

    /// Whether a folder is a link, which is said.
    fn is_linked(&mut self, path: &str, kind: Kind) -> bool {
        let is_link = self.root.is_link(path);
        if is_link {
            self.say(path, kind.word(), Said::warning(Issue::new("directory", LINKED_FOLDER)));
        }
        is_link
    }

    fn skills(&mut self, folder: &str) {
        if self.is_linked(folder, Kind::Skill) {
            return;
        }
        let Some(Node::Folder(names)) = self.root.at(folder) else { return };
        let mut links = 0;
        for name in names {
            let skill = join(folder, &format!("{name}/SKILL.md"));
            if self.root.is_link(&join(folder, name)) || self.root.is_link(&skill) {
                links += 1;
            } else {
                self.file(&skill, Kind::Skill);
            }
        }
        self.file(&join(folder, "SKILL.md"), Kind::Skill);
        if links > 0 {
            self.say(folder, "skill", Said::warning(Issue::new("directory", linked_entries(links))));
        }
    }

    fn markdown(&mut self, folder: &str, kind: Kind) {
        if self.is_linked(folder, kind) {
            return;
        }
        let start = self.root.shown(folder);
        for file in self.root.markdown(folder, false, &mut false) {
            let Some(text) = self.root.text_at(&file.real) else { continue };
            let said = components::check(kind, text);
            if !said.is_empty() {
                let path = file.folders.iter().chain([&file.name]).fold(start.clone(), |path, name| join(&path, name));
                self.said.push(FileVerdict::new(path, kind.word(), said));
            }
        }
    }

    fn settings(&mut self) {
        let Text::Is(text) = self.root.text("settings.json") else { return };
        let settings = super::json::parse(text).ok();
        let notes = deprecated(settings.as_ref().and_then(Value::as_object));
        if !notes.is_empty() {
            let notes = notes.into_iter().map(ToOwned::to_owned).collect();
            let said = Said { notes, ..Said::default() };
            self.said.push(FileVerdict::new("settings.json".to_owned(), "plugin", said));
        }
    }

    fn hooks(&mut self) {
        let declared = paths::files(self.manifest, "hooks", "hooks/hooks.json");
        for path in ["hooks/hooks.json".to_owned()].iter().chain(&declared) {
            let said = match self.root.text(path) {
                Text::Is(text) => hooks::file(text).said,
                Text::Missing => continue,
                Text::NotRegular | Text::TooLong => Said::warning(Issue::new("directory", LINKED_HOOKS)),
                Text::Failed(error) => unreadable(error),
            };
            self.say(path, "hooks", said);
        }
    }

    fn mcp(&mut self) {
        let options = Options::of(self.manifest);
        let declared = paths::files(self.manifest, "mcpServers", ".mcp.json");
        for path in [".mcp.json".to_owned()].iter().chain(declared.iter().filter(|path| is_json(path))) {
            let said = match self.root.text(path) {
                Text::Is(text) => match mcp::in_file(text) {
                    Ok(servers) => options.check(&servers),
                    Err(issue) => Said::error(issue),
                },
                Text::Missing => continue,
                Text::NotRegular | Text::TooLong => Said::warning(Issue::new("directory", NOT_READ)),
                Text::Failed(error) => unreadable(error),
            };
            self.say(path, "mcp", said);
        }
    }
}

fn unreadable(error: &str) -> Said {
    Said::warning(Issue::new("directory", format!("The file was not read: {error}.")))
}

fn linked_entries(links: usize) -> String {
    let entries = if links == 1 {
        "1 entry here is a symlink and was not read".to_owned()
    } else {
        format!("{links} entries here are symlinks and were not read")
    };
    format!(
        "{entries} — components are read without following symlinks. A session started with --plugin-dir on this plugin \
         follows a symlink here. An installed plugin follows one only if it points inside the plugin's installed folder, \
         or, for a plugin read in place from a local marketplace folder, inside that folder; a project's .claude/skills \
         plugin, only if it points inside the folder holding that .claude. To check what a symlink points to, validate that \
         path."
    )
}

/// The options that a manifest asks of its user, for all of its servers and for those of a channel.
pub(super) struct Options<'a> {
    manifest: Option<&'a Value>,
    of_channels: BTreeSet<(&'a str, &'a str)>,
}

impl<'a> Options<'a> {
    pub(super) fn of(manifest: Option<&'a Value>) -> Self {
        let mut of_channels = BTreeSet::new();
        let channels = manifest.and_then(|manifest| manifest.get("channels")?.as_array()).into_iter().flatten();
        for channel in channels {
            let Some(server) = channel.get("server").and_then(Value::as_str) else { continue };
            let options = channel.get("userConfig").and_then(Value::as_object).into_iter().flatten();
            of_channels.extend(options.map(|(key, _)| (server, key.as_str())));
        }
        Self { manifest, of_channels }
    }

    fn is_declared(&self, server: &str, key: &str) -> bool {
        let options = self.manifest.and_then(|manifest| manifest.get("userConfig"));
        options.is_some_and(|options| options.get(key).is_some()) || self.of_channels.contains(&(server, key))
    }

    pub(super) fn check(&self, servers: &Map<String, Value>) -> Said {
        let mut said = Said::default();
        for (name, server) in servers {
            said.add(mcp::check(name, server, &|key| self.is_declared(name, key)));
        }
        said
    }

    /// What is said of the servers that stand in the manifest itself, where its schema fits.
    pub(super) fn check_inline(&self) -> Said {
        let mut said = Said::default();
        for servers in self.manifest.and_then(|m| m.get("mcpServers")).map(inline_objects).unwrap_or_default() {
            if servers.values().all(mcp::is_well_formed) {
                said.add(self.check(servers));
            }
        }
        said
    }
}
