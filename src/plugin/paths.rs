use super::issue::Issue;
use super::limits::{MAX_NAME_BYTES, MAX_PATH_BYTES};
use super::manifest::{declared_paths, experimental};
use super::manifest_schema::{NO_DECLARATIONS, is_web};
use super::root::Root;
use super::tree::{Node, Resolved, join, normal, parent};
use super::wanted::is_json;
use serde_json::Value;
use std::collections::BTreeSet;

/// A path that a manifest names.
#[derive(Debug)]
struct Declared<'a> {
    /// How the CLI calls the place in the manifest.
    label: String,
    path: &'a str,
    component: &'static str,
}

/// Components whose single path is called `[0]` too.
const ALWAYS_NUMBERED: [&str; 4] = ["skills", "agents", "hooks", "workflows"];

/// What the CLI says of the paths in a manifest: leading up, leading nowhere, or to the wrong kind (spec/plugins.md, Path rules).
pub(super) fn check(root: &Root<'_>, manifest: &Value) -> Vec<Issue> {
    let mut issues: Vec<Issue> = declared(manifest).iter().filter_map(|declared| judge(root, declared)).collect();
    issues.extend(types(root, manifest));
    issues
}

fn declared(manifest: &Value) -> Vec<Declared<'_>> {
    let mut all = Vec::new();
    for component in ["commands", "agents", "skills", "hooks", "outputStyles"] {
        all.extend(of(component, component.to_owned(), manifest.get(component)));
    }
    for component in ["themes", "monitors"] {
        let nested = manifest.get("experimental").and_then(|experimental| experimental.get(component));
        let label = if nested.is_some() { format!("experimental.{component}") } else { component.to_owned() };
        all.extend(of(component, label, experimental(manifest, component)));
    }
    for component in ["lspServers", "workflows", "mcpServers"] {
        all.extend(of(component, component.to_owned(), manifest.get(component)));
    }
    all
}

fn of<'a>(component: &'static str, label: String, value: Option<&'a Value>) -> Vec<Declared<'a>> {
    let one = |label: String, path: &'a str| Declared { label, path, component };
    match value {
        Some(Value::String(path)) if ALWAYS_NUMBERED.contains(&component) => vec![one(format!("{label}[0]"), path)],
        Some(Value::String(path)) => vec![one(label, path)],
        Some(Value::Array(items)) => {
            let items = items.iter().enumerate().filter_map(|(at, item)| Some((at, item.as_str()?)));
            items.map(|(at, path)| one(format!("{label}[{at}]"), path)).collect()
        }
        Some(Value::Object(named)) if component == "commands" => {
            let sources = named.iter().filter_map(|(name, entry)| Some((name, entry.get("source")?.as_str()?)));
            sources.map(|(name, path)| one(format!("{label}.{name}.source"), path)).collect()
        }
        _ => Vec::new(),
    }
}

fn judge(root: &Root<'_>, declared: &Declared<'_>) -> Option<Issue> {
    let Declared { label, path, component } = declared;
    if path.is_empty() || is_web(path) {
        return None;
    }
    if let Some(issue) = leads_up(label, path) {
        return Some(issue);
    }
    match root.resolve(&normal(path)?) {
        Resolved::Missing if *component == "mcpServers" && is_json(path) => {
            let said = "The plugin loader skips a missing MCP servers file without reporting it, so none of its servers will load.";
            Some(Issue::new(label, format!("Path not found: {path}{}. {said}", why(root, path))))
        }
        Resolved::Missing => Some(not_found(root, label, path)),
        Resolved::Node(_, Node::File(_)) if *component == "skills" => {
            let folder = match parent(path) {
                "" => ".",
                folder => folder,
            };
            let has_skill = normal(folder).is_some_and(|folder| root.at(&join(&folder, "SKILL.md")).is_some());
            let advice = if has_skill {
                format!(" — point to the parent directory '{folder}' instead")
            } else {
                String::new()
            };
            let said = "Path is a file; skills entries must be directories containing SKILL.md";
            Some(Issue::new(label, format!("{said}{advice}: {path}")))
        }
        // A path over a link that leads out is only refused when the plugin is loaded.
        Resolved::Node(..) | Resolved::Outside => None,
    }
}

fn leads_up(label: &str, path: &str) -> Option<Issue> {
    let said = || format!("Path contains \"..\" which could be a path traversal attempt: {path}");
    path.split('/').any(|part| part == "..").then(|| Issue::new(label, said()))
}

fn not_found(root: &Root<'_>, label: &str, path: &str) -> Issue {
    let shown = if path.trim().is_empty() { "" } else { path };
    let why = why(root, path);
    let said = format!("Path not found: {shown}{why}. The runtime loader will report this as a load failure.");
    Issue::new(label, said)
}

/// The code of the system for what is wrong with a path, where it is not that nothing is there.
fn why(root: &Root<'_>, path: &str) -> &'static str {
    let is_file = |folder: String| matches!(root.resolve(&folder), Resolved::Node(_, Node::File(_)));
    if path.contains('\0') {
        " (ERR_INVALID_ARG_VALUE)"
    } else if root.shown(path).len() > MAX_PATH_BYTES || path.split('/').any(|name| name.len() > MAX_NAME_BYTES) {
        " (ENAMETOOLONG)"
    } else if path.match_indices('/').filter_map(|(at, _)| normal(path.get(..at)?)).any(is_file) {
        " (ENOTDIR)"
    } else {
        ""
    }
}

/// What the CLI says of the file that declares the plugin's types.
fn types(root: &Root<'_>, manifest: &Value) -> Vec<Issue> {
    let Some(path) = manifest.get("types").and_then(Value::as_str) else { return Vec::new() };
    let mut issues = Vec::new();
    if !path.ends_with(".d.ts") {
        issues.push(Issue::new("types", NO_DECLARATIONS));
    }
    if let Some(issue) = leads_up("types", path) {
        issues.push(Issue::new("types", "types must stay inside the plugin directory (no '..' segment)"));
        issues.push(issue);
        return issues;
    }
    let resolved = normal(path).map_or(Resolved::Missing, |path| root.resolve(&path));
    match resolved {
        Resolved::Missing => issues.push(not_found(root, "types", path)),
        Resolved::Node(_, Node::Folder(_)) => issues.push(Issue::new("types", format!("{path}: not a regular file"))),
        Resolved::Node(..) | Resolved::Outside => {}
    }
    issues
}

/// Paths of a manifest with their component, for what the CLI does not check.
pub(super) fn all(manifest: &Value) -> Vec<(&'static str, &str)> {
    declared(manifest).into_iter().map(|declared| (declared.component, declared.path)).collect()
}

/// The files of a component, by their path in the plugin, each once: the default one, and those that a manifest names.
pub(super) fn files(manifest: Option<&Value>, component: &str, default: &str) -> Vec<String> {
    let value = manifest.and_then(|manifest| match component {
        "monitors" => experimental(manifest, component),
        _ => manifest.get(component),
    });
    let paths = match value {
        Some(Value::Object(_)) | None => Vec::new(),
        Some(value) => declared_paths(value),
    };
    let named = paths.into_iter().filter(|path| !is_web(path)).filter_map(normal);
    let mut seen = BTreeSet::new();
    [default.to_owned()].into_iter().chain(named).filter(|path| seen.insert(path.clone())).collect()
}
