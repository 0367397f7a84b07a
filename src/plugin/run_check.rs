use super::details::{Details, DetailsError, details};
use super::target::TargetError;
use super::validate::{Validation, validate};
use std::path::Path;
use thiserror::Error;

/// Why a folder should not be given to a run as a plugin.
#[derive(Debug, Error)]
pub enum RunRefusal {
    /// The path cannot be looked at.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The path is no folder.
    #[error(transparent)]
    NoFolder(#[from] DetailsError),
    /// There is nothing in it that a session could load.
    #[error(
        "{path} holds no plugin: no manifest, and nothing else that a session loads; name the folder that holds .claude-plugin"
    )]
    Empty {
        /// The folder.
        path: String,
    },
    /// The checks found errors.
    #[error(
        "the plugin {path} has {errors} errors, the first one: {first}; `flower-analyze plugin validate` lists all"
    )]
    Invalid {
        /// The folder.
        path: String,
        /// How many.
        errors: usize,
        /// The first one.
        first: String,
    },
}

/// Checks a folder before a run that costs money loads it. A folder without a manifest may be a plugin, as for a session.
///
/// # Errors
///
/// A session would not load it, or would load it in part.
pub fn check_for_run(path: &Path) -> Result<Validation, RunRefusal> {
    let found = details(path)?;
    let validation = validate(path)?;
    let verdict = validation.verdict(false);
    let is_without_manifest = validation.inventory.is_none() && found.loads;
    let skipped = usize::from(is_without_manifest && verdict.manifest.is_some());
    let errors = verdict.errors() - skipped;
    let shown = || path.display().to_string();
    if errors > 0 {
        let first = verdict.files().flat_map(|file| file.errors.iter().map(move |issue| (file, issue))).nth(skipped);
        let first = first.map(|(file, issue)| format!("{}: {}: {}", file.file, issue.path, issue.message));
        return Err(RunRefusal::Invalid { path: shown(), errors, first: first.unwrap_or_default() });
    }
    if is_without_manifest && is_empty(&found) {
        return Err(RunRefusal::Empty { path: shown() });
    }
    Ok(validation)
}

fn is_empty(found: &Details) -> bool {
    let brought = &found.inventory;
    let files = [&brought.skills, &brought.commands, &brought.agents, &brought.output_styles, &brought.workflows];
    files.iter().all(|list| list.is_empty())
        && brought.hooks.is_empty()
        && brought.mcp_servers.is_empty()
        && brought.lsp_servers.is_empty()
        && brought.monitors.is_empty()
}
