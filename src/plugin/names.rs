use super::issue::Issue;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Words that stand for the maker of the agent CLI.
const MAKER: [&str; 3] = ["claude", "anthropic", "anthropics"];

/// Beginnings, of which each letter may stand apart.
const RESERVED_PREFIXES: [&str; 4] = ["claude", "anthropic", "anthropics", "ccplugin"];

const RESERVED_NAMES: [&str; 5] = ["claude", "anthropic", "anthropics", "claudecode", "claudemods"];

const OFFICIAL: [&str; 4] = ["officialclaude", "claudeofficial", "officialanthropic", "anthropicofficial"];

/// What to do about a name that is close to the maker's.
const ADVICE: &str = "Name it for what it does.";

/// What the maker itself does about such a name.
pub(super) const OWN: &str = " If this is one of Anthropic's own plugins, validate the marketplace that lists it.";

/// What is said of a name that is not shown whole.
pub(super) const HIDDEN: &str = " The name holds a character that is not shown here.";

/// What makes a name unusable: the plugin is refused (spec/plugins.md, name).
pub(super) fn refused_name(name: &str) -> Vec<&'static str> {
    if name.is_empty() {
        return vec!["Plugin name cannot be empty"];
    }
    let mut said = Vec::new();
    if name.contains(' ') {
        said.push("Plugin name cannot contain spaces. Use kebab-case (e.g., \"my-plugin\")");
    }
    if refused_characters(name) {
        said.push("Plugin name cannot contain control or bidirectional-formatting characters");
    }
    said
}

/// Whether a name holds a control character, or one that changes the direction of text.
pub(super) fn refused_characters(name: &str) -> bool {
    name.chars().any(|c| c.is_control() || (is_bidi(c) && c != ARABIC_MARK))
}

/// It changes the direction of text too, and is not refused.
const ARABIC_MARK: char = '\u{61c}';

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
            '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}' | '\u{8e2}'
            | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200d}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
        )
}

/// A text as the CLI shows it in its messages: a blank of any sort is a space, and what nobody sees is left out.
pub(super) fn visible(text: &str) -> String {
    let blank = |c: char| c.is_whitespace() && c != '\u{85}';
    text.chars().filter(|c| blank(*c) || !is_hidden(*c)).map(|c| if blank(c) { ' ' } else { c }).collect()
}

/// A name as the CLI prints it in its tables: [`visible`], and without the sequences that steer a terminal.
pub(super) fn printable(name: &str) -> String {
    visible(&without_sequences(name)).trim().to_owned()
}

/// The character with which sequences that steer a terminal begin.
pub(super) const ESCAPE: char = '\u{1b}';

/// A text without such sequences: an escape with the letter after it, and with parameters before that if it is `[`.
pub(super) fn without_sequences(text: &str) -> String {
    let mut parts = text.split(ESCAPE);
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = match part.strip_prefix('[') {
            Some(rest) => rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ';' | '?')),
            None => part,
        };
        kept.push_str(rest.strip_prefix(|c: char| c.is_ascii_alphabetic()).unwrap_or(rest));
    }
    kept
}

/// What the CLI says of a usable name: errors and warnings.
pub(super) fn judged_name(name: &str) -> (Vec<Issue>, Vec<Issue>) {
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    if let Some(reaction) = reaction(name) {
        let hidden = if visible(name) == name { "" } else { HIDDEN };
        let said = format!(
            "Plugin name \"{name}\" is not kebab-case. {reaction} Claude.ai marketplace sync requires kebab-case"
        );
        warnings.push(Issue::new(
            "name",
            format!("{said} (lowercase letters, digits, and hyphens only, e.g., \"my-plugin\").{hidden}"),
        ));
    }
    match Standing::of(name) {
        Standing::Reserved => errors.push(Issue::new("name", format!("{}{OWN}", reserved(name)))),
        Standing::Mentions => warnings.push(Issue::new("name", format!("{}{OWN}", mentioned(name)))),
        Standing::Free => {}
    }
    (errors, warnings)
}

/// What the CLI says of a name that is kept from third parties, where it does not say what the maker itself would do.
pub(super) fn reserved(name: &str) -> String {
    format!(
        "Plugin name \"{name}\"{} is reserved: it passes as one of Anthropic's own. A third party's plugin name cannot start \
         with \"claude-\", \"anthropic-\", \"anthropics-\", or \"cc-plugin-\", be \"claude\", \"anthropic\", \"anthropics\", \
         \"claude-code\", or \"claude-mods\", or put \"official\" beside \"claude\" or \"anthropic\". {ADVICE}",
        read_as(name)
    )
}

/// The same of a name that only comes close.
pub(super) fn mentioned(name: &str) -> String {
    format!("Plugin name \"{name}\"{} reads as one of Anthropic's own. {ADVICE}", read_as(name))
}

/// What the CLI does with a name that is not kebab-case.
fn reaction(name: &str) -> Option<&'static str> {
    if is_kebab(name) {
        return None;
    }
    Some(if is_refused_by_path(name) {
        "Claude Code refuses a plugin with this name when it is loaded by path (such as --plugin-dir), and cannot install it \
         from a marketplace that lists it under this name. The"
    } else if is_id_part(name) {
        "Claude Code accepts it, but the"
    } else {
        "Claude Code cannot install it from a marketplace that lists it under this name, and the"
    })
}

