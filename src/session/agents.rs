use super::{Call, Ix};
use crate::run_dir::StoreKey;
use crate::transcript::{AgentMetadata, Label, Session};
use foldhash::{HashMap, HashMapExt, HashSet};

/// Where a subagent was started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spawn {
    /// Store key of the session with the call.
    pub store_key: String,
    /// The entry with the call.
    pub at: Ix,
    /// Sequence number of that entry.
    pub seq: i64,
    /// Name of the tool: `Agent` or `Task`.
    pub tool: Label,
}

/// A subagent, as its last `agent_metadata` entry describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// The description that holds: the last one.
    pub metadata: AgentMetadata,
    /// The call that started it; `None` if no session has it.
    pub spawn: Option<Spawn>,
}

/// The metadata that holds for a session: `agent_metadata` is appended again, the last one counts.
pub(super) fn metadata(session: &Session) -> Option<AgentMetadata> {
    session.entries.iter().rev().find_map(|entry| entry.extra.as_ref()?.agent.as_deref().cloned())
}

/// Finds the calls that started subagents: `toolUseId` in the parent agent's session, else in the main thread.
pub(super) fn spawns(sessions: &[(&Session, &[Call])], agents: &[(usize, AgentMetadata)]) -> Vec<Option<Spawn>> {
    let wanted: HashSet<&Label> = agents.iter().filter_map(|(_, metadata)| metadata.tool_use_id.as_ref()).collect();
    let mut made: HashMap<&Label, Vec<(usize, &Call)>> = HashMap::new();
    for (at, (_, calls)) in sessions.iter().enumerate() {
        for call in *calls {
            if let Some(id) = call.id.as_ref().filter(|id| wanted.contains(id)) {
                made.entry(id).or_default().push((at, call));
            }
        }
    }
    let spawn = |(own, metadata): &(usize, AgentMetadata)| {
        let key_of = |at: usize| sessions.get(at).map(|(session, _)| session.store_key.as_str());
        let own_key = StoreKey::parse(key_of(*own)?);
        let related = |at: usize| {
            let key = key_of(at).map(StoreKey::parse);
            let is_parent =
                key.is_some_and(|key| key.agent().is_some() && key.agent() == metadata.parent_agent.as_deref());
            let is_main = key.is_some_and(|key| (key.project, key.session) == (own_key.project, own_key.session));
            (is_parent, is_main)
        };
        // A fork copies its parent's call into its own session: that copy is not where it was started.
        let candidates = made.get(metadata.tool_use_id.as_ref()?)?.iter().filter(|(at, _)| at != own);
        let (at, call) = candidates.max_by_key(|(at, _)| (related(*at), std::cmp::Reverse(*at)))?;
        let (session, _) = sessions.get(*at)?;
        let seq = session.entries.get(call.at.position())?.seq;
        Some(Spawn { store_key: session.store_key.clone(), at: call.at, seq, tool: call.name.clone() })
    };
    agents.iter().map(spawn).collect()
}
