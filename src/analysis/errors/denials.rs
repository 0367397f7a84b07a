use crate::analysis::Selection;
use crate::analysis::tools::{FirstCopies, is_likely_denied};
use crate::session::{Model, SessionModel};
use serde::Serialize;
use std::collections::BTreeMap;

/// The denied calls of one thread (spec/errors.md, Denials).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Denials {
    /// The thread.
    pub store_key: String,
    /// Its calls.
    pub calls: usize,
    /// Marked as denied.
    pub denied: usize,
    /// Read like a denial, but not marked: a guess.
    pub likely_denied: usize,
    /// Each command that was denied, the most often first.
    pub commands: Vec<DeniedInThread>,
}

/// A command that was denied in one thread, and how often.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeniedInThread {
    /// The tool.
    pub tool: String,
    /// The telling part of its input.
    pub command: String,
    /// `toolDenialKind`; null where it is a guess by the text.
    pub kind: Option<String>,
    /// How often; more than one is the same command tried again.
    pub times: usize,
    /// The first of them.
    pub first_seq: i64,
}

/// The threads with denied calls, the most denials first.
pub(super) fn denials(model: &Model, selection: &Selection) -> Vec<Denials> {
    let firsts = FirstCopies::of_calls(model);
    let of_session = |(at, session): (usize, &SessionModel)| {
        let mut denials = Denials {
            store_key: session.store_key().to_owned(),
            calls: 0,
            denied: 0,
            likely_denied: 0,
            commands: Vec::new(),
        };
        let mut commands: BTreeMap<(&str, &str, Option<&str>), (i64, usize)> = BTreeMap::new();
        for call in firsts.calls(at, session) {
            denials.calls += 1;
            let Some(answer) = &call.answer else { continue };
            let likely = is_likely_denied(answer);
            denials.denied += usize::from(answer.denial.is_some());
            denials.likely_denied += usize::from(likely);
            if likely || answer.denial.is_some() {
                let command = (&*call.name, &*call.input, answer.denial.as_deref());
                commands.entry(command).or_insert_with(|| (session.seq(call.at), 0)).1 += 1;
            }
        }
        let command = |((tool, command, kind), (first_seq, times)): ((&str, &str, Option<&str>), _)| DeniedInThread {
            tool: tool.to_owned(),
            command: command.to_owned(),
            kind: kind.map(ToOwned::to_owned),
            times,
            first_seq,
        };
        denials.commands = commands.into_iter().map(command).collect();
        denials.commands.sort_by_key(|command| (std::cmp::Reverse(command.times), command.first_seq));
        (!denials.commands.is_empty()).then_some(denials)
    };
    let mut all: Vec<Denials> = selection.sessions(model).filter_map(of_session).collect();
    all.sort_by_key(|denials| std::cmp::Reverse(denials.denied + denials.likely_denied));
    all
}
