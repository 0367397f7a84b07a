use super::super::denials::is_denied;
use crate::run_dir::Workbench;
use crate::session::Call;
use crate::transcript::{Label, ScriptDeed};
use serde::Serialize;
use std::collections::BTreeMap;

/// What became of a script of the workbench.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
pub enum ScriptState {
    /// A call wrote it, a call ran it.
    #[strum(to_string = "written and run")]
    WrittenAndRun,
    /// A call wrote it, none ran it.
    #[strum(to_string = "written, never run")]
    NeverRun,
    /// A call ran it, none wrote it: it is older than the run, or written in a way that commands do not show.
    #[strum(to_string = "run, written elsewhere")]
    WrittenElsewhere,
    /// It lies in the workbench, and no call wrote or ran it.
    #[default]
    #[strum(to_string = "neither written nor run by a call")]
    Untouched,
}

/// A script of the workbench: written against executed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ScriptLine {
    /// Path below `scripts/`.
    pub name: String,
    /// Bytes of the file; null if it is not in the workbench, or there is no workbench here.
    pub bytes: Option<u64>,
    /// Calls that wrote or changed it.
    pub written: usize,
    /// Calls that ran it.
    pub run: usize,
    /// Calls that ran it and whose result is marked as an error.
    pub failed: usize,
    /// Denied calls that would have written or run it.
    pub denied: usize,
    /// Calls that name it otherwise: listed, read, made executable.
    pub named: usize,
    /// What became of it.
    pub state: ScriptState,
}

/// Collects what the calls do with the scripts of the workbench, as their commands read.
#[derive(Default)]
pub(super) struct Scripts(BTreeMap<Label, ScriptLine>);

impl Scripts {
    pub(super) fn add(&mut self, call: &Call) {
        let (denied, is_error) = (is_denied(call), call.answer.as_ref().is_some_and(|answer| answer.is_error));
        for script in call.identity.iter().flat_map(|identity| &identity.scripts) {
            let line = self.0.entry(script.name.clone()).or_default();
            match script.deed {
                ScriptDeed::Named => line.named += 1,
                ScriptDeed::Written | ScriptDeed::Run if denied => line.denied += 1,
                ScriptDeed::Written => line.written += usize::from(!is_error),
                ScriptDeed::Run => {
                    line.run += 1;
                    line.failed += usize::from(is_error);
                }
            }
        }
    }

    /// By name, with the files that no call names.
    pub(super) fn lines(mut self, workbench: Option<&Workbench>) -> Vec<ScriptLine> {
        for file in workbench.iter().flat_map(|workbench| &workbench.script_files) {
            self.0.entry(file.name.as_str().into()).or_default().bytes = Some(file.bytes);
        }
        let line = |(name, line): (Label, ScriptLine)| ScriptLine {
            name: name.to_string(),
            state: match (line.written > 0, line.run > 0) {
                (true, true) => ScriptState::WrittenAndRun,
                (true, false) => ScriptState::NeverRun,
                (false, true) => ScriptState::WrittenElsewhere,
                (false, false) => ScriptState::Untouched,
            },
            ..line
        };
        self.0.into_iter().map(line).collect()
    }
}
