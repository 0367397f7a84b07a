use std::cell::{Cell, RefCell};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use super::database_files::DatabaseFiles;
use super::error::Reached;
use super::fingerprint::Fingerprints;
use super::opened::{Method, Opened, SourceKind};
use super::rows::{self, Stopped};
use super::source::{Content, Source};
use super::store::Store;
use super::transcript_files::TranscriptFiles;
use super::workbench::{self, WorkbenchListing};
use super::{EvidenceError, Remark, header, source_files, tables};
use crate::run_dir::names::{LINEAGE, MANIFEST, SESSIONS_DB};
use crate::run_dir::{MetaRow, Position, Row, RowName, SummaryRow};
use crate::unit::{Diagnosis, Finding, Place};

/// How a source is to be opened.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// Take the SHA-256 of every file, before and after. Costs more than the whole analysis of a large store.
    pub hash: bool,
    /// Where a private copy may be made.
    pub temp_dir: PathBuf,
    /// Threads that read rows.
    pub threads: NonZeroUsize,
}

/// A source that is open for reading. Nothing is ever written to it.
#[derive(Debug)]
pub struct Evidence {
    path: PathBuf,
    kind: SourceKind,
    folder: Option<PathBuf>,
    options: OpenOptions,
    fingerprints: Fingerprints,
    remarks: RefCell<Vec<(Remark, Place)>>,
    retries: Cell<u32>,
    rows: Rows,
}

/// Where the rows come from.
#[derive(Debug)]
enum Rows {
    Database { files: DatabaseFiles, store: Box<RefCell<Store>> },
    Transcripts(TranscriptFiles),
}

impl Evidence {
    /// Finds out what `path` is, takes its fingerprint, checks header and schema, decides how to read it, recovers a copy if
    /// that is needed, and makes sure that rows can be read.
    ///
    /// Source: spec/evidence.md rules 1 to 3, 5 and 6.
    pub fn open(path: &Path, options: &OpenOptions) -> Result<Self, EvidenceError> {
        let source = Source::at(path)?;
        let head = if matches!(source.content, Content::Database(_)) { header::LENGTH } else { 0 };
        let fingerprints = Fingerprints::take(source_files::of(&source), head, options.hash)?;
        let remarks = source.remarks.into_iter().map(|(remark, name)| (remark, Place::file(name))).collect();
        let rows = match source.content {
            Content::Database(files) => {
                let store = Store::open(&files, &options.temp_dir)?;
                Rows::Database { files, store: Box::new(RefCell::new(store)) }
            }
            Content::Transcripts(listing) => Rows::Transcripts(TranscriptFiles::new(listing.files)),
        };
        Ok(Self {
            path: path.to_owned(),
            kind: source.kind,
            folder: source.folder,
            options: options.clone(),
            fingerprints,
            remarks: RefCell::new(remarks),
            retries: Cell::new(0),
            rows,
        })
    }

    /// What kind of source this is.
    pub fn kind(&self) -> SourceKind {
        self.kind
    }

