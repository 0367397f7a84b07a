use super::issue::Issue;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Where following a name leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// To a plugin, or to its removal.
    Known,
    Missing,
    /// Back to where it was.
    Cycle,
}

/// What the CLI says of names that were given up and lead nowhere (spec/plugins.md, marketplace.json).
pub(super) fn check(market: &Map<String, Value>) -> Vec<Issue> {
    let Some(renames) = market.get("renames").and_then(Value::as_object) else { return Vec::new() };
    let entries = market.get("plugins").and_then(Value::as_array).into_iter().flatten();
    let names: BTreeSet<&str> = entries.filter_map(|entry| entry.get("name")?.as_str()).collect();
    let mut ends: BTreeMap<&str, End> = BTreeMap::new();
    for name in renames.keys() {
        follow(name, renames, &names, &mut ends);
    }
    let why = |end: Option<&End>| match end {
        Some(End::Missing) => Some("target-missing"),
        Some(End::Cycle) => Some("cycle"),
        Some(End::Known) | None => None,
    };
    let broken = renames.keys().filter_map(|name| Some((name, why(ends.get(name.as_str()))?)));
    broken
        .map(|(name, why)| {
            let said = "target must be a name in plugins[], a key in renames, or null";
            Issue::new(format!("renames.{name}"), format!("chain does not resolve ({why}) — {said}"))
        })
        .collect()
}

/// Finds the end of a name and of all names on its way, each of which is gone only once.
fn follow<'a>(
    name: &'a str,
    renames: &'a Map<String, Value>,
    names: &BTreeSet<&str>,
    ends: &mut BTreeMap<&'a str, End>,
) {
    let mut way: BTreeSet<&str> = BTreeSet::new();
    let mut at = name;
    let end = loop {
        if let Some(end) = ends.get(at) {
            break *end;
        }
        if !way.insert(at) {
            break End::Cycle;
        }
        match renames.get(at) {
            Some(Value::String(next)) => at = next,
            Some(_) => break End::Known,
            None if names.contains(at) => break End::Known,
            None => break End::Missing,
        }
    };
    ends.extend(way.into_iter().map(|name| (name, end)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_name_ends_at_a_plugin_or_at_none() {
        let market = json!({
            "plugins": [{"name": "demo"}],
            "renames": {"a": "b", "b": "demo", "n": null, "p": "n", "c": "zz", "d": "c", "self": "self", "q": "r", "r": "q"},
        });
        let said = check(market.as_object().unwrap());
        let said: Vec<_> = said.iter().map(|issue| (issue.path.as_str(), issue.message.contains("cycle"))).collect();
        let expected = [
            ("renames.c", false),
            ("renames.d", false),
            ("renames.self", true),
            ("renames.q", true),
            ("renames.r", true),
        ];
        assert_eq!(said, expected);
    }
}
