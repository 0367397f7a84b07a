use super::clock::Clock;
use super::windows::Windows;
use crate::analysis::prices::{Bill, PriceTable, bill};
use crate::run_dir::{Manifest, StoreKey};
use crate::session::Model;
use crate::unit::Timestamp;
use rayon::prelude::*;

/// What one model turn cost and where that belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnCost {
    /// When it was written; without a time of its own, that of the last entry before it that has one.
    pub at: Option<Timestamp>,
    /// `at` is the time of another entry.
    pub dated_by_neighbour: bool,
    /// The step it belongs to, by its place in the manifest; `None` outside of every step.
    pub step: Option<usize>,
    /// What it cost.
    pub bill: Bill,
}

/// The cost of every model turn, in the order of `model.usage.turns`.
pub fn turn_costs(model: &Model, manifest: Option<&Manifest>, prices: &PriceTable) -> Vec<TurnCost> {
    let windows = manifest.map(Windows::new).unwrap_or_default();
    let clock = Clock::default();
    let cost = |turn: &crate::session::ModelTurn| {
        let session = model.sessions.get(turn.home);
        let at = turn.timestamp.or_else(|| clock.at(model, turn.home, turn.at));
        let id = session.map(|session| StoreKey::parse(session.store_key()).session);
        let step = id.and_then(|id| windows.step(id, at));
        let dated_by_neighbour = turn.timestamp.is_none() && at.is_some();
        TurnCost { at, dated_by_neighbour, step, bill: bill(turn, at, prices) }
    };
    model.usage.turns.par_iter().map(cost).collect()
}
