use super::args::CommonArgs;
use super::exit::Exit;
use super::load::{Loaded, load, payloads};
use super::policy::{self, NamedPolicy, PolicyArgs};
use super::prices::PriceArgs;
use super::surroundings::options;
use super::{interrupt, output};
use crate::analysis::Selection;
use crate::analysis::layers::{self, KeyLoad, Layers, PolicyLoad, Question, spill_folder};
use crate::layers::Layer;
use crate::report::{Report, render, views};
use crate::run_dir::names::DEFAULT_SOURCE;
use crate::session::{Model, ModelTurn, SessionModel};
use crate::unit::{Finding, Level};
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::PathBuf;

/// A command from standard input is no longer, in bytes.
const MAX_COMMAND: u64 = 1 << 20;

/// Show what the load layers leave out, replace and add before a session is fed to the model again
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Run directory, sessions.db, .jsonl transcript or folder of transcripts
    #[arg(value_name = "SOURCE", default_value = DEFAULT_SOURCE)]
    source: PathBuf,
    /// List every entry that is changed, dropped or added, with layer and reason
    #[arg(long)]
    changes: bool,
    /// Show the texts of changes whole
    #[arg(long, requires = "changes")]
    full: bool,
    /// Compare with this policy, or two policies with each other; name SOURCE before this option, or it is taken as the
    /// second policy
    #[arg(long, value_name = "NAME|FILE", num_args = 1..=2)]
    diff: Vec<String>,
    /// Write what is fed of the session of --session to this file, one entry a line; never inside of the source
    #[arg(long, value_name = "FILE", requires = "session")]
    emit: Option<PathBuf>,
    /// Stop after this layer
    #[arg(long, value_enum, value_name = "LAYER", default_value_t = LayerArg::Heal)]
    layer: LayerArg,
    /// Say whether a shell command counts as one that only looks, segment by segment; no source is read. `-` reads the
    /// command from standard input
    #[arg(long, value_name = "COMMAND", allow_hyphen_values = true, conflicts_with_all = ["source", "emit", "diff"])]
    explain: Option<String>,
    #[command(flatten)]
    prices: PriceArgs,
    #[command(flatten)]
    policy: PolicyArgs,
    #[command(flatten)]
    common: CommonArgs,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum LayerArg {
    /// Old results of commands that only look
    Expire,
    /// Long results
    Trim,
    /// Denied calls, stand-ins for answers, texts of interruptions, and the links around them
    Prune,
    /// Calls without a result
    Heal,
}

impl From<LayerArg> for Layer {
    fn from(layer: LayerArg) -> Self {
        match layer {
            LayerArg::Expire => Self::Expire,
            LayerArg::Trim => Self::Trim,
            LayerArg::Prune => Self::Prune,
            LayerArg::Heal => Self::Heal,
        }
    }
}

impl Args {
    pub(super) fn run(self) -> Result<Exit> {
        if let Some(command) = &self.explain {
            return self.explain(command);
        }
        let (chosen, other) = self.policies()?;
        if let Some(file) = &self.emit {
            output::check_entries_file(file, &self.source, self.common.output.as_deref())?;
        }
        let prices = self.prices.table()?;
        let loaded = load(&self.common, &self.source)?;
        let selection = loaded.selection(self.common.session.as_deref())?;
        let workbench = loaded.workbench();
        let turns = last_turns(&loaded.model);
        let last = self.layer.into();
        let question = |policy| Question {
            policy,
            last,
            prices: &prices,
            workbench: workbench.as_ref(),
            changes: self.changes,
            full: self.full,
        };
        let (first, second) = (question(&chosen.policy), other.as_ref().map(|other| question(&other.policy)));
        let mut work = Work {
            loaded: &loaded,
            turns: &turns,
            keys: BTreeMap::new(),
            others: BTreeMap::new(),
            findings: Vec::new(),
        };
        for (at, session) in selection.sessions(&loaded.model) {
            interrupt::check()?;
            work.session(at, session, &first, second.as_ref())?;
        }
        let Work { keys, others, findings: found, .. } = work;
        self.emit(&loaded, &first)?;
        let checks = keys.values().chain(others.values()).flat_map(|key| &key.spills);
        let spill_folder = spill_folder(&loaded.model, workbench.as_ref(), checks);
        let load = |named: NamedPolicy, keys| PolicyLoad::new(named.name, named.policy, last, keys);
        let other = other.map(|other| load(other, others));
        let result = Layers { load: load(chosen, keys), spill_folder, other };
        let findings = loaded.findings_with(&selection, found.iter().cloned());
        // What is broken in the store is seen here too: it is fed as it is.
        let is_shown = |finding: &&Finding| finding.level == Level::Error || found.contains(finding);
        let shown: Vec<Finding> = findings.iter().filter(is_shown).cloned().collect();
        loaded.finish(&self.common, "layers", &result, &findings, |opening| views::layers(&result, &shown, opening))
    }

