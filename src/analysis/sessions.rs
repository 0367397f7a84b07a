use super::Selection;
use crate::run_dir::{Kind as KeyKind, StoreKey};
use crate::session::{Model, Reachable, SessionModel, Totals};
use crate::transcript::Entry;
use crate::unit::{Timestamp, Tokens};
use serde::Serialize;
use std::collections::BTreeSet;

/// Every chosen session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sessions {
    /// In the order of their store keys.
    pub sessions: Vec<SessionRow>,
}

/// The call that started a subagent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ParentCall {
    /// Session with the call.
    pub store_key: String,
    /// Entry with the call.
    pub seq: i64,
    /// Name of the tool.
    pub tool: String,
}

/// One session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionRow {
    /// Store key.
    pub store_key: String,
    /// Main thread, subagent or other.
    pub kind: KeyKind,
    /// What a subagent was asked for; the first prompt of a main thread.
    pub description: String,
    /// `agentType` of a subagent.
    pub agent_type: Option<String>,
    /// Where a subagent was started.
    pub parent_call: Option<ParentCall>,
    /// Entries.
    pub entries: usize,
    /// Rows that are no entries.
    pub defects: usize,
    /// Usage of the messages that were written here first.
    #[serde(flatten)]
    pub totals: Totals,
    /// Messages here that were written elsewhere first; their spend is counted there.
    pub shared_turns: usize,
    /// Models that answered.
    pub models: Vec<String>,
    /// Versions of the CLI.
    pub versions: Vec<String>,
    /// Oldest time stamp.
    pub first: Option<Timestamp>,
    /// Newest time stamp.
    pub last: Option<Timestamp>,
    /// Largest context of a model turn.
    pub context_max: Tokens,
    /// API errors: in the place of an answer, and announced retries.
    pub api_errors: usize,
    /// Tool results marked as errors.
    pub tool_errors: usize,
    /// Tool calls without a result.
    pub orphan_calls: usize,
    /// How much the live leaf reaches.
    pub reachable: Reachable,
    /// Real branches.
    pub branches: usize,
    /// Breaks of the chain.
    pub breaks: usize,
    /// Compactions.
    pub compactions: usize,
}

/// The chosen sessions, one row each.
pub fn sessions(model: &Model, selection: &Selection) -> Sessions {
    let mut turns = vec![(Totals::default(), Tokens::default(), 0_usize); model.sessions.len()];
    for turn in &model.usage.turns {
        if let Some((totals, context_max, _)) = turns.get_mut(turn.home) {
            totals.add(turn);
            *context_max = (*context_max).max(turn.usage.context());
        }
        for holder in &turn.shared_with {
            if let Some((_, _, shared)) = turns.get_mut(*holder) {
                *shared += 1;
            }
        }
    }
    let row = |(at, session)| {
        let (totals, context_max, shared_turns) = turns.get(at).copied().unwrap_or_default();
        SessionRow { totals, shared_turns, context_max, ..row(session) }
    };
    Sessions { sessions: selection.sessions(model).map(row).collect() }
}

fn row(session: &SessionModel) -> SessionRow {
    let entries = &session.session.entries;
    let texts = |of: &dyn Fn(&Entry) -> Option<String>| -> Vec<String> {
        entries.iter().filter_map(of).collect::<BTreeSet<_>>().into_iter().collect()
    };
    let answering = |entry: &Entry| {
        let message = entry.message.as_ref().filter(|_| entry.is_answer())?;
        message.model.as_ref().map(ToString::to_string)
    };
    let times = || entries.iter().filter_map(|entry| entry.timestamp);
    let metadata = session.agent.as_ref().map(|agent| &agent.metadata);
    let spawn = session.agent.as_ref().and_then(|agent| agent.spawn.as_ref());
    SessionRow {
        store_key: session.store_key().to_owned(),
        kind: session.kind(),
        description: description(session),
        agent_type: metadata.and_then(|m| m.agent_type.as_ref()).map(ToString::to_string),
        parent_call: spawn.map(|spawn| ParentCall {
            store_key: spawn.store_key.clone(),
            seq: spawn.seq,
            tool: spawn.tool.to_string(),
        }),
        entries: entries.len(),
        defects: session.session.defects.len(),
        totals: Totals::default(),
        shared_turns: 0,
        models: texts(&answering),
        versions: texts(&|entry| entry.version.as_ref().map(ToString::to_string)),
        first: times().min(),
        last: times().max(),
        context_max: Tokens::default(),
        api_errors: entries.iter().filter(|entry| entry.flags.api_error || entry.is_retry_notice()).count(),
        tool_errors: entries.iter().flat_map(Entry::results).filter(|result| result.is_error).count(),
        orphan_calls: session.calls.iter().filter(|call| call.answer.is_none()).count(),
        reachable: session.chain.reachable,
        branches: session.chain.branches.len(),
        breaks: session.chain.breaks.len(),
        compactions: session.chain.segments.len(),
    }
}

/// What a subagent was asked for, or how a main thread began.
pub(super) fn description(session: &SessionModel) -> String {
    let described = session.agent.as_ref().and_then(|agent| agent.metadata.description.as_ref());
    let prompt = || session.session.entries.iter().find(|entry| entry.is_prompt() && !entry.flags.meta);
    let text = described.map(ToString::to_string).or_else(|| prompt().map(|entry| entry.excerpt().to_owned()));
    text.unwrap_or_else(|| StoreKey::parse(session.store_key()).short().to_owned())
}
