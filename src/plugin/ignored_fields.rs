//! Fields that the CLI ignores where they are wrong, with a warning (spec/plugins.md, Types and how a wrong type is treated).

use super::issue::{Issue, kind_of};
use super::manifest_schema::is_dependency;
use super::semver_range;
use super::unknown_fields;
use regex::Regex;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::sync::LazyLock;

const IGNORED: &str = "It will be ignored at load time.";

/// What is wrong with them.
pub(super) fn warnings(manifest: &Map<String, Value>) -> Vec<Issue> {
    let objects = [
        ("metadata", "a free-form object"),
        ("experimental", "an object containing component declarations"),
        ("engines", "an object such as { \"claude-code\": \">=2.1.0\" }"),
    ];
    let mut issues = Vec::new();
    for (key, what) in objects {
        if let Some(value) = manifest.get(key).filter(|value| !value.is_object()) {
            issues.push(ill_typed(key, what, value));
        }
    }
    issues.extend(manifest.get("network").map(network).unwrap_or_default());
    issues.extend(manifest.get("optionalDependencies").map(optional_dependencies).unwrap_or_default());
    if manifest.contains_key("capabilities") {
        let said = "'capabilities' is no longer read: what a hooks module hooks and calls on $ is read from its source and \
                    listed under its hooks.json below. Delete the field.";
        issues.push(Issue::new("capabilities", said));
    }
    issues
}

/// The range of versions of the CLI: what is wrong with it is an error, though it is ignored.
pub(super) fn engines(manifest: &Map<String, Value>) -> Option<Issue> {
    let range = manifest.get("engines")?.as_object()?.get("claude-code")?;
    let got = match range.as_str() {
        Some(text) if semver_range::is_range(text) => return None,
        Some(text) => format!("\"{text}\""),
        None => kind_of(Some(range)).to_owned(),
    };
    let said = format!("Must be a version range such as \">=2.1.0\"; got {got}. {IGNORED}");
    Some(Issue::new("engines.claude-code", said))
}

fn ill_typed(key: &str, what: &str, value: &Value) -> Issue {
    Issue::new(key, format!("'{key}' must be {what}; got {}. {IGNORED}", kind_of(Some(value))))
}

fn optional_dependencies(value: &Value) -> Vec<Issue> {
    let Value::Array(items) = value else {
        return vec![ill_typed("optionalDependencies", "a list of plugin names", value)];
    };
    let wrong = items.iter().enumerate().filter(|(_, item)| !is_dependency(item));
    let said = format!("Must be \"name\", \"name@marketplace\", or an object with a name. {IGNORED}");
    wrong.map(|(at, _)| Issue::new(format!("optionalDependencies[{at}]"), &said)).collect()
}

fn network(value: &Value) -> Vec<Issue> {
    let (Some(network), Some(hosts)) = (value.as_object(), value.get("hosts").and_then(Value::as_array)) else {
        let said = "'network' must be an object with a list of hosts, such as { \"hosts\": [\"api.example.com\"] }.";
        return vec![Issue::new("network", format!("{said} {IGNORED}"))];
    };
    let said = "Must be a host as sandbox.network.allowedDomains takes it, in plain ASCII and its usual spelling, with no \
                scheme or path: \"api.example.com\", \"*.example.com\", \"10.0.0.1\", \"[::1]\" or \"localhost\", each with an \
                optional \":port\".";
    let wrong = hosts.iter().enumerate().filter(|(_, host)| !host.as_str().is_some_and(is_host));
    let mut issues: Vec<Issue> =
        wrong.map(|(at, _)| Issue::new(format!("network.hosts[{at}]"), format!("{said} {IGNORED}"))).collect();
    issues.extend(unknown_fields::of_object(network, &["hosts"], "network"));
    issues
}

/// The hosts that a manifest declares, if it declares any in the right form.
pub(super) fn declared_hosts(manifest: &Value) -> Option<Vec<String>> {
    let declared = manifest.get("network")?.get("hosts")?.as_array()?;
    let hosts = declared.iter().filter_map(Value::as_str).filter(|host| is_host(host)).map(str::to_lowercase);
    let hosts: BTreeSet<String> = hosts.collect();
    (declared.is_empty() || !hosts.is_empty()).then(|| hosts.into_iter().collect())
}

fn is_host(text: &str) -> bool {
    static HOST: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let label = "[a-zA-Z0-9](?:[a-zA-Z0-9_-]*[a-zA-Z0-9])?";
        Regex::new(&format!(r"^(?:(?:\*\.)?{label}(?:\.{label})*|\[[0-9a-f:.]+\])(?::[0-9]{{1,5}})?$")).ok()
    });
    HOST.as_ref().is_some_and(|host| host.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn wrong_values_are_told_at_their_place() {
        let manifest = json!({
            "engines": 5, "network": {"hosts": ["a.b", "https://a.b", 5], "foo": 1},
            "optionalDependencies": ["a", "a b"], "capabilities": null,
        });
        let issues = warnings(manifest.as_object().unwrap());
        let paths: Vec<_> = issues.iter().map(|issue| issue.path.as_str()).collect();
        let hosts = ["network.hosts[1]", "network.hosts[2]", "network.foo"];
        assert_eq!(paths, [&["engines"][..], &hosts, &["optionalDependencies[1]", "capabilities"]].concat());
        assert_eq!(declared_hosts(&manifest), Some(vec!["a.b".to_owned()]));
        assert_eq!(declared_hosts(&json!({"network": {}})), None);
        assert_eq!(declared_hosts(&json!({"network": {"hosts": ["a b"]}})), None);
    }

    #[test]
    fn hosts_have_neither_scheme_nor_path() {
        for host in ["api.example.com", "*.example.com", "10.0.0.1", "[::1]", "localhost:80", "A.b", "[::1]:8080"] {
            assert!(is_host(host), "{host}");
        }
        for host in ["", "a b", "https://a.b", "a.b/", "*", "*.*.a", "é.com", "a..b", "a.b."] {
            assert!(!is_host(host), "{host}");
        }
    }
}
