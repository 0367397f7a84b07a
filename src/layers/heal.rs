use super::object::quoted;
use super::record::{Kind, Record, count};
use super::{Change, Edit, HealPolicy, Layer, Reason, Size};
use crate::transcript::{each_field, healed_uuid};
use foldhash::{HashMap, HashMapExt, HashSet};
use std::collections::{BTreeMap, BTreeSet};

/// What the added result says.
const HEALED: &str = "[这一步被打断了,没有结果。需要的话重做。]";

/// Fields that an added entry has in common with the entry that it follows.
const COPIED: [&str; 8] =
    ["sessionId", "cwd", "gitBranch", "version", "agentId", "isSidechain", "userType", "entrypoint"];

/// Gives every call that has no result anywhere one, in an entry of its own; the added entries by the place of the record
/// that they follow.
///
/// Source: spec/layers.md, heal; spec/runner.md section 14.
pub(super) fn heal(
    records: &mut [Record<'_>],
    policy: &HealPolicy,
    changes: &mut Vec<Change>,
) -> BTreeMap<usize, String> {
    let orphans = orphans(records);
    let mut added = BTreeMap::new();
    if orphans.is_empty() {
        return added;
    }
    let mut below = children(records);
    for (at, ids) in orphans {
        let Some(record) = records.get(at) else { continue };
        let parent = record.uuid.as_deref().map(ToOwned::to_owned);
        let name = parent.as_deref().or(ids.first().map(String::as_str)).unwrap_or_default();
        let uuid = healed_uuid(name);
        let blocks = u64::try_from(ids.len()).unwrap_or(u64::MAX);
        added.insert(at, entry(record, &uuid, parent.as_deref(), &ids, policy));
        changes.push(Change {
            layer: Layer::Heal,
            reason: Reason::Orphan,
            seq: record.seq,
            taken: Size::default(),
            given: Size { entries: 1, blocks, characters: count(HEALED).saturating_mul(blocks) },
            edit: Edit::Added {
                uuid: uuid.clone(),
                parent: parent.clone(),
                tool_use_ids: ids,
                content: HEALED.to_owned(),
            },
        });
        let child = parent.as_ref().and_then(|parent| first_after(below.get_mut(parent)?, at));
        if let Some(child) = child.and_then(|child| records.get_mut(child)) {
            child.relink(Some(uuid.clone()));
            changes.push(Change {
                layer: Layer::Heal,
                reason: Reason::ParentHealed,
                seq: child.seq,
                edit: Edit::Relinked { before: parent, after: Some(uuid) },
                taken: Size::default(),
                given: Size::default(),
            });
        }
    }
    added
}

/// The records with calls that have no result anywhere, and the ids of these.
fn orphans(records: &[Record<'_>]) -> Vec<(usize, Vec<String>)> {
    let kept = || records.iter().filter(|record| !record.dropped);
    let results = kept().flat_map(Record::left).filter(|block| block.kind == Kind::Result);
    let answered: HashSet<&str> = results.filter_map(|block| block.id.as_deref()).collect();
    let mut orphans = Vec::new();
    for (at, record) in records.iter().enumerate().filter(|(_, record)| !record.dropped) {
        let calls = record.left().filter(|block| block.kind == Kind::Call).filter_map(|block| block.id.as_deref());
        let ids: Vec<String> = calls.filter(|id| !answered.contains(id)).map(ToOwned::to_owned).collect();
        if !ids.is_empty() {
            orphans.push((at, ids));
        }
    }
    orphans
}

/// The places of the kept records by the uuid of their parent.
fn children(records: &[Record<'_>]) -> HashMap<String, BTreeSet<usize>> {
    let mut below: HashMap<String, BTreeSet<usize>> = HashMap::new();
    for (at, record) in records.iter().enumerate().filter(|(_, record)| !record.dropped) {
        if let Some(parent) = record.parent() {
            below.entry(parent.into_owned()).or_default().insert(at);
        }
    }
    below
}

/// Takes the first of `places` behind `at`.
fn first_after(places: &mut BTreeSet<usize>, at: usize) -> Option<usize> {
    let found = places.range(at + 1..).next().copied()?;
    places.remove(&found);
    Some(found)
}

fn entry(record: &Record<'_>, uuid: &str, parent: Option<&str>, ids: &[String], policy: &HealPolicy) -> String {
    let mut fields = vec![format!("\"parentUuid\":{}", parent.map_or_else(|| "null".to_owned(), quoted))];
    let mut copied = BTreeMap::new();
    each_field(record.json_as_stored(), |name, value| {
        if COPIED.contains(&name) || (policy.timestamp && name == "timestamp") {
            copied.insert(name.to_owned(), value);
        }
    });
    fields.extend(copied.iter().map(|(name, value)| format!("{}:{value}", quoted(name))));
    let results = ids.iter().map(|id| {
        let (id, content) = (quoted(id), quoted(HEALED));
        format!("{{\"tool_use_id\":{id},\"type\":\"tool_result\",\"content\":{content},\"is_error\":false}}")
    });
    let results = results.collect::<Vec<_>>().join(",");
    fields.push(format!("\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":[{results}]}}"));
    fields.push(format!("\"uuid\":{}", quoted(uuid)));
    format!("{{{}}}", fields.join(","))
}
