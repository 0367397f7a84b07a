use std::collections::BTreeSet;
use std::fmt;
use unicode_properties::UnicodeEmoji;
use unicode_script::{Script, UnicodeScript};

/// Characters that are named when they have no glyph.
const NAMED: usize = 8;

/// Characters that no font of this machine can draw, and the Debian package that can.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The package to install.
    pub package: &'static str,
    /// The characters, in the order of their code points.
    pub characters: BTreeSet<char>,
}

impl Missing {
    /// What is missing, by the package that brings it.
    pub(super) fn of(characters: &BTreeSet<char>) -> Vec<Self> {
        let packages: BTreeSet<&'static str> = characters.iter().map(|c| package(*c)).collect();
        let of = |package| characters.iter().copied().filter(|c| self::package(*c) == package).collect();
        packages.into_iter().map(|package| Self { package, characters: of(package) }).collect()
    }
}

/// `no font has 判 定: install the Debian package fonts-noto-cjk`.
impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named: Vec<String> = self.characters.iter().take(NAMED).map(char::to_string).collect();
        write!(f, "no installed font has {}", named.join(" "))?;
        if let Some(more) = self.characters.len().checked_sub(NAMED).filter(|more| *more > 0) {
            write!(f, " and {more} more characters")?;
        }
        write!(f, ": install the Debian package {}", self.package)
    }
}

/// The Debian package with a font for a character.
fn package(c: char) -> &'static str {
    let script = c.script();
    let east_asian =
        [Script::Han, Script::Hiragana, Script::Katakana, Script::Hangul, Script::Bopomofo].contains(&script);
    // Punctuation and full-width forms of the same languages have no script of their own.
    if east_asian || ('\u{3000}'..='\u{303f}').contains(&c) || ('\u{ff00}'..='\u{ffef}').contains(&c) {
        "fonts-noto-cjk"
    } else if c.is_emoji_char() && !c.is_ascii() {
        "fonts-noto-color-emoji"
    } else {
        "fonts-noto-core"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_script_has_its_package() {
        let of = |text: &str| -> Vec<String> {
            Missing::of(&text.chars().collect()).iter().map(ToString::to_string).collect()
        };
        assert_eq!(of("干活한"), ["no installed font has 干 活 한: install the Debian package fonts-noto-cjk"]);
        assert_eq!(of("🌸"), ["no installed font has 🌸: install the Debian package fonts-noto-color-emoji"]);
        assert_eq!(of("一二三四五六七八九十").len(), 1);
        assert!(of("一二三四五六七八九十")[0].contains("and 2 more characters"));
        assert_eq!(of("מ活").len(), 2);
    }
}