    /// The policy that is looked at, and the one that it is compared with.
    fn policies(&self) -> Result<(NamedPolicy, Option<NamedPolicy>)> {
        match self.diff.as_slice() {
            [] => Ok((self.policy.resolve()?, None)),
            [other] => Ok((self.policy.resolve()?, Some(policy::named(other)?))),
            [_, _, ..] if self.emit.is_some() => {
                bail!(
                    "--emit with two policies: say with --policy whose entries are to be written, and compare with one"
                )
            }
            [first, second, ..] => {
                let given = self.policy.resolve()?;
                if given != policy::named("default")? {
                    bail!(
                        "--diff with two policies compares these: leave out --policy and its options, or one of the two"
                    );
                }
                Ok((policy::named(first)?, Some(policy::named(second)?)))
            }
        }
    }

    /// Writes what is fed of one session.
    fn emit(&self, loaded: &Loaded, question: &Question<'_>) -> Result<()> {
        let (Some(file), Some(name)) = (&self.emit, &self.common.session) else { return Ok(()) };
        let at = Selection::one(&loaded.model, name)?;
        let session = loaded.model.sessions.get(at).context("the session is gone")?;
        let rows = loaded.payloads(session)?;
        output::write_to(file, question.load(&payloads(&rows)).jsonl().as_bytes())
    }

    fn explain(&self, command: &str) -> Result<Exit> {
        let command = if command == "-" { standard_input()? } else { command.to_owned() };
        let result = layers::Explained::of(&command);
        let report = Report { command: "layers-explain", source: &(), findings: &[], result: &result };
        let page = || views::ruling(&result);
        output::write(&self.common, &render(&report, page, &options(&self.common))?)?;
        Ok(Exit::Done)
    }
}

/// What is collected while the sessions are looked at one after the other.
struct Work<'a> {
    loaded: &'a Loaded,
    turns: &'a [Option<&'a ModelTurn>],
    keys: BTreeMap<String, KeyLoad>,
    others: BTreeMap<String, KeyLoad>,
    findings: Vec<Finding>,
}

impl Work<'_> {
    fn session(
        &mut self,
        at: usize,
        session: &SessionModel,
        first: &Question<'_>,
        second: Option<&Question<'_>>,
    ) -> Result<()> {
        let rows = self.loaded.payloads(session)?;
        let payloads = payloads(&rows);
        let turn = self.turns.get(at).copied().flatten();
        let ask =
            |question: &Question<'_>| layers::key_load(session, &payloads, &question.load(&payloads), turn, question);
        let (key, findings) = ask(first);
        self.keys.insert(session.store_key().to_owned(), key);
        self.findings.extend(findings);
        if let Some(second) = second {
            self.others.insert(session.store_key().to_owned(), ask(second).0);
        }
        Ok(())
    }
}

/// The command on standard input.
fn standard_input() -> Result<String> {
    let mut command = String::new();
    let read = io::stdin().lock().take(MAX_COMMAND + 1).read_to_string(&mut command);
    read.context("cannot read the command from standard input")?;
    ensure!(command.len() <= usize::try_from(MAX_COMMAND)?, "expected a command of at most {} KiB", MAX_COMMAND >> 10);
    Ok(command)
}

/// The last model turn of each session, shared ones included.
fn last_turns(model: &Model) -> Vec<Option<&ModelTurn>> {
    let mut turns = vec![None; model.sessions.len()];
    for turn in &model.usage.turns {
        for at in turn.shared_with.iter().chain([&turn.home]) {
            if let Some(last) = turns.get_mut(*at) {
                *last = Some(turn);
            }
        }
    }
    turns
}
