use super::content::{Block, BlockKind, blocks};
use super::fields::{Slots, each_element, fill};
use super::label::{Interner, Label};
use super::scalar::{number, text};
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

impl<'a> Slots<'a> for RawMessage<'a> {
    fn slot(&mut self, name: &str) -> Option<&mut Option<&'a str>> {
        Some(match name {
            "id" => &mut self.id,
            "model" => &mut self.model,
            "stop_reason" => &mut self.stop_reason,
            "usage" => &mut self.usage,
            "content" => &mut self.content,
            _ => return None,
        })
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
        let raw: RawUsage<'_> = fill(json)?;
        let mut iterations: Option<Self> = None;
        each_element(raw.iterations.unwrap_or_default(), |iteration| {
            if let Some(one) = fill::<RawUsage<'_>>(iteration) {
                iterations = Some(iterations.unwrap_or_default().plus(one.tokens()));
            }
        });
        Some(iterations.unwrap_or_else(|| raw.tokens()))
    }
}

/// The raw fields of `usage`.
#[derive(Debug, Default)]
struct RawUsage<'a> {
    input: Option<&'a str>,
    output: Option<&'a str>,
    cache_read: Option<&'a str>,
    cache_write: Option<&'a str>,
    iterations: Option<&'a str>,
    cache_creation: RawCacheCreation<'a>,
}

/// The raw fields of `usage.cache_creation`.
#[derive(Debug, Default)]
struct RawCacheCreation<'a> {
    one_hour: Option<&'a str>,
}

impl RawUsage<'_> {
    fn tokens(&self) -> Usage {
        let tokens = |raw: Option<&str>| Tokens(raw.and_then(number).unwrap_or(0));
        Usage {
            input: tokens(self.input),
            output: tokens(self.output),
            cache_read: tokens(self.cache_read),
            cache_write: tokens(self.cache_write),
            cache_write_1h: tokens(self.cache_creation.one_hour),
        }
    }
}

impl<'a> Slots<'a> for RawUsage<'a> {
    fn slot(&mut self, name: &str) -> Option<&mut Option<&'a str>> {
        Some(match name {
            "input_tokens" => &mut self.input,
            "output_tokens" => &mut self.output,
            "cache_read_input_tokens" => &mut self.cache_read,
            "cache_creation_input_tokens" => &mut self.cache_write,
            "iterations" => &mut self.iterations,
            _ => return None,
        })
    }

    fn inner(&mut self, name: &str) -> Option<&mut dyn Slots<'a>> {
        (name == "cache_creation").then_some(&mut self.cache_creation)
    }
}

impl<'a> Slots<'a> for RawCacheCreation<'a> {
    fn slot(&mut self, name: &str) -> Option<&mut Option<&'a str>> {
        (name == "ephemeral_1h_input_tokens").then_some(&mut self.one_hour)
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
