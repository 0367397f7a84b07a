use super::frame::{Block, Ended, Frame, Message};
use super::json::{Object, quoted};
use super::redact::Redactor;

/// Characters of a tool call and of a result that an event tells.
const MAX_CALL: usize = 200;
const MAX_RESULT: usize = 500;

/// What kind of thing happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "snake_case")]
pub(super) enum EventKind {
    /// The model says something.
    Text,
    /// The model thinks.
    Thinking,
    /// The model calls a tool.
    ToolCall,
    /// A tool has answered.
    ToolResult,
    /// What the model is asked.
    Prompt,
    /// A background task began, went on or ended.
    Task,
    /// The conversation was compacted.
    Reset,
    /// A notice of the CLI.
    System,
    /// The CLI speaks in the place of the model: the API failed.
    Error,
    /// A turn has ended.
    Result,
    /// Something is tried again.
    Retry,
    /// A step of a flow begins.
    Step,
    /// A type that is not known here.
    Unknown,
}

/// Something that a person or a program may want to see (spec/runner.md, section 10).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) kind: EventKind,
    pub(super) text: String,
    pub(super) tool: Option<String>,
    /// Further facts, as JSON.
    pub(super) payload: Vec<(&'static str, String)>,
}

impl Event {
    /// An event with a text only.
    pub(super) fn new(kind: EventKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), tool: None, payload: Vec::new() }
    }

    /// With one more fact, as JSON.
    pub(super) fn with(mut self, name: &'static str, json: impl Into<String>) -> Self {
        self.payload.push((name, json.into()));
        self
    }

    /// Whether a fact is true.
    pub(super) fn is(&self, name: &str) -> bool {
        self.payload.iter().any(|(fact, json)| *fact == name && json == "true")
    }

    /// One line of JSON, without secrets.
    pub(super) fn line(&self, redactor: &Redactor) -> String {
        let kind = quoted(&self.kind.to_string());
        let tool = self.tool.as_deref().map_or_else(|| "null".to_owned(), quoted);
        let payload = self
            .payload
            .iter()
            .map(|(name, json)| format!("{}:{}", quoted(name), redactor.json(json).as_deref().unwrap_or(json)));
        let payload = payload.collect::<Vec<_>>().join(",");
        format!(
            "{{\"kind\":{kind},\"text\":{},\"tool\":{tool},\"payload\":{{{payload}}}}}\n",
            quoted(&redactor.text(&self.text))
        )
    }
}

/// What a line of the CLI tells.
pub(super) fn events(frame: &Frame<'_>) -> Vec<Event> {
    match frame {
        Frame::Assistant(message) if message.is_synthetic() => {
            let error = Event::new(EventKind::Error, message.text()).with("synthetic", "true");
            vec![about(message, error)]
        }
        Frame::Assistant(message) => {
            message.blocks.iter().filter_map(said).map(|event| about(message, event)).collect()
        }
        Frame::User(message) => message.blocks.iter().filter_map(heard).map(|event| about(message, event)).collect(),
        Frame::Result(ended) => vec![result(ended)],
        Frame::System { subtype, body } => system(subtype, body).into_iter().collect(),
        Frame::Init { model, version, .. } => {
            let event = Event::new(EventKind::System, "init").with("model", quoted(model));
            vec![event.with("claude_code_version", quoted(version))]
        }
        Frame::Unknown { kind } => vec![Event::new(EventKind::Unknown, kind.as_str())],
        Frame::Mirror { .. } | Frame::Question(_) | Frame::Answer => Vec::new(),
    }
}

fn about(message: &Message<'_>, event: Event) -> Event {
    let mut event = event.with("subagent", message.is_subagent().to_string());
    if let Some(parent) = &message.parent_call {
        event = event.with("parent_tool_use_id", quoted(parent));
    }
    if let Some(context) = message.context {
        event = event.with("context", context.to_string());
    }
    match &message.model {
        Some(model) => event.with("model", quoted(model)),
        None => event,
    }
}

fn said(block: &Block<'_>) -> Option<Event> {
    match block {
        Block::Text(text) => Some(Event::new(EventKind::Text, text.as_str())),
        Block::Thinking(text) => Some(Event::new(EventKind::Thinking, text.as_str())),
        Block::Call { id, name, input, raw } => {
            let text = ["file_path", "command", "pattern"].iter().find_map(|key| input.text(key)).unwrap_or_default();
            let event =
                Event::new(EventKind::ToolCall, cut(&text, MAX_CALL)).with("id", quoted(id)).with("input", *raw);
            Some(Event { tool: Some(name.clone()), ..event })
        }
        Block::Result { .. } => None,
    }
}

fn heard(block: &Block<'_>) -> Option<Event> {
    match block {
        Block::Text(text) => Some(Event::new(EventKind::Prompt, text.as_str())),
        Block::Result { id, text, is_error } => {
            let event = Event::new(EventKind::ToolResult, cut(text, MAX_RESULT));
            Some(event.with("tool_use_id", quoted(id)).with("is_error", is_error.to_string()))
        }
        Block::Thinking(_) | Block::Call { .. } => None,
    }
}

