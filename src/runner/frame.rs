use super::json::{Object, text};
use crate::unit::Usd;
use std::borrow::Cow;

/// One line of what the CLI says, by its `type` (spec/runner.md, section 7). Read by key: the order of keys differs between
/// versions.
#[derive(Debug, Clone)]
pub(super) enum Frame<'a> {
    /// Transcript entries, as they are written to the file at `path`.
    Mirror { path: Cow<'a, str>, entries: Vec<&'a str> },
    /// The CLI asks; every question is answered.
    Question(Question<'a>),
    /// The CLI answers a question of ours.
    Answer,
    /// The session has begun; comes before anything is sent to the API.
    Init { session: String, model: String, version: String },
    /// A block of an answer of the model.
    Assistant(Message<'a>),
    /// Results of tools, or the brief of a subagent.
    User(Message<'a>),
    /// A turn has ended.
    Result(Ended),
    /// A notice.
    System { subtype: String, body: Object<'a> },
    /// A type that is not known here.
    Unknown { kind: String },
}

/// A question of the CLI.
#[derive(Debug, Clone)]
pub(super) struct Question<'a> {
    /// Names the question in the answer.
    pub(super) id: String,
    /// What is asked.
    pub(super) subtype: String,
    /// The whole question.
    pub(super) body: Object<'a>,
}

/// A message of the model or of the harness.
#[derive(Debug, Clone)]
pub(super) struct Message<'a> {
    /// The entry of the transcript in which it stands.
    pub(super) uuid: Option<String>,
    /// The same for all blocks of one answer.
    pub(super) id: Option<String>,
    /// The call that started the subagent that says it; `None` in the main thread.
    pub(super) parent_call: Option<String>,
    /// The model; `<synthetic>` where the CLI speaks in its place.
    pub(super) model: Option<String>,
    /// Kind of an API error that stands in the place of an answer.
    pub(super) error: Option<String>,
    /// Context of the turn: input, cache reads and cache writes.
    pub(super) context: Option<u64>,
    /// Content, block by block.
    pub(super) blocks: Vec<Block<'a>>,
}

/// A block of a message.
#[derive(Debug, Clone)]
pub(super) enum Block<'a> {
    /// Text.
    Text(String),
    /// Thinking.
    Thinking(String),
    /// A tool call.
    Call { id: String, name: String, input: Object<'a>, raw: &'a str },
    /// Result of a tool call.
    Result { id: String, text: String, is_error: bool },
}

/// The end of a turn.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Ended {
    pub(super) session: Option<String>,
    pub(super) subtype: String,
    /// Whether it failed; `None` where the CLI did not say so.
    pub(super) is_error: Option<bool>,
    pub(super) stop_reason: Option<String>,
    pub(super) terminal_reason: Option<String>,
    /// Turns since the last result; `None` where the CLI did not say.
    pub(super) turns: Option<u64>,
    /// Cumulative within one process of the CLI.
    pub(super) cost: Usd,
    pub(super) errors: Vec<String>,
    pub(super) text: Option<String>,
    pub(super) status: Option<u64>,
    pub(super) error_type: Option<String>,
    pub(super) error: Option<String>,
}

