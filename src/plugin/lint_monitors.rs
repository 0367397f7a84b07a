use super::inventory::Inventory;
use super::lint::manifest_place;
use super::manifest::experimental;
use super::monitors::{self, Monitor};
use super::placeholders::user_config_keys;
use super::remark::Remark;
use super::root::{Root, Text};
use super::tree::{join, normal};
use crate::unit::{Diagnosis, Finding, Place};
use serde_json::Value;

/// What keeps monitors from loading or from starting, whether the rest of their list is in order or not.
pub(super) fn check(root: &Root<'_>, manifest: Option<&Value>, inventory: Option<&Inventory>) -> Vec<Finding> {
    let declared = manifest.and_then(|manifest| experimental(manifest, "monitors"));
    let file = match declared {
        // The CLI itself checks those in the manifest.
        Some(list @ Value::Array(_)) => {
            let place = manifest_place(root);
            return of_each(&monitors::read(list), inventory).map(|remark| remark.at(place.clone())).collect();
        }
        Some(path) => path.as_str().and_then(normal),
        None => Some("monitors/monitors.json".to_owned()),
    };
    let Some(path) = file else { return Vec::new() };
    let Text::Is(text) = root.text(&path) else { return Vec::new() };
    let place = Place::file(join(root.base, &path));
    let (monitors, faults) = monitors::file(text);
    let invalid = faults.issues.into_iter().map(|issue| {
        let path = issue.path.trim_start_matches('.');
        let path = if path.is_empty() { "the list" } else { path }.to_owned();
        Remark::MonitorsInvalid { path, reason: issue.message }
    });
    invalid.chain(of_each(&monitors, inventory)).map(|remark| remark.at(place.clone())).collect()
}

fn of_each(monitors: &[Monitor], inventory: Option<&Inventory>) -> impl Iterator<Item = Remark> {
    monitors.iter().flat_map(move |monitor| of_monitor(monitor, inventory))
}

fn of_monitor(monitor: &Monitor, inventory: Option<&Inventory>) -> Vec<Remark> {
    let name = || monitor.name.clone();
    let keys = user_config_keys(&monitor.command);
    let mut remarks: Vec<Remark> =
        keys.map(|key| Remark::UserConfigInMonitor { monitor: name(), key: key.to_owned() }).collect();
    let lost = monitor.skill.as_deref().zip(inventory).filter(|(skill, inventory)| !brings(inventory, skill));
    remarks.extend(lost.map(|(skill, _)| Remark::MonitorOfUnknownSkill { monitor: name(), skill: skill.to_owned() }));
    remarks
}

/// Whether a skill or a command of the plugin goes by this name, with or without that of the plugin.
fn brings(inventory: &Inventory, skill: &str) -> bool {
    let names = inventory.skills.iter().chain(&inventory.commands).map(|component| component.name.as_str());
    let own = |name: &str| {
        name == skill || name.strip_prefix(&inventory.plugin).is_some_and(|rest| rest.get(1..) == Some(skill))
    };
    names.into_iter().any(own)
}
