use super::issue::{Faults, Field, list_of, some_text, strict_object, string};
use super::json;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;

const FIELDS: [Field; 4] =
    [("name", true, some_text), ("command", true, some_text), ("description", true, some_text), ("when", false, when)];

const ON_SKILL: &str = "on-skill-invoke:";

/// A command that runs beside a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Monitor {
    /// Name.
    pub name: String,
    /// Command line, run by a shell.
    pub command: String,
    /// The skill that starts it; without one it starts with the session.
    #[serde(skip)]
    pub skill: Option<String>,
    /// The file that declares it, from the directory that was read.
    #[serde(skip)]
    pub file: String,
}

/// A list of monitors (spec/plugins.md, Monitors).
pub(super) fn monitors(path: &str, value: &Value) -> Faults {
    let mut faults = list_of(path, value, |path, monitor| strict_object(path, monitor, &FIELDS));
    let names: Vec<&str> =
        value.as_array().into_iter().flatten().filter_map(|monitor| monitor.get("name")?.as_str()).collect();
    if !faults.is_wrong_kind() && names.iter().collect::<BTreeSet<_>>().len() < names.len() {
        faults.add(Faults::broken_rule(path, "Monitor names must be unique within a plugin"));
    }
    faults
}

fn when(path: &str, value: &Value) -> Faults {
    let Some(text) = value.as_str() else { return string(path, value) };
    if text == "always" {
        return Faults::none();
    }
    let skill = text.strip_prefix(ON_SKILL);
    let mut faults = Faults::none();
    if skill.is_none() {
        faults.add(Faults::broken_rule(path, format!("Invalid string: must start with \"{ON_SKILL}\"")));
    }
    if skill.is_none_or(str::is_empty) {
        faults.add(Faults::broken_rule(path, "on-skill-invoke: must specify a skill name"));
    }
    faults
}

/// Reads a file: its monitors, and what keeps all of them from loading.
pub(super) fn file(text: &str) -> (Vec<Monitor>, Faults) {
    match json::parse(text) {
        Ok(value) => (read(&value), monitors("", &value)),
        Err(message) => (Vec::new(), Faults::wrong_kind("json", message)),
    }
}

/// The monitors of a list. Where one is not in order, what it lacks is empty.
pub(super) fn read(value: &Value) -> Vec<Monitor> {
    let text = |monitor: &Value, name: &str| monitor.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let monitor = |value: &Value| Monitor {
        name: text(value, "name"),
        command: text(value, "command"),
        skill: text(value, "when").strip_prefix(ON_SKILL).map(ToOwned::to_owned),
        file: String::new(),
    };
    value.as_array().into_iter().flatten().map(monitor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn monitors_run_always_or_with_a_skill() {
        let said = |when: &str| {
            let monitor = json!([{"name": "m", "command": "c", "description": "d", "when": when}]);
            monitors("m", &monitor).issues.into_iter().map(|issue| issue.message).collect::<Vec<_>>()
        };
        assert!(said("always").is_empty() && said("on-skill-invoke:a").is_empty());
        assert_eq!(said("on-skill-invoke:"), ["on-skill-invoke: must specify a skill name"]);
        assert_eq!(said("sometimes").len(), 2);
    }
}
