use super::hooks;
use super::issue::{
    Faults, Field, any_object, boolean, fields, list_of, object, record_of, some_text, string, strings, union,
};
use super::lsp::servers as lsp_servers;
use super::mcp_check::is_well_formed as is_mcp_server;
use super::monitors::monitors;
use super::names::{is_id_part, refused_name};
use super::user_config::{channels, user_config};
use serde_json::{Map, Value};
use url::Url;

/// Fields that make the CLI refuse the plugin, in the order in which it checks them (spec/plugins.md, Manifest fields).
const FATAL: [Field; 18] = [
    ("name", true, name),
    ("version", false, string),
    ("defaultEnabled", false, boolean),
    ("dependencies", false, |path, value| list_of(path, value, dependency)),
    ("hooks", false, |path, value| files_or(path, value, any_object)),
    ("commands", false, commands),
    ("agents", false, |path, value| one_or_more(path, value, |path, value| relative(path, value, Some(".md")))),
    ("skills", false, |path, value| one_or_more(path, value, skill_path)),
    ("outputStyles", false, folders),
    ("workflows", false, folders),
    ("channels", false, channels),
    ("mcpServers", false, mcp_servers),
    ("lspServers", false, |path, value| files_or(path, value, lsp_servers)),
    ("settings", false, |path, value| record_of(path, value, |_, _, _| Faults::none())),
    ("userConfig", false, user_config),
    ("types", false, |path, value| relative(path, value, None)),
    ("themes", false, folders),
    ("monitors", false, one_file_or_monitors),
];

const EXPERIMENTAL: [Field; 4] = [
    ("themes", false, folders),
    ("outputStyles", false, folders),
    ("monitors", false, one_file_or_monitors),
    ("evals", false, |path, value| union(path, [string(path, value), strings(path, value)])),
];

/// Fields that the CLI ignores where they are wrong.
const IGNORABLE: [Field; 8] = [
    ("$schema", false, string),
    ("displayName", false, string),
    ("description", false, string),
    ("author", false, author),
    ("homepage", false, url),
    ("repository", false, string),
    ("license", false, string),
    ("keywords", false, strings),
];

/// What makes the CLI refuse the plugin.
pub(super) fn fatal(manifest: &Map<String, Value>) -> Faults {
    let mut faults = fields("", manifest, &FATAL);
    if let Some(experimental) = manifest.get("experimental").and_then(Value::as_object) {
        faults.add(fields("experimental", experimental, &EXPERIMENTAL));
    }
    faults
}

/// Whether a field is one of those that make the CLI refuse the plugin.
pub(super) fn has_fault(manifest: &Map<String, Value>, name: &str) -> bool {
    let value = manifest.get(name);
    FATAL.iter().any(|(known, _, rule)| *known == name && value.is_some_and(|value| !rule(name, value).is_empty()))
}

/// What is wrong with fields that the CLI then ignores.
pub(super) fn ignorable(manifest: &Map<String, Value>) -> Faults {
    fields("", manifest, &IGNORABLE)
}

/// The fields that an entry of a marketplace shares with a manifest.
pub(super) fn of_entry(path: &str, entry: &Map<String, Value>) -> Faults {
    let shared: Vec<Field> =
        FATAL.into_iter().filter(|(name, _, _)| !["name", "hooks", "types"].contains(name)).collect();
    let mut faults = fields(path, entry, &IGNORABLE);
    faults.add(fields(path, entry, &shared));
    faults.add(fields(path, entry, &[("types", false, types)]));
    faults.add(fields(path, entry, &[("hooks", false, |path, value| files_or(path, value, hooks::strict))]));
    faults
}

/// What the CLI says of a file that is to declare the types of a plugin, and by its name cannot.
pub(super) const NO_DECLARATIONS: &str = "types must name a TypeScript declaration file ending in '.d.ts'";

/// The file that declares the types of a plugin.
fn types(path: &str, value: &Value) -> Faults {
    let mut faults = relative(path, value, None);
    if value.as_str().is_some_and(|text| !text.ends_with(".d.ts")) {
        faults.add(Faults::broken_rule(path, NO_DECLARATIONS));
    }
    faults
}

pub(super) fn name(path: &str, value: &Value) -> Faults {
    let Some(name) = value.as_str() else { return not_a_name(path, value, "Plugin name cannot be empty") };
    refused_name(name).into_iter().map(|said| Faults::broken_rule(path, said)).collect()
}

/// What is no text; an empty list breaks the rule that it must not be empty too.
pub(super) fn not_a_name(path: &str, value: &Value, empty: &str) -> Faults {
    let mut faults = string(path, value);
    if value.as_array().is_some_and(Vec::is_empty) {
        faults.add(Faults::broken_rule(path, empty));
    }
    faults
}

/// Someone with a name.
pub(super) fn author(path: &str, value: &Value) -> Faults {
    const FIELDS: [Field; 3] = [("name", true, person), ("email", false, string), ("url", false, string)];
    object(path, value, &FIELDS)
}

fn person(path: &str, value: &Value) -> Faults {
    if value.as_str() == Some("") {
        Faults::broken_rule(path, "Author name cannot be empty")
    } else {
        string(path, value)
    }
}

