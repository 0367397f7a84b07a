//! Rollback journals, read without SQLite: whether one is hot, and what it would roll back.

use serde::Serialize;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use super::header::{be32, is_page_size};

const MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// Length of the part of a journal header that is used, in bytes.
pub(super) const HEADER_LENGTH: usize = 28;

/// What lies beside a database under the journal's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// No journal, or one that a finished transaction left empty or zeroed.
    Finished,
    /// Bytes that no SQLite wrote; SQLite rolls nothing back from them.
    Foreign,
    /// An unfinished transaction (or one that is running).
    Hot,
}

/// What a hot journal holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct JournalFacts {
    /// Size of the journal, in bytes.
    pub bytes: u64,
    /// Pages that are valid and go back to what they were.
    pub pages: u64,
    /// Pages that the journal announces but that do not validate; SQLite stops before the first.
    pub pages_invalid: u64,
    /// Pages that the database had before the unfinished transaction.
    pub database_pages: u32,
    /// Super-journal that ties the transaction to those of other databases.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub super_journal: Option<String>,
}

/// Tells from the first bytes of a journal, as SQLite does: a zeroed first byte ends a transaction.
pub(super) fn state(head: &[u8]) -> State {
    match head.first() {
        None | Some(0) => State::Finished,
        Some(_) if head.starts_with(&MAGIC) && head.len() >= HEADER_LENGTH => State::Hot,
        Some(_) => State::Foreign,
    }
}

/// Counts what a hot journal would roll back. Source: the SQLite file format, section 3.
pub(super) fn read(path: &Path) -> io::Result<JournalFacts> {
    let file = File::open(path)?;
    let bytes = file.metadata()?.len();
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let mut facts =
        JournalFacts { bytes, super_journal: super_journal(&mut reader, bytes)?, ..JournalFacts::default() };
    let mut offset = 0;
    while let Some(segment) = Segment::read(&mut reader, offset, bytes)? {
        if offset == 0 {
            facts.database_pages = segment.database_pages;
        }
        let valid = segment.valid_records(&mut reader)?;
        facts.pages += valid;
        facts.pages_invalid += segment.records - valid;
        if valid < segment.records || segment.records == 0 {
            break;
        }
        let end = offset + segment.sector + segment.records * segment.record_length();
        offset = end.next_multiple_of(segment.sector);
    }
    Ok(facts)
}

/// Length of the record at the end that names a super-journal, in bytes.
pub(super) fn super_record_length(name: &str) -> u64 {
    u64::try_from(name.len()).unwrap_or_default() + 20
}

/// One header of a journal with the page records behind it.
struct Segment {
    nonce: u32,
    database_pages: u32,
    sector: u64,
    page_size: u32,
    /// Records that the header announces and that fit into the file.
    records: u64,
    start: u64,
}

impl Segment {
    fn read(reader: &mut (impl Read + Seek), offset: u64, bytes: u64) -> io::Result<Option<Self>> {
        if offset + 28 > bytes {
            return Ok(None);
        }
        let mut head = [0; HEADER_LENGTH];
        reader.seek(SeekFrom::Start(offset))?;
        reader.read_exact(&mut head)?;
        let (sector, page_size) = (be32(&head, 20), be32(&head, 24));
        if !head.starts_with(&MAGIC) || !(32..=65_536).contains(&sector) || !is_page_size(page_size) {
            return Ok(None);
        }
        let start = offset + u64::from(sector);
        let fitting = bytes.saturating_sub(start) / (u64::from(page_size) + 8);
        // A writer that does not sync leaves the count at all ones: as many as there are.
        let announced = match be32(&head, 8) {
            u32::MAX => fitting,
            count => u64::from(count),
        };
        Ok(Some(Self {
            nonce: be32(&head, 12),
            database_pages: be32(&head, 16),
            sector: u64::from(sector),
            page_size,
            records: announced.min(fitting),
            start,
        }))
    }

    fn record_length(&self) -> u64 {
        u64::from(self.page_size) + 8
    }

