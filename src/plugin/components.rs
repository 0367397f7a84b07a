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
            format!("Frontmatter must be a YAML mapping (key: value pairs), got {}.", with_article(found)),
        )),
        Frontmatter::Fields(fields) => check_fields(kind, &fields),
    }
}

fn with_article(kind: &str) -> String {
    match kind {
        "null" => kind.to_owned(),
        "array" | "object" => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}

fn check_fields(kind: Kind, fields: &Map<String, Value>) -> Said {
    let mut said = Said::default();
    let got = |name: &str| kind_of(fields.get(name));
    let mut error = |name: &str, message: String| said.errors.push(Issue::new(name, message));
    if fields.get("name").is_some_and(|name| !name.is_string() && !name.is_null()) {
        error("name", format!("name must be a string, got {}.", got("name")));
    }
    let description = fields.get("description");
    if description.is_some_and(|value| !value.is_string() && !value.is_number() && !value.is_null()) {
        let message =
            format!("description must be a string, got {}. At runtime this value is dropped.", got("description"));
        error("description", message);
    }
    if matches!(kind, Kind::Skill | Kind::Command) {
        let is_list = |value: &Value| value.as_array().is_some_and(|items| items.iter().all(Value::is_string));
        if fields.get("allowed-tools").is_some_and(|tools| !tools.is_string() && !tools.is_null() && !is_list(tools)) {
            let message = format!("allowed-tools must be a string or array of strings, got {}.", got("allowed-tools"));
            error("allowed-tools", message);
        }
        let shell = fields.get("shell").filter(|shell| !["bash", "powershell"].map(Value::from).contains(shell));
        if let Some(shell) = shell.filter(|shell| !shell.is_null()) {
            let shown = shell.as_str().map_or_else(|| kind_of(Some(shell)).to_owned(), |text| format!("'{text}'"));
            error("shell", format!("shell must be 'bash' or 'powershell', got {shown}."));
        }
    }
    if description.is_none() {
        let word = kind.word();
        let message = format!(
            "No description in frontmatter. A description helps users and Claude understand when to use this {word}."
        );
        said.warnings.push(Issue::new("description", message));
    }
    said
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
        assert!(said(Kind::Agent, "description: 5\nallowed-tools: 5").is_empty());
        let expected = [
            "name must be a string, got number.",
            "description must be a string, got array. At runtime this value is dropped.",
            "allowed-tools must be a string or array of strings, got number.",
            "shell must be 'bash' or 'powershell', got 'zsh'.",
        ];
        assert_eq!(said(Kind::Command, "name: 5\ndescription: [x, y]\nallowed-tools: 5\nshell: zsh"), expected);
        assert_eq!(said(Kind::Skill, "- x"), ["Frontmatter must be a YAML mapping (key: value pairs), got an array."]);
        assert_eq!(check(Kind::Skill, "no head").warnings[0].path, "frontmatter");
    }
}
