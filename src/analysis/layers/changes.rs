use super::fed::Fed;
use crate::layers::{Change, Edit, Layer, Reason};
use crate::transcript::Readable;
use serde::Serialize;

/// Characters of a text that are shown unless all of it is asked for.
const SHOWN: usize = 160;

/// One change, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangeRow {
    /// Which layer.
    pub layer: Layer,
    /// The entry; of an added one, the entry that it follows.
    pub seq: i64,
    /// `replaced`, `stripped`, `dropped`, `relinked` or `added`.
    pub what: &'static str,
    /// Why.
    pub reason: Reason,
    /// The calls that it is about.
    pub tool_use_ids: Vec<String>,
    /// What stood there: a text, or the parent's uuid.
    pub before: Option<String>,
    /// What stands there now.
    pub after: Option<String>,
    /// A text was cut.
    pub cut: bool,
}

/// Every change; texts are cut unless `full`. `payload` gives the payload of an entry.
pub(super) fn changes<'p>(fed: &Fed<'_>, full: bool, payload: impl Fn(i64) -> Option<&'p str>) -> Vec<ChangeRow> {
    fed.loaded.changes.iter().map(|change| row(change, full, &payload)).collect()
}

fn row<'p>(change: &Change, full: bool, payload: &impl Fn(i64) -> Option<&'p str>) -> ChangeRow {
    let whole = || payload(change.seq).map(content);
    let (what, ids, before, after) = match &change.edit {
        Edit::Replaced { tool_use_id, before, after, .. } => {
            ("replaced", vec![tool_use_id.clone()], Some(before.clone()), Some(after.clone()))
        }
        Edit::Stripped { ids } => ("stripped", ids.clone(), whole(), None),
        Edit::Dropped => ("dropped", Vec::new(), whole(), None),
        Edit::Relinked { before, after } => ("relinked", Vec::new(), before.clone(), after.clone()),
        Edit::Added { tool_use_ids, content, .. } => ("added", tool_use_ids.clone(), None, Some(content.clone())),
    };
    let mut cut = false;
    let mut show = |text: Option<String>| {
        let text = text?;
        let end = text.char_indices().nth(SHOWN).map(|(at, _)| at).filter(|_| !full);
        cut |= end.is_some();
        Some(end.and_then(|end| text.get(..end)).map_or(text.clone(), |head| format!("{head}…")))
    };
    let (before, after) = (show(before), show(after));
    ChangeRow {
        layer: change.layer,
        seq: change.seq,
        what,
        reason: change.reason,
        tool_use_ids: ids,
        before,
        after,
        cut,
    }
}

/// What an entry says, block by block; of one that says nothing, its fields.
fn content(payload: &str) -> String {
    let readable = Readable::of(payload.as_bytes());
    let blocks: Vec<String> = readable.blocks.into_iter().map(|block| block.text).collect();
    if blocks.is_empty() { payload.to_owned() } else { blocks.join("\n") }
}
