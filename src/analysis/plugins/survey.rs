use super::events::HookRuns;
use crate::analysis::Selection;
use crate::analysis::tools::{CallCounts, FirstCopies};
use crate::plugin::{Inventory, tool_prefix};
use crate::run_dir::Kind as KeyKind;
use crate::session::{Call, Model, SessionModel};
use std::collections::{BTreeMap, BTreeSet};

/// What the transcripts say of one component.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) counts: CallCounts,
    pub(super) typed: usize,
    pub(super) offered: usize,
    pub(super) turns: u64,
}

/// One pass over the chosen sessions.
pub(super) struct Survey<'a> {
    /// By the full name of a skill, command or agent, or by how the tools of a server begin.
    pub(super) tallies: BTreeMap<String, Tally>,
    /// Hooks that ran.
    pub(super) hook_runs: HookRuns<'a>,
    pub(super) main_threads: usize,
    /// Model turns of all main threads.
    pub(super) turns: u64,
    pub(super) listings: bool,
}

impl<'a> Survey<'a> {
    pub(super) fn of(model: &'a Model, selection: &Selection, inventory: &Inventory) -> Self {
        let prefixes: Vec<String> =
            inventory.mcp_servers.iter().map(|server| tool_prefix(&inventory.plugin, &server.name)).collect();
        let lists = [&inventory.skills, &inventory.commands, &inventory.agents];
        let names = lists.into_iter().flatten().map(|component| component.name.clone());
        let tallies = names.chain(prefixes).map(|name| (name, Tally::default())).collect();
        let mut survey = Self { tallies, hook_runs: HookRuns::default(), main_threads: 0, turns: 0, listings: false };
        let mut turns: BTreeMap<usize, u64> = BTreeMap::new();
        for turn in &model.usage.turns {
            *turns.entry(turn.home).or_default() += 1;
        }
        let firsts = FirstCopies::of_calls(model);
        for (at, session) in selection.sessions(model) {
            let own_turns = turns.get(&at).copied().unwrap_or_default();
            if session.kind() == KeyKind::Main {
                survey.main_threads += 1;
                survey.turns = survey.turns.saturating_add(own_turns);
            }
            survey.offers(session, own_turns);
            firsts.calls(at, session).for_each(|call| survey.call(call));
            survey.prompts(session);
        }
        survey
    }

    /// The key of a tally for the name of a tool.
    fn server_of(&self, tool: &str) -> Option<String> {
        let rest = tool.strip_prefix("mcp__")?;
        // A server's name may hold two underscores itself: the longest that fits is meant.
        let ends = rest.rmatch_indices("__").map(|(at, _)| at);
        ends.filter_map(|end| rest.get(..end))
            .map(|server| format!("mcp__{server}__"))
            .find(|key| self.tallies.contains_key(key))
    }

    fn offers(&mut self, session: &SessionModel, turns: u64) {
        let extras = session.session.entries.iter().filter_map(|entry| entry.extra.as_ref());
        let offered: BTreeSet<&str> = extras.flat_map(|extra| extra.offered.iter()).map(AsRef::as_ref).collect();
        self.listings |= !offered.is_empty();
        let keys: BTreeSet<String> =
            offered.iter().map(|name| self.server_of(name).unwrap_or_else(|| (*name).to_owned())).collect();
        for key in keys {
            if let Some(tally) = self.tallies.get_mut(&key) {
                tally.offered += 1;
                tally.turns = tally.turns.saturating_add(turns);
            }
        }
    }

    fn call(&mut self, call: &Call) {
        let key = match &call.target {
            Some(target) => Some(target.to_string()),
            None => self.server_of(&call.name),
        };
        if let Some(tally) = key.and_then(|key| self.tallies.get_mut(&key)) {
            tally.counts.add(call);
        }
    }

    /// Slash commands of a person, and hooks that ran.
    fn prompts(&mut self, session: &'a SessionModel) {
        for entry in &session.session.entries {
            self.hook_runs.add(entry);
            let typed = if entry.is_prompt() { typed_command(entry.excerpt()) } else { None };
            if let Some(tally) = typed.and_then(|name| self.tallies.get_mut(name)) {
                tally.typed += 1;
            }
        }
    }
}

/// The slash command that a prompt begins with, as the CLI records it.
fn typed_command(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("<command-name>")?;
    Some(rest.split_once("</command-name>")?.0.trim_start_matches('/'))
}
