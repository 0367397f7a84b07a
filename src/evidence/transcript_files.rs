use std::num::NonZeroUsize;
use std::thread::sleep;
use std::time::Duration;

use super::fingerprint::Mark;
use super::transcripts::Transcript;
use super::{EvidenceError, header, transcript_rows};
use crate::run_dir::{Position, Row, RowName};

/// Pauses before each attempt to read files that somebody rewrites.
const PAUSES_MS: [u64; 4] = [0, 20, 50, 100];

/// Transcript files that are read as they are.
#[derive(Debug)]
pub(super) struct TranscriptFiles {
    files: Vec<Transcript>,
}

impl TranscriptFiles {
    pub(super) fn new(files: Vec<Transcript>) -> Self {
        Self { files }
    }

    /// Hands every line to `each`; the states, the attempts that a writer spoiled, and whether a file grew meanwhile.
    /// Growing is what transcripts do: then the lines that were there in the beginning are one state of the file.
    pub(super) fn scan<S: Send>(
        &self,
        threads: NonZeroUsize,
        new: &(impl Fn() -> S + Sync),
        each: &(impl Fn(&mut S, Row<'_>) + Sync),
    ) -> Result<(Vec<S>, u32, bool), EvidenceError> {
        for (retries, pause) in (0..).zip(PAUSES_MS) {
            sleep(Duration::from_millis(pause));
            let before = self.marks()?;
            let states = transcript_rows::scan(&self.files, &before, threads, new, each);
            let after = self.marks()?;
            let grown_at_most = |(a, b): (&Mark, &Mark)| {
                a == b || (a.inode == b.inode && a.bytes < b.bytes && b.head.starts_with(&a.head))
            };
            if before.iter().zip(&after).all(grown_at_most) {
                return Ok((states?, retries, before != after));
            }
        }
        let path = self.files.first().map(|file| file.path.clone()).unwrap_or_default();
        Err(EvidenceError::NeverQuiet { path, attempts: PAUSES_MS.len() })
    }

    /// One line again.
    pub(super) fn payload(&self, store_key: &str, position: Position) -> Result<Option<Vec<u8>>, EvidenceError> {
        let Position::Line { file, line, offset } = position else { return Ok(None) };
        let file = usize::try_from(file).ok().and_then(|index| self.files.get(index));
        match file.filter(|file| file.store_key == store_key) {
            Some(file) => transcript_rows::payload(file, line, offset),
            None => Ok(None),
        }
    }

    /// The lines of one session again; none if several files have its key, since a line number would name two lines.
    pub(super) fn session(&self, store_key: &str) -> Result<Vec<(RowName, Vec<u8>)>, EvidenceError> {
        let mut files = self.files.iter().filter(|file| file.store_key == store_key);
        match (files.next(), files.next()) {
            (Some(file), None) => transcript_rows::session(file),
            (None, _) | (Some(_), Some(_)) => Ok(Vec::new()),
        }
    }

    fn marks(&self) -> Result<Vec<Mark>, EvidenceError> {
        let mark = |file: &Transcript| {
            Mark::take(&file.path, header::LENGTH)?.ok_or_else(|| EvidenceError::NotFound(file.path.clone()))
        };
        self.files.iter().map(mark).collect()
    }
}