    /// Hands every row to `each`, in several threads if there are many rows. Each thread has a state made by `new`; the
    /// states come back. Rows of one thread come in order, over threads the order is not fixed: the position carries it.
    ///
    /// If somebody writes meanwhile, everything read so far is dropped and reading starts again, with fresh states, on a
    /// copy of one moment. A description of a subagent comes as line 0 of its transcript.
    pub fn scan<S: Send>(
        &self,
        new: impl Fn() -> S + Sync,
        each: impl Fn(&mut S, Row<'_>) + Sync,
    ) -> Result<Vec<S>, EvidenceError> {
        let threads = self.options.threads;
        let (states, oddities) = match &self.rows {
            Rows::Transcripts(files) => {
                let (states, retries, grew) = files.scan(threads, &new, &each)?;
                self.note_retries(retries, grew);
                return Ok(states);
            }
            Rows::Database { files, store } => self.read(files, store, |store| {
                rows::scan(store, threads, &new, &each).map_err(|Stopped { error, reached }| (error, reached))
            })?,
        };
        for remark in oddities.remarks() {
            self.remark(remark, SESSIONS_DB);
        }
        Ok(states)
    }

    /// The table `meta`; `None` if the source has none.
    pub fn meta(&self) -> Result<Option<Vec<MetaRow>>, EvidenceError> {
        self.table(tables::meta)
    }

    /// The table `summaries`; `None` if the source has none.
    pub fn summaries(&self) -> Result<Option<Vec<SummaryRow>>, EvidenceError> {
        self.table(tables::summaries)
    }

    /// One payload again, byte for byte; `None` if there is no such row any more, or no text in it.
    pub fn payload(&self, store_key: &str, position: Position) -> Result<Option<Vec<u8>>, EvidenceError> {
        match &self.rows {
            Rows::Transcripts(files) => files.payload(store_key, position),
            Rows::Database { files, store } => self.read(files, store, |store| {
                tables::payload(store, store_key, position).map_err(|error| (error, Reached::default()))
            }),
        }
    }

    /// The payloads of one session again, byte for byte and in order; rows without text, and without a sequence number in
    /// a table, are left out. They are all in memory at once, but no other session is.
    pub fn session(&self, store_key: &str) -> Result<Vec<(RowName, Vec<u8>)>, EvidenceError> {
        match &self.rows {
            Rows::Transcripts(files) => files.session(store_key),
            Rows::Database { files, store } => self.read(files, store, |store| {
                tables::session(store, store_key).map_err(|error| (error, Reached::default()))
            }),
        }
    }

    /// The bytes of `manifest.json`; `None` if there is no such file.
    pub fn manifest(&self) -> Option<Result<Vec<u8>, EvidenceError>> {
        source_files::read(self.folder.as_deref()?, MANIFEST)
    }

    /// The bytes of `lineage.json`; `None` if there is no such file.
    pub fn lineage(&self) -> Option<Result<Vec<u8>, EvidenceError>> {
        source_files::read(self.folder.as_deref()?, LINEAGE)
    }

    /// The workbench of the run; `None` if none is found.
    pub fn workbench(&self) -> Option<WorkbenchListing> {
        workbench::of(self.folder.as_deref()?)
    }

    /// What is to be said about the source so far.
    pub fn findings(&self) -> Vec<Finding> {
        let store = match &self.rows {
            Rows::Database { store, .. } => store.borrow().remarks.clone(),
            Rows::Transcripts(_) => Vec::new(),
        };
        let store = store.into_iter().map(|remark| (remark, Place::file(SESSIONS_DB)));
        let all = self.remarks.borrow().iter().cloned().chain(store).collect::<Vec<_>>();
        all.into_iter().map(|(remark, place)| remark.at(place)).collect()
    }

    /// Takes the fingerprint again and says how the source was read and whether it stayed as it was.
    pub fn close(self) -> Opened {
        let (method, recovery, retries) = match self.rows {
            Rows::Transcripts(_) => (Method::PlainFiles, None, 0),
            Rows::Database { store, .. } => {
                let store = store.into_inner();
                (store.method, store.recovery, store.retries)
            }
        };
        let (files, changes) = self.fingerprints.again();
        Opened {
            path: self.path,
            kind: self.kind,
            method,
            explanation: method.explanation(),
            files,
            recovery,
            unchanged: changes.is_empty(),
            changes,
            retries: retries + self.retries.get(),
        }
    }

    /// Reads from the store; if somebody wrote meanwhile, reads again from a copy of one moment.
    fn read<T>(
        &self,
        files: &DatabaseFiles,
        store: &RefCell<Store>,
        read: impl Fn(&Store) -> Result<T, (rusqlite::Error, Reached)>,
    ) -> Result<T, EvidenceError> {
        let outcome = read(&store.borrow());
        let outcome = if store.borrow().is_unchanged(files)? {
            outcome
        } else {
            let mut copied = Store::copied(files, &self.options.temp_dir)?;
            copied.note_writer();
            let outcome = read(&copied);
            store.replace(copied);
            outcome
        };
        let method = store.borrow().method;
        outcome.map_err(|(error, reached)| EvidenceError::sqlite(&files.shown, error, reached).of_recovered(method))
    }

    fn table<T>(&self, table: impl Fn(&Store) -> tables::Table<T>) -> Result<Option<Vec<T>>, EvidenceError> {
        let Rows::Database { files, store } = &self.rows else { return Ok(None) };
        let (rows, remarks) = self.read(files, store, |store| Ok(table(store)))?;
        for remark in remarks {
            self.remark(remark, SESSIONS_DB);
        }
        Ok(rows)
    }

    fn note_retries(&self, retries: u32, grew: bool) {
        self.retries.set(self.retries.get() + retries);
        if retries > 0 || grew {
            self.remark(Remark::StillBeingWritten, "");
        }
    }

    fn remark(&self, remark: Remark, file: &str) {
        let place = if file.is_empty() { Place::default() } else { Place::file(file) };
        let mut remarks = self.remarks.borrow_mut();
        if !remarks.contains(&(remark.clone(), place.clone())) {
            remarks.push((remark, place));
        }
    }
}