    fn valid_records(&self, reader: &mut (impl Read + Seek)) -> io::Result<u64> {
        reader.seek(SeekFrom::Start(self.start))?;
        let mut record = vec![0; usize::try_from(self.record_length()).unwrap_or_default()];
        for valid in 0..self.records {
            reader.read_exact(&mut record)?;
            if be32(&record, 0) == 0 || self.checksum(&record) != be32(&record, record.len() - 4) {
                return Ok(valid);
            }
        }
        Ok(self.records)
    }

    /// The nonce and every 200th byte of the page, counted from its end.
    fn checksum(&self, record: &[u8]) -> u32 {
        let page = record.get(4..).unwrap_or_default();
        let size = usize::try_from(self.page_size).unwrap_or_default();
        let sampled = (1..size).rev().skip(199).step_by(200).filter_map(|at| page.get(at));
        sampled.fold(self.nonce, |sum, byte| sum.wrapping_add(u32::from(*byte)))
    }
}

fn super_journal(reader: &mut (impl Read + Seek), bytes: u64) -> io::Result<Option<String>> {
    let mut tail = [0; 16];
    let Some(at) = bytes.checked_sub(16) else { return Ok(None) };
    reader.seek(SeekFrom::Start(at))?;
    reader.read_exact(&mut tail)?;
    let (length, checksum) = (be32(&tail, 0), be32(&tail, 4));
    let Some(start) = at.checked_sub(u64::from(length)).filter(|_| (1..=4096).contains(&length)) else {
        return Ok(None);
    };
    if !tail.ends_with(&MAGIC) {
        return Ok(None);
    }
    let mut name = vec![0; usize::try_from(length).unwrap_or_default()];
    reader.seek(SeekFrom::Start(start))?;
    reader.read_exact(&mut name)?;
    // SQLite adds the name's bytes up as signed characters.
    let sum = name.iter().fold(0_u32, |sum, byte| sum.wrapping_add_signed(i32::from(byte.cast_signed())));
    Ok(String::from_utf8(name).ok().filter(|_| sum == checksum))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn journal(count: u32, pages: &[(u32, u8)], tail: &[u8]) -> tempfile::NamedTempFile {
        let mut bytes = MAGIC.to_vec();
        for number in [count, 7, 3, 512, 1024] {
            bytes.extend(number.to_be_bytes());
        }
        bytes.resize(512, 0);
        for (number, fill) in pages {
            bytes.extend(number.to_be_bytes());
            bytes.extend([*fill; 1024]);
            // 1024 - 200, 624, 424, 224, 24: five samples.
            bytes.extend((7 + 5 * u32::from(*fill)).to_be_bytes());
        }
        bytes.extend(tail);
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&bytes).unwrap();
        file
    }

    #[test]
    fn pages_are_counted_until_one_does_not_validate() {
        let file = journal(2, &[(1, 1), (2, 2)], &[]);
        let facts = read(file.path()).unwrap();
        assert_eq!((facts.pages, facts.pages_invalid, facts.database_pages), (2, 0, 3));
        let file = journal(u32::MAX, &[(1, 1), (0, 2), (3, 3)], &[]);
        let facts = read(file.path()).unwrap();
        assert_eq!((facts.pages, facts.pages_invalid), (1, 2));
        let file = journal(5, &[(1, 1)], &[]);
        assert_eq!(read(file.path()).unwrap().pages, 1);
    }

    #[test]
    fn a_super_journal_is_named() {
        let name = "/tmp/x-mj1";
        let mut tail = vec![0, 0, 0, 1];
        tail.extend(name.as_bytes());
        tail.extend(u32::try_from(name.len()).unwrap().to_be_bytes());
        tail.extend(name.bytes().map(u32::from).sum::<u32>().to_be_bytes());
        tail.extend(MAGIC);
        assert_eq!(super_record_length(name), u64::try_from(tail.len()).unwrap());
        let file = journal(1, &[(1, 1)], &tail);
        assert_eq!(read(file.path()).unwrap().super_journal.as_deref(), Some(name));
    }

    #[test]
    fn only_a_written_header_is_hot() {
        let mut head = MAGIC.to_vec();
        head.resize(HEADER_LENGTH, 1);
        assert_eq!(state(&head), State::Hot);
        assert_eq!([state(&[]), state(&[0; 28])], [State::Finished; 2]);
        assert_eq!([state(b"text"), state(&head[..12])], [State::Foreign; 2]);
    }
}
