use super::clock::Clock;
use super::windows::Windows;
use crate::run_dir::{Kind, Position, StoreKey};
use crate::session::{Ix, Model};
use crate::transcript::{ClientModel, CostState};
use crate::unit::{Timestamp, Usd};
use foldhash::{HashMap, HashMapExt};
use std::collections::BTreeSet;

/// From where a client total was carried on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carried {
    /// An earlier process of the same session, within a step.
    SameSession,
    /// The session that this one was forked from.
    ForkedFrom,
    /// Another session of the same process, as after /new.
    OtherSession,
    /// An earlier process that ran outside of every step.
    OutsideSteps,
}

/// What the client said of its own spend when a process ended.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ClientTotal<'a> {
    /// Session.
    pub(super) session: usize,
    /// The `cost-state` entry.
    pub(super) entry: Ix,
    /// Its sequence number.
    pub(super) seq: i64,
    /// The step in which the process ended.
    pub(super) step: Option<usize>,
    /// Time of the entry before.
    pub(super) at: Option<Timestamp>,
    /// The running total.
    pub(super) total: Usd,
    /// The part of it that an earlier process spent.
    pub(super) base: Usd,
    /// Where that part came from, with the entry that had it.
    pub(super) carried: Option<(Carried, usize, i64)>,
    /// The state of the earlier process, by its place in the list.
    pub(super) before: Option<usize>,
    state: &'a CostState,
}

impl ClientTotal<'_> {
    /// What the client spent by model, what was carried on included.
    pub(super) fn models(&self) -> &[ClientModel] {
        &self.state.models
    }
}

/// Every client total of the main threads, in the order in which they were written.
pub(super) fn client_totals<'a>(model: &'a Model, windows: &Windows, clock: &Clock) -> Vec<ClientTotal<'a>> {
    let mut totals: Vec<_> = recorded(model, windows, clock).collect();
    totals.sort_by_key(|(position, total)| (total.at, *position));
    let mut totals: Vec<ClientTotal<'_>> = totals.into_iter().map(|(_, total)| total).collect();
    let parents = parents(model);
    // By the start that they share: the last state of each session, and of all.
    let mut seen: HashMap<u64, (HashMap<usize, usize>, usize)> = HashMap::new();
    for at in 0..totals.len() {
        let Some((session, Some(start))) = totals.get(at).map(|total| (total.session, total.state.start)) else {
            continue;
        };
        if let Some((of_session, last)) = seen.get(&start) {
            let forked = || parents.get(&session)?.iter().filter_map(|parent| of_session.get(parent)).max().copied();
            let own = of_session.get(&session).map(|before| (*before, Carried::SameSession));
            let (before, carried) =
                own.or_else(|| Some((forked()?, Carried::ForkedFrom))).unwrap_or((*last, Carried::OtherSession));
            carry(&mut totals, at, before, carried);
        }
        let (of_session, last) = seen.entry(start).or_insert_with(|| (HashMap::new(), at));
        of_session.insert(session, at);
        *last = at;
    }
    totals
}

/// Notes at `at` that its total goes on from the one at `before`.
fn carry(totals: &mut [ClientTotal<'_>], at: usize, before: usize, carried: Carried) {
    let Some(earlier) = totals.get(before) else { return };
    let outside = earlier.step.is_none() && carried == Carried::SameSession;
    let found = (if outside { Carried::OutsideSteps } else { carried }, earlier.session, earlier.seq);
    let base = earlier.total;
    if let Some(total) = totals.get_mut(at).filter(|total| base <= total.total) {
        (total.base, total.carried, total.before) = (base, Some(found), Some(before));
    }
}

fn recorded<'a>(
    model: &'a Model,
    windows: &Windows,
    clock: &Clock,
) -> impl Iterator<Item = (Position, ClientTotal<'a>)> {
    let mains = model.sessions.iter().enumerate().filter(|(_, session)| session.kind() != Kind::Subagent);
    mains.flat_map(move |(session, of)| {
        let id = StoreKey::parse(of.store_key()).session;
        let states =
            of.entries().filter_map(|(ix, entry)| Some((ix, entry, entry.extra.as_ref()?.cost_state.as_deref()?)));
        states
            .filter_map(move |(ix, entry, state)| {
                let at = clock.at(model, session, ix);
                let step = windows.step(id, at);
                let (seq, total, base) = (entry.seq, state.total?, Usd::ZERO);
                let total =
                    ClientTotal { session, entry: ix, seq, step, at, total, base, carried: None, before: None, state };
                Some((entry.position, total))
            })
            .collect::<Vec<_>>()
    })
}

/// For each session the sessions whose messages it holds copies of.
fn parents(model: &Model) -> HashMap<usize, BTreeSet<usize>> {
    let mut parents: HashMap<usize, BTreeSet<usize>> = HashMap::new();
    for turn in &model.usage.turns {
        for holder in &turn.shared_with {
            parents.entry(*holder).or_default().insert(turn.home);
        }
    }
    parents
}
