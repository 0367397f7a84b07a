use super::args::{CommonArgs, OutputArgs};
use super::exit::Exit;
use super::{output, plugin};
use crate::analysis::plugins::plugin_validation;
use crate::plugin::validate;
use crate::report::{document, views};
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::path::Path;

/// Check a plugin or marketplace as `claude plugin validate` does, without the CLI, a login or a network
///
/// Exit codes: 0 it passes; 1 it does not; 2 the path cannot be looked at.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Folder of a plugin or a marketplace, or a manifest; empty for the current folder
    #[arg(value_name = "PATH")]
    path: OsString,
    /// Take warnings for errors
    #[arg(long)]
    strict: bool,
    /// Print the JSON document of `claude plugin validate --json` instead of a report: byte for byte what the files say, so
    /// that secrets in them are not masked, with or without --reveal. The reports mask them
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Tell also what the CLI does not check: it becomes findings with codes
    #[arg(long)]
    lint: bool,
    #[command(flatten)]
    output: OutputArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit> {
        let common = CommonArgs::from(self.output);
        let path = plugin::target(&common, Path::new(&self.path))?;
        let validation = validate(&path).context("unexpected error during validation")?;
        let (result, findings) = plugin_validation(&validation, self.strict, self.lint);
        if self.json {
            output::write(&common, &document(&result.verdict)?)?;
        } else {
            let page = || views::plugin_validation(&result, &findings, &plugin::from_here(&result.verdict.target));
            plugin::write(&common, "plugin-validate", &path, &result, &findings, page)?;
        }
        if result.verdict.success { Ok(Exit::of(&findings, common.fail_on)) } else { Ok(Exit::Findings) }
    }
}
