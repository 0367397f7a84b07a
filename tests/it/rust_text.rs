//! Rust source as text with comments and literals apart, so that a rule about code is not fooled by prose.

/// One source file, taken apart.
pub(crate) struct RustText {
    /// The lines with comments and the insides of literals blanked; one for each line of the file.
    pub(crate) code: Vec<String>,
    /// Every string literal with the number of the line it begins on, counted from 1.
    pub(crate) strings: Vec<(usize, String)>,
    /// Number of lines before the inline `mod tests`; all of them if there is none.
    pub(crate) before_tests: usize,
}

impl RustText {
    pub(crate) fn parse(text: &str) -> Self {
        let mut scan = Scan { rest: text, code: String::new(), strings: Vec::new(), line: 1 };
        while scan.step() {}
        let code: Vec<String> = scan.code.lines().map(str::to_owned).collect();
        let tests = code
            .iter()
            .zip(code.iter().skip(1))
            .position(|(line, next)| line.trim() == "#[cfg(test)]" && next.trim_start().starts_with("mod tests"));
        Self { before_tests: tests.unwrap_or(code.len()), code, strings: scan.strings }
    }

    /// Numbered lines of code, counted from 1.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.code.iter().map(String::as_str))
    }

    /// The same without the tests.
    pub(crate) fn program(&self) -> impl Iterator<Item = (usize, &str)> {
        self.lines().take(self.before_tests)
    }
}

struct Scan<'a> {
    rest: &'a str,
    code: String,
    strings: Vec<(usize, String)>,
    line: usize,
}

impl Scan<'_> {
    /// Takes the next piece; false at the end.
    fn step(&mut self) -> bool {
        let Some(first) = self.rest.chars().next() else { return false };
        let inside_word = self.code.chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_');
        let raw = if inside_word { None } else { raw_string(self.rest) };
        if self.rest.starts_with("//") {
            self.blank(self.rest.find('\n').unwrap_or(self.rest.len()));
        } else if self.rest.starts_with("/*") {
            self.blank(block_comment(self.rest));
        } else if let Some((open, close, length)) = raw {
            self.literal(open, close, length);
        } else if first == '"' {
            self.literal(1, 1, quoted(self.rest, '"'));
        } else if first == '\'' && is_character(self.rest) {
            self.blank(quoted(self.rest, '\''));
        } else {
            self.take(first.len_utf8());
        }
        true
    }

    fn take(&mut self, length: usize) {
        let (piece, rest) = self.rest.split_at(length);
        self.line += piece.matches('\n').count();
        self.code.push_str(piece);
        self.rest = rest;
    }

    fn blank(&mut self, length: usize) {
        let (piece, rest) = self.rest.split_at(length);
        self.line += piece.matches('\n').count();
        self.code.extend(piece.chars().map(|c| if c == '\n' { c } else { ' ' }));
        self.rest = rest;
    }

    fn literal(&mut self, open: usize, close: usize, length: usize) {
        let inside = self.rest.get(open..length.saturating_sub(close)).unwrap_or_default();
        self.strings.push((self.line, inside.to_owned()));
        self.code.push('"');
        self.blank(length);
        self.code.push('"');
    }
}

/// Lengths of the opening, the closing and the whole of a raw string.
fn raw_string(text: &str) -> Option<(usize, usize, usize)> {
    let after = text.strip_prefix("br").or_else(|| text.strip_prefix('r'))?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let body = after.trim_start_matches('#').strip_prefix('"')?;
    let open = text.len() - body.len();
    let close = format!("\"{}", "#".repeat(hashes));
    let end = body.find(&close).map_or(text.len(), |at| open + at + close.len());
    Some((open, close.len(), end))
}

fn block_comment(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// Length of a quoted literal with its quotes.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Tells `'a'` from the lifetime `'a`.
fn is_character(text: &str) -> bool {
    let mut inside = text.chars().skip(1);
    match (inside.next(), inside.next()) {
        (Some('\\'), _) => true,
        (Some(_), Some(after)) => after == '\'',
        _ => false,
    }
}

#[test]
fn comments_and_literals_are_blanked_and_lines_stay() {
    let text = RustText::parse(
        "let a = \"use crate::x // no\"; // use crate::y\nlet b = r#\"say \"hi\"\nthere\"#; let c = '\"'; let d: &'a str = br\"z\";\n/* use /* crate::z */\n */ fn f() {}\n",
    );
    assert_eq!(text.code.len(), 5);
    assert!(!text.code.concat().contains("crate"), "{:?}", text.code);
    assert!(text.code.last().is_some_and(|line| line.contains("fn f() {}")));
    let strings: Vec<&str> = text.strings.iter().map(|(_, inside)| inside.as_str()).collect();
    assert_eq!(strings, ["use crate::x // no", "say \"hi\"\nthere", "z"]);
    assert_eq!(text.strings.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 2, 3]);
}

#[test]
fn tests_are_found_and_other_test_items_are_not() {
    let text = RustText::parse("fn a() {}\n#[cfg(test)]\nmod gallery;\nfn b() {}\n#[cfg(test)]\nmod tests {\n}\n");
    assert_eq!(text.before_tests, 4);
    assert_eq!(text.program().count(), 4);
    assert_eq!(text.lines().count(), 7);
}
