use super::issue::Issue;
use super::manifest::{declared_paths, experimental};
use super::manifest_schema::{is_bundle, is_web};
use super::root::Root;
use super::tree::{Node, Resolved, normal, parent};
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
    declared(manifest).iter().filter_map(|declared| judge(root, declared)).collect()
}

fn declared(manifest: &Value) -> Vec<Declared<'_>> {
    let mut all = Vec::new();
    for component in ["commands", "agents", "skills", "hooks", "outputStyles"] {
        all.extend(of(component, component.to_owned(), manifest.get(component)));
    }
    for component in ["themes", "monitors"] {
        all.extend(of(component, format!("experimental.{component}"), experimental(manifest, component)));
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
    if path.split('/').any(|part| part == "..") {
        let said = format!("Path contains \"..\" which could be a path traversal attempt: {path}");
        return Some(Issue::new(label, said));
    }
    match root.resolve(&normal(path)?) {
        Resolved::Missing => {
            let consequence = if *component == "mcpServers" && !is_bundle(path) {
                "The plugin loader skips a missing MCP servers file without reporting it, so none of its servers will load."
            } else {
                "The runtime loader will report this as a load failure."
            };
            Some(Issue::new(label, format!("Path not found: {path}. {consequence}")))
        }
        Resolved::Node(_, Node::File(_)) if *component == "skills" => {
            let folder = match parent(path) {
                "" => ".",
                folder => folder,
            };
            let said = format!(
                "Path is a file; skills entries must be directories containing SKILL.md — point to the parent directory \
                 '{folder}' instead: {path}"
            );
            Some(Issue::new(label, said))
        }
        // A path over a link that leads out is only refused when the plugin is loaded.
        Resolved::Node(..) | Resolved::Outside => None,
    }
}

/// Paths of a manifest with their component, for what the CLI does not check.
pub(super) fn all(manifest: &Value) -> Vec<(&'static str, &str)> {
    declared(manifest).into_iter().map(|declared| (declared.component, declared.path)).collect()
}

/// The files that a manifest names for a component, by their path in the plugin, each once and without the default file.
pub(super) fn files(manifest: Option<&Value>, component: &str, default: &str) -> Vec<String> {
    let value = manifest.and_then(|manifest| match component {
        "monitors" => experimental(manifest, component),
        _ => manifest.get(component),
    });
    let paths = match value {
        Some(Value::Object(_)) | None => Vec::new(),
        Some(value) => declared_paths(value),
    };
    let mut seen = BTreeSet::from([default.to_owned()]);
    let files = paths.into_iter().filter(|path| !is_web(path)).filter_map(normal);
    files.filter(|path| seen.insert(path.clone())).collect()
}
