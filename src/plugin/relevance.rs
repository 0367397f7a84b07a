//! When an entry of a marketplace is suggested to people (spec/plugins.md, marketplace.json).

use super::issue::{Faults, Field, Issue, kind_of, object, some_text, strings};
use super::unknown_fields;
use serde_json::Value;

const SIGNALS: [Field; 5] = [
    ("cli", false, strings),
    ("hosts", false, strings),
    ("filesRead", false, strings),
    ("manifestDeps", false, strings),
    ("cwd", false, strings),
];

/// What is wrong with it; that it is no object is only a warning.
pub(super) fn faults(path: &str, value: &Value) -> Faults {
    const FIELDS: [Field; 2] = [("topic", false, some_text), ("signals", true, signals)];
    if value.is_object() { object(path, value, &FIELDS) } else { Faults::none() }
}

fn signals(path: &str, value: &Value) -> Faults {
    let faults = object(path, value, &SIGNALS);
    let is_given = |name: &str| value.get(name).and_then(Value::as_array).is_some_and(|list| !list.is_empty());
    if !faults.is_empty() || SIGNALS.iter().any(|(name, _, _)| is_given(name)) {
        return faults;
    }
    Faults::broken_rule(path, "must declare at least one signal (cli, hosts, filesRead, manifestDeps, or cwd)")
}

/// What is ignored of it.
pub(super) fn warnings(path: &str, value: &Value) -> Vec<Issue> {
    let Value::Object(relevance) = value else {
        let got = kind_of(Some(value));
        let said = format!(
            "'relevance' must be an object containing topic and signals; got {got}. It will be ignored at load time."
        );
        return vec![Issue::new(path, said)];
    };
    let mut issues = unknown_fields::of_marketplace(relevance, &["topic", "signals"], &format!("{path}."));
    if let Some(signals) = relevance.get("signals").and_then(Value::as_object) {
        let known = SIGNALS.map(|(name, _, _)| name);
        issues.extend(unknown_fields::of_marketplace(signals, &known, &format!("{path}.signals.")));
    }
    issues
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_signal_has_to_be_given() {
        let said = |value: Value| faults("r", &value).issues.into_iter().map(|issue| issue.path).collect::<Vec<_>>();
        assert!(said(json!(5)).is_empty() && said(json!({"signals": {"cwd": ["x"]}})).is_empty());
        assert_eq!(said(json!({})), ["r.signals"]);
        assert_eq!(said(json!({"topic": "", "signals": {"cli": []}})), ["r.topic", "r.signals"]);
        assert_eq!(said(json!({"signals": {"cli": [5]}})), ["r.signals.cli.0"]);
        assert_eq!(warnings("r", &json!([])).len(), 1);
        assert_eq!(warnings("r", &json!({"a": 1, "signals": {"b": 2}})).len(), 2);
    }
}
