use super::super::{Selection, TimeRange};
use crate::run_dir::Kind;
use crate::session::{Model, SessionModel};
use crate::unit::Tokens;
use serde::Serialize;
use std::cmp::Reverse;

/// Results that are listed.
const MAX_LISTED: usize = 20;

/// A result that the next turn of its session will be given again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LargestResult {
    /// The session.
    pub store_key: String,
    /// The entry with the result.
    pub seq: i64,
    /// The entry with the call.
    pub call_seq: i64,
    /// Name of the tool.
    pub tool: String,
    /// Beginning of the telling part of the call's input.
    pub input: String,
    /// Characters of the result.
    pub characters: u64,
    /// About so many tokens: an estimate.
    pub estimated_tokens: Tokens,
}

/// The largest results of calls of a range in the loaded view of the chosen main threads, before any load layer; of subagents only where no
/// main thread is chosen, since their context ends with them.
pub(super) fn largest_results(model: &Model, selection: &Selection, range: TimeRange) -> Vec<LargestResult> {
    let is_main = |session: &SessionModel| session.kind() != Kind::Subagent;
    let any_main = selection.sessions(model).any(|(_, session)| is_main(session));
    let mut found = Vec::new();
    for (_, session) in selection.sessions(model).filter(|(_, session)| is_main(session) || !any_main) {
        for call in session.calls.iter().filter(|call| range.holds(session.time(call.at))) {
            let loaded = call.answer.as_ref().filter(|answer| session.chain.loaded[answer.at] && answer.characters > 0);
            found.extend(
                loaded.map(|answer| (Reverse(answer.characters), session.store_key(), answer.at, session, call)),
            );
        }
        // What cannot be listed any more is let go at once, so that a large store needs no list of all its results.
        found.sort_by_key(|(characters, key, at, ..)| (*characters, *key, *at));
        found.truncate(MAX_LISTED);
    }
    let row =
        |(Reverse(characters), store_key, at, session, call): (_, &str, _, &SessionModel, &crate::session::Call)| {
            LargestResult {
                store_key: store_key.to_owned(),
                seq: session.seq(at),
                call_seq: session.seq(call.at),
                tool: call.name.to_string(),
                input: call.input.to_string(),
                characters,
                estimated_tokens: Tokens::estimated(characters),
            }
        };
    found.into_iter().map(row).collect()
}
