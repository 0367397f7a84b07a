use super::hooks;
use super::issue::{Faults, Issue};
use super::json::parse_manifest;
use super::limits::MAX_MANIFEST_BYTES;
use super::manifest::{self, Said, inline_objects};
use super::manifest_schema;
use super::mcp_check::Options;
use super::paths;
use super::root::{Root, Text};
use super::tree::Tree;
use serde_json::{Map, Value};

/// The folder of the manifests.
pub(super) const MANIFESTS: &str = ".claude-plugin/";

pub(super) const PLUGIN_JSON: &str = ".claude-plugin/plugin.json";
pub(super) const MARKETPLACE_JSON: &str = ".claude-plugin/marketplace.json";

/// The manifest at a path: its value, or why there is none.
pub(super) fn manifest_value(tree: &Tree, path: &str) -> Result<Value, Issue> {
    let root = Root { tree, base: "" };
    let refused = |why: String| Err(Issue::new("file", why));
    match root.text_followed(path) {
        Text::Is(text) => parse_manifest(text),
        Text::Missing => refused(format!("File not found: {}", root.shown(path))),
        Text::NotRegular if root.is_folder(path) => refused(format!("Path is not a file: {}", root.shown(path))),
        Text::NotRegular => refused(
            "Not a regular file of the plugin (a FIFO, a device, or a link out of it), so it was \
                                     not read: put the manifest itself here"
                .to_owned(),
        ),
        Text::TooLong => refused(format!(
            "Larger than {MAX_MANIFEST_BYTES} bytes, so it was not read: a manifest names parts, it does not hold them"
        )),
        Text::Failed(error) => refused(format!("Could not be read: {error}")),
    }
}

/// What is said of the manifest of a plugin, together with the paths in it and what is written inline.
pub(super) fn plugin_manifest(root: &Root<'_>, value: &Value) -> Said {
    let Value::Object(fields) = value else { return Said::error(Issue::new("root", "manifest must be an object")) };
    let mut said = manifest::check(fields);
    said.errors.extend(paths::check(root, value));
    said.add(inline_hooks(fields));
    said.add(Options::of(Some(value)).check_inline());
    said
}

/// What is said of hooks that stand in the manifest itself, where its schema fits. One that guards and does not load makes the
/// whole field invalid.
fn inline_hooks(manifest: &Map<String, Value>) -> Said {
    let mut said = Said::default();
    if manifest_schema::has_fault(manifest, "hooks") {
        return said;
    }
    let inline = manifest.get("hooks").map(inline_objects).unwrap_or_default();
    for events in &inline {
        said.add(hooks::read(events).said);
    }
    if !said.errors.is_empty() {
        said.warnings.clear();
        let faults: Faults =
            inline.into_iter().map(|events| hooks::strict("hooks", &Value::Object(events.clone()))).collect();
        said.errors.extend(faults.issues);
    }
    said
}
