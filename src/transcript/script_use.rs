use super::call_input::writes_file;
use super::label::{Interner, Label, prefix};
use crate::run_dir::names::{SCRIPTS, WORKBENCH, WORKBENCH_IN_RUN_DIR};
use memchr::memmem;
use serde::Serialize;

/// Uses of scripts that are kept of one call.
const MAX_USES: usize = 100;
/// Longest path that is looked at, in bytes, before and behind the name of the folder.
const MAX_PATH_BYTES: usize = 1024;

/// Commands whose last word is a file that they write.
const COPIERS: [&str; 4] = ["cp", "mv", "tee", "install"];
/// Words that may stand before a script that is run.
const RUNNERS: [&str; 24] = [
    "bash", "sh", "zsh", "dash", "python", "python3", "node", "deno", "bun", "tsx", "npx", "ruby", "perl", "php",
    "source", ".", "exec", "env", "time", "nohup", "timeout", "nice", "uv", "run",
];

/// What a call does with a script of the workbench, as its command reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScriptDeed {
    /// It is written or changed.
    Written,
    /// It is run.
    Run,
    /// It is named otherwise: listed, read, made executable.
    Named,
}

/// A script of the workbench in the input of a call (spec/run-directory.md, workbench).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptUse {
    /// Path below the folder of scripts.
    pub name: Label,
    /// What the call does with it.
    pub deed: ScriptDeed,
}

/// The scripts that the telling input of a call names by their path in a workbench.
///
/// Commands are read as words, not run: a script behind a variable or after a change of folder is not seen, and the text of
/// a here-document is no command.
pub(super) fn script_uses(tool: &str, text: &str, interner: &mut Interner) -> Vec<ScriptUse> {
    let folder = format!("{SCRIPTS}/");
    let finder = memmem::Finder::new(&folder);
    let mut uses = Vec::new();
    if finder.find(text.as_bytes()).is_none() {
        return uses;
    }
    for line in Commands::of(text) {
        let found =
            finder.find_iter(line.as_bytes()).filter_map(|at| script_at(tool, line, at, folder.len(), interner));
        uses.extend(found.take(MAX_USES - uses.len()));
    }
    uses
}

fn script_at(tool: &str, line: &str, at: usize, folder: usize, interner: &mut Interner) -> Option<ScriptUse> {
    let before = line.get(..at)?;
    let near = before.get(before.ceil_char_boundary(at.saturating_sub(MAX_PATH_BYTES))..)?;
    let path =
        near.rfind(ends_word).map_or(near, |end| near.get(end..).unwrap_or_default().trim_start_matches(ends_word));
    let parent = path.strip_suffix('/')?.rsplit('/').next()?;
    let isolated = parent.strip_prefix(WORKBENCH).is_some_and(|rest| rest.starts_with('-'));
    if parent != WORKBENCH && parent != WORKBENCH_IN_RUN_DIR && !isolated {
        return None;
    }
    let rest = prefix(line.get(at + folder..)?, MAX_PATH_BYTES);
    let name = rest.get(..rest.find(ends_word).unwrap_or(rest.len()))?;
    let start = at.checked_sub(path.len())?;
    if name.is_empty() {
        return None;
    }
    Some(ScriptUse { name: interner.label(name), deed: deed(tool, line.get(..start)?) })
}

/// What a call does with the script that follows `before` on its line.
fn deed(tool: &str, before: &str) -> ScriptDeed {
    if writes_file(tool) {
        return ScriptDeed::Written;
    }
    if tool != "Bash" {
        return ScriptDeed::Named;
    }
    let near = before.get(before.ceil_char_boundary(before.len().saturating_sub(MAX_PATH_BYTES))..).unwrap_or_default();
    let near = near.trim_end_matches(['"', '\'']);
    if near.trim_end().ends_with('>') {
        return ScriptDeed::Written;
    }
    let segment = near.rsplit([';', '|', '&', '(', '{', '`']).next().unwrap_or_default();
    let mut words = segment.split_whitespace();
    if words.clone().next().is_some_and(|first| COPIERS.contains(&first)) {
        return ScriptDeed::Written;
    }
    let leads = |word: &str| {
        let command = word.rsplit('/').next().unwrap_or(word);
        RUNNERS.contains(&command) || word.starts_with('-') || word.contains('=') || is_duration(word)
    };
    if words.all(leads) { ScriptDeed::Run } else { ScriptDeed::Named }
}

