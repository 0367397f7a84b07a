use serde::Serialize;
use std::fmt;
use std::path::PathBuf;

use super::fingerprint::FileFacts;
use super::journal::JournalFacts;
use super::wal::WalFacts;
use crate::unit::counted;

/// What kind of source was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SourceKind {
    /// A folder with a `sessions.db`.
    RunDirectory,
    /// A database given by its own path.
    Database,
    /// One `.jsonl` transcript.
    Transcript,
    /// A folder of `.jsonl` transcripts.
    TranscriptFolder,
}

impl fmt::Display for SourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::RunDirectory => "run directory",
            Self::Database => "database",
            Self::Transcript => "transcript",
            Self::TranscriptFolder => "folder of transcripts",
        })
    }
}

/// How the source was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The database itself.
    Immutable,
    /// A copy on which an unfinished transaction was rolled back.
    RecoveredCopyJournal,
    /// A copy to which the write-ahead log was applied.
    RecoveredCopyWal,
    /// A copy of one moment of a database that is being written.
    ConsistentCopy,
    /// Transcript files as they are.
    PlainFiles,
}

impl Method {
    /// One sentence for a person.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::Immutable => {
                "the database was quiet and was read in place, without locks and without creating any file"
            }
            Self::RecoveredCopyJournal => {
                "a transaction was not finished, so the database and its journal were copied and the copy was rolled back"
            }
            Self::RecoveredCopyWal => {
                "rows were still in the write-ahead log, so the database and its log were copied and the copy was recovered"
            }
            Self::ConsistentCopy => "the database was being written, so a copy of one consistent moment was read",
            Self::PlainFiles => "the transcript files were read as they are",
        }
    }
}

/// What recovery of the copy did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Recovery {
    /// Rows that reading the database alone would have shown; `None` if it could not be read at all.
    pub rows_immutable: Option<u64>,
    /// Rows after recovery; `None` if they cannot be counted.
    pub rows: Option<u64>,
    /// The journal that was rolled back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journal: Option<JournalFacts>,
    /// The write-ahead log that was applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wal: Option<WalFacts>,
}

impl Recovery {
    /// What recovery did, one sentence each, for a person.
    pub fn sentences(&self) -> Vec<String> {
        let mut all = Vec::new();
        if let Some(journal) = &self.journal {
            all.push(format!("{} pages were rolled back from the journal", journal.pages));
        }
        if let Some(wal) = &self.wal {
            let commits = counted(usize::try_from(wal.commits).unwrap_or(usize::MAX), "transaction");
            all.push(format!(
                "{} of {} frames of the write-ahead log were applied ({}); left out: {} not committed, {} that do \
                 not validate, {} of an earlier use of the log",
                wal.frames_committed, wal.frames, commits, wal.frames_uncommitted, wal.frames_invalid, wal.frames_old
            ));
        }
        all.extend(match (self.rows_immutable, self.rows) {
            (Some(alone), Some(rows)) if alone != rows => Some(format!(
                "{rows} rows; the database file alone would have shown {alone}, which is not what was committed"
            )),
            (Some(_), Some(rows)) => {
                Some(format!("{rows} rows; the database file alone has as many, but not the same pages"))
            }
            (None, Some(rows)) => Some(format!("{rows} rows; the database file alone cannot be read")),
            _ => None,
        });
        all
    }
}

/// What a source was, how it was read, and whether it stayed as it was: the part of every report about its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Opened {
    /// The path as given.
    pub path: PathBuf,
    /// What it is.
    pub kind: SourceKind,
    /// How it was read.
    pub method: Method,
    /// The same in one sentence.
    pub explanation: &'static str,
    /// Every file of the source.
    pub files: Vec<FileFacts>,
    /// What recovery did, if a copy had to be recovered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<Recovery>,
    /// Whether no file of the source changed between opening and closing.
    pub unchanged: bool,
    /// One sentence per change.
    pub changes: Vec<String>,
    /// How often reading started again because the source changed.
    pub retries: u32,
}
