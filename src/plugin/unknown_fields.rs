use super::issue::Issue;
use serde_json::{Map, Value};

/// Fields of a manifest that the CLI knows, in the order in which a suggestion is looked for.
const KNOWN: [&str; 31] = [
    "$schema",
    "name",
    "displayName",
    "version",
    "description",
    "author",
    "homepage",
    "repository",
    "license",
    "keywords",
    "metadata",
    "defaultEnabled",
    "dependencies",
    "optionalDependencies",
    "hooks",
    "commands",
    "agents",
    "skills",
    "outputStyles",
    "workflows",
    "channels",
    "mcpServers",
    "lspServers",
    "settings",
    "userConfig",
    "experimental",
    "themes",
    "monitors",
    "engines",
    "network",
    "types",
];

/// Known too, but never suggested.
const NOT_SUGGESTED: [&str; 8] =
    ["capabilities", "icon", "bugs", "support", "screenshots", "privacyPolicy", "privacy_policy", "privacyPolicyUrl"];

const EXPERIMENTAL: [&str; 5] = ["themes", "monitors", "outputStyles", "evals", "syntaxHighlighting"];

const MARKETPLACE: [&str; 6] = ["category", "source", "tags", "strict", "relevance", "id"];

/// Fields of other programs' manifests.
const FOREIGN: [(&str, &[&str]); 6] = [
    (
        "a VS Code/Cursor extension manifest",
        &["publisher", "categories", "icon", "contributes", "activationEvents", "preview"],
    ),
    ("an npm package.json", &["main", "type", "files", "bin", "scripts", "private", "bugs", "contributors"]),
    ("an MCPB/DXT manifest", &["dxt_version", "mcpb_version", "user_config", "compatibility"]),
    ("an MCP server manifest", &["server", "tools", "prompts", "resources"]),
    (
        "manifests across many tools",
        &[
            "logo",
            "readme",
            "changelog",
            "support",
            "privacy_policy",
            "privacy_policies",
            "terms_of_service",
            "_comment",
        ],
    ),
    ("a JSON Schema document", &["$id", "$comment"]),
];

/// Letters by which a misspelt field may differ from a known one, two swapped ones counted once; and a short one.
const MAX_DISTANCE: usize = 2;
const MAX_SHORT_DISTANCE: usize = 1;
const SHORT: usize = 3;

/// Longest field name that is compared with the known ones: a longer one is further away than that from each of them.
const MAX_COMPARED: usize = 32;

/// Warnings about the fields of a manifest that the CLI does not read (spec/plugins.md, Unknown fields).
pub(super) fn of_manifest(manifest: &Map<String, Value>) -> Vec<Issue> {
    let known = |name: &str| KNOWN.contains(&name) || NOT_SUGGESTED.contains(&name);
    let unknown = manifest.keys().filter(|name| !known(name));
    unknown.map(|name| Issue::new(name.as_str(), sentence(name, &KNOWN, true))).collect()
}

/// Warnings about the fields of an object in the manifest that has no fields but these.
pub(super) fn of_object(object: &Map<String, Value>, known: &[&str], path: &str) -> Vec<Issue> {
    let unknown = object.keys().filter(|name| !known.contains(&name.as_str()));
    unknown.map(|name| Issue::new(format!("{path}.{name}"), sentence(name, known, true))).collect()
}

/// Warnings about the fields of `experimental`.
pub(super) fn of_experimental(experimental: &Map<String, Value>) -> Vec<Issue> {
    of_marketplace(experimental, &EXPERIMENTAL, "experimental.")
}

/// Warnings about the fields of an object that is none of the manifest's own, such as a marketplace or one of its entries;
/// their paths begin with `prefix`.
pub(super) fn of_marketplace(object: &Map<String, Value>, known: &[&str], prefix: &str) -> Vec<Issue> {
    let unknown = object.keys().filter(|name| !known.contains(&name.as_str()));
    unknown.map(|name| Issue::new(format!("{prefix}{name}"), sentence(name, known, false))).collect()
}

fn sentence(name: &str, known: &[&str], in_plugin: bool) -> String {
    if name == "user_config" && known.contains(&"userConfig") {
        return "Field 'user_config' is the cross-tool spelling of Claude Code's 'userConfig'. Rename it to 'userConfig' \
                for Claude Code to read it (the option shapes differ slightly — re-run validate after renaming to \
                check). As-is, Claude Code ignores it at load time."
            .to_owned();
    }
    if in_plugin && MARKETPLACE.contains(&name) {
        return format!(
            "Field '{name}' belongs in the marketplace entry (marketplace.json), not plugin.json. It's harmless here but \
             unused — Claude Code ignores it at load time."
        );
    }
    // Names such as `type` and `tools` are both foreign and close to a known one; the CLI takes them for foreign.
    if let Some((origin, _)) = FOREIGN.iter().find(|(_, names)| names.contains(&name)) {
        return format!(
            "Unknown field '{name}' (commonly seen in {origin}). Claude Code ignores unrecognized fields at load time, so \
             it's safe to keep."
        );
    }
    match nearest(name, known) {
        Some(meant) => format!(
            "Unknown field '{name}' — did you mean '{meant}'? Claude Code ignores unrecognized fields at load time, so \
             this field has no effect."
        ),
        None => format!("Unknown field '{name}'. Claude Code ignores it at load time."),
    }
}

/// The known field that a misspelt one is closest to: the same in another case of letters, or one within a few letters.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    if name.len() > MAX_COMPARED {
        return None;
    }
    let letters = name.chars().count();
    let limit = if letters <= SHORT { MAX_SHORT_DISTANCE } else { MAX_DISTANCE };
    let is_near = |known: &&&str| known.chars().count().abs_diff(letters) <= limit;
    let same = known.iter().filter(is_near).find(|known| known.to_lowercase() == name.to_lowercase());
    let distance = |known: &&&str| strsim::osa_distance(name, known);
    same.or_else(|| known.iter().filter(is_near).min_by_key(distance).filter(|known| distance(known) <= limit)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_sort_of_unknown_field_has_its_sentence() {
        for (name, said) in [
            ("LSPservers", "did you mean 'lspServers'"),
            ("mane", "did you mean 'name'"),
            ("schema", "did you mean '$schema'"),
            ("typess", "did you mean 'types'"),
            ("skillssss", "Claude Code ignores it"),
            ("dependency", "Claude Code ignores it"),
            ("eval", "Claude Code ignores it"),
            ("icons", "Claude Code ignores it"),
            ("type", "npm package.json"),
            ("tools", "MCP server manifest"),
            ("tags", "marketplace entry"),
            ("user_config", "cross-tool spelling"),
            ("Na", "Claude Code ignores it"),
            ("VersioN", "did you mean 'version'"),
            ("V-ERSION", "Claude Code ignores it"),
            ("outputtSyle", "did you mean 'outputStyles'"),
            ("capabilitiis", "Claude Code ignores it"),
            ("readme", "manifests across many tools"),
        ] {
            let manifest = json!({ name: 1 });
            let issues = of_manifest(manifest.as_object().unwrap());
            assert!(issues.len() == 1 && issues[0].message.contains(said), "{name}: {issues:?}");
        }
        assert!(of_manifest(json!({"icon": 1, "engines": {}, "bugs": 1}).as_object().unwrap()).is_empty());
    }
}
