use super::attachment::{attachment_type, hook, offered};
use super::cost_state::cost_state;
use super::failure::{self, RawFailure};
use super::fields::{Slots, each_element, each_field, fill, fill_each};
use super::line;
use super::message::RawMessage;
use super::scalar::{digest, measure, number, text, truthy};
use super::{
    AgentMetadata, Compaction, Defect, DefectKind, Entry, Extra, FailureFields, Flags, Interner, Kind, Message, Parent,
    Uid,
};
use crate::run_dir::limits::MAX_BLOCKS;
use crate::run_dir::{Position, Row};
use crate::unit::{Timestamp, Tokens};
use memchr::memmem;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Length of `0123456789abcdef.txt`.
const SPILL_NAME_BYTES: usize = 20;

/// Pointers to spill files that are kept of one entry; a listing of the folder holds one a file.
const MAX_SPILL_POINTERS: usize = 1000;

/// What a row turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// An entry.
    Entry(Entry),
    /// Something else, located.
    Defect(Defect),
}

/// Decodes one row. Calls `emit` at least once: a database row is exactly one outcome; a line is as many as records (and
/// remains of records) are found on it.
pub fn decode_row(row: &Row<'_>, interner: &mut Interner, emit: &mut dyn FnMut(Outcome)) {
    let defect = |kind, part| {
        let seq = if let Position::Database { seq, .. } = row.position { seq } else { None };
        Outcome::Defect(Defect { kind, position: row.position, part, seq, uid: row.uid.map(Uid::new) })
    };
    let bytes = match row.payload {
        Ok(bytes) => bytes,
        Err(found) => return emit(defect(DefectKind::NotText { found: found.to_owned() }, 0)),
    };
    let bytes = bytes.strip_prefix(line::BYTE_ORDER_MARK.as_bytes()).unwrap_or(bytes);
    // Checking first is several times faster than looking for what to replace.
    let text = simdutf8::basic::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed);
    let repaired = matches!(text, Cow::Owned(_));
    match row.position {
        Position::Database { seq: None, .. } => emit(defect(DefectKind::NoSequence, 0)),
        Position::Database { seq: Some(_), .. } => {
            let found = entry(&text, row, 0, repaired, interner);
            emit(found.map_or_else(|| defect(line::why_no_object(&text), 0), Outcome::Entry));
        }
        Position::Line { .. } => {
            let mut part = 0;
            line::records(&text, &mut |found| {
                emit(match found {
                    Ok(json) => entry(json, row, part, repaired, interner)
                        .map_or_else(|| defect(line::why_no_object(json), part), Outcome::Entry),
                    Err(kind) => defect(kind, part),
                });
                part += 1;
            });
        }
    }
}

/// Decodes one JSON object; `None` if `json` is none. The sequence number of a line is given later, when all are known.
fn entry(json: &str, row: &Row<'_>, part: u32, repaired_utf8: bool, interner: &mut Interner) -> Option<Entry> {
    let raw: Raw<'_> = fill(json)?;
    let seq = if let Position::Database { seq, .. } = row.position { seq } else { None };
    let kind = kind(raw.kind.and_then(text).unwrap_or_default().as_ref(), interner);
    let label = |value: Option<&str>, interner: &mut Interner| value.and_then(text).map(|text| interner.label(&text));
    let uuid = raw.uuid.and_then(uid);
    let flags = Flags {
        sidechain: raw.is_sidechain.is_some_and(truthy),
        meta: raw.is_meta.is_some_and(truthy),
        compact_summary: raw.is_compact_summary.is_some_and(truthy),
        api_error: raw.is_api_error.is_some_and(truthy),
        uid_differs: seq.is_some() && row.uid.map(Uid::new) != uuid,
        repaired_utf8,
    };
    let message = raw
        .message
        .as_ref()
        .map(|message| Box::new(Message::decode(message, raw.request_id, raw.requested_model, interner)));
    let failure = raw.failure(&kind, flags, message.as_deref(), interner);
    Some(Entry {
        seq: seq.unwrap_or_default(),
        row: row.position,
        position: row.position,
        part,
        parent: match raw.parent_uuid {
            None => Parent::Absent,
            Some(value) => uid(value).map_or(Parent::Root, Parent::Of),
        },
        source_assistant: raw.source_assistant.and_then(uid),
        subtype: match raw.attachment {
            Some(attachment) if kind == Kind::Attachment => attachment_type(attachment, interner),
            _ => label(raw.subtype, interner),
        },
        uuid,
        timestamp: raw.timestamp.and_then(text).and_then(|text| Timestamp::parse(&text)),
        session_id: label(raw.session_id, interner),
        version: label(raw.version, interner),
        flags,
        bytes: u64::try_from(json.len()).unwrap_or(u64::MAX),
        digest: if row.uid.is_none() { digest(json) } else { 0 },
        rendered_characters: raw.rendered.map_or(0, rendered_characters),
        message,
        extra: raw.extra(&kind, json, failure, interner).map(Box::new),
        kind,
    })
}

