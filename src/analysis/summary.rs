use super::{ContextCurve, Economics, Inputs, Selection, Tools, UsageReport};
use super::{context_curve, economics, integrity, steps, tools, usage_report};
use crate::run_dir::{FolderCount, Kind, StoreKey, Workbench};
use crate::session::{Model, SessionModel};
use crate::transcript::{Entry, Notes};
use crate::unit::{Finding, Level, Timestamp, counted};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What happened, on one screen.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// What the manifest says; null without one.
    pub steps: Option<super::Steps>,
    /// Main threads.
    pub main_threads: usize,
    /// Subagents.
    pub subagents: usize,
    /// Oldest time stamp of an entry.
    pub first: Option<Timestamp>,
    /// Newest time stamp of an entry.
    pub last: Option<Timestamp>,
    /// Versions of the CLI.
    pub versions: BTreeSet<String>,
    /// Usage, every message counted once.
    pub usage: UsageReport,
    /// Main threads against subagents, and the cache.
    pub economics: Economics,
    /// Context of the main threads.
    pub context_curve: ContextCurve,
    /// Tool calls and denials.
    pub tools: Tools,
    /// Workbench; null if there is none.
    pub workbench: Option<WorkbenchSummary>,
    /// Counts of the reading.
    pub rows: Notes,
    /// Types of entries that are not known here, with their counts.
    pub types: Vec<(String, usize)>,
    /// Commands that show more, the most pressing first.
    pub next: Vec<NextStep>,
}

/// What lies in the workbench.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorkbenchSummary {
    /// Where it is.
    pub path: String,
    /// `scripts/`.
    pub scripts: FolderCount,
    /// `artifacts/`.
    pub artifacts: FolderCount,
    /// `notes/`.
    pub notes: FolderCount,
    /// `spill/`.
    pub spill: FolderCount,
    /// Something is not counted: a folder that cannot be read, a link, or more files than the limit.
    pub incomplete: bool,
}

/// A command to run next, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NextStep {
    /// The command, before the source.
    pub command: &'static str,
    /// The session to look at.
    pub session: Option<String>,
    /// The entry of it to look at.
    pub seq: Option<i64>,
    /// An option.
    pub option: Option<&'static str>,
    /// Why.
    pub why: String,
}

/// The summary of the chosen sessions, and every finding about them, worst first.
pub fn summary(
    model: &Model,
    selection: &Selection,
    inputs: &Inputs,
    opening: Vec<Finding>,
) -> (Summary, Vec<Finding>) {
    let chosen = || selection.sessions(model).map(|(_, session)| session);
    let (findings, (seen, economics)) = rayon::join(
        || findings(model, selection, inputs, opening),
        || rayon::join(|| Seen::in_all(&chosen().collect::<Vec<_>>()), || economics(model, selection)),
    );
    let ids = selection.prefix().map(|_| chosen().map(|s| StoreKey::parse(s.store_key()).session.to_owned()).collect());
    let count = |kind| chosen().filter(|session| session.kind() == kind).count();
    let summary = Summary {
        steps: inputs.readable_manifest().map(|m| steps(m, inputs.lineage.as_ref(), model, ids.as_ref())),
        main_threads: count(Kind::Main) + count(Kind::Other),
        subagents: count(Kind::Subagent),
        first: seen.first,
        last: seen.last,
        versions: seen.versions.into_iter().map(ToOwned::to_owned).collect(),
        usage: usage_report(model, selection),
        economics,
        context_curve: context_curve(model, selection, inputs.readable_manifest()),
        tools: tools(model, selection),
        workbench: inputs.workbench.as_ref().map(workbench),
        rows: model.notes.clone(),
        types: by_count(seen.types),
        next: next(&findings),
    };
    (summary, findings)
}

/// What is seen in one reading of all entries.
#[derive(Default)]
struct Seen<'a> {
    types: BTreeMap<&'a str, usize>,
    versions: BTreeSet<&'a str>,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
}

impl<'a> Seen<'a> {
    fn in_all(sessions: &[&'a SessionModel]) -> Self {
        sessions.par_iter().map(|session| Self::in_one(&session.session.entries)).reduce(Self::default, Self::join)
    }

    fn in_one(entries: &'a [Entry]) -> Self {
        let mut seen = Self::default();
        for entry in entries {
            *seen.types.entry(entry.kind.name()).or_default() += 1;
            seen.versions.extend(entry.version.as_deref());
            seen.first = seen.first.into_iter().chain(entry.timestamp).min();
            seen.last = seen.last.max(entry.timestamp);
        }
        seen
    }

    fn join(mut self, other: Self) -> Self {
        for (name, count) in other.types {
            *self.types.entry(name).or_default() += count;
        }
        self.versions.extend(other.versions);
        self.first = self.first.into_iter().chain(other.first).min();
        self.last = self.last.max(other.last);
        self
    }
}

fn by_count(types: BTreeMap<&str, usize>) -> Vec<(String, usize)> {
    let mut types: Vec<(String, usize)> = types.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
    types.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    types
}

/// Findings about the chosen sessions and about the run as a whole; the worst first, then by place.
pub fn findings(model: &Model, selection: &Selection, inputs: &Inputs, opening: Vec<Finding>) -> Vec<Finding> {
    let Inputs { manifest, lineage, tables, workbench, .. } = inputs;
    let mut all = opening;
    all.extend(inputs.state_findings());
    all.extend(model.findings());
    all.extend(integrity(model, tables, manifest.as_ref(), lineage.as_ref(), workbench.as_ref()));
    selection.sort(model, all)
}

fn workbench(workbench: &Workbench) -> WorkbenchSummary {
    let bytes = workbench.spills.iter().map(|file| file.bytes).fold(0, u64::saturating_add);
    WorkbenchSummary {
        path: workbench.path.clone(),
        scripts: workbench.scripts,
        artifacts: workbench.artifacts,
        notes: workbench.notes,
        spill: FolderCount { files: workbench.spills.len(), bytes },
        incomplete: workbench.incomplete,
    }
}

/// Which command tells more about what was found.
fn next(findings: &[Finding]) -> Vec<NextStep> {
    let mut next = Vec::new();
    let serious = || findings.iter().filter(|finding| finding.level > Level::Info);
    let entry = |finding: &Finding| Some((finding.place.store_key.clone()?, finding.place.seq?));
    let thread = |finding: &Finding| finding.place.store_key.clone();
    if let Some((finding, entry)) = serious().find_map(|finding| Some((finding, entry(finding)?))) {
        let why = format!("{}, the first of them", finding.code);
        next.push(NextStep { command: "show", session: Some(entry.0), seq: Some(entry.1), option: None, why });
    }
    if let Some((finding, session)) = serious().find_map(|finding| Some((finding, thread(finding)?)))
        && finding.place.seq.is_none()
    {
        let why = format!("the session of {}", finding.code);
        next.push(NextStep { command: "chain", session: Some(session), seq: None, option: None, why });
    }
    let sessions: BTreeSet<_> = serious().filter_map(|finding| finding.place.store_key.as_deref()).collect();
    if !sessions.is_empty() {
        let why = format!("what is wrong in {}", counted(sessions.len(), "session"));
        next.push(NextStep { command: "chain", session: None, seq: None, option: Some("--check"), why });
    }
    let why = "every session and subagent".to_owned();
    next.push(NextStep { command: "sessions", session: None, seq: None, option: None, why });
    next
}
