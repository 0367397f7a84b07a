//! The lines of a file, with bounded memory.

use memchr::memchr;
use std::io::{self, BufRead};

/// One line.
pub(super) struct Line<'a> {
    /// Counted from 1.
    pub(super) number: u64,
    /// Byte offset in the file.
    pub(super) offset: u64,
    /// The line without its `\n`; the length of a line that is longer than the limit.
    pub(super) content: Result<&'a [u8], u64>,
}

/// Hands out the lines that start before the offset `end`; the last needs no line end. A line that starts before `end` is
/// read to its own end, so that a file that grows meanwhile gives whole lines.
pub(super) fn each(
    reader: &mut impl BufRead,
    end: u64,
    longest: usize,
    mut hand_out: impl FnMut(Line<'_>),
) -> io::Result<()> {
    let (mut number, mut offset) = (0, 0);
    let mut line = Partial::default();
    loop {
        if line.length == 0 && offset >= end {
            return Ok(());
        }
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            if line.length > 0 {
                hand_out(Line { number: number + 1, offset, content: line.content(longest) });
            }
            return Ok(());
        }
        let found = memchr(b'\n', chunk);
        let part = chunk.get(..found.unwrap_or(chunk.len())).unwrap_or_default();
        let used = part.len() + usize::from(found.is_some());
        if found.is_some() {
            number += 1;
            // The usual line lies in one chunk and is not copied.
            let whole = line.length == 0 && part.len() <= longest;
            let length = line.length + size(part.len());
            let content = if whole { Ok(part) } else { line.add(part, longest).content(longest) };
            hand_out(Line { number, offset, content });
            offset += length + 1;
            line.clear();
        } else {
            line.add(part, longest);
        }
        reader.consume(used);
    }
}

/// The beginning of a line that does not lie in one chunk.
#[derive(Default)]
struct Partial {
    bytes: Vec<u8>,
    length: u64,
}

impl Partial {
    fn add(&mut self, part: &[u8], longest: usize) -> &Self {
        self.length += size(part.len());
        if self.length <= size(longest) {
            self.bytes.extend_from_slice(part);
        } else {
            self.bytes = Vec::new();
        }
        self
    }

    fn content(&self, longest: usize) -> Result<&[u8], u64> {
        if self.length <= size(longest) { Ok(&self.bytes) } else { Err(self.length) }
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.length = 0;
    }
}

fn size(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    type Read = (u64, u64, Result<Vec<u8>, u64>);

    fn lines(text: &[u8], chunk: usize, end: u64, longest: usize) -> Vec<Read> {
        let mut out = Vec::new();
        let mut reader = BufReader::with_capacity(chunk, text);
        each(&mut reader, end, longest, |line| out.push((line.number, line.offset, line.content.map(<[u8]>::to_vec))))
            .unwrap();
        out
    }

    #[test]
    fn lines_are_the_same_in_chunks_of_any_size() {
        let text = b"\xef\xbb\xbfone\r\n\n\0two\nthe last";
        let expected: Vec<Read> = vec![
            (1, 0, Ok(b"\xef\xbb\xbfone\r".to_vec())),
            (2, 8, Ok(Vec::new())),
            (3, 9, Ok(b"\0two".to_vec())),
            (4, 14, Ok(b"the last".to_vec())),
        ];
        for chunk in 1..40 {
            assert_eq!(lines(text, chunk, 100, 50), expected, "{chunk}");
        }
    }

    #[test]
    fn a_long_line_is_skipped_to_its_end() {
        let text = [&b"ab\n"[..], &[b'x'; 100], b"\ncd\n", &[b'y'; 70]].concat();
        for chunk in [1, 7, 64, 500] {
            let read = lines(&text, chunk, 1000, 60);
            let expected =
                vec![(1, 0, Ok(b"ab".to_vec())), (2, 3, Err(100)), (3, 104, Ok(b"cd".to_vec())), (4, 107, Err(70))];
            assert_eq!(read, expected, "{chunk}");
        }
    }

    #[test]
    fn lines_that_start_behind_the_end_are_left() {
        let read = lines(b"one\ntwo\nthree\n", 4, 5, 60);
        assert_eq!(read.len(), 2);
        assert_eq!(read[1].2, Ok(b"two".to_vec()));
        assert!(lines(b"", 4, 5, 60).is_empty());
        assert_eq!(lines(b"\n\n", 4, 5, 60).len(), 2);
    }
}