/// `60` or `5m`, as `timeout` takes it.
fn is_duration(word: &str) -> bool {
    word.trim_end_matches(['s', 'm', 'h']).parse::<u32>().is_ok()
}

fn ends_word(c: char) -> bool {
    c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ';' | '|' | '&' | '<' | '>' | '(' | ')' | '=' | ',' | ':')
}

/// The lines of a command without the texts of here-documents.
struct Commands<'a> {
    lines: std::str::Lines<'a>,
    until: Option<&'a str>,
}

impl<'a> Commands<'a> {
    fn of(text: &'a str) -> Self {
        Self { lines: text.lines(), until: None }
    }
}

impl<'a> Iterator for Commands<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let mut line = self.lines.next()?;
        while let Some(end) = self.until {
            if line.trim_start_matches('\t') == end {
                self.until = None;
            }
            line = self.lines.next()?;
        }
        self.until = here_document(line);
        Some(line)
    }
}

/// The word that ends the here-document which begins on this line.
fn here_document(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("<<")?;
    if rest.starts_with('<') {
        return None;
    }
    let rest = rest.trim_start_matches('-').trim_start().trim_start_matches(['"', '\'', '\\']);
    let word = rest.get(..rest.find(ends_word).unwrap_or(rest.len()))?;
    (!word.is_empty()).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(tool: &str, text: &str) -> Vec<(String, ScriptDeed)> {
        script_uses(tool, text, &mut Interner::default()).iter().map(|u| (u.name.to_string(), u.deed)).collect()
    }

    #[test]
    fn commands_tell_what_they_do_with_a_script() {
        use ScriptDeed::{Named, Run, Written};
        for (command, deed) in [
            (".flower/scripts/a.sh", Run),
            ("bash .flower/scripts/a.sh --fast", Run),
            ("cd /w && ./.flower/scripts/a.sh", Run),
            ("PYTHONPATH=. /usr/bin/python3 -u \"/w/.flower/scripts/a.sh\" | head", Run),
            ("timeout 5m bash runs/workbench/scripts/a.sh", Run),
            ("for i in 1 2; do\n  bash /x/.flower-demo/scripts/a.sh\ndone", Run),
            ("cat .flower/scripts/a.sh", Named),
            ("chmod +x .flower/scripts/a.sh", Named),
            ("echo hi > .flower/scripts/a.sh", Written),
            ("echo hi >>'.flower/scripts/a.sh'", Written),
            ("cp /tmp/a.sh .flower/scripts/a.sh", Written),
            ("make | tee -a .flower/scripts/a.sh", Written),
        ] {
            assert_eq!(uses("Bash", command), [("a.sh".to_owned(), deed)], "{command}");
        }
        assert_eq!(uses("Write", "/w/.flower/scripts/查/a.sh"), [("查/a.sh".to_owned(), Written)]);
        assert_eq!(uses("Read", "/w/.flower/scripts/a.sh"), [("a.sh".to_owned(), Named)]);
        for other in ["bash scripts/a.sh", "bash my.flower/scripts/a.sh", "ls .flower/scripts/", "bash npm-scripts/a"] {
            assert_eq!(uses("Bash", other), [], "{other}");
        }
    }

    #[test]
    fn the_text_of_a_here_document_is_no_command() {
        let command =
            "cat > .flower/scripts/a.sh <<-'EOF'\nbash .flower/scripts/b.sh\n\tEOF\nbash .flower/scripts/a.sh <<< x";
        let expected = [("a.sh".to_owned(), ScriptDeed::Written), ("a.sh".to_owned(), ScriptDeed::Run)];
        assert_eq!(uses("Bash", command), expected);
    }

    #[test]
    fn hostile_commands_are_bounded() {
        let many = uses("Bash", &".flower/scripts/a ".repeat(100_000));
        assert_eq!(many.len(), MAX_USES);
        assert_eq!(uses("Bash", &"界scripts/".repeat(100_000)), []);
    }
}
