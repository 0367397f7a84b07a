use crate::analysis::tools::CallCounts;
use crate::plugin::Hook;
use crate::transcript::Entry;
use std::collections::BTreeMap;

/// How attachments are called that tell of a hook that stopped something, or failed.
const BLOCKING: [&str; 2] = ["hook_blocking_error", "hook_stopped_continuation"];
const FAILED: [&str; 3] = ["hook_non_blocking_error", "hook_error_during_execution", "hook_cancelled"];

/// Different commands of one event that a declared one with placeholders is compared with. A run has a few; more would be
/// there to make this slow.
const MAX_COMMANDS: usize = 1000;

/// The hooks that ran, as attachments tell, by event and command.
#[derive(Debug, Default)]
pub(super) struct HookRuns<'a>(BTreeMap<&'a str, BTreeMap<Option<&'a str>, CallCounts>>);

impl<'a> HookRuns<'a> {
    /// Adds what an entry tells of a hook, if anything.
    pub(super) fn add(&mut self, entry: &'a Entry) {
        let Some(run) = entry.extra.as_ref().and_then(|extra| extra.hook.as_ref()) else { return };
        let Some(event) = run.event.as_deref() else { return };
        let counts = self.0.entry(event).or_default().entry(run.command.as_deref()).or_default();
        let kind = entry.subtype().unwrap_or_default();
        counts.calls += 1;
        counts.denied += usize::from(BLOCKING.contains(&kind));
        counts.errors += usize::from(FAILED.contains(&kind) || BLOCKING.contains(&kind));
        counts.result_characters = counts.result_characters.saturating_add(entry.characters());
    }

    /// What became of a hook: runs that are certainly its own, since their command is recorded, and how many runs of its
    /// event have none and may be of any hook.
    pub(super) fn of(&self, hook: &Hook) -> (CallCounts, usize) {
        let Some(commands) = self.0.get(hook.event.as_str()) else { return (CallCounts::default(), 0) };
        let possible = commands.get(&None).map_or(0, |counts| counts.calls);
        let Some(declared) = hook.command.as_deref() else { return (CallCounts::default(), possible) };
        let exact = commands.get(&Some(declared)).copied();
        let filled_in = || {
            let recorded = commands.iter().filter_map(|(command, counts)| Some(((*command)?, counts)));
            let same = recorded.take(MAX_COMMANDS).filter(|(command, _)| is_filled_in(command, declared));
            same.map(|(_, counts)| *counts).reduce(|mut all, counts| {
                all.join(counts);
                all
            })
        };
        (exact.or_else(filled_in).unwrap_or_default(), possible)
    }
}

/// Whether a recorded command is the declared one with its placeholders replaced.
fn is_filled_in(recorded: &str, declared: &str) -> bool {
    let mut rest = recorded;
    let parts: Vec<&str> = declared.split("${").enumerate().map(|(at, part)| after_name(at, part)).collect();
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return false };
    // What stands between the placeholders has to be there, in order; something has to stand there.
    let is_telling = parts.iter().any(|part| part.trim().len() > 2);
    let in_order = parts.iter().all(|part| match rest.split_once(*part) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    });
    parts.len() > 1 && is_telling && in_order && recorded.starts_with(first) && recorded.ends_with(last)
}

fn after_name(at: usize, part: &str) -> &str {
    if at == 0 { part } else { part.split_once('}').map_or(part, |(_, after)| after) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_command_may_have_its_placeholders_replaced() {
        let declared = "\"${CLAUDE_PLUGIN_ROOT}/hooks/check.sh\" --fast";
        assert!(is_filled_in("\"/plugins/demo/hooks/check.sh\" --fast", declared));
        for recorded in ["/hooks/check.sh", "\"/other.sh\" --fast", "true"] {
            assert!(!is_filled_in(recorded, declared), "{recorded}");
        }
        assert!(!is_filled_in("anything", "${HOME}"));
    }
}
