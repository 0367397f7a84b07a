//! What is read of attachments: the context that the harness adds to a turn.

use super::fields::{each_element, each_field};
use super::scalar::text;
use super::{HookRun, Interner, Label};
use crate::run_dir::limits::MAX_BLOCKS;

/// Its kind.
pub(super) fn attachment_type(json: &str, interner: &mut Interner) -> Option<Label> {
    let mut found = None;
    each_field(json, |name, value| {
        if name == "type" {
            found = text(value).map(|text| interner.label(&text));
        }
    });
    found
}

/// The names in the lists of skills, agents and deferred tools.
pub(super) fn offered(json: &str, interner: &mut Interner) -> Vec<Label> {
    let mut names = Vec::new();
    each_field(json, |name, value| {
        if ["names", "addedTypes", "addedNames"].contains(&name) {
            each_element(value, |element| {
                if names.len() < MAX_BLOCKS {
                    names.extend(text(element).map(|text| interner.label(&text)));
                }
            });
        }
    });
    names
}

/// The hook that an attachment tells of.
pub(super) fn hook(json: &str, interner: &mut Interner) -> Option<HookRun> {
    let mut hook = HookRun::default();
    each_field(json, |name, value| {
        let mut label = || text(value).map(|text| interner.label(&text));
        match name {
            "hookEvent" => hook.event = label(),
            "command" => hook.command = label(),
            _ => {}
        }
    });
    hook.event.is_some().then_some(hook)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_hooks_are_told_from_other_attachments() {
        let interner = &mut Interner::default();
        let names = |json: &str, interner: &mut Interner| offered(json, interner).join(" ");
        assert_eq!(names(r#"{"type":"skill_listing","names":["a","p:b"],"digests":["x"]}"#, interner), "a p:b");
        assert_eq!(names(r#"{"addedTypes":["p:c"],"removedNames":["d"]}"#, interner), "p:c");
        let run = hook(r#"{"type":"hook_success","hookEvent":"Stop","command":"true"}"#, interner).unwrap();
        assert_eq!((run.event.as_deref(), run.command.as_deref()), (Some("Stop"), Some("true")));
        assert!(hook(r#"{"type":"file","command":"true"}"#, interner).is_none());
    }
}
