//! Placeholders that a shell splits at blanks.

use super::hooks::Hook;
use super::issue::Issue;
use super::names::visible;

/// Placeholders that stand for paths.
const PATHS: [&str; 3] = ["CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA", "CLAUDE_PROJECT_DIR"];

/// UTF-16 units of a command that are shown.
const SHOWN: usize = 200;

/// What the CLI says of a hook in a file whose command is for a POSIX shell and holds such placeholders without quotes.
pub(super) fn check(hook: &Hook) -> Option<Issue> {
    let command = hook.command.as_deref().filter(|_| hook.args.is_none() && !hook.is_powershell)?;
    let found = unquoted(command);
    (!found.is_empty()).then(|| {
        let said = format!(
            "Shell command uses {} without quotes: {}. If the expanded path contains a space the command can split into \
             several words and fail. Wrap the placeholder in double quotes, or use exec form: {{\"command\": \
             \"<executable>\", \"args\": [\"${{CLAUDE_PLUGIN_ROOT}}/...\"]}}.",
            found.join(", "),
            shortened(command)
        );
        Issue::new(format!("hooks.{}", hook.event), said)
    })
}

/// The placeholders outside of quotes, each once, in their order.
fn unquoted(command: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut in_single, mut in_double) = (false, false);
    let mut chars = command.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' if !in_single => drop(chars.next()),
            '\'' if !in_double => in_single = !in_single,
            '"' if !in_single => in_double = !in_double,
            '$' if !in_single && !in_double => {
                let rest = command.get(at + 1..).unwrap_or_default();
                let name = PATHS.into_iter().find(|name| names(rest, name)).map(|name| format!("${{{name}}}"));
                found.extend(name.filter(|name| !found.contains(name)));
            }
            _ => {}
        }
    }
    found
}

/// Whether what follows a dollar sign is this variable, in braces or not.
fn names(rest: &str, name: &str) -> bool {
    let braced = rest.strip_prefix('{').and_then(|rest| rest.strip_prefix(name));
    let bare = rest.strip_prefix(name);
    braced.is_some_and(|rest| rest.starts_with('}'))
        || bare.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
}

/// The beginning of a long command, and how much is left out.
fn shortened(command: &str) -> String {
    let command = visible(command);
    let units = command.encode_utf16().count();
    if units <= SHOWN {
        return command;
    }
    let mut seen = 0;
    let head: String = command
        .chars()
        .take_while(|c| {
            seen += c.len_utf16();
            seen <= SHOWN
        })
        .collect();
    let left = units - head.encode_utf16().count();
    format!("{head}… [+{left} chars]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_shell_would_split_is_told() {
        for (command, expected) in [
            ("${CLAUDE_PLUGIN_ROOT}/x", 1),
            ("X=$CLAUDE_PLUGIN_DATA", 1),
            ("\\\"${CLAUDE_PROJECT_DIR}\\\"", 1),
            ("${CLAUDE_PLUGIN_ROOT} $CLAUDE_PLUGIN_ROOT $CLAUDE_PLUGIN_DATA", 2),
            ("\"${CLAUDE_PLUGIN_ROOT}\"/x '${CLAUDE_PLUGIN_ROOT}'", 0),
            ("\\$CLAUDE_PLUGIN_ROOT $CLAUDE_PLUGIN_ROOTS ${CLAUDE_PLUGIN_ROOT:-x}", 0),
        ] {
            assert_eq!(unquoted(command).len(), expected, "{command}");
        }
        assert_eq!(shortened(&"é".repeat(205)), format!("{}… [+5 chars]", "é".repeat(200)));
    }
}
