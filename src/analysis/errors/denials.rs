use crate::analysis::denials::{DeniedCalls, DeniedInThread};
use crate::analysis::tools::{CallCounts, FirstCopies};
use crate::analysis::{LeftOut, Selection, TimeRange};
use crate::session::Model;
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

/// The threads with denied calls in a range, the most denials first; and the calls that the range leaves out.
pub(super) fn denials(model: &Model, selection: &Selection, range: TimeRange) -> (Vec<Denials>, LeftOut) {
    let firsts = FirstCopies::of_calls(model);
    let mut left_out = LeftOut::default();
    let mut found = DeniedCalls::default();
    let mut counts: BTreeMap<usize, CallCounts> = BTreeMap::new();
    for (at, session) in selection.sessions(model) {
        let own = counts.entry(at).or_default();
        for call in firsts.calls(at, session).filter(|call| left_out.takes(range, session.time(call.at))) {
            own.add(call);
            found.add(at, session, call);
        }
    }
    let row = |(at, commands): (usize, Vec<DeniedInThread>)| {
        let (session, counts) = (model.sessions.get(at)?, counts.get(&at)?);
        Some(Denials {
            store_key: session.store_key().to_owned(),
            calls: counts.calls,
            denied: counts.denied,
            likely_denied: counts.likely_denied,
            commands,
        })
    };
    let mut all: Vec<Denials> = found.by_thread().into_iter().filter_map(row).collect();
    all.sort_by_key(|denials| std::cmp::Reverse(denials.denied + denials.likely_denied));
    (all, left_out)
}
