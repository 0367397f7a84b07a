use super::args::{CommonArgs, OutputArgs};
use super::exit::Exit;
use super::surroundings::options;
use super::{output, plugin_details, plugin_used, plugin_validate};
use crate::plugin::absolute;
use crate::report::{Page, Report, render};
use crate::unit::Finding;
use anyhow::{Context, Result};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Check a plugin directory, tell what it costs in context, and compare it with what a run used
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Validate(plugin_validate::Args),
    Details(plugin_details::Args),
    Used(plugin_used::Args),
}

impl Args {
    pub(super) fn run(self) -> Result<Exit> {
        match self.command {
            Command::Validate(args) => args.run(),
            Command::Details(args) => args.run(),
            Command::Used(args) => args.run(),
        }
    }
}

/// The directory that a report is about.
#[derive(Debug, Serialize)]
struct Source {
    path: String,
    kind: &'static str,
}

/// The folder of the manifests in a plugin.
const MANIFESTS: &str = ".claude-plugin";

/// The path as a person gave it, from the root, once it is clear that the report does not go into it.
pub(super) fn target(common: &CommonArgs, path: &Path) -> Result<PathBuf> {
    let current = std::env::current_dir().context("there is no current folder: go to one that exists")?;
    let path = absolute(&current, path);
    // Of a manifest, the plugin is the folder above the one that it stands in.
    let manifests = path.parent().filter(|folder| folder.file_name().is_some_and(|name| name == MANIFESTS));
    output::check(common, manifests.and_then(Path::parent).unwrap_or(&path))?;
    Ok(path)
}

/// A path below the current folder as a person would type it there; any other stays whole.
pub(super) fn from_here(path: &str) -> String {
    let below = std::env::current_dir().ok().and_then(|current| Path::new(path).strip_prefix(current).ok());
    below.filter(|below| !below.as_os_str().is_empty()).map_or(path.to_owned(), |below| below.display().to_string())
}

/// Writes a report on a directory.
pub(super) fn write<T: Serialize>(
    common: &CommonArgs,
    command: &str,
    path: &Path,
    result: &T,
    findings: &[Finding],
    page: impl FnOnce() -> Page,
) -> Result<()> {
    let source = Source { path: path.display().to_string(), kind: "plugin-directory" };
    let report = Report { command, source: &source, findings, result };
    output::write(common, &render(&report, page, &options(common))?)
}

impl From<OutputArgs> for CommonArgs {
    /// As for a command that reads no run: without zone, session and fingerprints.
    fn from(args: OutputArgs) -> Self {
        let OutputArgs { format, output, reveal, fail_on, color } = args;
        Self { format, output, tz: None, reveal, session: None, hash: false, fail_on, color }
    }
}
