use super::command::LOOKING;
use super::python_text::{is_blank, is_boundary, is_word, strip};
use serde::Serialize;

/// Signs of a change that count wherever they stand.
const ANYWHERE: [&str; 10] = ["$(", "`", "<(", ">(", "-delete", "-fprint", "-ok", "system(", "ENVIRON", "print >"];

/// Words that run or write something.
const WORDS: [&str; 6] = ["xargs", "exec", "execdir", "eval", "source", "tee"];

/// Redirections that change nothing; the longest that fits is taken.
const HARMLESS: [(&str, &str); 4] = [("2>&1", ""), ("&>", "/dev/null"), ("2>", "/dev/null"), (">", "/dev/null")];

/// What splits a command into segments; the longest that fits is taken.
const SEPARATORS: [&str; 4] = ["&&", "||", ";", "|"];

/// Whether a command only looks, and why: the marks of a change in it, and its segments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ruling {
    /// The command is nothing but blanks.
    pub blank: bool,
    /// Signs that it changes something.
    pub marks: Vec<Mark>,
    /// What stands between the separators, harmless redirections taken out.
    pub segments: Vec<Segment>,
}

/// A sign that a command changes something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mark {
    /// The sign, as the rule names it.
    pub sign: String,
    /// What it stands for.
    pub why: &'static str,
}

/// A part of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Segment {
    /// Its text, without the blanks around it.
    pub text: String,
    /// The command that it begins with, if that is one that only looks.
    pub looks: Option<&'static str>,
}

impl Ruling {
    /// Looks at a command.
    pub fn on(command: &str) -> Self {
        let quiet = without_harmless_redirections(command);
        let segments = segments(&quiet);
        let mut marks = marks(command);
        marks.extend(quiet.contains(['<', '>']).then(|| mark("< or >", "it reads or writes a file")));
        marks.extend(segments.iter().flat_map(|segment| segment_marks(segment)));
        let segment = |text: &&str| Segment { text: strip(text).to_owned(), looks: looks(strip(text)) };
        Self { blank: strip(command).is_empty(), marks, segments: segments.iter().map(segment).collect() }
    }

    /// The answer.
    pub fn is_ephemeral(&self) -> bool {
        !self.blank && self.marks.is_empty() && self.segments.iter().all(|segment| segment.looks.is_some())
    }
}

fn mark(sign: &str, why: &'static str) -> Mark {
    Mark { sign: sign.to_owned(), why }
}

/// Signs that count in the whole command, as it was written.
fn marks(command: &str) -> Vec<Mark> {
    let mut marks: Vec<Mark> = ANYWHERE
        .into_iter()
        .filter(|sign| match sign.strip_suffix(" >") {
            Some(word) => follows_after_blanks(command, word, '>'),
            None => command.contains(sign),
        })
        .map(|sign| mark(sign, "it can run or write something"))
        .collect();
    let words = WORDS.into_iter().filter(|word| words(command, word).next().is_some());
    marks.extend(words.map(|word| mark(word, "it runs or writes something")));
    let newer = command.split_once("-newer").is_some_and(|(_, after)| after.contains(is_blank));
    marks.extend(newer.then(|| mark("-newer…", "the rule counts it among what changes something")));
    marks
}

/// Signs that count within one segment.
fn segment_marks(segment: &str) -> Vec<Mark> {
    let mut marks = Vec::new();
    if segment.contains('&') {
        marks.push(mark("&", "it goes on in the background"));
    }
    for (word, option) in [("sed", "-i"), ("sort", "-o")] {
        let has_option = |after: &str| options(after).any(|found| found.starts_with(option));
        if words(segment, word).next().is_some_and(has_option) {
            marks.push(mark(&format!("{word} … {option}"), "it writes into a file"));
        }
    }
    let changes_branch = |option: &str| {
        let letters = option.trim_start_matches('-');
        let group = letters.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        !option.starts_with("--") && group.contains(['D', 'd', 'M', 'm'])
    };
    let after_git = || words(segment, "git").filter_map(|after| after.strip_prefix(is_blank));
    let branch = after_git().find_map(|after| starts_with_words(after.trim_start_matches(is_blank), "branch"));
    if branch.is_some_and(|after| options(after).any(changes_branch)) {
        marks.push(mark("git branch … -d", "it removes or renames a branch"));
    }
    let verb = after_git().find(|after| after.trim_start_matches(is_blank).starts_with(is_word)).unwrap_or_default();
    let forced = ["--force", "--hard", "--prune"].into_iter().filter(|option| verb.contains(option));
    marks.extend(forced.map(|option| mark(&format!("git … {option}"), "it throws something away")));
    marks
}

