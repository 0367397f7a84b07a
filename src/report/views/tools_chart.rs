use super::evidence::Opening;
use crate::analysis::{ToolLine, ToolReport};
use crate::report::chart::{self, Picture, ToolUse, ToolsFigure};
use crate::unit::Span;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What the tools did as a picture, threads together.
pub fn tools_chart(result: &ToolReport, opening: &Opening) -> Picture {
    let mut tools: BTreeMap<&str, ToolUse> = BTreeMap::new();
    for line in result.tools.iter().flat_map(|thread| &thread.tools) {
        let tool = tools.entry(&line.tool).or_insert_with(|| ToolUse { name: line.tool.clone(), ..ToolUse::default() });
        add(tool, line);
    }
    let mut tools: Vec<ToolUse> = tools.into_values().collect();
    tools.sort_by_key(|tool| Reverse(tool.good + tool.errors + tool.denied + tool.unanswered));
    chart::tools(ToolsFigure { title: opening.title("Tools"), tools })
}

fn add(tool: &mut ToolUse, line: &ToolLine) {
    let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    let counts = &line.counts;
    let denied = counts.denied + counts.likely_denied;
    // A denied call has a result that is an error.
    let errors = counts.errors.saturating_sub(denied);
    tool.errors += count(errors);
    tool.denied += count(denied);
    tool.unanswered += count(counts.orphans);
    tool.good += count(counts.calls.saturating_sub(errors + denied + counts.orphans));
    tool.characters = tool.characters.saturating_add(counts.result_characters);
    if line.time.timed > 0 {
        let sum = tool.time.unwrap_or_default().millis().saturating_add(line.time.total_s.millis());
        tool.time = Some(Span::from_millis(sum));
    }
}
