use std::collections::BTreeMap;

use super::{Kind, StoreKey};

/// Characters of an id that are shown at least.
const AT_LEAST: usize = 8;

/// The names under which people meet the sessions of one source: the beginning of the session or agent id, as long as it
/// takes to tell it from all others, so that it can be given back on the command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShortNames {
    names: BTreeMap<String, String>,
    mains: BTreeMap<String, String>,
}

impl ShortNames {
    /// Names for these store keys.
    pub fn of_all<'a>(store_keys: impl IntoIterator<Item = &'a str>) -> Self {
        let mut ids: Vec<(&str, &str)> =
            store_keys.into_iter().map(|key| (StoreKey::parse(key).short(), key)).collect();
        ids.sort_unstable();
        let (mut names, mut mains) = (BTreeMap::new(), BTreeMap::new());
        for (at, (id, key)) in ids.iter().enumerate() {
            let neighbours = [at.checked_sub(1), at.checked_add(1)];
            let others = neighbours.into_iter().flatten().filter_map(|other| ids.get(other));
            let shared = others.map(|(other, _)| common(id, other)).max().unwrap_or_default();
            let prefix = if id.starts_with("agent-") { "agent-".len() } else { 0 };
            // An id that another key has, or that others begin with, names nothing by itself.
            let name = if shared >= id.chars().count() {
                (*key).to_owned()
            } else {
                id.chars().take((shared + 1).max(prefix + AT_LEAST)).collect()
            };
            if StoreKey::parse(key).kind() == Kind::Main {
                mains.insert((*id).to_owned(), name.clone());
            }
            names.insert((*key).to_owned(), name);
        }
        Self { names, mains }
    }

    /// The name of a session; the last part of a key that is not known.
    pub fn of<'a>(&'a self, store_key: &'a str) -> &'a str {
        self.names.get(store_key).map_or_else(|| StoreKey::parse(store_key).short(), String::as_str)
    }

    /// The name of the main thread with this session id; the beginning of an id that is not known.
    pub fn of_main(&self, session_id: &str) -> String {
        self.mains.get(session_id).cloned().unwrap_or_else(|| session_id.chars().take(AT_LEAST).collect())
    }
}

/// How many characters two ids begin with in common.
fn common(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_long_as_it_takes() {
        let keys =
            ["p/82f57757-aaaa", "p/82f57757-bbbb", "p/98ac0823-f756", "p/98ac0823-f756/subagents/agent-a53b03b9e1"];
        let names = ShortNames::of_all(keys);
        assert_eq!(keys.map(|key| names.of(key)), ["82f57757-a", "82f57757-b", "98ac0823", "agent-a53b03b9"]);
        assert_eq!(names.of("p/unknown-one"), "unknown-one");
        assert_eq!([names.of_main("82f57757-bbbb"), names.of_main("unknown-one")], ["82f57757-b", "unknown-"]);
    }

    #[test]
    fn what_cannot_be_told_apart_keeps_its_whole_key() {
        let keys = ["p/one/subagents/agent-a1", "p/two/subagents/agent-a1", "p/s", "p/s1"];
        let names = ShortNames::of_all(keys);
        assert_eq!(keys.map(|key| names.of(key)), [keys[0], keys[1], keys[2], "s1"]);
    }
}
