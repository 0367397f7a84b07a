use super::addresses::listed_of_hook;
use super::hook_fields::{EVENTS, fields_of};
use super::issue::{Faults, Field, Issue, any_object, kind_of, strict_fields, string};
use super::issue::{expected, fields};
use super::json;
use super::manifest::Said;
use super::unquoted;
use serde::Serialize;
use serde_json::{Map, Value};

/// A hook of these events may be what guards permissions: the CLI refuses the plugin rather than run without it.
const GUARDS: [&str; 2] = ["PreToolUse", "PermissionRequest"];

const REFUSED: &str = " — a PreToolUse/PermissionRequest hook that cannot be loaded may be what guards the permissions \
                       declared beside it, so nothing it sits in is applied until the entry is fixed or removed";

/// Levels of fields below one that is no event in which the CLI looks for guards.
const GUARD_DEPTH: usize = 3;

const IGNORED: &str = "; entry ignored at runtime";

/// A hook that loads.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Hook {
    /// Event.
    pub event: String,
    /// Which tools or sources it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    /// `command`, `http`, `mcp_tool`, `prompt` or `agent`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Command line, or the program if there are arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Arguments: the command is then started without a shell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<Vec<String>>,
    /// Address of an `http` hook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Server of an `mcp_tool` hook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Tool of an `mcp_tool` hook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Text for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The command is for PowerShell.
    #[serde(skip)]
    pub(super) is_powershell: bool,
    /// The file that declares it, from the directory that was read.
    #[serde(skip)]
    pub file: String,
}

/// The hooks of one file or one field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct HookReading {
    pub(super) said: Said,
    pub(super) hooks: Vec<Hook>,
    /// Events with a list of matchers, in file order, whether their hooks load or not.
    pub(super) events: Vec<String>,
    /// The hooks modules that a file names.
    pub(super) modules: Option<Value>,
}

/// Reads a hooks file.
pub(super) fn file(text: &str) -> HookReading {
    let failed = |path: &str, message: String| HookReading {
        said: Said::error(Issue::new(path, message)),
        ..HookReading::default()
    };
    let value = match json::parse(text) {
        Ok(value) => value,
        Err(message) => {
            let said = format!("Invalid JSON syntax: {message}. At runtime this breaks the entire plugin load.");
            return failed("json", said);
        }
    };
    let Value::Object(object) = value else {
        return failed("root", format!("Invalid input: expected object, received {}", kind_of(Some(&value))));
    };
    let modules = object.get("modules").filter(|modules| modules.as_array().is_none_or(|list| !list.is_empty()));
    let mut reading = match object.get("hooks") {
        Some(Value::Object(events)) => read(events),
        Some(Value::Array(list)) if !list.is_empty() => {
            let said = "PreToolUse/PermissionRequest is declared at the top level, outside the \"hooks\" object";
            failed("hooks", format!("{said}{REFUSED}"))
        }
        Some(other) => failed("hooks", format!("Invalid input: expected record, received {}", kind_of(Some(other)))),
        None if modules.is_some() => HookReading::default(),
        None => failed(
            "root",
            "hooks.json must have `hooks` (the hook matchers) or `modules` (hooks modules), or both".to_owned(),
        ),
    };
    if let Some(description) = object.get("description").filter(|_| reading.said.errors.is_empty()) {
        let wrong = string("description", description).issues;
        if !wrong.is_empty() {
            reading = HookReading { said: Said { errors: wrong, ..reading.said }, ..HookReading::default() };
        }
    }
    if reading.said.errors.is_empty() {
        reading.said.warnings.extend(reading.hooks.iter().filter_map(unquoted::check));
    }
    HookReading { modules: modules.cloned(), ..reading }
}

/// Reads matchers by event, as they stand in a file below `hooks` and in a manifest.
pub(super) fn read(events: &Map<String, Value>) -> HookReading {
    let mut reading = HookReading::default();
    for (event, groups) in events {
        reading.event(event, groups);
    }
    reading
}

/// Matchers by event where nothing may be wrong: in an entry of a marketplace.
pub(super) fn strict(path: &str, value: &Value) -> Faults {
    let Value::Object(events) = value else { return any_object(path, value) };
    let mut reading = HookReading::default();
    for (event, groups) in events.iter().filter(|(event, _)| EVENTS.contains(&event.as_str())) {
        reading.event(event, groups);
    }
    let known: [Field; 33] = EVENTS.map(|event| -> Field { (event, false, |_, _| Faults::none()) });
    if reading.said.is_empty() {
        strict_fields(path, events, &known)
    } else {
        Faults::wrong_kind(path, "Invalid input")
    }
}

impl HookReading {
    fn event(&mut self, event: &str, groups: &Value) {
        if !EVENTS.contains(&event) {
            if holds_guards(groups) {
                let said = "not a hook event, but it holds PreToolUse/PermissionRequest hooks";
                self.said.errors.push(Issue::new("hooks", format!("hooks.{event}: {said}{REFUSED}")));
            } else {
                self.fault(event, "", "unknown hook event");
            }
            return;
        }
        let Value::Array(groups) = groups else {
            self.fault(event, "", &format!("must be an array of matchers; received {}", a_kind(Some(groups))));
            return;
        };
        self.events.push(event.to_owned());
        for (at, group) in groups.iter().enumerate() {
            self.group(event, &format!(".{at}"), group);
        }
    }

