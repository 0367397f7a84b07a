use super::hooks::Hook;
use super::inventory::Inventory;
use super::lint::manifest_place;
use super::placeholders::user_config_keys;
use super::remark::Remark;
use super::root::Root;
use crate::unit::{Diagnosis, Finding, Place};
use regex::Regex;
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
        if let Err(error) = Regex::new(matcher) {
            let error = error.to_string().lines().last().unwrap_or_default().trim().to_owned();
            remarks.push(Remark::MatcherInvalid { event: event(), matcher: matcher.to_owned(), error });
        }
        if let Some(server) = bare_server(matcher, servers) {
            let prefix = format!("mcp__plugin_{plugin}_{server}__");
            remarks.push(Remark::MatcherNamesBareTool { event: event(), matcher: matcher.to_owned(), server, prefix });
        }
    }
    if let Some(server) = hook.server.as_ref().filter(|server| servers.contains(server.as_str())) {
        let expected = format!("plugin:{plugin}:{server}");
        remarks.push(Remark::HookServerUnscoped { event: event(), server: server.clone(), expected });
    }
    remarks
}

/// The server of the plugin that a matcher names as if it were not one of a plugin.
fn bare_server(matcher: &str, servers: &BTreeSet<&str>) -> Option<String> {
    let (_, rest) = matcher.split_once("mcp__")?;
    let server = rest.split_once("__").map_or(rest, |(server, _)| server);
    servers.contains(server).then(|| server.to_owned())
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
