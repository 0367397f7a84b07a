use super::frontmatter::{Document, Frontmatter};
use super::manifest::declared_paths;
use super::remark::Remark;
use super::root::Root;
use super::tree::normal;
use crate::unit::{Diagnosis, Finding, Place};
use serde_json::Value;

/// Fields of an agent that a plugin's agent cannot set (spec/plugins.md, Agents).
const IGNORED: [&str; 4] = ["hooks", "mcpServers", "permissionMode", "initialPrompt"];

/// A field, what it can be in words, and whether a value is that.
type Rule = (&'static str, &'static str, fn(&Value) -> bool);

const RULES: [Rule; 4] = [
    ("maxTurns", "a whole number above 0", |value| value.as_u64().is_some_and(|turns| turns > 0)),
    ("isolation", "worktree", |value| value == "worktree"),
    ("background", "true or false", Value::is_boolean),
    ("color", "a name", Value::is_string),
];

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
