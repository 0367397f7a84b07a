//! Which transcripts a path stands for, and under which store keys.

use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

use super::fingerprint::{kind_of, regular};
use super::{EvidenceError, Remark};
use crate::run_dir::limits::{MAX_FILES, MAX_FOLDER_DEPTH};
use crate::run_dir::names::{AGENT_META_ENDING, SUBAGENTS, TRANSCRIPT_EXTENSION};

/// One transcript file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Transcript {
    pub(super) path: PathBuf,
    /// Relative to the source.
    pub(super) name: String,
    pub(super) store_key: String,
    /// The file that describes the subagent.
    pub(super) meta: Option<PathBuf>,
}

impl Transcript {
    /// The transcript and its description, with their names relative to the source.
    pub(super) fn named_paths(&self) -> impl Iterator<Item = (String, PathBuf)> {
        let meta = self.meta.clone().map(|path| {
            let stem = self.name.strip_suffix(TRANSCRIPT_EXTENSION).unwrap_or(&self.name);
            (format!("{}{AGENT_META_ENDING}", stem.trim_end_matches('.')), path)
        });
        std::iter::once((self.name.clone(), self.path.clone())).chain(meta)
    }
}

/// The transcripts of a source, in the order of their paths.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) files: Vec<Transcript>,
    pub(super) remarks: Vec<(Remark, String)>,
}

/// The transcript of one file.
pub(super) fn of_file(path: &Path) -> Result<Listing, EvidenceError> {
    let absolute = fs::canonicalize(path).map_err(|error| EvidenceError::io(path, error))?;
    let mut listing = Listing::default();
    listing.add(&absolute, absolute.parent().unwrap_or(&absolute))?;
    let subagents = absolute.with_extension("").join(SUBAGENTS);
    if subagents.is_dir() {
        let mut below = Listing::default();
        below.walk(&subagents, &subagents, Reach::Everything, 0)?;
        if !below.files.is_empty() {
            let remark = Remark::SubagentsNotCounted { files: below.files.len() };
            listing.remarks.push((remark, shown(&subagents, absolute.parent().unwrap_or(&absolute))));
        }
    }
    Ok(listing)
}

/// The transcripts of a folder: all projects, one project, one session or its subagents.
pub(super) fn of_folder(path: &Path) -> Result<Listing, EvidenceError> {
    let root = fs::canonicalize(path).map_err(|error| EvidenceError::io(path, error))?;
    let mut listing = Listing::default();
    let reach = if root.file_name().is_some_and(|name| name == SUBAGENTS) { Reach::Everything } else { Reach::Levels };
    // A session's own transcript lies beside its folder.
    let main = beside_folder(&root);
    if root.join(SUBAGENTS).is_dir() && regular(&main).is_ok_and(|found| found.is_some()) {
        listing.add(&main, &root)?;
    }
    listing.walk(&root, &root, reach, 0)?;
    listing.files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(listing)
}

/// How much of a folder holds transcripts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Transcripts lie here and one folder down; below that only in a session's subagents. So a folder that was given by
    /// mistake is not searched to its bottom.
    Levels,
    /// A folder of subagents: everything below belongs to it.
    Everything,
}

impl Listing {
    fn walk(&mut self, folder: &Path, root: &Path, reach: Reach, depth: usize) -> Result<(), EvidenceError> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(folder).map_err(|error| EvidenceError::io(folder, error))? {
            entries.push(entry.map_err(|error| EvidenceError::io(folder, error))?);
        }
        entries.sort_by_key(DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            let kind = entry.file_type().map_err(|error| EvidenceError::io(&path, error))?;
            if kind.is_dir() {
                self.enter(&path, root, reach, depth + 1);
            } else if path.extension().is_some_and(|ending| ending == TRANSCRIPT_EXTENSION) {
                if reach == Reach::Everything || depth <= 1 {
                    self.add(&path, root)?;
                }
            } else if kind.is_symlink() && path.is_dir() {
                self.remarks.push((Remark::LinkNotFollowed, shown(&path, root)));
            }
        }
        Ok(())
    }

    fn enter(&mut self, folder: &Path, root: &Path, reach: Reach, depth: usize) {
        let reach = if folder.file_name().is_some_and(|name| name == SUBAGENTS) { Reach::Everything } else { reach };
        if reach == Reach::Levels && depth > 2 {
            return;
        }
        if depth > MAX_FOLDER_DEPTH {
            self.remarks.push((Remark::TooDeep, shown(folder, root)));
            return;
        }
        if let Err(error) = self.walk(folder, root, reach, depth) {
            let why = error.to_string();
            self.remarks.push((Remark::FolderUnreadable { why }, shown(folder, root)));
        }
    }

    fn add(&mut self, path: &Path, root: &Path) -> Result<(), EvidenceError> {
        let name = shown(path, root);
        if self.files.len() >= MAX_FILES {
            if !self.remarks.iter().any(|(remark, _)| *remark == Remark::TooManyFiles) {
                self.remarks.push((Remark::TooManyFiles, name));
            }
            return Ok(());
        }
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => {
                let meta = path.with_extension("");
                let meta = super::database_files::beside(&meta, AGENT_META_ENDING);
                let meta = meta.is_file().then_some(meta);
                self.files.push(Transcript { path: path.to_owned(), name, store_key: store_key(path), meta });
            }
            Ok(metadata) => self.remarks.push((Remark::NotAFile { found: kind_of(metadata.file_type()) }, name)),
            Err(_) if path.is_symlink() => {
                self.remarks.push((Remark::NotAFile { found: "a symbolic link that leads nowhere" }, name));
            }
            Err(error) => return Err(EvidenceError::io(path, error)),
        }
        Ok(())
    }
}

/// `<folder>/<file stem>`, or `<folder>/<session>/subagents/<path below>` where the path goes through `subagents`.
///
/// Source: spec/entries.md, store key of .jsonl sources.
fn store_key(path: &Path) -> String {
    let stem = path.with_extension("");
    let parts: Vec<_> = stem.iter().map(|part| part.to_string_lossy()).collect();
    let depth = match parts.iter().rposition(|part| part == SUBAGENTS) {
        Some(at) if at + 1 < parts.len() => parts.len() - at + 2,
        Some(_) | None => 2,
    };
    parts.get(parts.len().saturating_sub(depth)..).unwrap_or_default().join("/")
}

/// The transcript of the session that a folder belongs to.
fn beside_folder(folder: &Path) -> PathBuf {
    super::database_files::beside(folder, &format!(".{TRANSCRIPT_EXTENSION}"))
}

/// A path as the source's reader knows it.
fn shown(path: &Path, root: &Path) -> String {
    if let Ok(below) = path.strip_prefix(root) {
        return below.to_string_lossy().into_owned();
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!("../{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_key_does_not_depend_on_the_level_given() {
        let key = |path: &str| store_key(Path::new(path));
        assert_eq!(key("/home/x/projects/-w-demo/82f5.jsonl"), "-w-demo/82f5");
        assert_eq!(key("/p/-w-demo/82f5/subagents/agent-a5.jsonl"), "-w-demo/82f5/subagents/agent-a5");
        assert_eq!(key("/p/-w-demo/82f5/subagents/x/agent-a5.jsonl"), "-w-demo/82f5/subagents/x/agent-a5");
        assert_eq!(key("/subagents.jsonl"), "//subagents");
    }
}
