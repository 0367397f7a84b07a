use super::content::{Block, BlockKind, blocks};
use super::fields::{each_element, each_field, number, text};
use super::label::{Interner, Label};
use crate::unit::Tokens;
use serde::Serialize;

/// Model of entries that the harness wrote in the place of an answer; it has no spend.
pub(super) const SYNTHETIC: &str = "<synthetic>";

/// The API message of a `user` or `assistant` entry. Several entries may carry blocks of the same message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Message {
    /// `message.id`.
    pub id: Option<Label>,
    /// `requestId` of the entry.
    pub request_id: Option<Label>,
    /// `message.model`.
    pub model: Option<Label>,
    /// `message.stop_reason`; `None` also for null.
    pub stop_reason: Option<Label>,
    /// The whole usage of the message, repeated on each of its entries.
    pub usage: Option<Usage>,
    /// The blocks of this entry.
    pub blocks: Vec<Block>,
}

impl Message {
    /// Written by the harness in the place of an answer: no spend, not an answer.
    pub fn is_synthetic(&self) -> bool {
        self.model.as_deref() == Some(SYNTHETIC)
    }

    /// The blocks that are tool calls.
    pub fn calls(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(|block| block.kind == BlockKind::ToolUse)
    }

    /// The blocks that are tool results.
    pub fn results(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(|block| block.kind == BlockKind::ToolResult)
    }

    pub(super) fn decode(raw: &RawMessage<'_>, request_id: Option<&str>, interner: &mut Interner) -> Self {
        let unique =
            |value: Option<&str>, interner: &mut Interner| value.and_then(text).map(|text| interner.unique(&text));
        let label =
            |value: Option<&str>, interner: &mut Interner| value.and_then(text).map(|text| interner.label(&text));
        Self {
            id: unique(raw.id, interner),
            request_id: unique(request_id, interner),
            model: label(raw.model, interner),
            stop_reason: label(raw.stop_reason, interner),
            usage: raw.usage.and_then(Usage::decode),
            blocks: raw.content.map(|value| blocks(value, interner)).unwrap_or_default(),
        }
    }
}

/// The raw fields of `message`.
#[derive(Debug, Default)]
pub(super) struct RawMessage<'a> {
    id: Option<&'a str>,
    model: Option<&'a str>,
    stop_reason: Option<&'a str>,
    usage: Option<&'a str>,
    content: Option<&'a str>,
}

impl<'a> RawMessage<'a> {
    pub(super) fn set(&mut self, name: &str, value: &'a str) {
        let slot = match name {
            "id" => &mut self.id,
            "model" => &mut self.model,
            "stop_reason" => &mut self.stop_reason,
            "usage" => &mut self.usage,
            "content" => &mut self.content,
            _ => return,
        };
        *slot = Some(value);
    }
}

/// The tokens of one message by class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Uncached input.
    pub input: Tokens,
    /// Output, thinking included.
    pub output: Tokens,
    /// Input read from the cache.
    pub cache_read: Tokens,
    /// Input written to the cache, for five minutes and for one hour together.
    pub cache_write: Tokens,
    /// The part of `cache_write` that is known to be written for one hour.
    pub cache_write_1h: Tokens,
}

impl Usage {
    /// Everything the model was given: input, cache reads and cache writes.
    pub fn context(self) -> Tokens {
        self.input + self.cache_read + self.cache_write
    }

    /// Input and output together.
    pub fn total(self) -> Tokens {
        self.context() + self.output
    }

    /// Field by field the larger one: early copies of a message may hold placeholders.
    #[must_use]
    pub fn largest(self, other: Self) -> Self {
        self.zip(other, Ord::max)
    }

    /// Field by field the sum.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.zip(other, std::ops::Add::add)
    }

    fn zip(self, other: Self, join: impl Fn(Tokens, Tokens) -> Tokens) -> Self {
        Self {
            input: join(self.input, other.input),
            output: join(self.output, other.output),
            cache_read: join(self.cache_read, other.cache_read),
            cache_write: join(self.cache_write, other.cache_write),
            cache_write_1h: join(self.cache_write_1h, other.cache_write_1h),
        }
    }

    /// The usage in `json`: the sum of its iterations when it has any (spec/entries.md), else its own figures.
    fn decode(json: &str) -> Option<Self> {
        let mut usage = Self::default();
        let mut iterations: Option<Self> = None;
        let is_object = each_field(json, |name, value| {
            usage.set(name, value);
            if name == "iterations" {
                each_element(value, |iteration| {
                    let mut one = Self::default();
                    if each_field(iteration, |name, value| one.set(name, value)) {
                        iterations = Some(iterations.unwrap_or_default().plus(one));
                    }
                });
            }
        });
        is_object.then(|| iterations.unwrap_or(usage))
    }

    fn set(&mut self, name: &str, value: &str) {
        let tokens = || Tokens(number(value).unwrap_or(0));
        match name {
            "input_tokens" => self.input = tokens(),
            "output_tokens" => self.output = tokens(),
            "cache_read_input_tokens" => self.cache_read = tokens(),
            "cache_creation_input_tokens" => self.cache_write = tokens(),
            "cache_creation" => {
                each_field(value, |name, value| {
                    if name == "ephemeral_1h_input_tokens" {
                        self.cache_write_1h = Tokens(number(value).unwrap_or(0));
                    }
                });
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_are_summed_when_present() {
        let plain = r#"{"input_tokens":1,"output_tokens":2,"cache_creation":{"ephemeral_1h_input_tokens":7},"iterations":null}"#;
        let usage = Usage::decode(plain).unwrap();
        assert_eq!((usage.input, usage.output, usage.cache_write_1h), (Tokens(1), Tokens(2), Tokens(7)));
        let twice = r#"{"input_tokens":9,"iterations":[{"input_tokens":1,"output_tokens":5},{"input_tokens":2}]}"#;
        let usage = Usage::decode(twice).unwrap();
        assert_eq!((usage.input, usage.output), (Tokens(3), Tokens(5)));
        assert_eq!(Usage::decode("null"), None);
    }
}