/// A whole URL, as browsers read it.
pub(super) fn url(path: &str, value: &Value) -> Faults {
    match value.as_str() {
        Some(text) if Url::parse(text).is_err() => Faults::broken_rule(path, "Invalid URL"),
        _ => string(path, value),
    }
}

/// A path below the plugin, with its ending.
fn relative(path: &str, value: &Value, ending: Option<&str>) -> Faults {
    let Some(text) = value.as_str() else { return string(path, value) };
    let mut faults = Faults::none();
    if !text.starts_with("./") {
        faults.add(Faults::broken_rule(path, "Invalid string: must start with \"./\""));
    }
    if let Some(ending) = ending.filter(|ending| !text.ends_with(*ending)) {
        faults.add(Faults::broken_rule(path, format!("Invalid string: must end with \"{ending}\"")));
    }
    faults
}

fn skill_path(path: &str, value: &Value) -> Faults {
    if value.as_str() == Some(".") { Faults::none() } else { relative(path, value, None) }
}

fn one_or_more(path: &str, value: &Value, one: fn(&str, &Value) -> Faults) -> Faults {
    union(path, [one(path, value), list_of(path, value, one)])
}

fn folders(path: &str, value: &Value) -> Faults {
    one_or_more(path, value, |path, value| relative(path, value, None))
}

fn json_file(path: &str, value: &Value) -> Faults {
    relative(path, value, Some(".json"))
}

/// A JSON file, the same inline, or a list of both.
fn files_or(path: &str, value: &Value, inline: fn(&str, &Value) -> Faults) -> Faults {
    let element = |path: &str, value: &Value| union(path, [json_file(path, value), inline(path, value)]);
    union(path, [json_file(path, value), inline(path, value), list_of(path, value, element)])
}

fn one_file_or_monitors(path: &str, value: &Value) -> Faults {
    union(path, [json_file(path, value), monitors(path, value)])
}

/// A command's path may be that of a file or of a folder, so that the CLI does not tell which rule a bad one breaks.
fn command_path(path: &str, value: &Value) -> Faults {
    let is_relative = value.as_str().is_some_and(|text| text.starts_with("./"));
    if is_relative { Faults::none() } else { Faults::wrong_kind(path, "Invalid input") }
}

fn commands(path: &str, value: &Value) -> Faults {
    let named = |path: &str, value: &Value| record_of(path, value, |path, _, value| command(path, value));
    union(path, [command_path(path, value), list_of(path, value, command_path), named(path, value)])
}

fn command(path: &str, value: &Value) -> Faults {
    const FIELDS: [Field; 6] = [
        ("source", false, |path, value| relative(path, value, None)),
        ("content", false, string),
        ("description", false, string),
        ("argumentHint", false, string),
        ("model", false, string),
        ("allowedTools", false, strings),
    ];
    let invalid = || Faults::wrong_kind(path, "Invalid input");
    let Value::Object(command) = value else { return invalid() };
    if !fields(path, command, &FIELDS).is_empty() {
        return invalid();
    }
    let has = |name: &str| command.get(name).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    if has("source") == has("content") {
        let said = "Command must have either \"source\" (file path) or \"content\" (inline markdown), but not both";
        return Faults::broken_rule(path, said);
    }
    Faults::none()
}

fn mcp_servers(path: &str, value: &Value) -> Faults {
    let one = |path: &str, value: &Value| match value {
        Value::Object(servers) if servers.values().all(is_mcp_server) => Faults::none(),
        Value::Object(_) => Faults::wrong_kind(path, "Invalid input"),
        Value::String(text) if is_bundle(text) => Faults::none(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => json_file(path, value),
    };
    union(path, [one(path, value), list_of(path, value, one)])
}

/// Whether a path or URL is that of an MCP bundle.
pub(super) fn is_bundle(text: &str) -> bool {
    let is_placed = text.starts_with("./") || is_web(text);
    is_placed && [".mcpb", ".dxt"].iter().any(|ending| text.ends_with(ending))
}

/// Whether a text begins as the URL of a web server.
pub(super) fn is_web(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

fn dependency(path: &str, value: &Value) -> Faults {
    if is_dependency(value) { Faults::none() } else { Faults::wrong_kind(path, "Invalid input") }
}

/// The name of a plugin, alone or with `@marketplace`, or an object with it (spec/plugins.md, dependencies).
pub(super) fn is_dependency(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            // A range of versions may follow, of anything but another `@`.
            let text = match text.rsplit_once("@^") {
                Some((before, range)) if !range.contains('@') => before,
                _ => text,
            };
            text.split_once('@').map_or(is_id_part(text), |(name, of)| is_id_part(name) && is_id_part(of))
        }
        Value::Object(fields) => {
            let is_part = |value: &Value| value.as_str().is_some_and(is_id_part);
            fields.get("name").is_some_and(is_part) && fields.get("marketplace").is_none_or(is_part)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => false,
    }
}

/// An owner of a marketplace: someone with a name.
pub(super) fn owner(path: &str, value: &Value) -> Faults {
    const FIELDS: [Field; 3] = [("name", true, some_text), ("email", false, string), ("url", false, string)];
    object(path, value, &FIELDS)
}
