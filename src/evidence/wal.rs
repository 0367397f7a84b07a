//! Write-ahead logs, read without SQLite: which frames are committed, unfinished, old or broken.

use serde::Serialize;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use super::header::{be32, is_page_size};

/// Length of a log's header, in bytes.
pub(super) const HEADER_LENGTH: usize = 32;

const FRAME_HEADER_LENGTH: usize = 24;

/// What a write-ahead log holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct WalFacts {
    /// Size of the log, in bytes.
    pub bytes: u64,
    /// Whole frames in the file; each carries one page.
    pub frames: u64,
    /// Frames of finished transactions: these are applied.
    pub frames_committed: u64,
    /// Finished transactions.
    pub commits: u64,
    /// Valid frames of a transaction that was never finished: these are left out.
    pub frames_uncommitted: u64,
    /// Frames of an earlier use of the log, already in the database: these are left out, and that is right.
    pub frames_old: u64,
    /// Frames that do not validate: torn or overwritten.
    pub frames_invalid: u64,
    /// Bytes behind the last whole frame.
    pub bytes_torn: u64,
    /// Whether the log's header validates; if not, SQLite reads nothing from the log.
    pub header_valid: bool,
    /// Page size that the log was written with.
    pub page_size: u32,
}

/// Reads a log frame by frame. Source: the SQLite file format, section 4.
pub(super) fn read(path: &Path) -> io::Result<WalFacts> {
    let file = File::open(path)?;
    let bytes = file.metadata()?.len();
    analyse(BufReader::with_capacity(1 << 17, file), bytes)
}

fn analyse(mut reader: impl Read, bytes: u64) -> io::Result<WalFacts> {
    let mut head = [0; HEADER_LENGTH];
    let mut facts = WalFacts { bytes, ..WalFacts::default() };
    if bytes < 32 {
        facts.bytes_torn = bytes;
        return Ok(facts);
    }
    reader.read_exact(&mut head)?;
    facts.page_size = be32(&head, 8);
    if !is_page_size(facts.page_size) {
        return Ok(facts);
    }
    let frame_length = u64::from(facts.page_size) + 24;
    facts.frames = (bytes - 32) / frame_length;
    facts.bytes_torn = (bytes - 32) % frame_length;
    let magic = be32(&head, 0);
    let mut sum = Checksum { big_endian: magic & 1 == 1, ..Checksum::default() };
    sum.add(head.get(..24).unwrap_or_default());
    facts.header_valid = magic & !1 == 0x377f_0682 && sum.is(be32(&head, 24), be32(&head, 28));
    let salts = head.get(16..24).unwrap_or_default();
    let mut chain_holds = facts.header_valid;
    let mut frame = vec![0; usize::try_from(frame_length).unwrap_or_default()];
    for _ in 0..facts.frames {
        reader.read_exact(&mut frame)?;
        let same_use = frame.get(8..16) == Some(salts);
        chain_holds = chain_holds && same_use && frame_is_valid(&frame, &mut sum);
        if !chain_holds {
            *(if same_use { &mut facts.frames_invalid } else { &mut facts.frames_old }) += 1;
            continue;
        }
        facts.frames_uncommitted += 1;
        if be32(&frame, 4) > 0 {
            facts.commits += 1;
            facts.frames_committed += facts.frames_uncommitted;
            facts.frames_uncommitted = 0;
        }
    }
    Ok(facts)
}

fn frame_is_valid(frame: &[u8], sum: &mut Checksum) -> bool {
    sum.add(frame.get(..8).unwrap_or_default());
    sum.add(frame.get(FRAME_HEADER_LENGTH..).unwrap_or_default());
    be32(frame, 0) > 0 && sum.is(be32(frame, 16), be32(frame, 20))
}

/// The cumulative checksum of a log; its words are read in the byte order of the machine that wrote them.
#[derive(Default)]
struct Checksum {
    big_endian: bool,
    first: u32,
    second: u32,
}

impl Checksum {
    fn add(&mut self, bytes: &[u8]) {
        let word = |four: &[u8; 4]| if self.big_endian { u32::from_be_bytes(*four) } else { u32::from_le_bytes(*four) };
        let (words, _) = bytes.as_chunks::<4>();
        let (pairs, _) = words.as_chunks::<2>();
        for [a, b] in pairs {
            self.first = self.first.wrapping_add(word(a)).wrapping_add(self.second);
            self.second = self.second.wrapping_add(word(b)).wrapping_add(self.first);
        }
    }

    fn is(&self, first: u32, second: u32) -> bool {
        self.first == first && self.second == second
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A log of pages of 512 bytes; `true` is a commit frame.
    fn log(big_endian: bool, commits: &[bool]) -> Vec<u8> {
        let mut sum = Checksum { big_endian, ..Checksum::default() };
        let mut bytes = Vec::new();
        for number in [0x377f_0682 | u32::from(big_endian), 3_007_000, 512, 0, 11, 22] {
            bytes.extend(u32::to_be_bytes(number));
        }
        sum.add(&bytes);
        bytes.extend([sum.first.to_be_bytes(), sum.second.to_be_bytes()].concat());
        for (page, commit) in (1_u32..).zip(commits) {
            let mut frame = [page, u32::from(*commit) * 9, 11, 22].map(u32::to_be_bytes).concat();
            sum.add(&frame[..8]);
            sum.add(&[page.to_le_bytes()[0]; 512]);
            frame.extend([sum.first.to_be_bytes(), sum.second.to_be_bytes()].concat());
            frame.extend([page.to_le_bytes()[0]; 512]);
            bytes.extend(frame);
        }
        bytes
    }

    fn facts(bytes: &[u8]) -> WalFacts {
        analyse(bytes, u64::try_from(bytes.len()).unwrap()).unwrap()
    }

    #[test]
    fn frames_count_only_up_to_the_last_commit() {
        for big_endian in [false, true] {
            let facts = facts(&log(big_endian, &[false, true, true, false]));
            assert!(facts.header_valid);
            assert_eq!((facts.frames, facts.commits, facts.frames_committed, facts.frames_uncommitted), (4, 2, 3, 1));
        }
    }

    #[test]
    fn a_torn_frame_ends_the_log() {
        let mut bytes = log(false, &[true, true, true]);
        bytes[32 + 536 + 100] ^= 1;
        bytes.truncate(bytes.len() - 10);
        let facts = facts(&bytes);
        assert_eq!((facts.frames, facts.frames_committed, facts.frames_invalid, facts.bytes_torn), (2, 1, 1, 526));
    }

    #[test]
    fn frames_of_an_earlier_use_are_old() {
        let mut bytes = log(false, &[true, true]);
        bytes[32 + 536 + 8] ^= 1;
        let facts = facts(&bytes);
        assert_eq!((facts.frames_committed, facts.frames_old, facts.frames_invalid), (1, 1, 0));
    }

    #[test]
    fn a_log_without_a_valid_header_holds_nothing() {
        let mut bytes = log(false, &[true]);
        bytes[17] ^= 1;
        assert_eq!((facts(&bytes).header_valid, facts(&bytes).frames_committed), (false, 0));
        assert_eq!(facts(&bytes[..20]).bytes_torn, 20);
        assert_eq!(facts(b"").frames, 0);
    }
}
