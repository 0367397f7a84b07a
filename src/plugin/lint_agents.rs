use super::frontmatter::{Document, Frontmatter};
use super::manifest::declared_paths;
use super::remark::Remark;
use super::root::Root;
use super::tree::normal;
use crate::unit::{Diagnosis, Finding, Place};
use serde_json::Value;

/// Fields of an agent that a plugin's agent cannot set (spec/plugins.md, Agents).
const IGNORED: [&str; 7] =
    ["hooks", "mcpServers", "permissionMode", "initialPrompt", "observer", "observerMessage", "observeSubagents"];

const COLORS: [&str; 8] = ["red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan"];
const EFFORTS: [&str; 5] = ["low", "medium", "high", "xhigh", "max"];
const MEMORIES: [&str; 3] = ["user", "project", "local"];

/// A field, what it can be in words, and whether a value is that.
type Rule = (&'static str, &'static str, fn(&Value) -> bool);

const RULES: [Rule; 8] = [
    ("maxTurns", "a whole number above 0", |value| whole(value).is_some_and(|turns| turns > 0)),
    ("autoCompactWindow", "a whole number of at least 100000", |value| {
        whole(value).is_some_and(|size| size >= 100_000)
    }),
    ("effort", "low, medium, high, xhigh, max or a whole number", |value| {
        whole(value).is_some() || value.as_str().is_some_and(|text| EFFORTS.contains(&text.to_lowercase().as_str()))
    }),
    ("memory", "user, project or local", |value| value.as_str().is_some_and(|text| MEMORIES.contains(&text))),
    ("model", "the name of a model, or inherit", |value| value.as_str().is_some_and(|text| !text.trim().is_empty())),
    ("isolation", "worktree", |value| value == "worktree"),
    ("background", "true or false", |value| value.is_boolean() || value == "true" || value == "false"),
    ("color", "red, blue, green, yellow, purple, orange, pink or cyan", |value| {
        value.as_str().is_some_and(|text| COLORS.contains(&text))
    }),
];

/// A whole number, be it written as a text.
fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

/// What is ignored in the agents of a plugin.
pub(super) fn check(root: &Root<'_>, manifest: Option<&Value>) -> Vec<Finding> {
    let declared = manifest.and_then(|manifest| manifest.get("agents"));
    let starts = declared.map_or_else(
        || vec!["agents".to_owned()],
        |declared| declared_paths(declared).into_iter().filter_map(normal).collect(),
    );
    let files = starts.iter().flat_map(|start| root.markdown(start, true));
    let mut findings = Vec::new();
    for file in files {
        let Some(text) = root.text_at(&file.real) else { continue };
        let Frontmatter::Fields(fields) = Document::parse(text).head else { continue };
        let ignored = IGNORED.into_iter().filter(|field| fields.contains_key(*field));
        let ignored = ignored.map(|field| Remark::AgentFieldIgnored { field });
        let invalid = RULES.into_iter().filter_map(|(field, expected, fits)| {
            let value = fields.get(field).filter(|value| !fits(value))?;
            let found = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
            Some(Remark::AgentFieldInvalid { field, found, expected })
        });
        findings.extend(ignored.chain(invalid).map(|remark| remark.at(Place::file(&file.real))));
    }
    findings
}
