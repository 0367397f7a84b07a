use crate::layers::Loaded;
use crate::run_dir::Workbench;
use crate::session::Model;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A file that the model is told to read, and whether it is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SpillCheck {
    /// The entry with the result.
    pub seq: i64,
    /// The call that it answers.
    pub tool_use_id: String,
    /// Name of the file.
    pub file: String,
    /// Whether it is there.
    pub state: SpillState,
}

/// Whether a file is there and holds what its name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum SpillState {
    /// It is there and holds the text.
    Matches,
    /// It is there and holds something else.
    Differs,
    /// It is there; its content was not read.
    NotRead,
    /// It is not there: flower writes it at the load.
    Missing,
    /// There is no workbench to look in.
    NoWorkbench,
}

impl SpillState {
    /// Stable name.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The folder of spilled results.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SpillFolder {
    /// Where the workbench is; null if none was found.
    pub workbench: Option<String>,
    /// Files in it.
    pub files: usize,
    /// Files that neither a stored entry of any session nor one that is fed points to.
    pub unused: Vec<String>,
}

/// Whether the files that the model is told of are there.
pub(super) fn check(loaded: &Loaded<'_>, workbench: Option<&Workbench>) -> Vec<SpillCheck> {
    let files: Option<BTreeMap<&str, Option<bool>>> =
        workbench.map(|found| found.spills.iter().map(|file| (file.name.as_str(), file.name_fits)).collect());
    let state = |name: &str| match files.as_ref().map(|files| files.get(name)) {
        None => SpillState::NoWorkbench,
        Some(None) => SpillState::Missing,
        Some(Some(Some(true))) => SpillState::Matches,
        Some(Some(Some(false))) => SpillState::Differs,
        Some(Some(None)) => SpillState::NotRead,
    };
    let spills = loaded.spills().map(|spill| SpillCheck {
        seq: spill.seq,
        tool_use_id: spill.tool_use_id.to_owned(),
        file: spill.file_name.to_owned(),
        state: state(spill.file_name),
    });
    spills.collect()
}

/// The folder, given the checks of all sessions that are looked at.
pub fn spill_folder<'a>(
    model: &Model,
    workbench: Option<&Workbench>,
    checks: impl Iterator<Item = &'a SpillCheck>,
) -> SpillFolder {
    let Some(workbench) = workbench else { return SpillFolder::default() };
    let entries = model.sessions.iter().flat_map(|session| &session.session.entries);
    let pointers = entries.filter_map(|entry| entry.extra.as_ref()).flat_map(|extra| &extra.spills);
    let mut used: BTreeSet<&str> = pointers.map(AsRef::as_ref).collect();
    used.extend(checks.map(|check| check.file.as_str()));
    let unused = workbench.spills.iter().map(|file| &file.name).filter(|name| !used.contains(name.as_str()));
    SpillFolder {
        workbench: Some(workbench.path.clone()),
        files: workbench.spills.len(),
        unused: unused.cloned().collect(),
    }
}
