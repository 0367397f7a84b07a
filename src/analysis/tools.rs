use super::Selection;
use crate::run_dir::Kind;
use crate::session::{Answer, Call, Model, SessionModel};
use crate::transcript::Uid;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// How denied calls read where the CLI does not mark them (before versions with `toolDenialKind`).
const LIKELY_DENIALS: [&str; 4] = [
    "The user doesn't want to proceed with this tool use",
    "Permission to use ",
    "Claude requested permissions to ",
    "PreToolUse:",
];

/// Tool calls by thread and tool, copies of forks counted once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Tools {
    /// By thread, then tool.
    pub rows: Vec<ToolRow>,
    /// Threads with denied calls, the worst first.
    pub denials: Vec<DenialRow>,
}

/// The calls of one tool in the main threads or in the subagents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolRow {
    /// `main` or `subagents`.
    pub thread: &'static str,
    /// Name of the tool.
    pub tool: String,
    /// The counts.
    #[serde(flatten)]
    pub counts: CallCounts,
}

/// The denied calls of one thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DenialRow {
    /// The thread.
    pub store_key: String,
    /// The counts over all its tools.
    #[serde(flatten)]
    pub counts: CallCounts,
}

/// What became of some calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CallCounts {
    /// Calls.
    pub calls: usize,
    /// Results marked as errors, denials included.
    pub errors: usize,
    /// Marked as denied.
    pub denied: usize,
    /// Read like a denial, but not marked: a guess.
    pub likely_denied: usize,
    /// Without a result.
    pub orphans: usize,
    /// Characters of the results.
    pub result_characters: u64,
}

impl CallCounts {
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            calls: self.calls + other.calls,
            errors: self.errors + other.errors,
            denied: self.denied + other.denied,
            likely_denied: self.likely_denied + other.likely_denied,
            orphans: self.orphans + other.orphans,
            result_characters: self.result_characters.saturating_add(other.result_characters),
        }
    }

    pub(super) fn add(&mut self, call: &Call) {
        self.calls += 1;
        let Some(answer) = &call.answer else {
            self.orphans += 1;
            return;
        };
        self.errors += usize::from(answer.is_error);
        self.denied += usize::from(answer.denial.is_some());
        self.likely_denied += usize::from(is_likely_denied(answer));
        self.result_characters = self.result_characters.saturating_add(answer.characters);
    }
}

/// Reads like a denial, but is not marked as one: a guess.
pub(super) fn is_likely_denied(answer: &Answer) -> bool {
    answer.denial.is_none() && answer.is_error && LIKELY_DENIALS.iter().any(|text| answer.excerpt.starts_with(text))
}

/// The tool calls of the chosen sessions.
pub fn tools(model: &Model, selection: &Selection) -> Tools {
    let firsts = FirstCopies::of(model);
    let mut rows: BTreeMap<(&'static str, &str), CallCounts> = BTreeMap::new();
    let mut denials = Vec::new();
    for (at, session) in selection.sessions(model) {
        let thread = if session.kind() == Kind::Subagent { "subagents" } else { "main" };
        let mut own = CallCounts::default();
        for call in session.calls.iter().filter(|call| firsts.is_first(session, at, call)) {
            rows.entry((thread, &call.name)).or_default().add(call);
            own.add(call);
        }
        if own.denied + own.likely_denied > 0 {
            denials.push(DenialRow { store_key: session.store_key().to_owned(), counts: own });
        }
    }
    denials.sort_by_key(|row| std::cmp::Reverse(row.counts.denied + row.counts.likely_denied));
    let row = |((thread, tool), counts): ((_, &str), _)| ToolRow { thread, tool: tool.to_owned(), counts };
    let mut rows: Vec<ToolRow> = rows.into_iter().map(row).collect();
    rows.sort_by_key(|row| (row.thread, std::cmp::Reverse(row.counts.calls)));
    Tools { rows, denials }
}

/// The session that each copied entry was written to first; empty in a store without forks.
pub(super) struct FirstCopies<'a>(HashMap<&'a Uid, usize>);

impl<'a> FirstCopies<'a> {
    pub(super) fn of(model: &'a Model) -> Self {
        if model.usage.shared_turns() == 0 {
            return Self(HashMap::new());
        }
        let mut firsts = HashMap::new();
        for (at, session) in model.sessions.iter().enumerate() {
            for entry in session.calls.iter().filter_map(|call| session.entry(call.at)) {
                let Some(uid) = &entry.uuid else { continue };
                let (first, position) = firsts.entry(uid).or_insert((at, entry.position));
                if entry.position < *position {
                    (*first, *position) = (at, entry.position);
                }
            }
        }
        Self(firsts.into_iter().map(|(uid, (at, _))| (uid, at)).collect())
    }

    /// Whether the call was written to this session first.
    pub(super) fn is_first(&self, session: &SessionModel, at: usize, call: &Call) -> bool {
        let uid = session.entry(call.at).and_then(|entry| entry.uuid.as_ref());
        uid.and_then(|uid| self.0.get(uid)).is_none_or(|first| *first == at)
    }
}
