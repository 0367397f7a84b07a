//! Denied tool calls, counted in one place: `errors` lists them by thread, `tools` over all threads.

use super::tools::is_likely_denied;
use crate::session::{Call, SessionModel};
use foldhash::HashMap;
use serde::Serialize;
use std::cmp::Reverse;
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

/// Collects denied calls: the same tool with the same whole telling input is the same command.
#[derive(Default)]
pub(super) struct DeniedCalls<'a> {
    commands: HashMap<(&'a str, Option<u64>), Denied<'a>>,
}

struct Denied<'a> {
    input: &'a str,
    /// Denials by session and kind; without a kind they are a guess.
    times: BTreeMap<(usize, Option<&'a str>), (i64, usize)>,
}

impl<'a> DeniedCalls<'a> {
    /// Adds a call of the session at this index, if it was denied.
    pub(super) fn add(&mut self, at: usize, session: &SessionModel, call: &'a Call) {
        if !is_denied(call) {
            return;
        }
        let key = (call.name.as_ref(), call.identity.as_ref().map(|identity| identity.telling));
        let denied = self.commands.entry(key).or_insert_with(|| Denied { input: &call.input, times: BTreeMap::new() });
        let kind = call.answer.as_ref().and_then(|answer| answer.denial.as_deref());
        denied.times.entry((at, kind)).or_insert_with(|| (session.seq(call.at), 0)).1 += 1;
    }

    /// Every command over all threads, the most denied first.
    pub(super) fn over_all(&self) -> Vec<DeniedCommand> {
        let mut rows: Vec<DeniedCommand> = self.commands.iter().map(|(key, denied)| denied.row(key.0)).collect();
        rows.sort_by(|a, b| {
            let denials = |row: &DeniedCommand| Reverse(row.denied + row.likely_denied);
            denials(a).cmp(&denials(b)).then_with(|| (&a.tool, &a.input).cmp(&(&b.tool, &b.input)))
        });
        rows
    }

    /// The commands of each thread, the most often denied first.
    pub(super) fn by_thread(&self) -> BTreeMap<usize, Vec<DeniedInThread>> {
        let mut threads: BTreeMap<usize, Vec<DeniedInThread>> = BTreeMap::new();
        for ((tool, _), denied) in &self.commands {
            for ((at, kind), (first_seq, times)) in &denied.times {
                threads.entry(*at).or_default().push(DeniedInThread {
                    tool: (*tool).to_owned(),
                    command: denied.input.to_owned(),
                    kind: kind.map(ToOwned::to_owned),
                    times: *times,
                    first_seq: *first_seq,
                });
            }
        }
        for commands in threads.values_mut() {
            commands.sort_by(|a, b| {
                let order = |row: &DeniedInThread| (Reverse(row.times), row.first_seq);
                order(a).cmp(&order(b)).then_with(|| (&a.tool, &a.command).cmp(&(&b.tool, &b.command)))
            });
        }
        threads
    }
}

impl Denied<'_> {
    fn row(&self, tool: &str) -> DeniedCommand {
        let mut row = DeniedCommand { tool: tool.to_owned(), input: self.input.to_owned(), ..DeniedCommand::default() };
        let mut threads: BTreeMap<usize, usize> = BTreeMap::new();
        for ((at, kind), (_, times)) in &self.times {
            let sum = if kind.is_some() { &mut row.denied } else { &mut row.likely_denied };
            *sum += times;
            row.kinds.extend(kind.map(ToOwned::to_owned));
            *threads.entry(*at).or_default() += times;
        }
        row.threads = threads.len();
        row.most_in_one_thread = threads.into_values().max().unwrap_or_default();
        row
    }
}

/// Whether a call was denied, for certain or likely.
pub(super) fn is_denied(call: &Call) -> bool {
    call.answer.as_ref().is_some_and(|answer| answer.denial.is_some() || is_likely_denied(answer))
}
