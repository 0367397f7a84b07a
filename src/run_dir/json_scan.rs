//! Reads JSON that may be damaged: in order, without recursion, and with the place where it breaks.

/// What a value is, by its first characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Null,
    True,
    False,
    Number,
    /// `NaN`, `Infinity` or `-Infinity`, which Python writes and JSON does not have.
    NotFinite,
    Text,
    Array,
    Object,
}

impl Shape {
    /// For a sentence: `expected a number, found an array`.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::True => "true",
            Self::False => "false",
            Self::Number => "a number",
            Self::NotFinite => "a number that is not finite",
            Self::Text => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

/// A value as it stands in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Item<'a> {
    pub(super) shape: Shape,
    pub(super) raw: &'a [u8],
    /// Byte offset in what is scanned.
    pub(super) at: usize,
}

/// Where reading stopped, and what was expected there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Break {
    pub(super) at: usize,
    pub(super) expected: &'static str,
}

/// A position in JSON text.
#[derive(Debug, Clone)]
pub(super) struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(super) const fn at(&self) -> usize {
        self.at
    }

    pub(super) fn jump(&mut self, at: usize) {
        self.at = at;
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// The next byte that is not blank.
    pub(super) fn peek(&mut self) -> Option<u8> {
        self.at += self.rest().iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n')).count();
        self.rest().first().copied()
    }

    /// Steps over `byte` if it is the next that is not blank.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let taken = self.peek() == Some(byte);
        self.at += usize::from(taken);
        taken
    }

    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), Break> {
        if self.take(byte) { Ok(()) } else { Err(Break { at: self.at, expected }) }
    }

    /// Steps over one value.
    pub(super) fn value(&mut self) -> Result<Item<'a>, Break> {
        let first = self.peek();
        let at = self.at;
        let shape = match first {
            Some(b'"') => {
                self.text()?;
                Shape::Text
            }
            Some(open @ (b'[' | b'{')) => {
                self.container()?;
                if open == b'[' { Shape::Array } else { Shape::Object }
            }
            _ => self.word()?,
        };
        Ok(Item { shape, raw: self.bytes.get(at..self.at).unwrap_or_default(), at })
    }

    fn text(&mut self) -> Result<(), Break> {
        let mut escaped = false;
        let end = self.rest().iter().skip(1).position(|b| {
            let closes = *b == b'"' && !escaped;
            escaped = *b == b'\\' && !escaped;
            closes
        });
        match end {
            Some(end) => {
                self.at += end + 2;
                Ok(())
            }
            None => Err(Break { at: self.bytes.len(), expected: "the end of a string" }),
        }
    }

    /// Steps over an array or object by its brackets; what stands between them is read by whoever needs it.
    fn container(&mut self) -> Result<(), Break> {
        let mut open = Vec::new();
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.text()?;
                    continue;
                }
                Some(bracket @ (b'[' | b'{')) => open.push(bracket),
                Some(b']') if open.pop() != Some(b'[') => return Err(Break { at: self.at, expected: "`}`" }),
                Some(b'}') if open.pop() != Some(b'{') => return Err(Break { at: self.at, expected: "`]`" }),
                Some(_) => {}
                None => return Err(Break { at: self.at, expected: "the end of an array or object" }),
            }
            self.at += 1;
            if open.is_empty() {
                return Ok(());
            }
        }
    }

    fn word(&mut self) -> Result<Shape, Break> {
        let length = self.rest().iter().take_while(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b)).count();
        let word = self.rest().get(..length).unwrap_or_default();
        let shape = match word {
            b"null" => Shape::Null,
            b"true" => Shape::True,
            b"false" => Shape::False,
            b"NaN" | b"Infinity" | b"-Infinity" => Shape::NotFinite,
            [b'-', b'0'..=b'9', ..] | [b'0'..=b'9', ..] => Shape::Number,
            // A word at the very end may have been cut off.
            _ if self.at + length == self.bytes.len() => {
                return Err(Break { at: self.bytes.len(), expected: "a value" });
            }
            _ => return Err(Break { at: self.at, expected: "a value" }),
        };
        self.at += length;
        Ok(shape)
    }

    /// Reads an object. `each` gets every key, as a literal, and reads its value; so what stands before a break is read.
    pub(super) fn object(
        &mut self,
        mut each: impl FnMut(&mut Self, Item<'a>) -> Result<(), Break>,
    ) -> Result<(), Break> {
        self.expect(b'{', "`{`")?;
        if self.take(b'}') {
            return Ok(());
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err(Break { at: self.at, expected: "a key in quotes" });
            }
            let key = self.value()?;
            self.expect(b':', "`:`")?;
            each(self, key)?;
            if self.take(b'}') {
                return Ok(());
            }
            self.expect(b',', "`,` or `}`")?;
        }
    }

    /// Reads an array and hands over each value; those before a break too.
    pub(super) fn array(&mut self, mut each: impl FnMut(Item<'a>)) -> Result<(), Break> {
        self.expect(b'[', "`[`")?;
        if self.take(b']') {
            return Ok(());
        }
        loop {
            each(self.value()?);
            if self.take(b']') {
                return Ok(());
            }
            self.expect(b',', "`,` or `]`")?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> Result<(Shape, &str), Break> {
        let mut scanner = Scanner::new(text.as_bytes());
        scanner.value().map(|item| (item.shape, std::str::from_utf8(item.raw).unwrap()))
    }

    #[test]
    fn values_are_stepped_over_whole() {
        assert_eq!(scan(" [1, \"]\\\"\", {}] x"), Ok((Shape::Array, "[1, \"]\\\"\", {}]")));
        assert_eq!(scan("-Infinity,"), Ok((Shape::NotFinite, "-Infinity")));
        assert_eq!(scan("-1.5e+400,"), Ok((Shape::Number, "-1.5e+400")));
    }

    #[test]
    fn a_break_names_its_place() {
        assert_eq!(scan("[1, {]"), Err(Break { at: 5, expected: "`}`" }));
        assert_eq!(scan("\"abc"), Err(Break { at: 4, expected: "the end of a string" }));
        assert_eq!(scan("tru"), Err(Break { at: 3, expected: "a value" }));
        assert_eq!(scan("  ?,"), Err(Break { at: 2, expected: "a value" }));
        let mut seen = 0;
        let broken = Scanner::new(b"{\"a\": 1, \"b\" 2}").object(|scanner, _| scanner.value().map(|_| seen += 1));
        assert_eq!(broken, Err(Break { at: 13, expected: "`:`" }));
        assert_eq!(seen, 1);
    }
}
