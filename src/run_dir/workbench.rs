use serde::Serialize;

/// What lies in one folder of a workbench.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct FolderCount {
    /// Files.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
}

/// A spilled tool result: named after the first 16 hex digits of the SHA-256 of its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SpillFile {
    /// File name.
    pub name: String,
    /// Bytes.
    pub bytes: u64,
    /// Whether the name fits the content; `None` if the content was not read.
    pub name_fits: Option<bool>,
}

/// A script that the agents kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ScriptFile {
    /// Path below the folder of scripts.
    pub name: String,
    /// Bytes.
    pub bytes: u64,
}

/// The workbench of a run, as it lies beside or in the run directory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Workbench {
    /// Where it is, relative to the source.
    pub path: String,
    /// `scripts/`.
    pub scripts: FolderCount,
    /// The scripts one by one, by name.
    pub script_files: Vec<ScriptFile>,
    /// `artifacts/`.
    pub artifacts: FolderCount,
    /// `notes/`.
    pub notes: FolderCount,
    /// `spill/`, by name.
    pub spills: Vec<SpillFile>,
    /// Something is not counted: a folder that cannot be read, a link, or more files than the limit.
    pub incomplete: bool,
}
