use super::issue::Issue;
use super::names::judged_name;
use super::unknown_fields;
use super::{ignored_fields, manifest_schema};
use serde_json::{Map, Value};

/// The paths that a manifest names for a component: a string, strings in a list, or the `source` of each named entry.
pub(super) fn declared_paths(value: &Value) -> Vec<&str> {
    match value {
        Value::String(path) => vec![path],
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        Value::Object(named) => named.values().filter_map(|entry| entry.get("source")?.as_str()).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// What is written inline for a component: an object, or the objects of a list.
pub(super) fn inline_objects(value: &Value) -> Vec<&Map<String, Value>> {
    match value {
        Value::Object(object) => vec![object],
        Value::Array(items) => items.iter().filter_map(Value::as_object).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// A component of `experimental`, which may still stand at the top level (spec/plugins.md, experimental).
pub(super) fn experimental<'a>(manifest: &'a Value, key: &str) -> Option<&'a Value> {
    manifest.get("experimental").and_then(|experimental| experimental.get(key)).or_else(|| manifest.get(key))
}

/// What the CLI says of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) errors: Vec<Issue>,
    pub(super) warnings: Vec<Issue>,
    pub(super) notes: Vec<String>,
}

impl Said {
    pub(super) fn error(issue: Issue) -> Self {
        Self { errors: vec![issue], ..Self::default() }
    }

    pub(super) fn warning(issue: Issue) -> Self {
        Self { warnings: vec![issue], ..Self::default() }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.errors.extend(other.errors);
        self.warnings.extend(other.warnings);
        self.notes.extend(other.notes);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.errors.is_empty() && self.warnings.is_empty() && self.notes.is_empty()
    }
}

/// What a manifest by itself says, without the files that it names.
pub(super) fn check(manifest: &Map<String, Value>) -> Said {
    let fatal = manifest_schema::fatal(manifest);
    let ignorable = manifest_schema::ignorable(manifest);
    let has_errors = !fatal.is_empty() || !ignorable.is_empty();
    let mut said =
        Said { errors: fatal.issues, warnings: ignored_fields::warnings(manifest), notes: settings_notes(manifest) };
    said.errors.extend(ignorable.issues);
    said.errors.extend(ignored_fields::engines(manifest));
    said.warnings.extend(unknown_fields::of_manifest(manifest));
    if let Some(experimental) = manifest.get("experimental").and_then(Value::as_object) {
        said.warnings.extend(unknown_fields::of_experimental(experimental));
    }
    said.warnings.extend(["monitors", "themes"].into_iter().filter(|key| manifest.contains_key(*key)).map(top_level));
    if !has_errors {
        said.warnings.extend(missing_metadata(manifest));
        let (errors, warnings) = judged_name(manifest.get("name").and_then(Value::as_str).unwrap_or_default());
        said.errors.extend(errors);
        said.warnings.extend(warnings);
    }
    said
}

fn top_level(key: &str) -> Issue {
    Issue::new(
        key,
        format!(
            "'{key}' is an experimental component; declare it under 'experimental.{key}' instead of at the top level. \
             Top-level still loads for now but will be removed in a future release."
        ),
    )
}

fn missing_metadata(manifest: &Map<String, Value>) -> Vec<Issue> {
    let asked = [
        ("version", "No version specified. Consider adding a version following semver (e.g., \"1.0.0\")"),
        ("description", "No description provided. Adding a description helps users understand what your plugin does"),
        ("author", "No author information provided. Consider adding author details for plugin attribution"),
    ];
    let is_missing = |key: &str| manifest.get(key).is_none_or(|value| value.as_str() == Some(""));
    asked.into_iter().filter(|(key, _)| is_missing(key)).map(|(key, said)| Issue::new(key, said)).collect()
}

const STATUS_LINE: &str =
    "subagentStatusLine is deprecated in favor of mods and will stop working in a future release.";

const AGENT: &str = "agent: A plugin's `agent` setting is deprecated and will stop applying in a future release. Tell \
                     people to set `agent` in their own settings or pass --agent.";

fn settings_notes(manifest: &Map<String, Value>) -> Vec<String> {
    let settings = manifest.get("settings").and_then(Value::as_object);
    deprecated(settings).iter().map(|said| format!("settings.{said}")).collect()
}

/// Notes about the settings that a plugin still may bring.
pub(super) fn deprecated(settings: Option<&Map<String, Value>>) -> Vec<&'static str> {
    let has = |key: &str| settings.is_some_and(|settings| settings.contains_key(key));
    let notes = [("agent", AGENT), ("subagentStatusLine", STATUS_LINE)];
    notes.into_iter().filter(|(key, _)| has(key)).map(|(_, said)| said).collect()
}
