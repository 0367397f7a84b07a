//! What a path stands for.

use std::fs;
use std::path::{Path, PathBuf};

use super::database_files::{DatabaseFiles, beside};
use super::fingerprint::kind_of;
use super::opened::SourceKind;
use super::transcripts::{self, Listing};
use super::{EvidenceError, Remark};
use crate::run_dir::names::{
    ASIDE, JOURNAL_ENDING, LINEAGE, MANIFEST, SESSIONS_DB, TRANSCRIPT_EXTENSION, WAL_ENDING, WORKBENCH_IN_RUN_DIR,
};

/// A source, found but not read yet.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) kind: SourceKind,
    pub(super) content: Content,
    /// The run directory, where manifest, lineage and workbench are looked for.
    pub(super) folder: Option<PathBuf>,
    pub(super) remarks: Vec<(Remark, String)>,
}

/// Where the rows are.
#[derive(Debug)]
pub(super) enum Content {
    Database(DatabaseFiles),
    Transcripts(Listing),
}

impl Source {
    /// Finds out what the path stands for, without opening a file.
    pub(super) fn at(path: &Path) -> Result<Self, EvidenceError> {
        let metadata = match fs::metadata(path) {
            Err(_) if path.is_symlink() => {
                let found = "a symbolic link that leads nowhere";
                return Err(EvidenceError::NotAFile { path: path.to_owned(), found });
            }
            metadata => metadata.map_err(|error| EvidenceError::io(path, error))?,
        };
        if metadata.is_dir() {
            return Self::in_folder(path);
        }
        if !metadata.is_file() {
            let found = kind_of(metadata.file_type());
            return Err(EvidenceError::NotAFile { path: path.to_owned(), found });
        }
        if path.extension().is_some_and(|ending| ending == TRANSCRIPT_EXTENSION) {
            return Ok(Self::transcripts(SourceKind::Transcript, transcripts::of_file(path)?));
        }
        // A sessions.db given by its own path still lies among the files of its run.
        let is_named = path.file_name().is_some_and(|name| name == SESSIONS_DB);
        let folder = path
            .parent()
            .filter(|_| is_named)
            .map(|parent| if parent.as_os_str().is_empty() { PathBuf::from(".") } else { parent.to_owned() });
        let remarks = folder.as_deref().map(nested_run_directories).unwrap_or_default();
        let content = Content::Database(DatabaseFiles::of(path, None)?);
        Ok(Self { kind: SourceKind::Database, content, folder, remarks })
    }

    fn in_folder(path: &Path) -> Result<Self, EvidenceError> {
        let database = path.join(SESSIONS_DB);
        if let Ok(metadata) = fs::metadata(&database) {
            if !metadata.is_file() {
                return Err(EvidenceError::NotAFile { path: database, found: kind_of(metadata.file_type()) });
            }
            let content = Content::Database(DatabaseFiles::of(&database, Some(path))?);
            let remarks = nested_run_directories(path);
            return Ok(Self { kind: SourceKind::RunDirectory, content, folder: Some(path.to_owned()), remarks });
        }
        if database.is_symlink() {
            let found = "a symbolic link that leads nowhere, or where nobody may look";
            return Err(EvidenceError::NotAFile { path: database, found });
        }
        let names = names(path)?;
        let has = |name: &str| names.iter().any(|(found, _)| found == name);
        for ending in [WAL_ENDING, JOURNAL_ENDING] {
            let left = beside(Path::new(SESSIONS_DB), ending).to_string_lossy().into_owned();
            if has(&left) {
                return Err(EvidenceError::DatabaseMissing { path: database, beside: left });
            }
        }
        if has(MANIFEST) || has(LINEAGE) {
            return Err(no_source(path, &names));
        }
        Self::without_database(path, &names)
    }

    fn without_database(path: &Path, names: &[(String, bool)]) -> Result<Self, EvidenceError> {
        let mut listing = transcripts::of_folder(path)?;
        let nested = nested_run_directories(path);
        let here = listing.files.iter().any(|file| !file.name.contains('/'));
        if !here && let Some((_, below)) = nested.first() {
            return Err(EvidenceError::RunDirectoryBelow { path: path.to_owned(), below: path.join(below) });
        }
        if listing.files.is_empty() {
            return Err(no_source(path, names));
        }
        listing.remarks.extend(nested);
        Ok(Self::transcripts(SourceKind::TranscriptFolder, listing))
    }

    fn transcripts(kind: SourceKind, mut listing: Listing) -> Self {
        let remarks = std::mem::take(&mut listing.remarks);
        Self { kind, content: Content::Transcripts(listing), folder: None, remarks }
    }
}

/// The run directories right below a folder: they are counted apart.
fn nested_run_directories(folder: &Path) -> Vec<(Remark, String)> {
    let Ok(names) = names(folder) else { return Vec::new() };
    let holds_one = |(name, is_folder): &&(String, bool)| {
        *is_folder && name != WORKBENCH_IN_RUN_DIR && folder.join(name).join(SESSIONS_DB).exists()
    };
    let remark = |name: String| if name == ASIDE { Remark::AsideNotCounted } else { Remark::NestedRunDirectory };
    names.iter().filter(holds_one).map(|(name, _)| (remark(name.clone()), name.clone())).collect()
}

/// The names in a folder, sorted, and whether each is a folder.
fn names(folder: &Path) -> Result<Vec<(String, bool)>, EvidenceError> {
    let error = |error| EvidenceError::io(folder, error);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(error)? {
        let entry = entry.map_err(error)?;
        names.push((entry.file_name().to_string_lossy().into_owned(), entry.path().is_dir()));
    }
    names.sort();
    Ok(names)
}

fn no_source(path: &Path, names: &[(String, bool)]) -> EvidenceError {
    const SHOWN: usize = 5;
    if let Some(state) = [MANIFEST, LINEAGE].into_iter().find(|state| names.iter().any(|(name, _)| name == state)) {
        return EvidenceError::StateWithoutDatabase { path: path.to_owned(), state };
    }
    let mut found: Vec<&str> = names.iter().take(SHOWN).map(|(name, _)| name.as_str()).collect();
    let more = format!("{} more", names.len().saturating_sub(SHOWN));
    if names.len() > SHOWN {
        found.push(&more);
    }
    let found = if found.is_empty() { "nothing".to_owned() } else { found.join(", ") };
    EvidenceError::NoSource { path: path.to_owned(), found }
}
