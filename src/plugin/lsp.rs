use super::issue::{
    Faults, Field, above_zero, boolean, list_of, one_of, record_of, some_text, strict_object, string, string_record,
    whole,
};
use super::json;
use serde::Serialize;
use serde_json::Value;

const FIELDS: [Field; 13] = [
    ("command", true, command),
    ("args", false, |path, value| list_of(path, value, some_text)),
    ("extensionToLanguage", true, extensions),
    ("transport", false, |path, value| one_of(path, value, &["stdio", "socket"])),
    ("env", false, string_record),
    ("initializationOptions", false, |_, _| Faults::none()),
    ("settings", false, |_, _| Faults::none()),
    ("workspaceFolder", false, string),
    ("startupTimeout", false, positive),
    ("shutdownTimeout", false, positive),
    ("restartOnCrash", false, boolean),
    ("maxRestarts", false, not_negative),
    ("diagnostics", false, boolean),
];

/// A language server that loads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LspServer {
    /// Name.
    pub name: String,
    /// Program.
    pub command: String,
    /// Arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<Vec<String>>,
    /// Extensions of the files that it is for.
    #[serde(skip)]
    pub extensions: Vec<String>,
}

/// The language servers of one file or field, and what is wrong with those that do not load.
#[derive(Debug, Clone, Default)]
pub(super) struct LspReading {
    pub(super) servers: Vec<LspServer>,
    pub(super) faults: Faults,
    /// All names, in file order.
    pub(super) names: Vec<String>,
}

/// Servers by name, each strictly checked (spec/plugins.md, LSP).
pub(super) fn servers(path: &str, value: &Value) -> Faults {
    record_of(path, value, |path, _, server| strict_object(path, server, &FIELDS))
}

/// Reads a file.
pub(super) fn file(text: &str) -> LspReading {
    match json::parse(text) {
        Ok(value) => read(&value),
        Err(message) => LspReading { faults: Faults::wrong_kind("json", message), ..LspReading::default() },
    }
}

/// Reads servers by name.
pub(super) fn read(value: &Value) -> LspReading {
    let mut reading = LspReading::default();
    let Value::Object(all) = value else {
        reading.faults = servers("", value);
        return reading;
    };
    for (name, server) in all {
        reading.names.push(name.clone());
        let faults = strict_object(name, server, &FIELDS);
        if !faults.is_empty() {
            reading.faults.add(faults);
            continue;
        }
        let args = server.get("args").and_then(Value::as_array);
        let args = args.map(|args| args.iter().filter_map(Value::as_str).map(ToOwned::to_owned).collect());
        let extensions = server.get("extensionToLanguage").and_then(Value::as_object);
        reading.servers.push(LspServer {
            name: name.clone(),
            command: server.get("command").and_then(Value::as_str).unwrap_or_default().to_owned(),
            args,
            extensions: extensions.map(|of| of.keys().cloned().collect()).unwrap_or_default(),
        });
    }
    reading
}

fn command(path: &str, value: &Value) -> Faults {
    match value.as_str() {
        Some(text) if text.contains(' ') && !text.starts_with('/') => {
            Faults::broken_rule(path, "Command should not contain spaces. Use args array for arguments.")
        }
        _ => some_text(path, value),
    }
}

fn extensions(path: &str, value: &Value) -> Faults {
    if value.as_object().is_some_and(serde_json::Map::is_empty) {
        return Faults::broken_rule(path, "At least one extension mapping is required");
    }
    record_of(path, value, |path, extension, language| {
        if extension.starts_with('.') {
            some_text(path, language)
        } else {
            Faults::wrong_kind(path, "Invalid key in record")
        }
    })
}

fn positive(path: &str, value: &Value) -> Faults {
    [whole(path, value), above_zero(path, value)].into_iter().find(|faults| !faults.is_empty()).unwrap_or_default()
}

fn not_negative(path: &str, value: &Value) -> Faults {
    match value.as_f64() {
        Some(number) if number < 0.0 => Faults::broken_rule(path, "Too small: expected number to be >=0"),
        _ => whole(path, value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_server_with_any_fault_is_left_out_and_the_others_stay() {
        let good = json!({"command": "gopls", "extensionToLanguage": {".go": "go"}});
        let with = |name: &str, value: Value| {
            let mut server = good.clone();
            server[name] = value;
            server
        };
        for (name, value) in [
            ("command", json!("two words")),
            ("extensionToLanguage", json!({})),
            ("extensionToLanguage", json!({"go": "go"})),
            ("args", json!([""])),
            ("startupTimeout", json!(0)),
            ("startupTimeout", json!(1.5)),
            ("maxRestarts", json!(-1)),
            ("foo", json!(1)),
        ] {
            let reading = read(&json!({"bad": with(name, value.clone()), "good": good}));
            let names: Vec<_> = reading.servers.iter().map(|server| server.name.as_str()).collect();
            assert_eq!((names, reading.faults.issues.len()), (vec!["good"], 1), "{name} {value}");
        }
        assert!(read(&json!({"a": with("command", json!("/opt/two words"))})).faults.is_empty());
    }
}
