use super::clock::Clock;
use super::windows::{StepBasis, Windows};
use crate::analysis::prices::{Bill, PriceTable, bill};
use crate::run_dir::{Manifest, StoreKey};
use crate::session::Model;
use crate::unit::Timestamp;
use rayon::prelude::*;

/// What one model turn cost and where that belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnCost {
    /// When it was written; without a time of its own that can be believed, that of the last entry before it that has one.
    pub at: Option<Timestamp>,
    /// `at` is the time of another entry.
    pub dated_by_neighbour: bool,
    /// The step it belongs to, by its place in the manifest; `None` outside of every step.
    pub step: Option<usize>,
    /// How that is known.
    pub step_basis: StepBasis,
    /// What it cost.
    pub bill: Bill,
}

/// The cost of every model turn, in the order of `model.usage.turns`.
pub fn turn_costs(model: &Model, manifest: Option<&Manifest>, prices: &PriceTable) -> Vec<TurnCost> {
    let windows = manifest.map(Windows::new).unwrap_or_default();
    let clock = Clock::new(model);
    let cost = |turn: &crate::session::ModelTurn| {
        let session = model.sessions.get(turn.home);
        let at = clock.believed(turn.timestamp).or_else(|| clock.at(model, turn.home, turn.at));
        let id = session.map(|session| StoreKey::parse(session.store_key()).session);
        let (step, basis) = id.and_then(|id| windows.known(id, at)).unzip();
        let dated_by_neighbour = at.is_some() && at != turn.timestamp;
        TurnCost { at, dated_by_neighbour, step, step_basis: basis.unwrap_or_default(), bill: bill(turn, at, prices) }
    };
    model.usage.turns.par_iter().map(cost).collect()
}
