use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Run an agent step with the Claude Code CLI, and keep the books
///
/// Mirrors the transcript into sessions.db, waits out a dead network, resumes instead of restarting, and keeps
/// manifest.json and lineage.json. `flower-analyze` reads what it leaves behind.
#[derive(Debug, Parser)]
#[command(name = "flower-run", version, after_help = AFTER_HELP)]
pub(super) struct Cli {
    #[command(flatten)]
    pub(super) globals: Globals,
    #[command(subcommand)]
    pub(super) command: Command,
}

const AFTER_HELP: &str = "\
Exit codes: 0 done; 1 the step or something before it failed; 2 usage error; 130 interrupted. Told to stop by SIGTERM or
SIGHUP, it writes its books and dies by that signal.";

/// Options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options of every command")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct Globals {
    /// Folder in which the agent works; made if it is not there
    #[arg(short, long, value_name = "DIR", default_value = ".", global = true)]
    pub(super) workspace: PathBuf,
    /// Folder of the books, relative to the current folder and not to the workspace
    #[arg(short, long, value_name = "DIR", default_value = crate::run_dir::names::DEFAULT_SOURCE, global = true)]
    pub(super) run_dir: PathBuf,
    /// Give the agent a workbench in the run directory, and put long results into files there
    #[arg(short = 'W', long, global = true)]
    pub(super) workbench: bool,
    /// Put long results of a resumed session into files, and point to them
    #[arg(short = 'T', long, global = true)]
    pub(super) trim: bool,
    /// Show also what subagents say, all results, and prompts
    #[arg(short, long, global = true)]
    pub(super) verbose: bool,
    /// The CLI [default: `$FLOWER_CLAUDE`, else `claude`]
    #[arg(long, value_name = "PATH", global = true)]
    pub(super) claude: Option<PathBuf>,
    /// Write events as JSON lines to a file, or to standard output with `-`
    #[arg(long, value_name = "FILE", global = true)]
    pub(super) events: Option<PathBuf>,
    /// Do not try the credential before the run
    #[arg(long, global = true)]
    pub(super) no_probe: bool,
    /// Do not try again
    #[arg(long, global = true)]
    pub(super) no_resilience: bool,
    /// How often the CLI itself tries a request again
    #[arg(long, value_name = "N", global = true)]
    pub(super) cli_retries: Option<u32>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run one step
    Once(Box<Once>),
    /// Run the steps of a flow file
    Run {
        /// The flow, as JSON or TOML
        flowfile: PathBuf,
    },
    /// Try the credential with one small request
    Probe {
        /// How long it may take, in seconds
        #[arg(long, value_name = "S", default_value_t = 20)]
        timeout: u64,
    },
    /// Write the credential into the user's .env file
    Setup {
        /// Read token, base URL and model from standard input, one a line
        #[arg(long)]
        stdin: bool,
    },
    /// Show where every setting comes from, and which lines do not mean what they seem to mean
    EnvExplain {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub(super) struct Once {
    /// What to do; `-` reads it from standard input
    #[arg(allow_hyphen_values = true)]
    pub(super) prompt: String,
    /// Added to the system prompt
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(super) instructions: Option<String>,
    /// Tools that may be used, separated by commas; all others that change things are denied [default: Read,Glob,Grep]
    #[arg(short, long, value_name = "LIST", default_value = "", hide_default_value = true)]
    pub(super) tools: String,
    /// The CLI's permission mode
    #[arg(short, long, value_name = "MODE")]
    pub(super) permission_mode: Option<PermissionMode>,
    /// Most that it may cost in US dollars, over all attempts
    #[arg(short, long, value_name = "USD", value_parser = budget)]
    pub(super) budget: Option<crate::unit::Usd>,
    /// Continue this session
    #[arg(long, value_name = "SID", value_parser = session)]
    pub(super) resume: Option<String>,
    /// Continue a copy of the session; the session itself stays as it is
    #[arg(long, requires = "resume")]
    pub(super) fork: bool,
    /// Roll the session back to this entry first
    #[arg(long, value_name = "UUID", requires = "resume")]
    pub(super) resume_at: Option<String>,
    /// The model
    #[arg(short, long)]
    pub(super) model: Option<String>,
    /// The effort level
    #[arg(long)]
    pub(super) effort: Option<String>,
    /// Most turns of one attempt
    #[arg(long, value_name = "N")]
    pub(super) max_turns: Option<u32>,
    /// A folder with a plugin, passed on to the CLI; may be given several times. One with any error is refused before
    /// anything is paid for, even where the CLI would load it; warnings pass
    #[arg(long, value_name = "DIR")]
    pub(super) plugin_dir: Vec<PathBuf>,
}

/// Modes that the CLI knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum PermissionMode {
    /// What is not allowed is denied
    #[value(name = "default")]
    Default,
    /// Changes of files are allowed
    #[value(name = "acceptEdits")]
    AcceptEdits,
    /// Only plans
    #[value(name = "plan")]
    Plan,
    /// Everything is allowed; the CLI refuses it to root
    #[value(name = "bypassPermissions")]
    BypassPermissions,
}

impl PermissionMode {
    /// The CLI's name of it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::AcceptEdits => "acceptEdits",
            Self::Plan => "plan",
            Self::BypassPermissions => "bypassPermissions",
        }
    }
}

/// Tools that a step has if it names none.
pub(super) const USUAL_TOOLS: [&str; 3] = ["Read", "Glob", "Grep"];

/// The tools of a list; the usual ones if it is empty.
pub(super) fn tools<'a>(list: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let named: Vec<String> =
        list.into_iter().map(str::trim).filter(|tool| !tool.is_empty()).map(str::to_owned).collect();
    if named.is_empty() { USUAL_TOOLS.map(str::to_owned).to_vec() } else { named }
}

fn budget(text: &str) -> Result<crate::unit::Usd, String> {
    let dollars = text.parse().ok().and_then(crate::unit::Usd::from_dollars);
    dollars
        .filter(|dollars| *dollars > crate::unit::Usd::ZERO)
        .ok_or_else(|| "expected an amount above zero".to_owned())
}

fn session(text: &str) -> Result<String, String> {
    let parsed = uuid::Uuid::try_parse(text).map_err(|_| "expected the uuid of a session".to_owned())?;
    Ok(parsed.hyphenated().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn code(args: &[&str]) -> Option<i32> {
        let all = ["flower-run", "once"].iter().chain(args).copied();
        Cli::try_parse_from(all).err().map(|error| error.exit_code())
    }

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn usage_errors_are_found_before_anything_is_done() {
        let id = "11111111-1111-4111-8111-111111111111";
        for args in [
            &["x", "--fork"][..],
            &["x", "--resume-at", id],
            &["x", "-b", "0"],
            &["x", "-b", "-1"],
            &["x", "-b", "NaN"],
            &["x", "--resume", "abc"],
            &["x", "-p", "yolo"],
        ] {
            assert_eq!(code(args), Some(2), "{args:?}");
        }
        assert_eq!(code(&["-x", "--resume", id, "--fork", "-b", "0.5", "-w", "y", "-i", "-z"]), None);
    }

    #[test]
    fn tools_are_trimmed() {
        assert_eq!(tools(" Bash ,, Read".split(',')), ["Bash", "Read"]);
        assert_eq!(tools("".split(',')), USUAL_TOOLS);
    }
}
