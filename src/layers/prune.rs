use super::record::{Block, Kind, Record, count};
use super::{Change, Edit, Layer, LoadFault, PrunePolicy, Reason, Report, Size};
use crate::transcript::{SYNTHETIC, text, truthy};
use foldhash::HashSet;

/// What a result says in the place of a text that only tells of an interruption.
const NEUTRAL: &str = "[上一轮在此处被中断,该工具结果未产生]";

/// How a result tells of an interruption.
const INTERRUPTED: &str = "[Request interrupted";

/// `toolDenialKind` of calls that a rule, a hook or the host denied.
const DENIED_BY_RULE: &str = "permission-rule";

/// `toolUseResult` of calls that a person rejected.
const REJECTED: &str = "User rejected tool use";

/// Takes out denied calls and what stands in the place of answers, and makes texts of interruptions neutral.
///
/// Source: spec/layers.md, prune; spec/runner.md section 14.
pub(super) fn prune(records: &mut [Record<'_>], policy: &PrunePolicy, changes: &mut Vec<Change>, report: &mut Report) {
    let dead = dead(records, policy);
    report.denials_dropped = u64::try_from(dead.len()).unwrap_or(u64::MAX);
    for record in records {
        take_out(record, &dead, changes);
        if let Some(reason) = drops(record, policy).filter(|_| !record.dropped) {
            drop(record, reason, changes);
        }
        if !record.dropped {
            neutralize(record, policy, changes);
        }
    }
}

/// The ids of all denied calls but the latest.
fn dead(records: &[Record<'_>], policy: &PrunePolicy) -> HashSet<String> {
    let denied: Vec<&str> = records.iter().filter_map(|record| denied(record, policy)).collect();
    let dead = denied.len().saturating_sub(policy.keep_denials);
    denied.into_iter().take(dead).map(ToOwned::to_owned).collect()
}

fn denied<'r>(record: &'r Record<'_>, policy: &PrunePolicy) -> Option<&'r str> {
    let mut results = record.blocks.iter().filter(|block| block.kind == Kind::Result);
    let is_marked = |block: &&Block<'_>| {
        let marker = policy.denial_marker.as_deref();
        let ends = |marker| block.bare_text().is_some_and(|text| text.trim_end().ends_with(marker));
        block.is_error() && marker.is_some_and(ends)
    };
    let by_rule = record.raw.denial.and_then(text).as_deref() == Some(DENIED_BY_RULE);
    let block = if by_rule { results.next() } else { results.find(is_marked) };
    block?.id.as_deref()
}

fn take_out(record: &mut Record<'_>, dead: &HashSet<String>, changes: &mut Vec<Change>) {
    let is_dead = |block: &Block<'_>| block.id.as_deref().is_some_and(|id| dead.contains(id));
    if dead.is_empty() || !record.blocks.iter().any(is_dead) {
        return;
    }
    // Of a list that is longer than what is looked at, the rest is not known.
    let whole = record.fault != Some(LoadFault::TooManyBlocks);
    if whole && record.blocks.iter().all(is_dead) && record.uuid.is_some() {
        return drop(record, Reason::Denied, changes);
    }
    let taken = record.size(is_dead);
    let mut ids = Vec::new();
    for block in record.blocks.iter_mut().filter(|block| is_dead(block)) {
        block.removed = true;
        ids.extend(block.id.as_deref().map(ToOwned::to_owned));
    }
    let (seq, given) = (record.seq, Size::default());
    changes.push(Change {
        layer: Layer::Prune,
        reason: Reason::Denied,
        seq,
        edit: Edit::Stripped { ids },
        taken,
        given,
    });
}

fn drops(record: &Record<'_>, policy: &PrunePolicy) -> Option<Reason> {
    if policy.drop_cost_state && record.raw.kind.and_then(text).as_deref() == Some("cost-state") {
        return Some(Reason::CostState);
    }
    if !policy.drop_api_errors || record.uuid.is_none() {
        return None;
    }
    let synthetic = record.raw.message.model.and_then(text).as_deref() == Some(SYNTHETIC);
    let error = record.raw.is_api_error.is_some_and(truthy);
    if error { Some(Reason::ApiError) } else { synthetic.then_some(Reason::Synthetic) }
}

fn drop(record: &mut Record<'_>, reason: Reason, changes: &mut Vec<Change>) {
    let taken = Size { entries: 1, ..record.size(|_| true) };
    let (seq, given) = (record.seq, Size::default());
    changes.push(Change { layer: Layer::Prune, reason, seq, edit: Edit::Dropped, taken, given });
    record.dropped = true;
}

fn neutralize(record: &mut Record<'_>, policy: &PrunePolicy, changes: &mut Vec<Change>) {
    let rejected =
        policy.neutralize_rejections && record.raw.tool_use_result.and_then(text).as_deref() == Some(REJECTED);
    let seq = record.seq;
    for (at, block) in record.blocks.iter_mut().enumerate() {
        if block.kind != Kind::Result || block.removed || !block.is_error() {
            continue;
        }
        let interrupted =
            policy.neutralize_interrupts && block.bare_text().is_some_and(|text| text.contains(INTERRUPTED));
        let reason = if interrupted { Reason::Interrupted } else { Reason::Rejected };
        if !interrupted && !rejected || block.raw.content.is_none() {
            continue;
        }
        let before = block.text().map(|before| before.text).unwrap_or_default();
        changes.push(Change {
            layer: Layer::Prune,
            reason,
            seq,
            taken: Size::characters(count(&before)),
            given: Size::characters(count(NEUTRAL)),
            edit: Edit::Replaced {
                block: at,
                tool_use_id: block.id.as_deref().unwrap_or_default().to_owned(),
                before,
                after: NEUTRAL.to_owned(),
                spill: None,
            },
        });
        block.content = Some(NEUTRAL.to_owned());
        block.cleared = true;
    }
}
