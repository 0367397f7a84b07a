use super::record::Record;
use super::{Change, Edit, Layer, Reason, RelinkFallback, Size};
use crate::transcript::truthy;
use foldhash::{HashMap, HashMapExt};

/// Where the entries below a dropped one hang now.
type Resolved = HashMap<String, Option<String>>;

/// Hangs every entry whose parent was dropped below the nearest one above that is kept.
///
/// Source: spec/layers.md, prune; spec/runner.md section 14.
pub(super) fn relink(records: &mut [Record<'_>], fallback: RelinkFallback, changes: &mut Vec<Change>) {
    let mut dropped: HashMap<String, Option<String>> = HashMap::new();
    for record in records.iter().filter(|record| record.dropped) {
        if let Some(uuid) = &record.uuid {
            dropped.insert(uuid.to_string(), record.parent().map(std::borrow::Cow::into_owned));
        }
    }
    if dropped.is_empty() {
        return;
    }
    let mut resolved = Resolved::new();
    let mut earlier = Earlier::default();
    for record in records.iter_mut().filter(|record| !record.dropped) {
        let before = record.parent().map(std::borrow::Cow::into_owned);
        if let Some(parent) = before.clone().filter(|parent| dropped.contains_key(parent)) {
            let mut after = nearest(&parent, &dropped, &mut resolved);
            if after.is_none() && fallback == RelinkFallback::EarlierEntry {
                after = earlier.of(record);
            }
            record.relink(after.clone());
            changes.push(Change {
                layer: Layer::Prune,
                reason: Reason::ParentDropped,
                seq: record.seq,
                edit: Edit::Relinked { before, after },
                taken: Size::default(),
                given: Size::default(),
            });
        }
        earlier.note(record);
    }
}

/// The first one above `parent` that is not dropped; none where the way ends or goes in a circle. Each way is walked once.
fn nearest(parent: &str, dropped: &HashMap<String, Option<String>>, resolved: &mut Resolved) -> Option<String> {
    let mut walked = Vec::new();
    let mut uuid = parent.to_owned();
    let found = loop {
        if let Some(known) = resolved.get(&uuid) {
            break known.clone();
        }
        match dropped.get(&uuid) {
            None => break Some(uuid),
            Some(above) => {
                // Until the way ends it counts as leading nowhere, so that a circle does.
                resolved.insert(uuid.clone(), None);
                walked.push(uuid);
                let Some(above) = above.clone() else { break None };
                uuid = above;
            }
        }
    };
    for uuid in walked {
        resolved.insert(uuid, found.clone());
    }
    found
}

/// The last kept chain entry so far, of a main thread and of a sidechain.
#[derive(Default)]
struct Earlier {
    last: [Option<String>; 2],
}

impl Earlier {
    fn of(&self, record: &Record<'_>) -> Option<String> {
        self.last.get(side(record)).cloned().flatten()
    }

    fn note(&mut self, record: &Record<'_>) {
        if let (Some(uuid), Some(_), Some(last)) = (&record.uuid, record.raw.parent, self.last.get_mut(side(record))) {
            *last = Some(uuid.to_string());
        }
    }
}

fn side(record: &Record<'_>) -> usize {
    usize::from(record.raw.is_sidechain.is_some_and(truthy))
}
