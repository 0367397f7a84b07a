//! The first hundred bytes of an SQLite file, read without SQLite.

use std::fmt;

/// Length of the header, in bytes.
pub(super) const LENGTH: usize = 100;

const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// What the header says. Source: the SQLite file format, section 1.3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) page_size: u32,
    /// Written through a write-ahead log, not a rollback journal.
    pub(super) wal: bool,
    pub(super) change_counter: u32,
    /// Pages of the file; `None` where an old writer left no valid figure.
    pub(super) pages: Option<u32>,
}

/// Why a header is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// No bytes at all.
    Empty,
    /// Other bytes than SQLite's; says what they look like.
    Foreign(String),
    /// SQLite's magic, but figures that no SQLite writes.
    Damaged { expected: &'static str, found: String },
}

/// Reads the header from the first bytes of a file.
pub(super) fn parse(head: &[u8]) -> Result<Header, Fault> {
    if head.is_empty() {
        return Err(Fault::Empty);
    }
    let Some(bytes) = head.first_chunk::<LENGTH>().filter(|bytes| bytes.starts_with(MAGIC)) else {
        return Err(foreign(head));
    };
    let damaged = |expected, found: &dyn fmt::Display| Fault::Damaged { expected, found: found.to_string() };
    let page_size = page_size(bytes)
        .ok_or_else(|| damaged("a page size that is a power of two from 512 to 65536", &be16(bytes, 16)))?;
    let [write_version, read_version] = [byte(bytes, 18), byte(bytes, 19)];
    if !(1..=2).contains(&read_version) {
        return Err(damaged("read format 1 or 2 (a higher one is a newer SQLite format)", &read_version));
    }
    let change_counter = be32(bytes, 24);
    let pages = be32(bytes, 28);
    Ok(Header {
        page_size,
        wal: write_version == 2 || read_version == 2,
        change_counter,
        pages: (pages > 0 && be32(bytes, 92) == change_counter).then_some(pages),
    })
}

/// The big-endian number at `offset`; zero beyond the end.
pub(super) fn be32(bytes: &[u8], offset: usize) -> u32 {
    bytes.get(offset..).and_then(<[u8]>::first_chunk).map_or(0, |four| u32::from_be_bytes(*four))
}

/// Whether SQLite has such pages.
pub(super) fn is_page_size(size: u32) -> bool {
    (512..=65_536).contains(&size) && size.is_power_of_two()
}

fn page_size(bytes: &[u8]) -> Option<u32> {
    // The one size that does not fit into two bytes is written as 1.
    let size = match be16(bytes, 16) {
        1 => 65_536,
        size => u32::from(size),
    };
    is_page_size(size).then_some(size)
}

fn be16(bytes: &[u8], offset: usize) -> u16 {
    bytes.get(offset..).and_then(<[u8]>::first_chunk).map_or(0, |two| u16::from_be_bytes(*two))
}

fn byte(bytes: &[u8], offset: usize) -> u8 {
    bytes.get(offset).copied().unwrap_or_default()
}

fn foreign(head: &[u8]) -> Fault {
    let known: [(&[u8], &str); 8] = [
        (b"\x1f\x8b", "gzip data; unpack it first"),
        (b"PK", "a zip archive; unpack it first"),
        (b"\x28\xb5\x2f\xfd", "zstd data; unpack it first"),
        (b"\xfd7zXZ", "xz data; unpack it first"),
        (b"{", "JSON text; a transcript must be named *.jsonl"),
        (b"[", "JSON text; give the folder it lies in"),
        (b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", "a rollback journal; give the database it belongs to"),
        (b"\x37\x7f\x06", "a write-ahead log; give the database it belongs to"),
    ];
    let shown: Vec<String> = head.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let looks = match known.iter().find(|(magic, _)| head.starts_with(magic)) {
        Some((_, name)) => *name,
        None if head.starts_with(MAGIC) => "an SQLite header that was cut off",
        None if head.iter().all(|byte| *byte == 0) => "zeros; the first page is lost",
        None if head.iter().all(|byte| (9..127).contains(byte)) => "text",
        None => "an encrypted database or another program's file",
    };
    Fault::Foreign(format!("{} ({looks})", shown.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        bytes[..16].copy_from_slice(MAGIC);
        bytes[16..20].copy_from_slice(&[0x10, 0, 1, 1]);
        bytes[24..28].copy_from_slice(&6_u32.to_be_bytes());
        bytes[28..32].copy_from_slice(&127_u32.to_be_bytes());
        bytes[92..96].copy_from_slice(&6_u32.to_be_bytes());
        bytes
    }

    #[test]
    fn a_header_tells_pages_and_mode() {
        let mut bytes = sample();
        let header = parse(&bytes).unwrap();
        assert_eq!(header, Header { page_size: 4096, wal: false, change_counter: 6, pages: Some(127) });
        bytes[18..20].copy_from_slice(&[2, 2]);
        bytes[16..18].copy_from_slice(&[0, 1]);
        bytes[95] = 9;
        let header = parse(&bytes).unwrap();
        assert_eq!(header, Header { page_size: 65_536, wal: true, change_counter: 6, pages: None });
    }

    #[test]
    fn a_damaged_header_says_what_was_expected() {
        for (offset, value) in [(16, 0x11), (19, 3), (19, 0)] {
            let mut bytes = sample();
            bytes[offset] = value;
            assert!(matches!(parse(&bytes), Err(Fault::Damaged { .. })), "{offset}");
        }
    }

    #[test]
    fn foreign_files_are_named() {
        let says = |head: &[u8]| match parse(head) {
            Err(Fault::Foreign(text)) => text,
            other => panic!("{other:?}"),
        };
        assert!(says(b"\x1f\x8b\x08").contains("gzip"));
        assert!(says(&[0; 100]).contains("zeros"));
        assert!(says(&sample()[..50]).contains("cut off"));
        assert!(says(&[0x9d; 100]).contains("encrypted"));
        assert!(says(b"{\"a\":1}").starts_with("7b 22 61"));
        assert_eq!(parse(b""), Err(Fault::Empty));
    }
}
