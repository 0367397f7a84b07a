use super::Selection;
use crate::run_dir::Kind;
use crate::session::{Answer, Call, Model, SessionModel};
use crate::transcript::{Entry, Uid};
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

    pub(super) fn join(&mut self, other: Self) {
        self.calls += other.calls;
        self.errors += other.errors;
        self.denied += other.denied;
        self.likely_denied += other.likely_denied;
        self.orphans += other.orphans;
        self.result_characters = self.result_characters.saturating_add(other.result_characters);
    }
}

/// Reads like a denial, but is not marked as one: a guess.
pub(super) fn is_likely_denied(answer: &Answer) -> bool {
    answer.denial.is_none() && answer.is_error && LIKELY_DENIALS.iter().any(|text| answer.excerpt.starts_with(text))
}

/// The tool calls of the chosen sessions.
pub fn tools(model: &Model, selection: &Selection) -> Tools {
    let firsts = FirstCopies::of_calls(model);
    let mut rows: BTreeMap<(&'static str, &str), CallCounts> = BTreeMap::new();
    let mut denials = Vec::new();
    for (at, session) in selection.sessions(model) {
        let thread = side(session);
        let mut own = CallCounts::default();
        for call in firsts.calls(at, session) {
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

/// On which side a session's calls are counted: `main` or `subagents`.
pub(super) fn side(session: &SessionModel) -> &'static str {
    if session.kind() == Kind::Subagent { "subagents" } else { "main" }
}

/// The session that each copied entry was written to first; empty in a store without forks.
pub(super) struct FirstCopies<'a>(HashMap<&'a Uid, usize>);

impl<'a> FirstCopies<'a> {
    /// Of the entries that `wanted` takes; of all others nothing is known.
    pub(super) fn of(model: &'a Model, wanted: impl Fn(&Entry) -> bool) -> Self {
        if model.usage.shared_turns() == 0 {
            return Self(HashMap::new());
        }
        let mut firsts = HashMap::new();
        for (at, session) in model.sessions.iter().enumerate() {
            for entry in session.session.entries.iter().filter(|entry| wanted(entry)) {
                let Some(uid) = &entry.uuid else { continue };
                let (first, position) = firsts.entry(uid).or_insert((at, entry.position));
                if entry.position < *position {
                    (*first, *position) = (at, entry.position);
                }
            }
        }
        Self(firsts.into_iter().map(|(uid, (at, _))| (uid, at)).collect())
    }

    /// Of the entries with calls.
    pub(super) fn of_calls(model: &'a Model) -> Self {
        Self::of(model, |entry| entry.calls().next().is_some())
    }

    /// Whether an entry of the session at this index is no copy of another session's.
    pub(super) fn is_first(&self, at: usize, entry: &Entry) -> bool {
        entry.uuid.as_ref().and_then(|uid| self.0.get(uid)).is_none_or(|first| *first == at)
    }

    /// The calls of the session at this index that are no copies of another session's.
    pub(super) fn calls<'s>(&'s self, at: usize, session: &'s SessionModel) -> impl Iterator<Item = &'s Call> {
        let is_first = move |call: &&Call| session.entry(call.at).is_none_or(|entry| self.is_first(at, entry));
        session.calls.iter().filter(is_first)
    }
}
