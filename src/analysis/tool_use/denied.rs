use super::super::tools::is_likely_denied;
use crate::session::Call;
use foldhash::HashMap;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A command, or another telling input, that was denied.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct DeniedCommand {
    /// Name of the tool.
    pub tool: String,
    /// Beginning of the telling part of the input.
    pub input: String,
    /// Calls that are marked as denied.
    pub denied: usize,
    /// Calls that read like a denial but are not marked: a guess.
    pub likely_denied: usize,
    /// Sessions in which it was denied.
    pub threads: usize,
    /// Most denials of it in one session: more than one means that the denied command was tried again.
    pub most_in_one_thread: usize,
    /// Kinds of the marked denials.
    pub kinds: BTreeSet<String>,
}

/// Collects the denied calls by tool and whole telling input.
#[derive(Default)]
pub(super) struct Denials<'a> {
    found: HashMap<(&'a str, Option<u64>), Denied>,
}

#[derive(Default)]
struct Denied {
    row: DeniedCommand,
    /// Denials by session.
    threads: BTreeMap<usize, usize>,
}

impl<'a> Denials<'a> {
    pub(super) fn add(&mut self, session: usize, call: &'a Call) {
        let Some(answer) = &call.answer else { return };
        let likely = is_likely_denied(answer);
        if answer.denial.is_none() && !likely {
            return;
        }
        let key = (call.name.as_ref(), call.identity.as_ref().map(|identity| identity.telling));
        let Denied { row, threads } = self.found.entry(key).or_default();
        if threads.is_empty() {
            (row.tool, row.input) = (call.name.to_string(), call.input.to_string());
        }
        row.denied += usize::from(!likely);
        row.likely_denied += usize::from(likely);
        row.kinds.extend(answer.denial.as_ref().map(ToString::to_string));
        *threads.entry(session).or_default() += 1;
    }

    /// The most denied first.
    pub(super) fn rows(self) -> Vec<DeniedCommand> {
        let row = |Denied { row, threads }: Denied| DeniedCommand {
            threads: threads.len(),
            most_in_one_thread: threads.into_values().max().unwrap_or_default(),
            ..row
        };
        let mut rows: Vec<DeniedCommand> = self.found.into_values().map(row).collect();
        rows.sort_by(|a, b| {
            let denials = |row: &DeniedCommand| row.denied + row.likely_denied;
            denials(b).cmp(&denials(a)).then_with(|| (&a.tool, &a.input).cmp(&(&b.tool, &b.input)))
        });
        rows
    }
}

/// Whether a call was denied, for certain or likely.
pub(super) fn is_denied(call: &Call) -> bool {
    call.answer.as_ref().is_some_and(|answer| answer.denial.is_some() || is_likely_denied(answer))
}
