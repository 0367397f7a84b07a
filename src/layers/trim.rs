use super::record::{Kind, Record, count};
use super::{Change, Edit, Layer, LoadFault, Reason, Report, Size, TrimPolicy};
use crate::transcript::short_hash;

/// Hexadecimal digits of the hash that name a file.
const NAME_DIGITS: usize = 16;

/// Replaces all but the latest long results by a pointer to a file.
///
/// Source: spec/layers.md, trim.
pub(super) fn trim(records: &mut [Record<'_>], policy: &TrimPolicy, changes: &mut Vec<Change>, report: &mut Report) {
    let sites = sites(records, policy);
    let cleared = sites.len().saturating_sub(policy.keep_recent);
    report.kept = u64::try_from(sites.len() - cleared).unwrap_or(u64::MAX);
    for (record, at) in sites.into_iter().take(cleared) {
        let Some(record) = records.get_mut(record) else { continue };
        let Some(block) = record.blocks.get_mut(at) else { continue };
        let Some(before) = block.text() else { continue };
        if before.had_lone_surrogate {
            record.fault = record.fault.or(Some(LoadFault::LoneSurrogate));
        }
        let (length, name) = (count(&before.text), format!("{}.txt", short_hash(&before.text, NAME_DIGITS)));
        let folder = &policy.spill_dirname;
        let after = format!("[工具结果已归档:{length} 字符。完整内容在 {folder}/{name},需要时用 Read 读取]");
        changes.push(Change {
            layer: Layer::Trim,
            reason: Reason::LongResult,
            seq: record.seq,
            taken: Size::characters(length),
            given: Size::characters(count(&after)),
            edit: Edit::Replaced {
                block: at,
                tool_use_id: block.id.as_deref().unwrap_or_default().to_owned(),
                before: before.text,
                after: after.clone(),
                spill: Some(name),
            },
        });
        block.content = Some(after);
    }
}

fn sites(records: &[Record<'_>], policy: &TrimPolicy) -> Vec<(usize, usize)> {
    let mut sites = Vec::new();
    for (record, found) in records.iter().enumerate().filter(|(_, record)| !record.is_protected()) {
        for (block, result) in found.blocks.iter().enumerate().filter(|(_, block)| block.kind == Kind::Result) {
            if result.text_length().is_some_and(|length| length >= policy.min_chars) {
                sites.push((record, block));
            }
        }
    }
    sites
}
