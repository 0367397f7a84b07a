use super::issue::{Issue, kind_of};
use super::root::{Root, Text};
use super::tree::{join, normal, parent};
use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;

/// What the CLI says of the hooks modules that a hooks file names. Whether a module is one is only guessed from its export;
/// its code is not looked at.
pub(super) fn check(root: &Root<'_>, file: &str, modules: Option<&Value>) -> Vec<Issue> {
    let Some(modules) = modules else { return Vec::new() };
    let Value::Array(entries) = modules else {
        let said = format!("Invalid input: expected array, received {}", kind_of(Some(modules)));
        return vec![Issue::new("modules", said)];
    };
    let mut issues: Vec<Issue> = entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| !entry.is_string())
        .map(|(at, entry)| {
            let said = format!("Invalid input: expected string, received {}", kind_of(Some(entry)));
            Issue::new(format!("modules.{at}"), said)
        })
        .collect();
    if entries.len() > 1 {
        let said = "hooks.json `modules` names one hooks module per plugin; a second entry is refused";
        issues.push(Issue::new("modules", said));
    }
    if let [Value::String(module)] = entries.as_slice() {
        issues.extend(module_itself(root, file, module));
    }
    issues
}

const NO_REGISTER: &str = "no export named register (export function register(on, options) {...}); $ is always spelled \
     $.noun.event(...) at the call site, on is always on(\"<event>\", hook), and next.to always next.to(e, \"<tier>\")";

fn module_itself(root: &Root<'_>, file: &str, module: &str) -> Option<Issue> {
    static REGISTER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"export\s+(?:(?:async\s+)?function|const|let|var)\s+register\b|export\s*\{[^}]*\bregister\b").ok()
    });
    let path = normal(&join(parent(file), module))?;
    let why = match root.text(&path) {
        Text::Missing => "no such file",
        Text::Is(text) if !REGISTER.as_ref().is_some_and(|register| register.is_match(text)) => NO_REGISTER,
        Text::Is(_) | Text::NotRegular | Text::TooLong | Text::Failed(_) => return None,
    };
    Some(Issue::new(format!("modules.{module}"), format!("plugin: {}: {why}", root.shown(&path))))
}
