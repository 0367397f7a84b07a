use super::calls::Calls;
use super::python_text::{first_line, strip};
use super::record::{Kind, Record, count};
use super::{Change, Edit, ExpirePolicy, Layer, Reason, Size, is_ephemeral};

/// Characters of a command that are told of it.
const COMMAND_CHARACTERS: usize = 60;

/// A result that can expire.
struct Site {
    record: usize,
    block: usize,
    command: String,
}

/// Replaces all but the latest results of commands that only look.
///
/// Source: spec/layers.md, expire.
pub(super) fn expire(records: &mut [Record<'_>], policy: &ExpirePolicy, changes: &mut Vec<Change>) {
    let sites = sites(records, policy);
    let total = sites.len();
    for (at, site) in sites.into_iter().enumerate().take(total.saturating_sub(policy.keep_recent)) {
        let Some(record) = records.get_mut(site.record) else { continue };
        let seq = record.seq;
        let Some(block) = record.blocks.get_mut(site.block) else { continue };
        let Some(before) = block.text() else { continue };
        let command: String = first_line(strip(&site.command)).chars().take(COMMAND_CHARACTERS).collect();
        let age = total - at;
        let after = format!("[`{command}` 的结果已过期(第 {age} 轮前),当前状态可能已变。需要请重新执行]");
        changes.push(Change {
            layer: Layer::Expire,
            reason: Reason::Expired,
            seq,
            taken: Size::characters(count(&before.text)),
            given: Size::characters(count(&after)),
            edit: Edit::Replaced {
                block: site.block,
                tool_use_id: block.id.as_deref().unwrap_or_default().to_owned(),
                before: before.text,
                after: after.clone(),
                spill: None,
            },
        });
        block.content = Some(after);
    }
}

fn sites(records: &[Record<'_>], policy: &ExpirePolicy) -> Vec<Site> {
    let calls = Calls::of(records);
    let mut sites = Vec::new();
    for (record, found) in records.iter().enumerate().filter(|(_, record)| !record.is_protected()) {
        for (block, result) in found.blocks.iter().enumerate().filter(|(_, block)| block.kind == Kind::Result) {
            let command = result.id.as_deref().and_then(|id| calls.command(id));
            let Some(command) = command.filter(|command| is_ephemeral(command)) else { continue };
            if result.text_length().is_some_and(|length| length <= policy.max_chars) {
                sites.push(Site { record, block, command });
            }
        }
    }
    sites
}
