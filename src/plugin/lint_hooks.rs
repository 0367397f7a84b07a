use super::hooks::Hook;
use super::inventory::Inventory;
use super::limits::{MAX_MATCHER_BYTES, MAX_MATCHER_PARTS};
use super::lint::manifest_place;
use super::names::tool_prefix;
use super::placeholders::user_config_keys;
use super::remark::Remark;
use super::root::Root;
use crate::unit::{Diagnosis, Finding, Place};
use regress::Regex;
use serde_json::Value;
use std::collections::BTreeSet;

/// What keeps hooks from firing or loading, and nobody says.
pub(super) fn check(inventory: &Inventory) -> Vec<Finding> {
    let servers = inventory.mcp_servers.iter().map(|server| server.name.as_str()).collect();
    let place = |hook: &Hook| Place::file(&hook.file);
    let remarks = inventory.hooks.iter().flat_map(|hook| {
        of_hook(hook, &inventory.plugin, &servers).into_iter().map(move |remark| remark.at(place(hook)))
    });
    remarks.collect()
}

fn of_hook(hook: &Hook, plugin: &str, servers: &BTreeSet<&str>) -> Vec<Remark> {
    let event = || hook.event.clone();
    let mut remarks = Vec::new();
    // With arguments there is no shell.
    if let (Some(command), None) = (&hook.command, &hook.args) {
        let keys = user_config_keys(command);
        remarks.extend(keys.map(|key| Remark::UserConfigInShellHook { event: event(), key: key.to_owned() }));
    }
    if let Some(matcher) = hook.matcher.as_deref().filter(|matcher| !["", "*"].contains(matcher)) {
        remarks.extend(compiled(event(), matcher));
        for server in named_servers(matcher).into_iter().filter(|server| !server.starts_with("plugin_")) {
            let (matcher, server) = (matcher.to_owned(), server.to_owned());
            remarks.push(if servers.contains(server.as_str()) {
                let prefix = tool_prefix(plugin, &server);
                Remark::MatcherNamesBareTool { event: event(), matcher, server, prefix }
            } else {
                Remark::MatcherNamesForeignServer { event: event(), matcher, server }
            });
        }
    }
    if let Some(server) = hook.server.clone().filter(|server| !server.starts_with("plugin:")) {
        remarks.push(if servers.contains(server.as_str()) {
            let expected = format!("plugin:{plugin}:{server}");
            Remark::HookServerUnscoped { event: event(), server, expected }
        } else {
            Remark::HookServerForeign { event: event(), server }
        });
    }
    remarks
}

/// Whether a matcher is a regular expression, as JavaScript has them. Names and bars alone always are one.
fn compiled(event: String, matcher: &str) -> Option<Remark> {
    if matcher.chars().all(|c| c.is_alphanumeric() || "_-| ".contains(c)) {
        return None;
    }
    let (bytes, parts) = (matcher.len(), matcher.matches(['(', '|']).count());
    if bytes > MAX_MATCHER_BYTES || parts > MAX_MATCHER_PARTS {
        return Some(Remark::MatcherNotChecked { event, bytes, parts });
    }
    let error = Regex::new(matcher).err()?.to_string();
    Some(Remark::MatcherInvalid { event, matcher: matcher.to_owned(), error })
}

/// The MCP servers whose tools a matcher names, each once; one of which the name is a pattern is none.
fn named_servers(matcher: &str) -> BTreeSet<&str> {
    matcher.split("mcp__").skip(1).filter_map(named_server).collect()
}

fn named_server(rest: &str) -> Option<&str> {
    let end = rest.find(|c: char| !c.is_alphanumeric() && !"_-".contains(c)).unwrap_or(rest.len());
    let (name, after) = rest.split_at_checked(end)?;
    let is_whole = after.is_empty() || after.starts_with(['|', ')', '$', ' ']);
    name.split_once("__").map(|(server, _)| server).or(is_whole.then_some(name)).filter(|server| !server.is_empty())
}

/// Options of the user that contradict themselves.
pub(super) fn user_config(root: &Root<'_>, manifest: &Value) -> Vec<Finding> {
    let options = manifest.get("userConfig").and_then(Value::as_object).into_iter().flatten();
    let remarks = options.flat_map(|(key, option)| {
        let contradictions = contradictions(option).into_iter();
        contradictions.map(move |what| Remark::UserConfigContradictory { key: key.clone(), what })
    });
    remarks.map(|remark| remark.at(manifest_place(root))).collect()
}

fn contradictions(option: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let kind = option.get("type").and_then(Value::as_str).unwrap_or_default();
    let is_true = |name: &str| option.get(name) == Some(&Value::Bool(true));
    let number = |name: &str| option.get(name).and_then(Value::as_f64);
    if let Some(default) = option.get("default") {
        let fits = match (kind, default) {
            ("number", value) => value.is_number(),
            ("boolean", value) => value.is_boolean(),
            (_, Value::Array(_)) => is_true("multiple"),
            (_, value) => value.is_string(),
        };
        if !fits {
            found.push(format!("its default {default} is no {kind}"));
        }
        if is_true("sensitive") {
            found.push("it is sensitive and has a default, which everybody can read".to_owned());
        }
        let beyond = |limit: &str, is_beyond: fn(f64, f64) -> bool| {
            number(limit).zip(default.as_f64()).filter(|(limit, value)| is_beyond(*value, *limit))
        };
        let out = beyond("min", |value, min| value < min).or_else(|| beyond("max", |value, max| value > max));
        found.extend(out.map(|(limit, value)| format!("its default {value} is beyond its limit {limit}")));
    }
    if let (Some(min), Some(max)) = (number("min"), number("max"))
        && min > max
    {
        found.push(format!("its min {min} is above its max {max}"));
    }
    if kind != "number" && (number("min").is_some() || number("max").is_some()) {
        found.push(format!("min and max say nothing of a {kind}"));
    }
    if is_true("multiple") && kind != "string" {
        found.push(format!("multiple is for strings, not for a {kind}"));
    }
    found
}
