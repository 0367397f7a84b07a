//! A stored entry with the changes that are to be made in it.

use super::object::{Splice, quoted};
use super::{LoadFault, Size};
use crate::run_dir::decode_json_text;
use crate::run_dir::limits::MAX_BLOCKS;
use crate::transcript::{Interner, RawBlock, Slots, blocks, characters_of, each_element, each_field};
use crate::transcript::{fill, fill_each, text, truthy};
use std::borrow::Cow;

/// The raw fields that the layers look at.
#[derive(Debug, Default)]
pub(super) struct Raw<'a> {
    pub(super) kind: Option<&'a str>,
    pub(super) uuid: Option<&'a str>,
    pub(super) parent: Option<&'a str>,
    pub(super) timestamp: Option<&'a str>,
    pub(super) denial: Option<&'a str>,
    pub(super) is_meta: Option<&'a str>,
    pub(super) is_compact_summary: Option<&'a str>,
    pub(super) is_api_error: Option<&'a str>,
    pub(super) is_sidechain: Option<&'a str>,
    pub(super) tool_use_result: Option<&'a str>,
    pub(super) message: RawMessage<'a>,
}

impl<'a> Slots<'a> for Raw<'a> {
    fn slot(&mut self, name: &str) -> Option<&mut Option<&'a str>> {
        Some(match name {
            "type" => &mut self.kind,
            "uuid" => &mut self.uuid,
            "parentUuid" => &mut self.parent,
            "timestamp" => &mut self.timestamp,
            "toolDenialKind" => &mut self.denial,
            "isMeta" => &mut self.is_meta,
            "isCompactSummary" => &mut self.is_compact_summary,
            "isApiErrorMessage" => &mut self.is_api_error,
            "isSidechain" => &mut self.is_sidechain,
            "toolUseResult" => &mut self.tool_use_result,
            _ => return None,
        })
    }

    fn inner(&mut self, name: &str) -> Option<&mut dyn Slots<'a>> {
        (name == "message").then_some(&mut self.message)
    }
}

#[derive(Debug, Default)]
pub(super) struct RawMessage<'a> {
    content: Option<&'a str>,
    pub(super) model: Option<&'a str>,
}

impl<'a> Slots<'a> for RawMessage<'a> {
    fn slot(&mut self, name: &str) -> Option<&mut Option<&'a str>> {
        match name {
            "content" => Some(&mut self.content),
            "model" => Some(&mut self.model),
            _ => None,
        }
    }
}

/// A block of content with what becomes of it.
#[derive(Debug)]
pub(super) struct Block<'a> {
    pub(super) raw: RawBlock<'a>,
    pub(super) kind: Kind,
    /// Id of a call, or of the call that a result answers.
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) removed: bool,
    /// The text in the place of a result's content.
    pub(super) content: Option<String>,
    /// A result is no error any more.
    pub(super) cleared: bool,
}

/// Kinds of blocks that the layers tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Call,
    Result,
    Other,
}

/// The text of a result.
pub(super) struct ResultText {
    pub(super) text: String,
    pub(super) had_lone_surrogate: bool,
}

impl<'a> Block<'a> {
    fn new(raw: RawBlock<'a>) -> Self {
        let kind = match raw.kind.and_then(text).as_deref() {
            Some("tool_use") => Kind::Call,
            Some("tool_result") => Kind::Result,
            _ => Kind::Other,
        };
        let id = match kind {
            Kind::Call => raw.id,
            Kind::Result => raw.tool_use_id,
            Kind::Other => None,
        };
        Self { id: id.and_then(text), raw, kind, removed: false, content: None, cleared: false }
    }

    /// The literals of the result's text; `None` if it has none, or an image or a document.
    fn parts(&self) -> Option<Vec<&'a str>> {
        let content = self.raw.content?;
        if content.starts_with('"') {
            return Some(vec![content]);
        }
        let parts = fill_each::<RawBlock<'_>>(content, MAX_BLOCKS);
        let kinds: Vec<_> = parts.iter().map(|part| part.kind.and_then(text).unwrap_or_default()).collect();
        let is_picture = |kind: &Cow<'_, str>| matches!(kind.as_ref(), "image" | "document");
        if kinds.iter().any(is_picture) || !kinds.iter().any(|kind| kind == "text") {
            return None;
        }
        let texts = parts.iter().zip(&kinds).filter(|(_, kind)| kind.as_ref() == "text");
        Some(texts.filter_map(|(part, _)| part.text).collect())
    }

    /// Characters of the result's text, if it has one.
    pub(super) fn text_length(&self) -> Option<u64> {
        match &self.content {
            Some(content) => Some(count(content)),
            None => Some(self.parts()?.iter().filter_map(|part| characters_of(part)).fold(0, u64::saturating_add)),
        }
    }

    /// The result's text, if it has one.
    pub(super) fn text(&self) -> Option<ResultText> {
        if let Some(content) = &self.content {
            return Some(ResultText { text: content.clone(), had_lone_surrogate: false });
        }
        let mut joined = ResultText { text: String::new(), had_lone_surrogate: false };
        for part in self.parts()?.iter().filter_map(|part| decode_json_text(part)) {
            joined.text.push_str(&part.text);
            joined.had_lone_surrogate |= part.had_lone_surrogate;
        }
        Some(joined)
    }

    /// The result's content if it is a bare string.
    pub(super) fn bare_text(&self) -> Option<Cow<'_, str>> {
        match &self.content {
            Some(content) => Some(Cow::Borrowed(content)),
            None => self.raw.content.and_then(text),
        }
    }

    pub(super) fn is_error(&self) -> bool {
        !self.cleared && self.raw.is_error.is_some_and(truthy)
    }
}