fn read_as(name: &str) -> String {
    if name.is_ascii() { String::new() } else { format!(" (read as \"{}\")", folded(name)) }
}

/// How close a name comes to the maker's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Free,
    Mentions,
    Reserved,
}

impl Standing {
    pub(super) fn of(name: &str) -> Self {
        let folded = folded(name);
        let words: Vec<&str> =
            folded.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let letters = words.concat();
        // The reserved beginning must end where a word ends, and something must follow.
        let ends = words.iter().scan(0, |end, word| {
            *end += word.len();
            Some(*end)
        });
        let mut begins = ends.filter_map(|end| letters.get(..end)).filter(|begin| begin.len() < letters.len());
        if begins.any(|begin| RESERVED_PREFIXES.contains(&begin))
            || RESERVED_NAMES.contains(&letters.as_str())
            || OFFICIAL.iter().any(|official| letters.contains(official))
        {
            Self::Reserved
        } else if words.iter().any(|word| MAKER.contains(word)) {
            Self::Mentions
        } else {
            Self::Free
        }
    }
}

/// A name in small letters without accents and hidden characters, and with the Latin letters that others look like.
fn folded(name: &str) -> String {
    let letters = name.nfkd().filter(|c| !is_combining_mark(*c) && !is_hidden(*c));
    letters.flat_map(char::to_lowercase).map(look_alike).collect()
}

/// The Latin letter that a letter of another alphabet looks like.
const fn look_alike(c: char) -> char {
    match c {
        'а' | 'α' | 'ɑ' | 'ᴀ' => 'a',
        'с' | 'ϲ' | 'ᴄ' => 'c',
        'ԁ' | 'ᴅ' => 'd',
        'е' | 'ᴇ' => 'e',
        'ɡ' => 'g',
        'һ' | 'հ' => 'h',
        'і' | 'ι' | 'ı' | 'ɪ' => 'i',
        'ј' => 'j',
        'ӏ' | 'ʟ' => 'l',
        'ᴍ' => 'm',
        'ո' | 'ɴ' => 'n',
        'о' | 'ο' | 'օ' | 'ᴏ' => 'o',
        'р' | 'ρ' | 'ᴘ' => 'p',
        'ʀ' => 'r',
        'ѕ' | 'ꜱ' => 's',
        'ᴛ' => 't',
        'υ' | 'ս' | 'ᴜ' => 'u',
        'ѵ' | 'ν' => 'v',
        'х' => 'x',
        'у' => 'y',
        _ => c,
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

/// How the names of the tools of a plugin's MCP server begin (spec/plugins.md, MCP): what is none of ASCII letters, digits, `_`
/// and `-` is `_` there.
pub fn tool_prefix(plugin: &str, server: &str) -> String {
    let name = format!("plugin_{plugin}_{server}");
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    format!("mcp__{}__", name.chars().map(plain).collect::<String>())
}

/// Whether the CLI refuses to load a folder whose plugin has this name.
pub(super) fn is_refused_by_path(name: &str) -> bool {
    name.contains(['/', '\\', ':', '@']) || name.chars().any(|c| c.is_whitespace() || is_hidden(c))
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
        for name in [
            "claude-x",
            "Claude_Tools",
            "cc.plugin.x",
            "cc--plugin-x",
            "c-c-p-l-u-g-i-n-x",
            "anthropics",
            "claude-",
            "-claude",
            "c.l.a.u.d.e",
            "claudecode",
            "my-official-claude",
            "claude.official",
            "xofficialclaudex",
            "ＣＬＡＵＤＥ",
            "clаude",
            "clàude",
            "claude\u{200b}",
            "anthroρic+x",
            "claude’s",
            "łclaude",
        ] {
            assert_eq!(Standing::of(name), Standing::Reserved, "{name}");
        }
        for name in ["my-claude", "a.Anthropic.b", "official-x-claude", "my-clаude"] {
            assert_eq!(Standing::of(name), Standing::Mentions, "{name}");
        }
        for name in
            ["claudex", "official-tools", "cc-tools", "CC-PLUGIN-", "ccpluginx", "c1aude", "my-c.l.a.u.d.e", "xclaude"]
        {
            assert_eq!(Standing::of(name), Standing::Free, "{name}");
        }
        assert!(judged_name("-Сlaude_x").0[0].message.contains("\"-Сlaude_x\" (read as \"-claude_x\")"));
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
        assert!(said("a\u{200b}b").unwrap().ends_with(HIDDEN));
        assert_eq!(said("my-plugin2"), None);
        let refused = ["a\u{7f}b", "a\u{85}b", "a\u{202e}b", "a\nb"].map(|name| refused_name(name).len());
        assert_eq!((refused, refused_name("a\u{61c}b").len()), ([1; 4], 0));
        assert_eq!((visible("a\nb\u{1b}[c\u{a0}").as_str(), printable(" a\u{1b}[31mb\t").as_str()), ("a b[c ", "ab"));
        assert_eq!(tool_prefix("a.b", "my srv"), "mcp__plugin_a_b_my_srv__");
        assert_eq!(["My Skill", ".h", "A_b.c d+é@x", "😀"].map(slug), ["My-Skill", "-h", "A_b-c-d---x", "--"]);
    }
}