fn kind(name: &str, interner: &mut Interner) -> Kind {
    match name {
        "user" => Kind::User,
        "assistant" => Kind::Assistant,
        "system" => Kind::System,
        "attachment" => Kind::Attachment,
        "progress" => Kind::Progress,
        other => Kind::Other(interner.label(other)),
    }
}

fn uid(json: &str) -> Option<Uid> {
    text(json).map(|text| Uid::new(&text))
}

/// The raw fields of interest of one entry.
#[derive(Default)]
struct Raw<'a> {
    kind: Option<&'a str>,
    subtype: Option<&'a str>,
    uuid: Option<&'a str>,
    parent_uuid: Option<&'a str>,
    logical_parent: Option<&'a str>,
    leaf: Option<&'a str>,
    source_assistant: Option<&'a str>,
    timestamp: Option<&'a str>,
    session_id: Option<&'a str>,
    version: Option<&'a str>,
    request_id: Option<&'a str>,
    requested_model: Option<&'a str>,
    denial: Option<&'a str>,
    is_sidechain: Option<&'a str>,
    is_meta: Option<&'a str>,
    is_compact_summary: Option<&'a str>,
    is_api_error: Option<&'a str>,
    rendered: Option<&'a str>,
    attachment: Option<&'a str>,
    compaction: Option<&'a str>,
    failure: RawFailure<'a>,
    message: Option<RawMessage<'a>>,
}

impl<'a> Slots<'a> for Raw<'a> {
    fn slot(&mut self, name: &str) -> Option<&mut Option<&'a str>> {
        Some(match name {
            "type" => &mut self.kind,
            "subtype" => &mut self.subtype,
            "uuid" => &mut self.uuid,
            "parentUuid" => &mut self.parent_uuid,
            "logicalParentUuid" => &mut self.logical_parent,
            "leafUuid" => &mut self.leaf,
            "sourceToolAssistantUUID" => &mut self.source_assistant,
            "timestamp" => &mut self.timestamp,
            "sessionId" => &mut self.session_id,
            "version" => &mut self.version,
            "requestId" => &mut self.request_id,
            "requestedModel" => &mut self.requested_model,
            "toolDenialKind" => &mut self.denial,
            "isSidechain" => &mut self.is_sidechain,
            "isMeta" => &mut self.is_meta,
            "isCompactSummary" => &mut self.is_compact_summary,
            "isApiErrorMessage" => &mut self.is_api_error,
            "rendered" => &mut self.rendered,
            "attachment" => &mut self.attachment,
            "compactMetadata" => &mut self.compaction,
            _ => return self.failure.slot(name),
        })
    }

    fn inner(&mut self, name: &str) -> Option<&mut dyn Slots<'a>> {
        (name == "message").then(|| -> &mut dyn Slots<'a> { self.message.get_or_insert_default() })
    }
}

