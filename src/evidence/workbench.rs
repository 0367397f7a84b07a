//! The workbench of a run: names and sizes, and the hashes that spilled results are named after.

use serde::Serialize;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::fingerprint::sha256;
use crate::run_dir::limits::{MAX_FILES, MAX_FOLDER_DEPTH};
use crate::run_dir::names::{ARTIFACTS, NOTES, SCRIPTS, SPILL, WORKBENCH, WORKBENCH_IN_RUN_DIR};

/// Spilled results that are hashed, in bytes altogether; each is a tool result of some thousand characters.
const MAX_HASHED_BYTES: u64 = 1 << 30;

/// What lies in a workbench.
///
/// Source: spec/run-directory.md, workbench.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorkbenchListing {
    /// The workbench's folder.
    pub folder: PathBuf,
    /// Scripts that the agents kept.
    pub scripts: Vec<WorkbenchFile>,
    /// Long outputs.
    pub artifacts: Vec<WorkbenchFile>,
    /// Notes and handoffs.
    pub notes: Vec<WorkbenchFile>,
    /// Tool results that were taken out of the transcript.
    pub spill: Vec<WorkbenchFile>,
    /// Whether files were left out: unreadable folders, links, or more than the limit.
    pub incomplete: bool,
}

/// One file of a workbench.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct WorkbenchFile {
    /// Path relative to its folder of the workbench.
    pub name: String,
    /// Size in bytes.
    pub bytes: u64,
}

/// A spilled result against its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SpillHash {
    /// Name of the file in `spill/`.
    pub name: String,
    /// SHA-256 of its content in hex; `None` if it cannot be read or the limit of hashed bytes is reached.
    pub sha256: Option<String>,
}

impl WorkbenchListing {
    /// Hashes every spilled result. This reads them all, so it is done only when asked.
    pub fn spill_hashes(&self) -> Vec<SpillHash> {
        let mut left = MAX_HASHED_BYTES;
        let hash = |file: &WorkbenchFile| {
            let within = left.checked_sub(file.bytes);
            left = within.unwrap_or_default();
            let path = self.folder.join(SPILL).join(&file.name);
            // Looked at again: a pipe in the file's place would never end.
            let is_file = within.is_some() && fs::symlink_metadata(&path).is_ok_and(|found| found.is_file());
            SpillHash { name: file.name.clone(), sha256: is_file.then(|| sha256(&path).ok()).flatten() }
        };
        self.spill.iter().map(hash).collect()
    }
}

impl SpillHash {
    /// Whether the file is named after its content; `None` if it was not hashed.
    pub fn matches(&self) -> Option<bool> {
        let stem = self.name.split('.').next().unwrap_or_default();
        self.sha256.as_deref().map(|hash| hash.get(..16) == Some(stem))
    }
}

/// The workbench of a run directory: inside of it, in the workspace beside it, or beside the workspace.
pub(super) fn of(run_dir: &Path) -> Option<WorkbenchListing> {
    let run_dir = fs::canonicalize(run_dir).ok()?;
    let parent = run_dir.parent();
    let isolated = |workspace: &Path| {
        let name = format!("{WORKBENCH}-{}", workspace.file_name()?.to_string_lossy());
        Some(workspace.parent()?.join(name))
    };
    let beside = [
        Some(run_dir.join(WORKBENCH_IN_RUN_DIR)),
        parent.map(|parent| parent.join(WORKBENCH)),
        parent.and_then(isolated),
        parent.and_then(only_isolated_in),
    ];
    let folder = beside.into_iter().flatten().find(|folder| folder.is_dir())?;
    let mut incomplete = false;
    let mut list = |name: &str| {
        let mut files = Vec::new();
        incomplete |= !add_files(&folder.join(name), "", 0, &mut files);
        files.sort();
        files
    };
    let [scripts, artifacts, notes, spill] = [SCRIPTS, ARTIFACTS, NOTES, SPILL].map(&mut list);
    Some(WorkbenchListing { folder, scripts, artifacts, notes, spill, incomplete })
}

/// An isolated workbench carries the workspace's name, which the run directory does not tell: only one is unambiguous.
fn only_isolated_in(folder: &Path) -> Option<PathBuf> {
    let begins = format!("{WORKBENCH}-");
    let is_one = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(&begins);
    let mut found = fs::read_dir(folder).ok()?.flatten().filter(is_one);
    found.next().filter(|_| found.next().is_none()).map(|entry| entry.path())
}

/// Adds the regular files below a folder; `false` if some were left out.
fn add_files(folder: &Path, prefix: &str, depth: usize, files: &mut Vec<WorkbenchFile>) -> bool {
    match fs::symlink_metadata(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return true,
        // A link may lead anywhere; what lies there is not this run's.
        Ok(found) if found.is_dir() => {}
        Ok(_) | Err(_) => return false,
    }
    let Ok(entries) = fs::read_dir(folder) else { return false };
    let mut complete = depth <= MAX_FOLDER_DEPTH;
    for entry in entries.flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        match entry.metadata() {
            Ok(found) if found.is_dir() && depth < MAX_FOLDER_DEPTH => {
                complete &= add_files(&entry.path(), &format!("{name}/"), depth + 1, files);
            }
            Ok(found) if found.is_file() && files.len() < MAX_FILES => {
                files.push(WorkbenchFile { name, bytes: found.len() });
            }
            Ok(_) | Err(_) => complete = false,
        }
    }
    complete
}