    fn group(&mut self, event: &str, at: &str, group: &Value) {
        let Value::Object(fields) = group else {
            self.fault(event, at, &format!("Hook matcher must be an object; received {}", a_kind(Some(group))));
            return;
        };
        let entries = match fields.get("hooks") {
            Some(Value::Array(entries)) => entries,
            other => {
                let said =
                    format!("Hook matcher \"hooks\" must be an array of hook entries; received {}", a_kind(other));
                self.fault(event, at, &said);
                return;
            }
        };
        let matcher = fields.get("matcher");
        if let Some(wrong) = matcher.filter(|matcher| !matcher.is_string()) {
            let said = listed(&expected("matcher", "string", Some(wrong)));
            self.fault(event, at, &format!("Invalid hook matcher ({said})"));
            return;
        }
        let matcher = matcher.and_then(Value::as_str);
        for (number, entry) in entries.iter().enumerate() {
            match hook(event, matcher, entry) {
                Ok(hook) => self.hooks.push(hook),
                Err(reason) => self.fault(event, &format!("{at}.hooks.{number}"), &reason),
            }
        }
    }

    fn fault(&mut self, event: &str, at: &str, reason: &str) {
        let guards = GUARDS.contains(&event);
        let issue =
            Issue::new("hooks", format!("hooks.{event}{at}: {reason}{}", if guards { REFUSED } else { IGNORED }));
        if guards { self.said.errors.push(issue) } else { self.said.warnings.push(issue) }
    }
}

/// Whether hooks of a guard stand somewhere in the value of a field that is no event, as deep as the CLI looks.
fn holds_guards(value: &Value) -> bool {
    let mut level = vec![value];
    for _ in 0..=GUARD_DEPTH {
        let is_something = |value: &Value| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty());
        let is_guarded = |value: &&Value| GUARDS.iter().any(|guard| value.get(guard).is_some_and(is_something));
        if level.iter().any(is_guarded) {
            return true;
        }
        level = level.into_iter().flat_map(children).collect();
    }
    false
}

fn children(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(fields) => fields.values().collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

fn hook(event: &str, matcher: Option<&str>, entry: &Value) -> Result<Hook, String> {
    let Value::Object(object) = entry else {
        return Err(format!("Hook entry must be an object; received {}", a_kind(Some(entry))));
    };
    let Some(kind) = object.get("type") else { return Err("Hook entry has no \"type\"".to_owned()) };
    let Some(kind) = kind.as_str() else {
        return Err(format!("Hook entry \"type\" must be a string; received {}", a_kind(Some(kind))));
    };
    let Some(table) = fields_of(kind) else { return Err(format!("Unknown hook type \"{kind}\"")) };
    let faults = fields("", object, table);
    if !faults.is_empty() {
        return Err(format!("Invalid {kind} hook ({})", listed(&faults)));
    }
    let text = |name: &str| object.get(name).and_then(Value::as_str).map(ToOwned::to_owned);
    let of = |name: &str| text(name).filter(|_| table.iter().any(|(known, required, _)| *known == name && *required));
    let args = object.get("args").and_then(Value::as_array).filter(|_| of("command").is_some());
    Ok(Hook {
        event: event.to_owned(),
        matcher: matcher.map(ToOwned::to_owned),
        kind: kind.to_owned(),
        command: of("command"),
        args: args.map(|args| args.iter().filter_map(Value::as_str).map(ToOwned::to_owned).collect()),
        url: of("url").map(|url| listed_of_hook(&url)),
        server: of("server"),
        tool: of("tool"),
        prompt: of("prompt"),
        is_powershell: object.get("shell").is_some_and(|shell| shell == "powershell"),
        file: String::new(),
    })
}

fn listed(faults: &Faults) -> String {
    let said: Vec<String> = faults.issues.iter().map(|issue| format!("{}: {}", issue.path, issue.message)).collect();
    said.join("; ")
}

fn a_kind(value: Option<&Value>) -> String {
    match kind_of(value) {
        kind @ ("undefined" | "null") => kind.to_owned(),
        kind @ ("array" | "object") => format!("an {kind}"),
        kind => format!("a {kind}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(events: &Value) -> Vec<String> {
        let said = read(events.as_object().unwrap()).said;
        said.errors.into_iter().chain(said.warnings).map(|issue| issue.message).collect()
    }

    #[test]
    fn what_does_not_load_is_told_at_its_place() {
        let events = json!({
            "Nope": [], "Stop": "x", "Notification": [5], "SessionEnd": [{"hooks": "x"}, {}],
            "PostToolUse": [{"hooks": [{}, {"type": "shell"}, 5]}],
        });
        let expected = [
            "hooks.Nope: unknown hook event",
            "hooks.Stop: must be an array of matchers; received a string",
            "hooks.Notification.0: Hook matcher must be an object; received a number",
            "hooks.SessionEnd.0: Hook matcher \"hooks\" must be an array of hook entries; received a string",
            "hooks.SessionEnd.1: Hook matcher \"hooks\" must be an array of hook entries; received undefined",
            "hooks.PostToolUse.0.hooks.0: Hook entry has no \"type\"",
            "hooks.PostToolUse.0.hooks.1: Unknown hook type \"shell\"",
            "hooks.PostToolUse.0.hooks.2: Hook entry must be an object; received a number",
        ];
        assert_eq!(said(&events), expected.map(|said| format!("{said}{IGNORED}")));
    }

    #[test]
    fn a_guard_that_does_not_load_is_an_error() {
        let reading = read(json!({"PermissionRequest": [{"hooks": [{"type": "command"}]}]}).as_object().unwrap());
        assert!(reading.said.errors.len() == 1 && reading.said.warnings.is_empty());
        assert!(reading.said.errors[0].message.ends_with(REFUSED));
    }
}