impl Message<'_> {
    /// Whether a subagent says it.
    pub(super) const fn is_subagent(&self) -> bool {
        self.parent_call.is_some()
    }

    /// Whether the CLI speaks in the place of the model: an error, no answer.
    pub(super) fn is_synthetic(&self) -> bool {
        self.model.as_deref() == Some("<synthetic>")
    }

    /// Its texts, joined by line ends.
    pub(super) fn text(&self) -> String {
        let texts = self.blocks.iter().filter_map(|block| match block {
            Block::Text(text) => Some(text.as_str()),
            Block::Thinking(_) | Block::Call { .. } | Block::Result { .. } => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}

impl<'a> Frame<'a> {
    /// Reads a line; `None` for what is no JSON object.
    pub(super) fn parse(line: &'a str) -> Option<Self> {
        let body = Object::parse(line)?;
        let kind = own(&body, "type").unwrap_or_default();
        Some(match kind.as_str() {
            "transcript_mirror" => {
                Self::Mirror { path: body.text("filePath").unwrap_or_default(), entries: body.list("entries") }
            }
            "control_request" => {
                let request = body.object("request");
                let (id, subtype) = (own(&body, "request_id"), own(&request, "subtype"));
                Self::Question(Question {
                    id: id.unwrap_or_default(),
                    subtype: subtype.unwrap_or_default(),
                    body: request,
                })
            }
            "control_response" => Self::Answer,
            "assistant" => Self::Assistant(Message::of(&body)),
            "user" => Self::User(Message::of(&body)),
            "result" => Self::Result(Ended::of(&body)),
            "system" => Self::system(body),
            _ => Self::Unknown { kind },
        })
    }

    fn system(body: Object<'a>) -> Self {
        let subtype = own(&body, "subtype").unwrap_or_default();
        if subtype != "init" {
            return Self::System { subtype, body };
        }
        let field = |name| own(&body, name).unwrap_or_default();
        Self::Init { session: field("session_id"), model: field("model"), version: field("claude_code_version") }
    }
}

fn own(object: &Object<'_>, name: &str) -> Option<String> {
    object.text(name).map(Cow::into_owned)
}

impl<'a> Message<'a> {
    fn of(body: &Object<'a>) -> Self {
        let message = body.object("message");
        let usage = message.object("usage");
        let parts = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
        let counts: Vec<u64> = parts.iter().filter_map(|part| usage.count(part)).collect();
        let content = message.text("content").map(|text| vec![Block::Text(text.into_owned())]);
        Self {
            uuid: own(body, "uuid"),
            id: own(&message, "id"),
            parent_call: own(body, "parent_tool_use_id"),
            model: own(&message, "model"),
            error: own(body, "error"),
            context: (!counts.is_empty()).then(|| counts.into_iter().fold(0, u64::saturating_add)),
            blocks: content.unwrap_or_else(|| message.list("content").into_iter().filter_map(Block::of).collect()),
        }
    }
}

impl<'a> Block<'a> {
    fn of(raw: &'a str) -> Option<Self> {
        let block = Object::parse(raw)?;
        let field = |name| own(&block, name).unwrap_or_default();
        match block.text("type")?.as_ref() {
            "text" => Some(Self::Text(field("text"))),
            "thinking" => Some(Self::Thinking(field("thinking"))),
            "tool_use" => Some(Self::Call {
                id: field("id"),
                name: field("name"),
                input: block.object("input"),
                raw: block.raw("input").unwrap_or("null"),
            }),
            "tool_result" => Some(Self::Result {
                id: field("tool_use_id"),
                text: result_text(&block),
                is_error: block.is_true("is_error"),
            }),
            _ => None,
        }
    }
}

/// The text of a result: a string, or the texts of its blocks.
fn result_text(block: &Object<'_>) -> String {
    let joined = || {
        let blocks = block.list("content").into_iter().filter_map(Object::parse);
        blocks.filter_map(|block| own(&block, "text")).collect::<Vec<_>>().join("\n")
    };
    own(block, "content").unwrap_or_else(joined)
}

impl Ended {
    fn of(body: &Object<'_>) -> Self {
        let errors = body.list("errors").into_iter().filter_map(text).map(Cow::into_owned);
        Self {
            session: own(body, "session_id"),
            subtype: own(body, "subtype").unwrap_or_default(),
            is_error: match body.raw("is_error") {
                Some("true") => Some(true),
                Some("false") => Some(false),
                _ => None,
            },
            stop_reason: own(body, "stop_reason"),
            terminal_reason: own(body, "terminal_reason"),
            turns: body.count("num_turns"),
            cost: body.number("total_cost_usd").and_then(Usd::from_dollars).unwrap_or(Usd::ZERO),
            errors: errors.collect(),
            text: own(body, "result"),
            status: body.count("api_error_status"),
            error_type: own(body, "api_error_type"),
            error: own(body, "api_error"),
        }
    }
}
