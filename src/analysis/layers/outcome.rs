use crate::layers::{Edit, Layer, Loaded, Report};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What stands in the place of the uuid of an added entry, which every load derives anew.
const INSERTED: &str = "<inserted>";

/// What became of a session between what is stored and what is fed. Lists that are empty are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// The counters of the load.
    pub report: Report,
    /// Sequence numbers of entries that are not fed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<i64>,
    /// The new `parentUuid` of entries that hang elsewhere, by sequence number.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub relinked: BTreeMap<i64, Option<String>>,
    /// Results with another content.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<ReplacedResult>,
    /// Blocks that were taken out of entries that are fed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stripped: Vec<StrippedEntry>,
    /// Entries that were added.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inserted: Vec<InsertedEntry>,
}

/// A result with another content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReplacedResult {
    /// The entry.
    pub seq: i64,
    /// The call that it answers.
    pub tool_use_id: String,
    /// The content that is fed.
    pub content: String,
}

/// An entry of which blocks were taken out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StrippedEntry {
    /// The entry.
    pub seq: i64,
    /// Ids of the calls of these blocks.
    pub tool_use_ids: Vec<String>,
}

/// An entry that was added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InsertedEntry {
    /// The entry that it follows.
    pub after_seq: i64,
    /// Its `parentUuid`.
    #[serde(rename = "parentUuid")]
    pub parent_uuid: Option<String>,
    /// The calls that it answers.
    pub tool_use_ids: Vec<String>,
    /// The text of each answer.
    pub content: String,
}

impl Outcome {
    /// Compares what is fed with what is stored: of several changes of one thing only the last is seen, of an entry that
    /// is not fed none.
    pub(super) fn of(loaded: &Loaded<'_>) -> Self {
        let dropped = |edit: &Edit| *edit == Edit::Dropped;
        let gone: BTreeSet<i64> = loaded.changes.iter().filter(|c| dropped(&c.edit)).map(|c| c.seq).collect();
        let mut outcome = Self { report: loaded.report, ..Self::default() };
        let mut replaced: BTreeMap<(i64, usize), (&str, &str, &str)> = BTreeMap::new();
        for change in loaded.changes.iter().filter(|change| !gone.contains(&change.seq)) {
            match &change.edit {
                Edit::Replaced { block, tool_use_id, before, after, .. } => {
                    let known = replaced.entry((change.seq, *block)).or_insert((tool_use_id, before, after));
                    known.2 = after;
                }
                Edit::Stripped { ids } => {
                    outcome.stripped.push(StrippedEntry { seq: change.seq, tool_use_ids: ids.clone() });
                }
                Edit::Relinked { after, .. } => {
                    let healed = change.layer == Layer::Heal;
                    let parent = if healed { Some(INSERTED.to_owned()) } else { after.clone() };
                    outcome.relinked.insert(change.seq, parent);
                }
                Edit::Added { parent, tool_use_ids, content, .. } => outcome.inserted.push(InsertedEntry {
                    after_seq: change.seq,
                    parent_uuid: parent.clone(),
                    tool_use_ids: tool_use_ids.clone(),
                    content: content.clone(),
                }),
                Edit::Dropped => {}
            }
        }
        let replaced = replaced.into_iter().filter(|(_, (_, before, after))| before != after);
        let result = |((seq, _), (id, _, after)): ((i64, usize), (&str, &str, &str))| ReplacedResult {
            seq,
            tool_use_id: id.to_owned(),
            content: after.to_owned(),
        };
        outcome.replaced = replaced.map(result).collect();
        outcome.dropped = gone.into_iter().collect();
        outcome
    }
}
