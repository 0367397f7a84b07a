use super::args::Globals;
use super::clock;
use crate::environment::{Environment, candidates};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// The program that is started where nothing else is named.
const USUAL_CLAUDE: &str = "claude";

/// The settings of this process: its environment and the files of section 4 of spec/runner.md.
pub(super) fn environment() -> Result<Environment> {
    let process = clock::environment();
    let current = clock::current_folder().context("the current folder is gone: go to another one")?;
    Ok(Environment::gather(&process, &candidates(&process, &current), |path| fs::read(path)))
}

/// The CLI: as named, else `$FLOWER_CLAUDE`, else the one in the path. A name with a slash is made absolute, because the
/// CLI is started in the workspace.
pub(super) fn claude(globals: &Globals, environment: &Environment, current: &Path) -> PathBuf {
    let named = globals.claude.clone().or_else(|| environment.value("FLOWER_CLAUDE").map(PathBuf::from));
    let program = named.unwrap_or_else(|| USUAL_CLAUDE.into());
    if program.components().count() > 1 { current.join(program) } else { program }
}
