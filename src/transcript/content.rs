use super::call_input::{CallInput, call_input};
use super::fields::{Slots, each_field, fill_each};
use super::label::{Interner, Label};
use super::scalar::{measure, text, truthy};
use crate::run_dir::limits::MAX_BLOCKS;
use crate::run_dir::names::DENIED_MARK;
use std::sync::Arc;

/// Bytes of text that are kept of a block, so that a person recognises it.
const EXCERPT_BYTES: usize = 160;

/// Kinds of content blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockKind {
    /// Text, or content that is a bare string.
    Text,
    /// Thinking, signed by the API.
    Thinking,
    /// A tool call.
    ToolUse,
    /// The result of a tool call.
    ToolResult,
    /// An image.
    Image,
    /// A document.
    Document,
    /// A kind that is not known here.
    Other,
}

/// One block of an entry's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Which kind.
    pub kind: BlockKind,
    /// Id of a call, or the call that a result answers.
    pub id: Option<Label>,
    /// Name of the tool, or the block type when it is not known.
    pub name: Option<Label>,
    /// What a call of `Skill` or `Agent` names: the skill, or the type of the agent.
    pub target: Option<Label>,
    /// Characters that the model is given: text, thinking, input as JSON, text of the result. Images, documents and kinds
    /// that are not known count none.
    pub characters: u64,
    /// `is_error` of a result.
    pub is_error: bool,
    /// A result that ends with the mark of a denial by the runner.
    pub is_denial: bool,
    /// Beginning of the text, the telling part of an input, or the beginning of an error result.
    pub excerpt: Option<Box<str>>,
    /// What tells a call from another; `None` for other blocks and for inputs without text.
    pub input: Option<Arc<CallInput>>,
}

impl Block {
    fn new(kind: BlockKind) -> Self {
        Self {
            kind,
            id: None,
            name: None,
            target: None,
            characters: 0,
            is_error: false,
            is_denial: false,
            excerpt: None,
            input: None,
        }
    }

    /// The excerpt, or nothing.
    pub fn excerpt(&self) -> &str {
        self.excerpt.as_deref().unwrap_or_default()
    }
}

/// The blocks of `content`: a bare string is one text block. Blocks beyond [`MAX_BLOCKS`] are left out.
pub fn blocks(json: &str, interner: &mut Interner) -> Vec<Block> {
    if let Some((characters, excerpt)) = measure(json, EXCERPT_BYTES) {
        return vec![Block { characters, excerpt: boxed(&excerpt), ..Block::new(BlockKind::Text) }];
    }
    fill_each(json, MAX_BLOCKS).iter().map(|raw| block(raw, interner)).collect()
}

fn block(raw: &RawBlock<'_>, interner: &mut Interner) -> Block {
    let kind_name = raw.kind.and_then(text).unwrap_or_default();
    let label = |value: Option<&str>, interner: &mut Interner| value.and_then(text).map(|text| interner.unique(&text));
    match kind_name.as_ref() {
        "text" => with_text(BlockKind::Text, raw.text),
        "thinking" => with_text(BlockKind::Thinking, raw.thinking),
        "tool_use" => tool_use(raw, interner),
        "tool_result" => Block {
            id: label(raw.tool_use_id, interner),
            is_error: raw.is_error.is_some_and(truthy),
            ..raw.content.map_or_else(|| Block::new(BlockKind::ToolResult), result_content)
        },
        "image" => Block::new(BlockKind::Image),
        "document" => Block::new(BlockKind::Document),
        other => Block { name: Some(interner.label(other)), ..Block::new(BlockKind::Other) },
    }
}

fn tool_use(raw: &RawBlock<'_>, interner: &mut Interner) -> Block {
    let name = raw.name.and_then(text);
    let input =
        raw.input.and_then(|json| call_input(name.as_deref().unwrap_or_default(), json, EXCERPT_BYTES, interner));
    let (input, excerpt) = input.unzip();
    Block {
        id: raw.id.and_then(text).map(|text| interner.unique(&text)),
        name: name.map(|name| interner.label(&name)),
        characters: raw.input.map_or(0, raw_characters),
        excerpt: excerpt.filter(|excerpt| !excerpt.is_empty()),
        target: target(raw, interner),
        input,
        ..Block::new(BlockKind::ToolUse)
    }
}

/// The raw fields of a block.
#[derive(Debug, Clone, Default)]
pub struct RawBlock<'a> {
    /// `type`.
    pub kind: Option<&'a str>,
    /// `id` of a call.
    pub id: Option<&'a str>,
    /// `tool_use_id` of a result.
    pub tool_use_id: Option<&'a str>,
    /// `name` of a tool.
    pub name: Option<&'a str>,
    /// `text`.
    pub text: Option<&'a str>,
    /// `thinking`.
    pub thinking: Option<&'a str>,
    /// `input` of a call.
    pub input: Option<&'a str>,
    /// `content` of a result.
    pub content: Option<&'a str>,
    /// `is_error` of a result.
    pub is_error: Option<&'a str>,
}

impl<'a> Slots<'a> for RawBlock<'a> {
    fn slot(&mut self, name: &str) -> Option<&mut Option<&'a str>> {
        Some(match name {
            "type" => &mut self.kind,
            "id" => &mut self.id,
            "tool_use_id" => &mut self.tool_use_id,
            "name" => &mut self.name,
            "text" => &mut self.text,
            "thinking" => &mut self.thinking,
            "input" => &mut self.input,
            "content" => &mut self.content,
            "is_error" => &mut self.is_error,
            _ => return None,
        })
    }
}

/// The field in which a tool names a skill or an agent.
const TARGETS: [(&str, &str); 3] = [("Skill", "skill"), ("Agent", "subagent_type"), ("Task", "subagent_type")];

fn target(raw: &RawBlock<'_>, interner: &mut Interner) -> Option<Label> {
    let tool = raw.name.and_then(text)?;
    let (_, field) = TARGETS.iter().find(|(name, _)| *name == tool)?;
    let mut found = None;
    each_field(raw.input?, |name, value| {
        if name == *field {
            found = text(value).map(|text| interner.label(&text));
        }
    });
    found
}

fn with_text(kind: BlockKind, json: Option<&str>) -> Block {
    match json.and_then(|json| measure(json, EXCERPT_BYTES)) {
        Some((characters, excerpt)) => Block { characters, excerpt: boxed(&excerpt), ..Block::new(kind) },
        None => Block::new(kind),
    }
}

/// A result's content is a string or a list of blocks of which the text blocks count.
fn result_content(json: &str) -> Block {
    let mut result = with_text(BlockKind::ToolResult, Some(json));
    result.is_denial = ends_denied(json);
    for part in fill_each::<RawBlock<'_>>(json, MAX_BLOCKS) {
        result.is_denial |= part.text.is_some_and(ends_denied);
        let part = with_text(BlockKind::Text, part.text);
        result.characters = result.characters.saturating_add(part.characters);
        result.excerpt = result.excerpt.or(part.excerpt);
    }
    result
}

/// A JSON string that ends with the runner's mark.
fn ends_denied(json: &str) -> bool {
    json.strip_suffix('"').is_some_and(|text| text.ends_with(DENIED_MARK))
}

fn raw_characters(json: &str) -> u64 {
    u64::try_from(json.chars().count()).unwrap_or(u64::MAX)
}

fn boxed(excerpt: &str) -> Option<Box<str>> {
    (!excerpt.is_empty()).then(|| Box::from(excerpt))
}
