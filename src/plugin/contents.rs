use super::components::{self, Kind};
use super::hooks;
use super::issue::Issue;
use super::look_alikes;
use super::manifest::{Said, deprecated};
use super::manifest_file::{MARKETPLACE_JSON, PLUGIN_JSON};
use super::mcp;
use super::mcp_check::Options;
use super::modules;
use super::not_read;
use super::paths;
use super::root::{Root, Text};
use super::tree::{Node, join};
use super::verdict::FileVerdict;
use super::wanted::{HOOKS_JSON, PROJECT_FOLDERS, is_json};
use serde_json::Value;

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
        self.instructions();
        self.settings();
        self.skills("skills");
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
        let [agents, commands] = PROJECT_FOLDERS;
        self.markdown(agents, Kind::LooseAgent);
        self.markdown(commands, Kind::Command);
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
            self.said.push(FileVerdict::new(&self.root.shown(path), kind, said));
        }
    }

    /// Files at the root that hold instructions in a project, and none in a plugin, in any case of letters.
    fn instructions(&mut self) {
        for name in self.root.names("") {
            let consequence = match name.to_lowercase().as_str() {
                "claude.md" => not_read::CLAUDE_MD,
                "claude.local.md" => not_read::CLAUDE_LOCAL_MD,
                _ => continue,
            };
            if matches!(self.root.at(name), Some(Node::File(_))) {
                let said = format!("{name} at the plugin root is not loaded as project context. {consequence}");
                self.say(name, "plugin", Said::warning(Issue::new("root", said)));
            }
        }
    }

    /// Whether a folder is a link, which is said.
    fn is_linked(&mut self, path: &str, kind: Kind) -> bool {
        let is_link = self.root.is_link(path);
        if is_link {
            self.unread(path, kind, not_read::LINKED_FOLDER.to_owned());
        }
        is_link
    }

    /// A link that was not followed. Without a manifest, hooks could stand behind it.
    fn unread(&mut self, path: &str, kind: Kind, said: String) {
        let warning = Said::warning(Issue::new("directory", said));
        let verdict = FileVerdict::new(&self.root.shown(path), kind.word(), warning);
        let modules = verdict.modules.filter(|_| self.manifest.is_some() || kind != Kind::Skill);
        self.said.push(FileVerdict { modules, ..verdict });
    }

    /// Skills are the `SKILL.md` of the folders in a folder; one beside them loads and is not checked.
    fn skills(&mut self, folder: &str) {
        if self.is_linked(folder, Kind::Skill) {
            return;
        }
        let Some(Node::Folder(names)) = self.root.at(folder) else { return };
        let (mut links, mut irregular, mut large) = (0, 0, 0);
        for name in names {
            let skill = join(folder, &format!("{name}/SKILL.md"));
            if self.root.is_link(&join(folder, name)) {
                links += 1;
                continue;
            }
            match self.root.text(&skill) {
                Text::Is(text) => self.say(&skill, Kind::Skill.word(), components::check(Kind::Skill, text)),
                Text::NotRegular => irregular += 1,
                Text::TooLong => large += 1,
                Text::Missing | Text::Failed(_) => {}
            }
        }
        let follows = if folder.is_empty() { not_read::FOLLOWED } else { not_read::FOLLOWED_INSIDE };
        if links > 0 {
            self.unread(folder, Kind::Skill, not_read::linked_entries(links, follows));
        }
        let said = [(irregular, not_read::irregular(irregular, follows)), (large, not_read::too_large(large))];
        for (_, said) in said.into_iter().filter(|(count, _)| *count > 0) {
            self.say(folder, "skill", Said::warning(Issue::new("directory", said)));
        }
    }

    fn markdown(&mut self, folder: &str, kind: Kind) {
        if self.is_linked(folder, kind) {
            return;
        }
        let start = self.root.shown(folder);
        let mut large = 0;
        for file in self.root.markdown(folder, false) {
            let Some(text) = self.root.text_at(&file.real) else {
                large += usize::from(self.root.is_too_long(&file.real));
                continue;
            };
            let said = components::check(kind, text);
            if !said.is_empty() {
                let path = file.folders.iter().chain([&file.name]).fold(start.clone(), |path, name| join(&path, name));
                self.said.push(FileVerdict::new(&path, kind.word(), said));
            }
        }
        if large > 0 {
            self.say(folder, kind.word(), Said::warning(Issue::new("directory", not_read::too_large(large))));
        }
    }

    fn settings(&mut self) {
        let Text::Is(text) = self.root.text("settings.json") else { return };
        let settings = super::json::parse(text).ok();
        let notes = deprecated(settings.as_ref().and_then(Value::as_object));
        if !notes.is_empty() {
            let notes = notes.into_iter().map(ToOwned::to_owned).collect();
            let said = Said { notes, ..Said::default() };
            self.said.push(FileVerdict::new("settings.json", "plugin", said));
        }
    }

    /// A manifest that another file could be opened for is not read for the hooks that it names.
    fn hooks(&mut self) {
        let tree = self.root.tree;
        if self.root.base.is_empty() {
            self.said.extend(look_alikes::of_manifest(tree, MARKETPLACE_JSON).map(|clash| clash.verdict(tree)));
        }
        let clash = look_alikes::of_manifest(tree, &join(self.root.base, PLUGIN_JSON));
        let named = self.manifest.filter(|_| clash.is_none());
        if let Some(clash) = clash {
            self.said.push(clash.verdict(tree));
        } else if self.root.manifest_is_unread() {
            let warning = Said::warning(Issue::new("directory", not_read::MANIFEST));
            self.said.push(FileVerdict::unread_hooks(&self.root.shown(PLUGIN_JSON), warning));
        }
        for path in &paths::files(named, "hooks", HOOKS_JSON) {
            if let Some(clash) = look_alikes::of_file(tree, &join(self.root.base, path)) {
                let verdict = clash.verdict(tree);
                if !self.said.contains(&verdict) {
                    self.said.push(verdict);
                }
                continue;
            }
            let said = match self.root.text(path) {
                _ if path.is_empty() || self.root.is_below_link(path) => not_read::hooks(not_read::Why::LinkedFolder),
                Text::Is(text) => {
                    let reading = hooks::file(text);
                    let mut said = reading.said;
                    said.errors.extend(modules::check(&self.root, path, reading.modules.as_ref()));
                    self.say(path, "hooks", said);
                    continue;
                }
                Text::Missing => continue,
                Text::NotRegular => not_read::hooks(not_read::Why::Irregular),
                Text::TooLong => not_read::hooks(not_read::Why::TooLong),
                Text::Failed(error) => format!("The file was not read: {error}."),
            };
            let warning = Said::warning(Issue::new("directory", said));
            self.said.push(FileVerdict::unread_hooks(&self.root.shown(path), warning));
        }
    }

    fn mcp(&mut self) {
        let options = Options::of(self.manifest);
        for path in paths::files(self.manifest, "mcpServers", ".mcp.json").iter().filter(|path| is_json(path)) {
            let said = match self.root.text(path) {
                Text::Is(text) => match mcp::in_file(text) {
                    Ok(file) => {
                        let mut said = options.check(&file.servers, file.field);
                        said.add(file.said);
                        said
                    }
                    Err(issue) => Said::error(issue),
                },
                Text::Missing => continue,
                Text::NotRegular => unread(not_read::mcp(not_read::Why::Irregular)),
                Text::TooLong => unread(not_read::mcp(not_read::Why::TooLong)),
                Text::Failed(error) => unread(format!("The file was not read: {error}.")),
            };
            self.say(path, "mcp", said);
        }
    }
}

fn unread(said: String) -> Said {
    Said::warning(Issue::new("directory", said))
}
