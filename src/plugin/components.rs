use super::frontmatter::{Document, Frontmatter};
use super::issue::{Issue, kind_of};
use super::manifest::Said;
use serde_json::{Map, Value};

/// The kinds of Markdown files whose head the CLI checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Skill,
    Agent,
    /// An agent outside of any plugin.
    LooseAgent,
    Command,
}

impl Kind {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Skill => "skill",
            Self::Agent | Self::LooseAgent => "agent",
            Self::Command => "command",
        }
    }

    /// What becomes of a file whose head is no YAML.
    fn without_head(self) -> &'static str {
        match self {
            Self::Skill => "this skill loads with empty metadata (all frontmatter fields silently dropped).",
            Self::Command => "this command loads with empty metadata (all frontmatter fields silently dropped).",
            Self::Agent => {
                "this agent loads with its name taken from the filename and every other frontmatter field silently \
                 dropped."
            }
            Self::LooseAgent => {
                "this agent does not load at all — with no frontmatter name it is treated as a co-located reference \
                 document and skipped."
            }
        }
    }
}

/// What the CLI says of a skill, agent or command (spec/plugins.md, Agents and Skills and commands).
pub(super) fn check(kind: Kind, text: &str) -> Said {
    match Document::parse(text).head {
        Frontmatter::Absent if kind == Kind::LooseAgent => Said::default(),
        Frontmatter::Fields(fields) if kind == Kind::LooseAgent => check_loose(&fields),
        Frontmatter::Absent => Said::warning(Issue::new(
            "frontmatter",
            "No frontmatter block found. Add YAML frontmatter between --- delimiters at the top of the file to set \
             description and other metadata.",
        )),
        Frontmatter::Broken(error) => Said::error(Issue::new(
            "frontmatter",
            format!("YAML frontmatter failed to parse: YAML Parse error: {error}. At runtime {}", kind.without_head()),
        )),
        Frontmatter::NoMapping(found) => Said::error(Issue::new(
            "frontmatter",
            format!("Frontmatter must be a YAML mapping (key: value pairs), got {found}."),
        )),
        Frontmatter::Fields(fields) => check_fields(kind, &fields),
    }
}

/// Outside of a plugin, what has no name is no agent but a text beside them.
fn check_loose(fields: &Map<String, Value>) -> Said {
    match fields.get("name").filter(|name| !name.is_null()) {
        None => Said::default(),
        Some(Value::String(_)) => check_fields(Kind::LooseAgent, fields),
        Some(_) => Said { warnings: Vec::new(), ..check_fields(Kind::LooseAgent, fields) },
    }
}

/// The kind of a YAML value as JavaScript's `typeof` calls it.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null | Value::Array(_) | Value::Object(_) => "object",
        Value::Number(_) => "number",
        Value::Bool(_) | Value::String(_) => kind_of(Some(value)),
    }
}

/// As [`type_of`], and a list is called one.
fn kind(value: &Value) -> &'static str {
    if value.is_array() { "array" } else { type_of(value) }
}

fn check_fields(component: Kind, fields: &Map<String, Value>) -> Said {
    let mut said = Said::default();
    let field = |name: &str| fields.get(name).filter(|value| !value.is_null());
    let mut error = |name: &str, message: String| said.errors.push(Issue::new(name, message));
    if let Some(name) = field("name").filter(|name| !name.is_string()) {
        error("name", format!("name must be a string, got {}.", type_of(name)));
    }
    if let Some(list) = field("description").filter(|value| value.is_array() || value.is_object()) {
        let message = format!("description must be a string, got {}. At runtime this value is dropped.", kind(list));
        error("description", message);
    }
    match field("allowed-tools") {
        None | Some(Value::String(_)) => {}
        Some(Value::Array(tools)) if tools.iter().all(Value::is_string) => {}
        Some(Value::Array(_)) => error("allowed-tools", "allowed-tools array must contain only strings.".to_owned()),
        Some(other) => {
            error("allowed-tools", format!("allowed-tools must be a string or array of strings, got {}.", kind(other)));
        }
    }
    if matches!(component, Kind::Skill | Kind::Command)
        && let Some(wrong) = field("shell").and_then(wrong_shell)
    {
        error("shell", wrong);
    }
    if !fields.contains_key("description") {
        let word = component.word();
        let message = format!(
            "No description in frontmatter. A description helps users and Claude understand when to use this {word}."
        );
        said.warnings.push(Issue::new("description", message));
    }
    said
}

fn wrong_shell(shell: &Value) -> Option<String> {
    let Some(text) = shell.as_str() else { return Some(format!("shell must be a string, got {}.", type_of(shell))) };
    let is_known = ["bash", "powershell"].contains(&text.trim().to_lowercase().as_str());
    (!is_known).then(|| format!("shell must be 'bash' or 'powershell', got '{text}'."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_checked_field_by_field() {
        let said = |kind, head: &str| {
            let said = check(kind, &format!("---\n{head}\n---\nBody.\n"));
            said.errors.into_iter().chain(said.warnings).map(|issue| issue.message).collect::<Vec<_>>()
        };
        assert!(said(Kind::Skill, "description: ''").is_empty());
        assert!(said(Kind::Agent, "description: true\nallowed-tools: [x]\nshell: zsh").is_empty());
        assert!(said(Kind::Skill, "description: 5\nshell: ' Bash '").is_empty());
        let expected = [
            "name must be a string, got number.",
            "description must be a string, got array. At runtime this value is dropped.",
            "allowed-tools must be a string or array of strings, got number.",
            "shell must be 'bash' or 'powershell', got 'zsh'.",
        ];
        assert_eq!(said(Kind::Command, "name: 5\ndescription: [x, y]\nallowed-tools: 5\nshell: zsh"), expected);
        assert_eq!(said(Kind::Skill, "- x"), ["Frontmatter must be a YAML mapping (key: value pairs), got an array."]);
        assert_eq!(
            said(Kind::Agent, "name: [x]\ndescription: d\nallowed-tools: [5]"),
            ["name must be a string, got object.", "allowed-tools array must contain only strings.",]
        );
        assert_eq!(check(Kind::Skill, "no head").warnings[0].path, "frontmatter");
    }
}
