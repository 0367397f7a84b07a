use super::{
    chain, completions, context, cost, environment, errors, export, layers, outages, plugin, query, retries, sessions,
    show, summary, timeline, tools,
};
use crate::report::Format;
use crate::unit::Level;
use clap::builder::TypedValueParser;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Open a run and see it: what happened, what it used, what is broken
///
/// Reads the run directory of a long-horizon agent run (sessions.db, manifest.json, lineage.json, .flower), a single
/// sessions.db, a .jsonl transcript or a folder of Claude Code transcripts. The evidence is never changed.
#[derive(Debug, Parser)]
#[command(name = "flower-analyze", version, args_conflicts_with_subcommands = true, after_help = AFTER_HELP)]
pub struct Cli {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    #[command(flatten)]
    pub(super) summary: summary::Args,
}

const AFTER_HELP: &str = "\
Without a command, `flower-analyze RUNDIR` is `flower-analyze summary RUNDIR`.

Exit codes: 0 done; 1 findings at or above --fail-on; 2 usage error, or evidence that cannot be opened; 130 interrupted.";

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    Summary(summary::Args),
    Sessions(sessions::Args),
    Chain(chain::Args),
    Show(show::Args),
    Cost(cost::Args),
    Layers(layers::Args),
    Plugin(plugin::Args),
    Errors(errors::Args),
    Retries(retries::Args),
    Outages(outages::Args),
    Context(context::Args),
    Tools(tools::Args),
    Timeline(timeline::Args),
    Query(query::Args),
    Export(export::Args),
    Env(environment::Args),
    Completions(completions::Args),
}

/// Options that every command has.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub(super) struct CommonArgs {
    /// Form of the report
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = formats())]
    pub(super) format: Format,
    /// Write the report to a file instead of standard output; never inside of the source
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Zone in which times are shown, by its IANA name [default: the system's zone]
    #[arg(long, value_name = "ZONE")]
    pub(super) tz: Option<String>,
    /// Show secrets such as API keys instead of masking them
    #[arg(long)]
    pub(super) reveal: bool,
    /// Look only at this session and its subagents: any unique beginning of its id, agent id or store key
    #[arg(long, value_name = "PREFIX", allow_hyphen_values = true)]
    pub(super) session: Option<String>,
    /// Take the SHA-256 of every file of the source, before and after
    #[arg(long)]
    pub(super) hash: bool,
    /// Exit with 1 if there is a finding of this level or a worse one
    #[arg(long, value_name = "LEVEL", value_parser = levels())]
    pub(super) fail_on: Option<Level>,
    /// Colours in tables
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(super) color: Color,
}

/// Options of the commands that read no run.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub(super) struct OutputArgs {
    /// Form of the report
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = formats())]
    pub(super) format: Format,
    /// Write the report to a file instead of standard output; never inside of what is read
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Show secrets such as API keys instead of masking them
    #[arg(long)]
    pub(super) reveal: bool,
    /// Exit with 1 if there is a finding of this level or a worse one
    #[arg(long, value_name = "LEVEL", value_parser = levels())]
    pub(super) fail_on: Option<Level>,
    /// Colours in tables
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(super) color: Color,
}

/// When tables have colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Also in pipes and files
    Always,
    /// Not even on a terminal
    Never,
}

fn formats() -> impl TypedValueParser<Value = Format> {
    clap::builder::PossibleValuesParser::new(Format::ALL.map(Format::name)).map(|name| name.parse().unwrap_or_default())
}

fn levels() -> impl TypedValueParser<Value = Level> {
    clap::builder::PossibleValuesParser::new(["info", "warning", "error"]).map(|name| match name.as_str() {
        "info" => Level::Info,
        "warning" => Level::Warning,
        _ => Level::Error,
    })
}
