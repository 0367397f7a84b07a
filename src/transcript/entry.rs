use super::{Block, BlockKind, CostState, FailureFields, Label, Message, Uid};
use crate::run_dir::Position;
use crate::unit::{Timestamp, Tokens};

/// What an entry is, by its `type`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A prompt or tool results.
    User,
    /// A block of an answer.
    Assistant,
    /// A notice of the harness, with a subtype.
    System,
    /// Context that the harness adds to a turn.
    Attachment,
    /// Progress of a tool call (older versions).
    Progress,
    /// Any other type, by its name; side entries such as `last-prompt` and types not known here.
    Other(Label),
}

impl Kind {
    /// The `type` as recorded.
    pub fn name(&self) -> &str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
            Self::Attachment => "attachment",
            Self::Progress => "progress",
            Self::Other(name) => name,
        }
    }
}

/// The `parentUuid` of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Parent {
    /// There is no such field: a side entry.
    Absent,
    /// `null`: the entry says that it is a root.
    Root,
    /// The uuid of the entry before.
    Of(Uid),
}

/// Yes-or-no facts of an entry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the record, independent of the others")]
pub struct Flags {
    /// `isSidechain`.
    pub sidechain: bool,
    /// `isMeta`: written by the harness, not by a person.
    pub meta: bool,
    /// `isCompactSummary`.
    pub compact_summary: bool,
    /// `isApiErrorMessage`: an API error in the place of an answer.
    pub api_error: bool,
    /// The column `uid` is not the payload's `uuid`.
    pub uid_differs: bool,
    /// The payload was not valid UTF-8; what was not is shown as U+FFFD.
    pub repaired_utf8: bool,
}

/// One decoded row: what the analyses need of it. The payload itself stays in the evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Sequence number in its store key: the order of the session.
    pub seq: i64,
    /// Where the row stands in the source: there its payload is read again.
    pub row: Position,
    /// Its place in the order in which the source was written. The rows of one store key have the places of that key, dealt
    /// out in the order of their sequence numbers: the order of rows only decides between keys.
    pub position: Position,
    /// Which record of its line; 0 unless several are glued together.
    pub part: u32,
    /// `type`.
    pub kind: Kind,
    /// `uuid`.
    pub uuid: Option<Uid>,
    /// `parentUuid`.
    pub parent: Parent,
    /// `sourceToolAssistantUUID`: the entry with the call that a result answers.
    pub source_assistant: Option<Uid>,
    /// `subtype` of a system entry, `type` of an attachment.
    pub subtype: Option<Label>,
    /// `timestamp`.
    pub timestamp: Option<Timestamp>,
    /// `sessionId`.
    pub session_id: Option<Label>,
    /// `version` of the CLI that wrote the entry.
    pub version: Option<Label>,
    /// Yes-or-no facts.
    pub flags: Flags,
    /// Bytes of the payload.
    pub bytes: u64,
    /// Digest of the payload where several rows may carry the same uuid (files, and rows without the column `uid`), else 0.
    pub digest: u64,
    /// Characters of an attachment as it is given to the model (`rendered`).
    pub rendered_characters: u64,
    /// `message` of user and assistant entries.
    pub message: Option<Box<Message>>,
    /// Rare fields.
    pub extra: Option<Box<Extra>>,
}

/// Fields that few entries carry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extra {
    /// `logicalParentUuid`: the true predecessor of a compaction boundary.
    pub logical_parent: Option<Uid>,
    /// `leafUuid` of a `last-prompt` entry.
    pub leaf: Option<Uid>,
    /// `toolDenialKind`.
    pub denial: Option<Label>,
    /// `compactMetadata`.
    pub compaction: Option<Box<Compaction>>,
    /// Facts of an `agent_metadata` entry.
    pub agent: Option<Box<AgentMetadata>>,
    /// Facts of a `cost-state` entry.
    pub cost_state: Option<Box<CostState>>,
    /// Names of the spill files that its text points to.
    pub spills: Vec<Label>,
    /// What an attachment offers to the model: names of skills, types of agents, names of tools.
    pub offered: Vec<Label>,
    /// A hook that ran, as an attachment tells.
    pub hook: Option<Box<HookRun>>,
    /// What the harness recorded about a failure.
    pub failure: Option<Box<FailureFields>>,
}

