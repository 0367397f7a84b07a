use super::content::{Block, BlockKind, blocks};
use super::fields::Slots;
use super::label::{Interner, Label};
use super::scalar::text;
use super::usage::{Service, Usage};

/// Model of entries that the harness wrote in the place of an answer; it has no spend.
pub const SYNTHETIC: &str = "<synthetic>";

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
    /// `message.stop_reason` stands there and is null: when this was written, the end of the answer was not known.
    pub is_open: bool,
    /// The whole usage of the message, repeated on each of its entries.
    pub usage: Option<Usage>,
    /// What else decides its price; `None` where it is served as usual.
    pub service: Option<Box<Service>>,
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

    pub(super) fn decode(
        raw: &RawMessage<'_>,
        request_id: Option<&str>,
        requested_model: Option<&str>,
        interner: &mut Interner,
    ) -> Self {
        // An empty text is no id.
        let unique = |value: Option<&str>, interner: &mut Interner| {
            value.and_then(text).filter(|text| !text.is_empty()).map(|text| interner.unique(&text))
        };
        let label =
            |value: Option<&str>, interner: &mut Interner| value.and_then(text).map(|text| interner.label(&text));
        let model = label(raw.model, interner);
        let (usage, mut service) = raw.usage.and_then(|usage| Usage::decode(usage, interner)).unzip();
        if let Some(service) = &mut service {
            service
                .iterations
                .iter_mut()
                .for_each(|one| one.model = one.model.take().filter(|own| Some(own) != model.as_ref()));
        }
        let requested = label(requested_model, interner);
        if let Some(service) = service.as_mut().filter(|_| requested != model) {
            service.requested_model = requested;
        }
        Self {
            id: unique(raw.id, interner),
            request_id: unique(request_id, interner),
            model,
            stop_reason: label(raw.stop_reason, interner),
            is_open: raw.stop_reason == Some("null"),
            usage,
            service: service.filter(|service| *service != Service::default()).map(Box::new),
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
    pub(super) content: Option<&'a str>,
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