impl Raw<'_> {
    /// What is recorded about a failure, of the few entries that tell of one.
    fn failure(
        &self,
        kind: &Kind,
        flags: Flags,
        message: Option<&Message>,
        interner: &mut Interner,
    ) -> Option<FailureFields> {
        let content = self.message.as_ref().and_then(|message| message.content);
        match kind {
            Kind::System if self.subtype.and_then(text).as_deref() == Some("api_error") => {
                Some(self.failure.notice(interner))
            }
            Kind::Assistant if flags.api_error => Some(self.failure.stand_in(content, interner)),
            Kind::User if message.is_some_and(failure::tells_of_agent_failure) => {
                Some(self.failure.agent_result(content))
            }
            Kind::System | Kind::Assistant | Kind::User | Kind::Attachment | Kind::Progress | Kind::Other(_) => None,
        }
    }

    fn extra(&self, kind: &Kind, json: &str, failure: Option<FailureFields>, interner: &mut Interner) -> Option<Extra> {
        let attachment = self.attachment.filter(|_| *kind == Kind::Attachment);
        let extra = Extra {
            logical_parent: self.logical_parent.and_then(uid),
            leaf: self.leaf.and_then(uid),
            denial: self.denial.and_then(text).map(|text| interner.label(&text)),
            compaction: self.compaction.map(|value| Box::new(compaction(value, interner))),
            spills: spills(json, interner),
            agent: (kind.name() == "agent_metadata").then(|| Box::new(agent_metadata(json, interner))),
            cost_state: (kind.name() == "cost-state").then(|| Box::new(cost_state(json, interner))),
            offered: attachment.map(|attachment| offered(attachment, interner)).unwrap_or_default(),
            hook: attachment.and_then(|attachment| hook(attachment, interner)).map(Box::new),
            failure: failure.map(Box::new),
        };
        (extra != Extra::default()).then_some(extra)
    }
}

/// `rendered` is a list of objects with the text that is given to the model in `content`.
fn rendered_characters(json: &str) -> u64 {
    let characters = |json: &str| measure(json, 0).map_or(0, |(characters, _)| characters);
    let parts = fill_each::<Rendered<'_>>(json, MAX_BLOCKS);
    parts.iter().filter_map(|part| part.content).map(characters).fold(characters(json), u64::saturating_add)
}

/// The raw fields of a part of `rendered`.
#[derive(Default)]
struct Rendered<'a> {
    content: Option<&'a str>,
}

impl<'a> Slots<'a> for Rendered<'a> {
    fn slot(&mut self, name: &str) -> Option<&mut Option<&'a str>> {
        (name == "content").then_some(&mut self.content)
    }
}

/// The spill files that a payload points to: `spill/<16 hex digits>.txt`.
fn spills(json: &str, interner: &mut Interner) -> Vec<super::Label> {
    static POINTER: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new("spill/"));
    let mut names = Vec::new();
    for at in POINTER.find_iter(json.as_bytes()).take(MAX_SPILL_POINTERS) {
        let name = json.get(at + "spill/".len()..at + "spill/".len() + SPILL_NAME_BYTES).unwrap_or_default();
        let digits = name.strip_suffix(".txt").unwrap_or_default();
        if digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            names.push(interner.label(name));
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}

fn compaction(json: &str, interner: &mut Interner) -> Compaction {
    let mut compaction = Compaction::default();
    each_field(json, |name, value| match name {
        "trigger" => compaction.trigger = text(value).map(|text| interner.label(&text)),
        "preTokens" => compaction.pre_tokens = number(value).map(Tokens),
        "postTokens" => compaction.post_tokens = number(value).map(Tokens),
        "preservedMessages" => {
            each_field(value, |name, value| {
                if name == "uuids" {
                    compaction.preserved.clear();
                    each_element(value, |element| compaction.preserved.extend(uid(element)));
                }
            });
        }
        _ => {}
    });
    compaction
}

fn agent_metadata(json: &str, interner: &mut Interner) -> AgentMetadata {
    let mut agent = AgentMetadata::default();
    each_field(json, |name, value| {
        let mut label = || text(value).map(|text| interner.label(&text));
        match name {
            "agentType" => agent.agent_type = label(),
            "description" => agent.description = label(),
            "toolUseId" => agent.tool_use_id = label(),
            "parentAgentId" => agent.parent_agent = label(),
            "spawnDepth" => agent.depth = number(value),
            "finished" => agent.finished = truthy(value),
            "isFork" => agent.is_fork = truthy(value),
            _ => {}
        }
    });
    agent
}