/// A hook that ran.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookRun {
    /// `hookEvent`.
    pub event: Option<Label>,
    /// `command`, if it is recorded.
    pub command: Option<Label>,
}

/// `compactMetadata` of a compaction boundary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compaction {
    /// `manual` or `auto`.
    pub trigger: Option<Label>,
    /// Context before.
    pub pre_tokens: Option<Tokens>,
    /// Context after.
    pub post_tokens: Option<Tokens>,
    /// Entries that the model keeps seeing verbatim after the summary.
    pub preserved: Vec<Uid>,
}

/// What the harness recorded about a subagent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentMetadata {
    /// `agentType`.
    pub agent_type: Option<Label>,
    /// `description`.
    pub description: Option<Label>,
    /// `toolUseId`: the call that started it.
    pub tool_use_id: Option<Label>,
    /// `parentAgentId` of a nested agent.
    pub parent_agent: Option<Label>,
    /// `spawnDepth`.
    pub depth: Option<u64>,
    /// `finished`.
    pub finished: bool,
    /// `isFork`.
    pub is_fork: bool,
}

impl Entry {
    /// Part of a chain: it has a uuid, and either a `parentUuid` or a type that always stands in chains.
    ///
    /// Types not known here count when they carry both fields, since other entries may hang below them.
    pub fn in_chain(&self) -> bool {
        self.uuid.is_some() && !(matches!(self.kind, Kind::Other(_)) && self.parent == Parent::Absent)
    }

    /// The subtype of a system entry or the type of an attachment.
    pub fn subtype(&self) -> Option<&str> {
        self.subtype.as_deref()
    }

    /// `system`/`compact_boundary`.
    pub fn is_boundary(&self) -> bool {
        self.kind == Kind::System && self.subtype() == Some("compact_boundary")
    }

    /// A user entry without tool results that is no compaction summary: what a person or the harness asked.
    pub fn is_prompt(&self) -> bool {
        self.kind == Kind::User && !self.flags.compact_summary && self.results().next().is_none()
    }

    /// The harness' note that the person interrupted; not a prompt anybody typed.
    pub fn is_interrupt_note(&self) -> bool {
        self.is_prompt() && self.blocks().iter().any(|block| block.excerpt().starts_with("[Request interrupted"))
    }

    /// An assistant entry that an API answered, not the harness.
    pub fn is_answer(&self) -> bool {
        self.kind == Kind::Assistant
            && !self.flags.api_error
            && !self.message.as_ref().is_some_and(|m| m.is_synthetic())
    }

    /// The blocks of its message.
    pub fn blocks(&self) -> &[Block] {
        self.message.as_ref().map(|message| message.blocks.as_slice()).unwrap_or_default()
    }

    /// The tool calls in it.
    pub fn calls(&self) -> impl Iterator<Item = &Block> {
        self.message.iter().filter(|_| self.kind == Kind::Assistant).flat_map(|message| message.calls())
    }

    /// The tool results in it.
    pub fn results(&self) -> impl Iterator<Item = &Block> {
        self.message.iter().filter(|_| self.kind == Kind::User).flat_map(|message| message.results())
    }

    /// Characters that the model is given of this entry.
    pub fn characters(&self) -> u64 {
        self.blocks().iter().map(|block| block.characters).fold(self.rendered_characters, u64::saturating_add)
    }

    /// The beginning of its text, for people.
    pub fn excerpt(&self) -> &str {
        let text = self.blocks().iter().find(|block| matches!(block.kind, BlockKind::Text | BlockKind::ToolResult));
        text.map(Block::excerpt).unwrap_or_default()
    }

    /// `system`/`api_error`: a retry that the CLI announces.
    pub fn is_retry_notice(&self) -> bool {
        self.kind == Kind::System && self.subtype() == Some("api_error")
    }

    /// What the harness recorded about a failure: of an API error, of an announced retry, of a subagent that died.
    pub fn failure(&self) -> Option<&FailureFields> {
        self.extra.as_ref()?.failure.as_deref()
    }

    /// `toolDenialKind`.
    pub fn denial(&self) -> Option<&str> {
        self.extra.as_ref()?.denial.as_deref()
    }
}