/// The parent of an entry.
#[derive(Debug, PartialEq, Eq)]
enum Above {
    /// As recorded.
    Recorded,
    /// None.
    Nothing,
    /// The entry with this uuid.
    Other(String),
}

/// A stored entry.
#[derive(Debug)]
pub(super) struct Record<'a> {
    pub(super) seq: i64,
    json: &'a str,
    pub(super) raw: Raw<'a>,
    pub(super) uuid: Option<Cow<'a, str>>,
    pub(super) blocks: Vec<Block<'a>>,
    pub(super) dropped: bool,
    above: Above,
    pub(super) fault: Option<LoadFault>,
}

impl<'a> Record<'a> {
    pub(super) fn new(seq: i64, json: &'a str) -> Self {
        let raw = fill::<Raw<'_>>(json);
        let fault = raw.is_none().then_some(LoadFault::NotAnObject);
        let raw = raw.unwrap_or_default();
        let blocks = raw.message.content.map(|content| fill_each(content, MAX_BLOCKS)).unwrap_or_default();
        let fault = fault.or_else(|| (blocks.len() == MAX_BLOCKS).then_some(LoadFault::TooManyBlocks));
        Self {
            seq,
            json,
            uuid: raw.uuid.and_then(text).filter(|uuid| !uuid.is_empty()),
            raw,
            blocks: blocks.into_iter().map(Block::new).collect(),
            dropped: false,
            above: Above::Recorded,
            fault,
        }
    }

    /// The payload without any change.
    pub(super) fn json_as_stored(&self) -> &'a str {
        self.json
    }

    /// Expire and trim leave it alone.
    pub(super) fn is_protected(&self) -> bool {
        [self.raw.is_meta, self.raw.is_compact_summary].into_iter().flatten().any(truthy)
    }

    /// The blocks that are left.
    pub(super) fn left(&self) -> impl Iterator<Item = &Block<'a>> {
        self.blocks.iter().filter(|block| !block.removed)
    }

    /// The `parentUuid` that holds now.
    pub(super) fn parent(&self) -> Option<Cow<'_, str>> {
        match &self.above {
            Above::Recorded => self.raw.parent.and_then(text),
            Above::Nothing => None,
            Above::Other(uuid) => Some(Cow::Borrowed(uuid)),
        }
    }

    pub(super) fn relink(&mut self, parent: Option<String>) {
        self.above = parent.map_or(Above::Nothing, Above::Other);
    }

    /// What the blocks that are left and `which` fits have to say; a bare string is one block.
    pub(super) fn size(&self, which: impl Fn(&Block<'a>) -> bool) -> Size {
        let mut interner = Interner::default();
        let decoded = self.raw.message.content.map(|json| blocks(json, &mut interner)).unwrap_or_default();
        let mut size = Size::default();
        for (at, recorded) in decoded.iter().enumerate() {
            let block = self.blocks.get(at);
            if block.is_none_or(|block| !block.removed && which(block)) {
                let now = block.and_then(|block| block.content.as_deref()).map(count);
                size += Size { entries: 0, blocks: 1, characters: now.unwrap_or(recorded.characters) };
            }
        }
        size
    }

    /// The entry as it is fed: the payload's own bytes unless something changed.
    pub(super) fn json(&self) -> Cow<'a, str> {
        let is_touched = |block: &Block<'_>| block.removed || block.content.is_some() || block.cleared;
        if self.above == Above::Recorded && !self.blocks.iter().any(is_touched) {
            return Cow::Borrowed(self.json);
        }
        let mut splice = Splice::new(self.json);
        match (&self.above, self.raw.parent) {
            (Above::Nothing, Some(recorded)) => splice.replace(recorded, "null".to_owned()),
            (Above::Other(uuid), Some(recorded)) => splice.replace(recorded, quoted(uuid)),
            (Above::Recorded, _) | (_, None) => {}
        }
        for block in self.left() {
            if let (Some(content), Some(recorded)) = (&block.content, block.raw.content) {
                splice.replace(recorded, quoted(content));
            }
            if let (true, Some(recorded)) = (block.cleared, block.raw.is_error) {
                splice.replace(recorded, "false".to_owned());
            }
        }
        if self.blocks.iter().any(|block| block.removed) {
            self.remove_blocks(&mut splice);
        }
        Cow::Owned(splice.finish())
    }

    fn remove_blocks(&self, splice: &mut Splice<'a>) {
        let mut elements = Vec::new();
        each_element(self.raw.message.content.unwrap_or_default(), |element| elements.push(element));
        splice.remove_elements(&elements, |at| self.blocks.get(at).is_some_and(|block| block.removed));
        let (mut names, mut values) = (Vec::new(), Vec::new());
        each_field(self.json, |name, value| {
            names.push(name == "toolUseResult");
            values.push(value);
        });
        splice.remove_fields(&values, |at| names.get(at).copied().unwrap_or(false));
    }
}

/// Characters as Unicode code points.
pub(super) fn count(text: &str) -> u64 {
    u64::try_from(text.chars().count()).unwrap_or(u64::MAX)
}