/// What follows each occurrence of `word` as a whole word.
fn words<'a>(text: &'a str, word: &str) -> impl Iterator<Item = &'a str> {
    text.match_indices(word).filter_map(move |(at, found)| {
        let (before, rest) = text.split_at_checked(at)?;
        let after = rest.get(found.len()..)?;
        let whole = is_boundary(before.chars().next_back(), found.chars().next())
            && is_boundary(found.chars().next_back(), after.chars().next());
        whole.then_some(after)
    })
}

/// What stands behind a blank and begins with a hyphen.
fn options(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(is_blank)
        .filter_map(|(at, blank)| text.get(at + blank.len()..))
        .filter(|rest| rest.starts_with('-'))
}

fn follows_after_blanks(text: &str, word: &str, wanted: char) -> bool {
    text.match_indices(word)
        .filter_map(|(at, found)| text.get(at + found.len()..))
        .any(|after| after.trim_start_matches(is_blank).starts_with(wanted))
}

fn without_harmless_redirections(command: &str) -> String {
    let mut quiet = String::with_capacity(command.len());
    let mut rest = command;
    while let Some(c) = rest.chars().next() {
        let harmless = HARMLESS.into_iter().find_map(|(arrow, target)| {
            let after = rest.strip_prefix(arrow)?;
            if target.is_empty() { Some(after) } else { after.trim_start_matches(is_blank).strip_prefix(target) }
        });
        if let Some(after) = harmless {
            quiet.push(' ');
            rest = after;
        } else {
            quiet.push(c);
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
        }
    }
    quiet
}

fn segments(quiet: &str) -> Vec<&str> {
    let mut segments = Vec::new();
    let (mut start, mut at) = (0, 0);
    while let Some(found) = quiet.get(at..).and_then(|rest| rest.find(['&', '|', ';'])) {
        at += found;
        let rest = quiet.get(at..).unwrap_or_default();
        match SEPARATORS.into_iter().find(|separator| rest.starts_with(separator)) {
            Some(separator) => {
                segments.push(quiet.get(start..at).unwrap_or_default());
                at += separator.len();
                start = at;
            }
            None => at += 1,
        }
    }
    segments.push(quiet.get(start..).unwrap_or_default());
    segments
}

/// The command that only looks with which `segment` begins.
fn looks(segment: &str) -> Option<&'static str> {
    LOOKING.iter().copied().find(|words| starts_with_words(segment, words).is_some())
}

/// What follows `words` at the beginning of `text`: in any case, with any blanks between them, and ending as a word ends.
fn starts_with_words<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let mut rest = text;
    let mut last = None;
    for expected in words.chars() {
        if expected == ' ' {
            rest = rest.strip_prefix(is_blank)?.trim_start_matches(is_blank);
            continue;
        }
        let found = rest.chars().next().filter(|found| is_same_letter(*found, expected))?;
        rest = rest.get(found.len_utf8()..)?;
        last = Some(found);
    }
    is_boundary(last, rest.chars().next()).then_some(rest)
}

/// Equal in any case. Three letters that are no ASCII have an ASCII one as their other case.
fn is_same_letter(found: char, expected: char) -> bool {
    let found = match found {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        '\u{130}' | '\u{131}' => 'i',
        other => other.to_ascii_lowercase(),
    };
    found == expected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ruling_says_what_it_saw() {
        let ruling = Ruling::on("git  status 2>/dev/null && rm x; ls > o");
        let segments: Vec<_> = ruling.segments.iter().map(|s| (s.text.as_str(), s.looks)).collect();
        assert_eq!(segments, [("git  status", Some("git status")), ("rm x", None), ("ls > o", Some("ls"))]);
        assert_eq!(ruling.marks, [mark("< or >", "it reads or writes a file")]);
        assert!(!ruling.is_ephemeral());
        let ruling = Ruling::on("sed s/a/b/ f -i | tee g");
        let signs: Vec<_> = ruling.marks.iter().map(|mark| mark.sign.as_str()).collect();
        assert_eq!(signs, ["tee", "sed … -i"]);
    }
}
