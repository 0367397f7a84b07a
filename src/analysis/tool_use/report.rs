use super::super::denials::{DeniedCalls, DeniedCommand};
use super::super::tools::{CallCounts, FirstCopies, side};
use super::super::{LeftOut, Selection, TimeRange};
use super::durations::{Durations, Stopwatch};
use super::largest::{LargestResult, largest_results};
use super::repeats::{Commands, RepeatedCommand, RepeatedRead, repeated_reads};
use super::scripts::{ScriptLine, Scripts};
use crate::run_dir::Workbench;
use crate::session::{Call, Model, SessionModel};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The tool calls of the chosen sessions, copies of forks counted once.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ToolReport {
    /// The time that is looked at. Scripts are always those of the whole run.
    pub range: TimeRange,
    /// Calls that it leaves out.
    pub calls_left_out: LeftOut,
    /// All calls together.
    pub total: CallCounts,
    /// By side, main threads or subagents, and tool; the most called first.
    pub tools: Vec<ThreadTools>,
    /// By session with calls, in the order of store keys.
    pub threads: Vec<ThreadTools>,
    /// Files that a session read several times, those that gave most characters again first.
    pub repeated_reads: Vec<RepeatedRead>,
    /// Commands that were run several times, the most often first.
    pub repeated_commands: Vec<RepeatedCommand>,
    /// The largest results that are still in a context.
    pub largest_results: Vec<LargestResult>,
    /// What was denied, the most often first.
    pub denied_commands: Vec<DeniedCommand>,
    /// Scripts of the workbench: written against executed.
    pub scripts: Vec<ScriptLine>,
}

/// The calls of one side or one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ThreadTools {
    /// `main` or `subagents`; of a session its store key.
    pub thread: String,
    /// All its calls together.
    #[serde(flatten)]
    pub counts: CallCounts,
    /// By tool, the most called first.
    pub tools: Vec<ToolLine>,
}

/// The calls of one tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolLine {
    /// Name of the tool.
    pub tool: String,
    /// The counts.
    #[serde(flatten)]
    pub counts: CallCounts,
    /// Characters of the largest result.
    pub result_characters_max: u64,
    /// How long they took.
    pub time: Durations,
}

#[derive(Clone, Default)]
struct Tally {
    counts: CallCounts,
    largest: u64,
    time: Stopwatch,
}

impl Tally {
    fn add(&mut self, session: &SessionModel, call: &Call) {
        self.counts.add(call);
        self.time.add(session, call);
        self.largest = self.largest.max(call.answer.as_ref().map_or(0, |answer| answer.characters));
    }
}

type ByTool<'a> = BTreeMap<&'a str, Tally>;

/// The tool calls of the chosen sessions in a range; `workbench` tells which scripts there are.
pub fn tool_report(
    model: &Model,
    selection: &Selection,
    workbench: Option<&Workbench>,
    range: TimeRange,
) -> ToolReport {
    let firsts = FirstCopies::of_calls(model);
    let mut sides: BTreeMap<&'static str, ByTool<'_>> = BTreeMap::new();
    let (mut commands, mut denials, mut scripts) = (Commands::default(), DeniedCalls::default(), Scripts::default());
    let mut report = ToolReport { range, ..ToolReport::default() };
    for (at, session) in selection.sessions(model) {
        let mut own = ByTool::new();
        for call in firsts.calls(at, session) {
            scripts.add(call);
            if !report.calls_left_out.takes(range, session.time(call.at)) {
                continue;
            }
            report.total.add(call);
            own.entry(&call.name).or_default().add(session, call);
            sides.entry(side(session)).or_default().entry(&call.name).or_default().add(session, call);
            commands.add(at, call);
            denials.add(at, session, call);
        }
        if !own.is_empty() {
            report.threads.push(thread(session.store_key(), own));
        }
        report.repeated_reads.extend(repeated_reads(
            session,
            firsts.calls(at, session).filter(|call| range.holds(session.time(call.at))),
        ));
    }
    report.repeated_reads.sort_by(|a, b| {
        let weight = |read: &RepeatedRead| Reverse((read.characters_again, read.reads));
        weight(a).cmp(&weight(b)).then_with(|| (&a.store_key, a.first_seq).cmp(&(&b.store_key, b.first_seq)))
    });
    report.tools = sides.into_iter().map(|(side, tools)| thread(side, tools)).collect();
    report.repeated_commands = commands.rows();
    report.denied_commands = denials.over_all();
    report.scripts = scripts.lines(workbench);
    report.largest_results = largest_results(model, selection, range);
    report
}

fn thread(name: &str, tools: ByTool<'_>) -> ThreadTools {
    let mut counts = CallCounts::default();
    let mut lines = Vec::new();
    for (tool, tally) in tools {
        counts.join(tally.counts);
        lines.push(ToolLine {
            tool: tool.to_owned(),
            counts: tally.counts,
            result_characters_max: tally.largest,
            time: tally.time.read(),
        });
    }
    lines.sort_by_key(|line| Reverse(line.counts.calls));
    ThreadTools { thread: name.to_owned(), counts, tools: lines }
}
