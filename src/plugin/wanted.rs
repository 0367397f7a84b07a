use super::limits::{MAX_DEPTH, MAX_FILE_BYTES, MAX_MANIFEST_BYTES};
use super::manifest::{declared_paths, experimental};
use super::paths;
use super::tree::{base_name, join, normal};
use serde_json::Value;

/// The folders of agents and commands of a project.
pub(super) const PROJECT_FOLDERS: [&str; 2] = [".claude/agents", ".claude/commands"];

/// The hooks that load by themselves.
pub(super) const HOOKS_JSON: &str = "hooks/hooks.json";

/// A path that the checks need, how deep, and which texts below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) path: String,
    /// Levels of folders that are listed; 0 for the path itself.
    pub(super) depth: usize,
    pub(super) texts: Texts,
    /// Longest text that is read whole, in bytes.
    pub(super) limit: u64,
    /// What another letter case would open is looked at, too.
    pub(super) spellings: bool,
}

/// Files whose text is read, by their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Texts {
    None,
    All,
    Markdown,
    Skills,
    Json,
    Scripts,
}

impl Texts {
    pub(super) fn include(self, path: &str) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Markdown => is_markdown(path),
            Self::Skills => base_name(path) == "SKILL.md",
            Self::Json => has_ending(path, ".json"),
            Self::Scripts => has_ending(path, ".js"),
        }
    }
}

impl Wanted {
    fn new(path: String, depth: usize, texts: Texts) -> Self {
        Self { path, depth, texts, limit: MAX_FILE_BYTES, spellings: false }
    }

    fn in_any_spelling(self) -> Self {
        Self { spellings: true, ..self }
    }

    /// Everything below is wanted, so that a folder that is too deep is missed.
    pub(super) fn is_whole(&self) -> bool {
        self.depth == MAX_DEPTH
    }
}

/// Whether a name ends like this, in any case of letters.
pub(super) fn has_ending(name: &str, ending: &str) -> bool {
    name.len() >= ending.len()
        && name.get(name.len() - ending.len()..).is_some_and(|end| end.eq_ignore_ascii_case(ending))
}

/// Whether a path ends as the CLI wants JSON files to end.
pub(super) fn is_json(path: &str) -> bool {
    path.strip_suffix(".json").is_some()
}

/// Whether a name is that of a Markdown file.
pub(super) fn is_markdown(name: &str) -> bool {
    has_ending(name, ".md")
}

/// The two manifests of the folder `base`.
pub(super) fn manifests(base: &str) -> Vec<Wanted> {
    let names = [".claude-plugin/marketplace.json", ".claude-plugin/plugin.json"];
    names.map(|name| file(&join(base, name)).in_any_spelling()).to_vec()
}

/// The files and folders that load by themselves (spec/plugins.md, Discovery), and those that the manifest names.
pub(super) fn of_plugin(base: &str, manifest: Option<&Value>) -> Vec<Wanted> {
    let standard = [
        ("", 1, Texts::None),
        ("skills", 2, Texts::Skills),
        (".claude/skills", 2, Texts::Skills),
        ("commands", MAX_DEPTH, Texts::Markdown),
        ("agents", MAX_DEPTH, Texts::Markdown),
        ("output-styles", MAX_DEPTH, Texts::Markdown),
        ("themes", 1, Texts::Json),
        ("workflows", 1, Texts::Scripts),
        ("bin", 1, Texts::None),
        ("monitors/monitors.json", 0, Texts::All),
        (".mcp.json", 0, Texts::All),
        (".lsp.json", 0, Texts::All),
        ("settings.json", 0, Texts::All),
        ("SKILL.md", 0, Texts::All),
    ];
    let mut wanted: Vec<Wanted> =
        standard.into_iter().map(|(path, depth, texts)| Wanted::new(join(base, path), depth, texts)).collect();
    wanted.extend(hooks(base, manifest));
    let Some(manifest) = manifest else { return wanted };
    let keys = [
        ("skills", 2, Texts::Skills),
        ("commands", MAX_DEPTH, Texts::Markdown),
        ("agents", 0, Texts::All),
        ("outputStyles", MAX_DEPTH, Texts::Markdown),
        ("workflows", 1, Texts::Scripts),
        ("mcpServers", 0, Texts::Json),
        ("lspServers", 0, Texts::All),
        ("types", 0, Texts::None),
    ];
    for (key, depth, texts) in keys {
        let paths = manifest.get(key).map(declared_paths).unwrap_or_default();
        wanted.extend(paths.iter().filter_map(|path| Some(Wanted::new(join(base, &normal(path)?), depth, texts))));
    }
    for (key, depth, texts) in [("themes", 1, Texts::Json), ("monitors", 0, Texts::All)] {
        let paths = experimental(manifest, key).map(declared_paths).unwrap_or_default();
        wanted.extend(paths.iter().filter_map(|path| Some(Wanted::new(join(base, &normal(path)?), depth, texts))));
    }
    wanted
}

/// The files of hooks, in any spelling.
pub(super) fn hooks(base: &str, manifest: Option<&Value>) -> Vec<Wanted> {
    let files = paths::files(manifest, "hooks", HOOKS_JSON).into_iter().map(|path| join(base, &path));
    files.map(|path| Wanted::new(path, 0, Texts::All).in_any_spelling()).collect()
}

/// Components of a project, which load without a manifest.
pub(super) fn of_project() -> Vec<Wanted> {
    let folders = PROJECT_FOLDERS.map(|path| Wanted::new(path.to_owned(), MAX_DEPTH, Texts::Markdown));
    folders.into_iter().collect()
}

/// Skills, agents or commands of a folder that holds them directly.
pub(super) fn of_component_folder() -> Vec<Wanted> {
    vec![Wanted::new(String::new(), MAX_DEPTH, Texts::Markdown)]
}

/// One manifest.
pub(super) fn file(path: &str) -> Wanted {
    Wanted { limit: MAX_MANIFEST_BYTES, ..Wanted::new(path.to_owned(), 0, Texts::All) }
}