fn result(ended: &Ended) -> Event {
    let event = Event::new(EventKind::Result, ended.subtype.as_str())
        .with("cost_usd", ended.cost.dollars().to_string())
        .with("num_turns", json_or_null(ended.turns))
        .with("is_error", json_or_null(ended.is_error));
    match &ended.session {
        Some(session) => event.with("session_id", quoted(session)),
        None => event,
    }
}

fn system(subtype: &str, body: &Object<'_>) -> Option<Event> {
    let field = |name| body.text(name).unwrap_or_default();
    let raw = |name| body.raw(name).unwrap_or("null");
    match subtype {
        // For hosts only.
        "session_state_changed" => None,
        "api_retry" => {
            let text = format!("the CLI tries again: {}/{} ({})", raw("attempt"), raw("max_retries"), field("error"));
            let event = Event::new(EventKind::Retry, text).with("attempt", raw("attempt"));
            let event = event.with("max_retries", raw("max_retries")).with("retry_delay_ms", raw("retry_delay_ms"));
            Some(event.with("error_status", raw("error_status")))
        }
        "compact_boundary" => {
            let facts = body.object("compact_metadata");
            let fact = |name| facts.raw(name).unwrap_or("null").to_owned();
            let event = Event::new(EventKind::Reset, "the conversation was compacted").with("trigger", fact("trigger"));
            Some(
                event
                    .with("pre_tokens", fact("pre_tokens"))
                    .with("post_tokens", fact("post_tokens"))
                    .with("micro", "false"),
            )
        }
        "microcompact_boundary" => {
            Some(Event::new(EventKind::Reset, "old results were dropped from the conversation").with("micro", "true"))
        }
        task if task.starts_with("task_") => {
            let event = Event::new(EventKind::Task, format!("{task} {}", field("description")));
            Some(event.with("task_id", raw("task_id")).with("subtype", quoted(task)))
        }
        other => Some(Event::new(EventKind::System, other)),
    }
}

fn cut(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}

/// A number or truth value as JSON; what the CLI did not say is `null`.
fn json_or_null(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "null".to_owned(), |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;
    use std::collections::BTreeMap;

    fn lines(frame: &str) -> String {
        let process = BTreeMap::from([("X_KEY".to_owned(), "very-secret-value".to_owned())]);
        let redactor = Redactor::new(&Environment::gather(&process, &[], |_| Err(std::io::ErrorKind::NotFound.into())));
        events(&Frame::parse(frame).unwrap()).iter().map(|event| event.line(&redactor)).collect()
    }

    #[test]
    fn messages_become_events_without_secrets() {
        insta::assert_snapshot!(lines(r#"{"type":"assistant","parent_tool_use_id":"p","message":{"model":"m","usage":{"input_tokens":1,"cache_read_input_tokens":2},"content":[{"type":"text","text":"a"},{"type":"tool_use","id":"t","name":"Bash","input":{"command":"echo very-secret-value","n":1}}]}}"#), @r#"
        {"kind":"text","text":"a","tool":null,"payload":{"subagent":true,"parent_tool_use_id":"p","context":3,"model":"m"}}
        {"kind":"tool_call","text":"echo very***(共 17 位)","tool":"Bash","payload":{"id":"t","input":{"command":"echo very***(共 17 位)","n":1},"subagent":true,"parent_tool_use_id":"p","context":3,"model":"m"}}
        "#);
        insta::assert_snapshot!(lines(r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":[{"type":"text","text":"no"}]}]}}"#), @r#"{"kind":"tool_result","text":"no","tool":null,"payload":{"tool_use_id":"t","is_error":true,"subagent":false}}"#);
        insta::assert_snapshot!(lines(r#"{"type":"assistant","message":{"model":"<synthetic>","content":[{"type":"text","text":"API Error"}]}}"#), @r#"{"kind":"error","text":"API Error","tool":null,"payload":{"synthetic":true,"subagent":false,"model":"<synthetic>"}}"#);
    }

    #[test]
    fn notices_become_events() {
        assert_eq!(lines(r#"{"type":"system","subtype":"session_state_changed","state":"idle"}"#), "");
        insta::assert_snapshot!(lines(r#"{"type":"system","subtype":"api_retry","attempt":2,"max_retries":10,"retry_delay_ms":900,"error_status":529,"error":"x"}"#), @r#"{"kind":"retry","text":"the CLI tries again: 2/10 (x)","tool":null,"payload":{"attempt":2,"max_retries":10,"retry_delay_ms":900,"error_status":529}}"#);
        assert!(lines(r#"{"type":"new thing"}"#).starts_with(r#"{"kind":"unknown","text":"new thing""#));
        assert!(
            lines(r#"{"subtype":"success","total_cost_usd":0.5,"type":"result"}"#).contains(r#""cost_usd":0.5"#),
            "keys in any order"
        );
    }
}
