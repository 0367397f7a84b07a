//! A limit that arrives as plain text, in the place of an answer and not marked as an error.

use super::{FailureKind, Reset, by_text::by_words};
use crate::transcript::{BlockKind, Entry, Kind};
use crate::unit::Tokens;

/// The text of a limit that stands in the place of an answer (spec/errors.md, The analyzer's verdict): it names a limit and
/// its reset, and no model wrote it, since it used no tokens. What used tokens is an agent's own prose.
pub(in crate::analysis) fn plain_limit(entry: &Entry) -> Option<&str> {
    let message = entry.message.as_ref().filter(|_| entry.kind == Kind::Assistant && !entry.flags.api_error)?;
    let is_free = message.usage.as_ref().is_some_and(|usage| usage.total() == Tokens(0));
    if !is_free && !message.is_synthetic() {
        return None;
    }
    let text = message.blocks.iter().find(|block| block.kind == BlockKind::Text)?.excerpt();
    (by_words(text) == Some(FailureKind::Quota) && Reset::parse(text).is_some()).then_some(text)
}
