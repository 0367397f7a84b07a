//! Names that differ only by letter case or Unicode form: one file system opens one for the other, the next one does not.

use super::issue::Issue;
use super::manifest::Said;
use super::names::visible;
use super::tree::{Node, Tree, base_name, join};
use super::verdict::FileVerdict;
use unicode_normalization::UnicodeNormalization;

/// A place on the way to a file where names look alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clash {
    /// The path that was looked for, from the root of the tree.
    at: String,
    /// Other names that would be opened for it, in order.
    others: Vec<String>,
}

/// What a name is to a file system that tells neither letter cases nor Unicode forms apart.
pub(super) fn folded(name: &str) -> String {
    let seen = name.chars().filter(|c| !is_passed_over(*c)).map(|c| if c == 'ẞ' { 'ß' } else { c });
    seen.nfd().collect::<String>().to_uppercase().to_lowercase()
}

fn is_passed_over(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// The first clash on the way to the manifest of a plugin or a marketplace.
pub(super) fn of_manifest(tree: &Tree, path: &str) -> Option<Clash> {
    Way::to(tree, path).clash
}

/// The first clash on the way to another file, if something could be opened behind it.
pub(super) fn of_file(tree: &Tree, path: &str) -> Option<Clash> {
    let way = Way::to(tree, path);
    way.clash.filter(|_| way.may_open)
}

/// All ways to a path over names that look alike.
#[derive(Debug, Default)]
struct Way {
    clash: Option<Clash>,
    /// A file is at an end of the way, or a link is on it, so that nobody knows.
    may_open: bool,
}

impl Way {
    fn to(tree: &Tree, path: &str) -> Self {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let mut way = Self::default();
        let mut queue = vec![(String::new(), 0)];
        while let Some((folder, depth)) = queue.pop() {
            let Some(part) = parts.get(depth) else { continue };
            let alike = tree.spellings.get(&folder).and_then(|names| names.get(&folded(part)));
            let alike = alike.map(Vec::as_slice).unwrap_or_default();
            let others: Vec<String> = alike.iter().filter(|name| name != part).cloned().collect();
            if way.clash.is_none() && !others.is_empty() {
                way.clash = Some(Clash { at: join(&folder, part), others });
            }
            for name in alike {
                let below = join(&folder, name);
                match tree.at(&below) {
                    Some(Node::Folder(_)) => queue.push((below, depth + 1)),
                    Some(Node::Link(_)) => way.may_open = true,
                    Some(Node::File(_) | Node::Special) => way.may_open |= depth + 1 == parts.len(),
                    None => {}
                }
            }
        }
        way
    }
}

impl Clash {
    /// What the CLI says of it: hooks could load that it does not list.
    pub(super) fn verdict(&self, tree: &Tree) -> FileVerdict {
        let own = quoted(base_name(&self.at));
        let others: Vec<String> = self.others.iter().map(|name| quoted(name)).collect();
        let said = format!(
            "{} and {own} differ only by letter case or Unicode form. macOS or Windows can open one for the other and Linux \
             does not, so hooks can load that are not listed here. Rename so that {own} is the one spelling, or the names \
             are unalike.",
            others.join(", ")
        );
        let issue = Issue::new(visible(&self.at), said);
        FileVerdict::unread_hooks(&tree.shown(&self.at), Said::error(issue))
    }
}

/// A name in quotation marks, in ASCII: what looks alike is told apart by its code units.
fn quoted(name: &str) -> String {
    let ascii = |unit: u16| match char::from_u32(u32::from(unit)) {
        Some(c @ ('"' | '\\')) => format!("\\{c}"),
        Some(c @ ' '..='~') => c.to_string(),
        _ => format!("\\u{unit:04x}"),
    };
    format!("\"{}\"", name.encode_utf16().map(ascii).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_folded_as_file_systems_do() {
        for (one, other) in [("HOOKS", "hooks"), ("hoo\u{212a}s", "hooks"), ("e\u{301}", "é"), ("STRASSE", "straẞe")]
        {
            assert_eq!(folded(one), folded(other), "{one}");
        }
        assert_eq!(folded("hooks\u{200d}"), "hooks");
        assert_ne!(folded("hook"), folded("hooks"));
        assert_eq!(quoted("é\"😀"), r#""\u00e9\"\ud83d\ude00""#);
    }
}
