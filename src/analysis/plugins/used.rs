use super::survey::{Survey, Tally};
use crate::analysis::Selection;
use crate::analysis::tools::CallCounts;
use crate::plugin::{Details, Inventory, tool_prefix};
use crate::session::Model;
use crate::unit::Tokens;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What a run made of a plugin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PluginUsed {
    /// Name of the plugin.
    pub plugin: String,
    /// Main threads that were looked at.
    pub sessions: usize,
    /// The transcripts list what was offered; where they do not, everything is taken to have been offered to every main thread.
    pub listings: bool,
    /// Each component, what was paid for and never used first.
    pub components: Vec<UsedComponent>,
    /// Everything together.
    pub total: UsedTotal,
}

/// A component, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UsedComponent {
    /// `skill`, `command`, `agent`, `hook` or `mcp-server`.
    pub kind: &'static str,
    /// Full name; of a hook, its event with its command; of a server, how its tools begin.
    pub name: String,
    /// Sessions in which it is listed; `null` where that is not recorded.
    pub offered_sessions: Option<usize>,
    /// What became of its calls.
    #[serde(flatten)]
    pub counts: CallCounts,
    /// Times that a person called it as a slash command.
    pub typed: usize,
    /// Runs of hooks of this event that may have been this one: a guess, since their command is not recorded.
    pub possible: usize,
    /// Tokens that it adds to the context of a turn: an estimate from characters.
    pub always_on_tokens: Tokens,
    /// Model turns that had it in their context.
    pub turns: u64,
    /// Tokens of context over all those turns: an estimate.
    pub listed_tokens: Tokens,
    /// Tokens that its uses added: its own text each time, or the results of its tools. An estimate.
    pub used_tokens: Tokens,
    /// Whether anybody used it.
    #[serde(rename = "use")]
    pub used: Use,
}

/// Whether a component was used, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Use {
    /// Nobody called it.
    Unused,
    /// Every call was denied, failed, or has no result.
    Failed,
    /// Hooks of its event ran, and which ones is not recorded.
    Possible,
    /// It was.
    Used,
}

impl Use {
    fn of_calls(counts: CallCounts, typed: usize) -> Self {
        match (counts.calls + typed, answered(counts) + typed) {
            (0, _) => Self::Unused,
            (_, 0) => Self::Failed,
            _ => Self::Used,
        }
    }

    fn of_hook(counts: CallCounts, possible: usize) -> Self {
        // A hook that stopped something did what it is there for.
        match (counts.calls, counts.calls.saturating_sub(counts.errors) + counts.denied, possible) {
            (0, _, 0) => Self::Unused,
            (0, _, _) => Self::Possible,
            (_, 0, _) => Self::Failed,
            _ => Self::Used,
        }
    }
}

/// Calls that came back with a result that is no error.
fn answered(counts: CallCounts) -> usize {
    counts.calls.saturating_sub(counts.errors + counts.orphans)
}

/// The sums of a plugin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct UsedTotal {
    /// Components.
    pub components: usize,
    /// Those that nobody used.
    pub unused: usize,
    /// Tokens of context over all turns: an estimate.
    pub listed_tokens: Tokens,
    /// The part of them that was for components that nobody used.
    pub unused_tokens: Tokens,
    /// Tokens that uses added.
    pub used_tokens: Tokens,
}

/// Holds a plugin against the chosen sessions of a run.
pub fn plugin_used(model: &Model, selection: &Selection, details: &Details) -> PluginUsed {
    let survey = Survey::of(model, selection, &details.inventory);
    let mut components = costed(details, &survey);
    components.extend(servers(&details.inventory, &survey));
    components.extend(hooks(&details.inventory, &survey));
    components.sort_by(|a, b| {
        (a.used, b.listed_tokens, b.counts.calls, &a.name).cmp(&(b.used, a.listed_tokens, a.counts.calls, &b.name))
    });
    let sum = |tokens: &dyn Fn(&UsedComponent) -> Tokens| {
        Tokens(components.iter().map(|component| tokens(component).0).fold(0, u64::saturating_add))
    };
    let total = UsedTotal {
        components: components.len(),
        unused: components.iter().filter(|component| component.used == Use::Unused).count(),
        listed_tokens: sum(&|component| component.listed_tokens),
        unused_tokens: sum(&|component| {
            if component.used == Use::Unused { component.listed_tokens } else { Tokens(0) }
        }),
        used_tokens: sum(&|component| component.used_tokens),
    };
    let (sessions, listings) = (survey.main_threads, survey.listings);
    PluginUsed { plugin: details.name.clone(), sessions, listings, components, total }
}

