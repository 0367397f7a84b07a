use super::details::{Details, DetailsError, details};
use super::target::TargetError;
use super::validate::validate;
use super::verdict::Verdict;
use crate::unit::{Finding, Level, counted};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a folder should not be given to a run as a plugin.
#[derive(Debug, Error)]
pub enum RunRefusal {
    /// The path cannot be looked at.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The path is no folder of a plugin.
    #[error(transparent)]
    NoPlugin(#[from] DetailsError),
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
        "the plugin {path} has {errors}, the first one: {first}; `flower-analyze plugin validate --lint` lists all"
    )]
    Invalid {
        /// The folder.
        path: String,
        /// How many.
        errors: String,
        /// The first one.
        first: String,
    },
    /// The checks found nothing, and a session does not load it all the same.
    #[error(
        "no session loads the plugin {path} by its path: the name {name:?} holds a separator, `:`, `@` or a character that \
         nobody sees; `flower-analyze plugin validate` says which names load"
    )]
    NotLoaded {
        /// The folder.
        path: String,
        /// Name of the plugin.
        name: String,
    },
    /// A session disables it, since it depends on a plugin that is not given to the run.
    #[error(
        "the plugin {path} depends on {dependency}, which the run is not given, so no session loads it: give its folder \
         with another --plugin-dir"
    )]
    Unmet {
        /// The folder.
        path: String,
        /// Name of the other plugin.
        dependency: String,
    },
}

/// Checks the folders that a run is given as its plugins, before it costs money. A folder without a manifest may be a plugin,
/// as for a session.
///
/// Refused is what a session would not load, or would load in part: every error of the CLI's checks and every finding of
/// level error on what it does not check, and a dependency that is none of the other folders, since a run sees no plugins
/// but these. So are the few errors with which the CLI loads a plugin whole, such as a malformed `author` or a reserved name:
/// they are found before anything is paid for, and who gets the plugin from a marketplace will meet them too. Warnings pass.
///
/// # Errors
///
/// The first folder that is refused, and why.
pub fn check_for_run(folders: &[PathBuf]) -> Result<(), RunRefusal> {
    let found: Vec<Details> = folders.iter().map(|folder| details(folder)).collect::<Result<_, _>>()?;
    let given: BTreeSet<&str> = found.iter().map(|details| details.name.as_str()).collect();
    folders.iter().zip(&found).try_for_each(|(folder, found)| check(folder, found, &given))
}

fn check(path: &Path, found: &Details, given: &BTreeSet<&str>) -> Result<(), RunRefusal> {
    let validation = validate(path)?;
    let verdict = validation.verdict(false);
    let path = path.display().to_string();
    let is_without_manifest = validation.inventory.is_none() && found.loads;
    let mut errors = said(&verdict, is_without_manifest);
    errors.extend(found.lint.iter().filter(|finding| finding.level == Level::Error).map(remarked));
    if let Some(first) = errors.first() {
        return Err(RunRefusal::Invalid { path, errors: counted(errors.len(), "error"), first: first.clone() });
    }
    if is_without_manifest && is_empty(found) {
        return Err(RunRefusal::Empty { path });
    }
    if !found.loads {
        return Err(RunRefusal::NotLoaded { path, name: found.name.clone() });
    }
    match found.dependencies.iter().find(|dependency| !given.contains(dependency.as_str())) {
        Some(dependency) => Err(RunRefusal::Unmet { path, dependency: dependency.clone() }),
        None => Ok(()),
    }
}

/// Every error of the verdict. Of a folder that loads without a manifest, that it has none is not one.
fn said(verdict: &Verdict, is_without_manifest: bool) -> Vec<String> {
    let manifest = verdict.manifest.iter().filter(|_| !is_without_manifest);
    let issues = manifest.chain(&verdict.contents).flat_map(|file| file.errors.iter().map(move |issue| (file, issue)));
    issues.map(|(file, issue)| format!("{}: {}: {}", file.file, issue.path, issue.message)).collect()
}

fn remarked(finding: &Finding) -> String {
    match &finding.place.file {
        Some(file) => format!("{file}: {}", finding.message),
        None => finding.message.clone(),
    }
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
