use super::issue::Issue;

/// Words that stand for the maker of the agent CLI.
const MAKER: [&str; 3] = ["claude", "anthropic", "anthropics"];

const RESERVED_PREFIXES: [&str; 4] = ["claude-", "anthropic-", "anthropics-", "cc-plugin-"];

const RESERVED_NAMES: [&str; 5] = ["claude", "anthropic", "anthropics", "claude-code", "claude-mods"];

const ADVICE: &str =
    "Name it for what it does. If this is one of Anthropic's own plugins, validate the marketplace that lists it.";

const KEBAB: &str = "(lowercase letters, digits, and hyphens only, e.g., \"my-plugin\")";

/// What makes a name unusable: the plugin is refused (spec/plugins.md, name).
pub(super) fn refused_name(name: &str) -> Vec<&'static str> {
    if name.is_empty() {
        return vec!["Plugin name cannot be empty"];
    }
    let mut said = Vec::new();
    if name.contains(' ') {
        said.push("Plugin name cannot contain spaces. Use kebab-case (e.g., \"my-plugin\")");
    }
    if name.chars().any(|c| c < ' ' || is_bidi(c)) {
        said.push("Plugin name cannot contain control or bidirectional-formatting characters");
    }
    said
}

/// A character that changes the direction in which text is shown.
pub(super) fn is_bidi(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A character that nobody sees, or that only looks like a space.
pub(super) fn is_hidden(c: char) -> bool {
    is_bidi(c)
        || c.is_control()
        || (c != ' ' && c.is_whitespace())
        || matches!(
            c,
            '\u{ad}' | '\u{34f}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
        )
}

/// What the CLI says of a usable name: errors and warnings.
pub(super) fn judged_name(name: &str) -> (Vec<Issue>, Vec<Issue>) {
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    match standing(name) {
        Standing::Reserved => errors.push(Issue::new(
            "name",
            format!(
                "Plugin name \"{name}\" is reserved: it passes as one of Anthropic's own. A third party's plugin name \
                 cannot start with \"claude-\", \"anthropic-\", \"anthropics-\", or \"cc-plugin-\", be \"claude\", \
                 \"anthropic\", \"anthropics\", \"claude-code\", or \"claude-mods\", or put \"official\" beside \
                 \"claude\" or \"anthropic\". {ADVICE}"
            ),
        )),
        Standing::Mentions => warnings
            .push(Issue::new("name", format!("Plugin name \"{name}\" reads as one of Anthropic's own. {ADVICE}"))),
        Standing::Free => {}
    }
    if !is_kebab(name) {
        let reaction = if is_refused_by_path(name) {
            "Claude Code refuses a plugin with this name when it is loaded by path (such as --plugin-dir), and cannot \
             install it from a marketplace that lists it under this name. The"
        } else if is_id_part(name) {
            "Claude Code accepts it, but the"
        } else {
            "Claude Code cannot install it from a marketplace that lists it under this name. The"
        };
        warnings.push(Issue::new(
            "name",
            format!(
                "Plugin name \"{name}\" is not kebab-case. {reaction} Claude.ai marketplace sync requires kebab-case {KEBAB}."
            ),
        ));
    }
    (errors, warnings)
}

/// How close a name comes to the maker's own.
#[derive(Debug, PartialEq, Eq)]
enum Standing {
    Free,
    Mentions,
    Reserved,
}

fn standing(name: &str) -> Standing {
    let canonical = name.to_lowercase().replace(['_', '.'], "-");
    let words: Vec<&str> = canonical.split('-').collect();
    let is_maker = |word: &&str| MAKER.contains(word);
    let beside = |pair: &[&str]| pair.contains(&"official") && pair.iter().any(is_maker);
    let is_reserved = RESERVED_PREFIXES.iter().any(|prefix| canonical.starts_with(prefix))
        || RESERVED_NAMES.contains(&canonical.as_str())
        || words.windows(2).any(beside);
    match (is_reserved, words.iter().any(is_maker)) {
        (true, _) => Standing::Reserved,
        (false, true) => Standing::Mentions,
        (false, false) => Standing::Free,
    }
}

/// `^[a-z0-9]+(-[a-z0-9]+)*$`
fn is_kebab(name: &str) -> bool {
    name.split('-')
        .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()))
}

/// Whether the name can be a part of a plugin id: `^[A-Za-z0-9][A-Za-z0-9._-]*$`.
pub(super) fn is_id_part(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || ['.', '_', '-'].contains(&c))
}

/// Whether the CLI refuses to load a folder whose plugin has this name.
pub(super) fn is_refused_by_path(name: &str) -> bool {
    name.contains(['/', '\\', ':', '@']) || name.chars().any(|c| c.is_whitespace() || is_hidden(c))
}

/// Whether the name is kept from third parties.
pub(super) fn is_reserved(name: &str) -> bool {
    standing(name) == Standing::Reserved
}

/// A name with everything but ASCII letters, digits, `_` and `-` written as `-`, one for each UTF-16 unit, as JavaScript counts.
pub(super) fn slug(name: &str) -> String {
    let keep = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let mut slug = String::with_capacity(name.len());
    for c in name.chars() {
        if keep(c) {
            slug.push(c);
        } else {
            slug.extend(std::iter::repeat_n('-', c.len_utf16()));
        }
    }
    slug
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_close_to_the_makers_are_kept_from_others() {
        for name in ["claude-x", "Claude_Tools", "cc.plugin.x", "anthropics", "my-official-claude", "claude.official"] {
            assert_eq!(standing(name), Standing::Reserved, "{name}");
        }
        for name in ["my-claude", "a.Anthropic.b"] {
            assert_eq!(standing(name), Standing::Mentions, "{name}");
        }
        for name in ["claudex", "official-tools", "cc-tools"] {
            assert_eq!(standing(name), Standing::Free, "{name}");
        }
    }

    #[test]
    fn names_that_are_not_kebab_case_are_of_three_sorts() {
        let said = |name: &str| judged_name(name).1.pop().map(|issue| issue.message);
        for (name, reaction) in [
            ("MyPlugin", "Claude Code accepts it"),
            ("p--q", "Claude Code accepts it"),
            ("-p", "Claude Code cannot install it"),
            ("é", "Claude Code cannot install it"),
            ("a:b", "Claude Code refuses"),
            ("a\u{200b}b", "Claude Code refuses"),
        ] {
            let said = said(name).unwrap();
            assert!(said.contains(reaction), "{name}: {said}");
        }
        assert_eq!(said("my-plugin2"), None);
        assert_eq!(["My Skill", ".h", "A_b.c d+é@x", "😀"].map(slug), ["My-Skill", "-h", "A_b-c-d---x", "--"]);
    }
}