/// Skills, commands and agents.
fn costed(details: &Details, survey: &Survey<'_>) -> Vec<UsedComponent> {
    let brought = &details.inventory;
    let kinds = [("skill", &brought.skills), ("command", &brought.commands), ("agent", &brought.agents)];
    let costs: BTreeMap<(&str, &str), (Tokens, Tokens)> = details
        .components
        .iter()
        .map(|cost| ((cost.kind, cost.name.as_str()), (cost.always_on_tokens, cost.on_invoke_tokens)))
        .collect();
    let mut components = Vec::new();
    for (kind, list) in kinds {
        for component in list {
            let (always_on, on_invoke) = costs.get(&(kind, component.name.as_str())).copied().unwrap_or_default();
            let empty = Tally::default();
            let tally = survey.tallies.get(component.name.as_str()).unwrap_or(&empty);
            let turns = if survey.listings { tally.turns } else { survey.turns };
            let answered = answered(tally.counts) + tally.typed;
            // The text of an agent goes into a context of its own; what it answers comes back as a result.
            let used = match kind {
                "agent" => Tokens::estimated(tally.counts.result_characters),
                _ => times(on_invoke, u64::try_from(answered).unwrap_or(u64::MAX)),
            };
            let listed = times(always_on, turns);
            components.push(UsedComponent {
                kind,
                name: component.name.clone(),
                offered_sessions: survey.listings.then_some(tally.offered),
                counts: tally.counts,
                typed: tally.typed,
                possible: 0,
                always_on_tokens: always_on,
                turns,
                listed_tokens: listed,
                used_tokens: used,
                used: Use::of_calls(tally.counts, tally.typed),
            });
        }
    }
    components
}

fn times(tokens: Tokens, n: u64) -> Tokens {
    Tokens(tokens.0.saturating_mul(n))
}

fn servers(inventory: &Inventory, survey: &Survey<'_>) -> Vec<UsedComponent> {
    let names: BTreeSet<&str> = inventory.mcp_servers.iter().map(|server| server.name.as_str()).collect();
    let server = |name: &str| {
        let name = tool_prefix(&inventory.plugin, name);
        let empty = Tally::default();
        let tally = survey.tallies.get(name.as_str()).unwrap_or(&empty);
        UsedComponent {
            kind: "mcp-server",
            offered_sessions: (tally.offered > 0).then_some(tally.offered),
            counts: tally.counts,
            typed: 0,
            possible: 0,
            always_on_tokens: Tokens(0),
            turns: 0,
            listed_tokens: Tokens(0),
            used_tokens: Tokens::estimated(tally.counts.result_characters),
            used: Use::of_calls(tally.counts, 0),
            name,
        }
    };
    names.into_iter().map(server).collect()
}

fn hooks(inventory: &Inventory, survey: &Survey<'_>) -> Vec<UsedComponent> {
    let hook = |hook: &crate::plugin::Hook| {
        let (counts, possible) = survey.hook_runs.of(hook);
        let what = hook.command.as_deref().or(hook.url.as_deref()).or(hook.tool.as_deref()).unwrap_or(&hook.kind);
        UsedComponent {
            kind: "hook",
            name: format!("{}: {what}", hook.event),
            offered_sessions: None,
            counts,
            typed: 0,
            possible,
            always_on_tokens: Tokens(0),
            turns: 0,
            listed_tokens: Tokens(0),
            used_tokens: Tokens::estimated(counts.result_characters),
            used: Use::of_hook(counts, possible),
        }
    };
    inventory.hooks.iter().map(hook).collect()
}
