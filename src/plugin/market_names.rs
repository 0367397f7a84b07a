use super::issue::Issue;
use super::manifest::Said;
use super::names::{HIDDEN, Standing, is_id_part, mentioned, refused_characters, reserved, visible};
use regex::Regex;
use std::sync::LazyLock;

/// Names of marketplaces that the CLI uses itself, and what for.
const RESERVED: [(&str, &str); 4] = [
    ("inline", "--plugin-dir session plugins"),
    ("builtin", "built-in plugins"),
    ("skills-dir", "plugins auto-loaded from .claude/skills/"),
    ("synced", "plugins synced from your claude.ai account"),
];

/// The maker's own marketplaces whose names would pass as an imitation.
const OWN: [&str; 3] = ["claude-plugins-official", "anthropic-marketplace", "anthropic-plugins"];

/// Longest name that Claude Desktop takes.
const MAX_LENGTH: usize = 128;

const ID_PART: &str = "Each part of a plugin id (plugin@marketplace) may use only the letters a-z and A-Z, digits, \".\", \
                       \"_\" and \"-\", and must start with a letter or digit.";

/// What the CLI says of the name of a marketplace (spec/plugins.md, marketplace.json).
pub(super) fn of_marketplace(name: &str) -> Said {
    let mut said = Said::default();
    let mut error = |message: String| said.errors.push(Issue::new("name", message));
    if name.is_empty() {
        error("Marketplace must have a name".to_owned());
        return said;
    }
    if name.contains(' ') {
        error("Marketplace name cannot contain spaces. Use kebab-case (e.g., \"my-marketplace\")".to_owned());
    }
    if name.contains(['/', '\\']) || name.contains("..") || name == "." {
        error("Marketplace name cannot contain path separators (/ or \\), \"..\" sequences, or be \".\"".to_owned());
    }
    if refused_characters(name) {
        error("Marketplace name cannot contain control or bidirectional-formatting characters".to_owned());
    }
    if let Some((reserved, what)) = RESERVED.iter().find(|(reserved, _)| *reserved == name.to_lowercase()) {
        error(format!("Marketplace name \"{reserved}\" is reserved for {what}"));
    }
    if is_impersonating(name) {
        error("Marketplace name impersonates an official Anthropic/Claude marketplace".to_owned());
    }
    if !is_id_part(name) {
        let hidden = hidden(name);
        error(format!(
            "Claude Code cannot install plugins from marketplace \"{name}\". {ID_PART} Change the marketplace's \
             \"name\".{hidden}"
        ));
    }
    said.warnings
        .extend(desktop("Marketplace", name, "reject the whole marketplace").map(|said| Issue::new("name", said)));
    said
}

/// A name with `official` beside the maker's, one that begins as the maker's own do, or one that could look like them.
fn is_impersonating(name: &str) -> bool {
    static IMITATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let maker = "(?:anthropic|claude)";
        let apart = "[^a-z0-9]*";
        Regex::new(&format!(
            "official{apart}{maker}|{maker}{apart}official|^{maker}{apart}(?:marketplace|plugins|official)"
        ))
        .ok()
    });
    let name = name.to_lowercase();
    let is_plain = name.chars().all(|c| (' '..='~').contains(&c));
    !OWN.contains(&name.as_str())
        && (!is_plain || IMITATION.as_ref().is_some_and(|imitation| imitation.is_match(&name)))
}

/// What Claude Desktop does not take.
fn desktop(what: &str, name: &str, consequence: &str) -> Option<String> {
    let is_accepted = is_id_part(name);
    if is_accepted && name.len() <= MAX_LENGTH {
        return None;
    }
    let but = if is_accepted { "Claude Code accepts it, but the" } else { "The" };
    let hidden = hidden(name);
    Some(format!(
        "{what} name \"{name}\" is not accepted by Claude Desktop (letters, digits, \".\", \"_\", \"-\"; must start \
         alphanumeric; max 128 chars). {but} Claude Desktop managed marketplace sync (allowedPluginMarketplaces) will \
         {consequence}.{hidden}"
    ))
}

fn hidden(name: &str) -> &'static str {
    if visible(name) == name { "" } else { HIDDEN }
}

/// What the CLI says of the name of an entry, at the path of that entry.
pub(super) fn of_entry(path: &str, name: &str) -> Said {
    let mut said = Said::default();
    let path = format!("{path}.name");
    match Standing::of(name) {
        Standing::Reserved => said.errors.push(Issue::new(&path, reserved(name))),
        Standing::Mentions => said.warnings.push(Issue::new(&path, mentioned(name))),
        Standing::Free => {}
    }
    if !is_id_part(name) {
        let hidden = hidden(name);
        let message =
            format!("Claude Code cannot install plugin \"{name}\". {ID_PART} Change this entry's \"name\".{hidden}");
        said.errors.push(Issue::new(&path, message));
    }
    said.warnings.extend(desktop("Plugin", name, "drop this entry").map(|said| Issue::new(&path, said)));
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marketplace_does_not_pass_as_the_makers() {
        for name in [
            "claude-marketplace",
            "claude_plugins-x",
            "Claude-Official",
            "my-official-claude-x",
            "claude-official-x",
            "ä",
        ] {
            assert!(is_impersonating(name), "{name}");
        }
        for name in ["claude-plugins-official", "claude-foo", "x-claude-plugins", "claude-code-plugins", "official"] {
            assert!(!is_impersonating(name), "{name}");
        }
    }

    #[test]
    fn long_names_are_only_refused_by_the_desktop() {
        let said = of_marketplace(&"x".repeat(129));
        assert!(said.errors.is_empty() && said.warnings[0].message.contains("Claude Code accepts it, but the"));
        assert!(of_marketplace(&"x".repeat(128)).is_empty());
        let said = of_entry("plugins[0]", "a\u{200b}b");
        assert_eq!((said.errors.len(), said.warnings.len()), (1, 1));
        assert!(said.errors[0].message.ends_with(HIDDEN));
    }
}
