//! The call by which the CLI asks for the title of a session leaves an `ai-title` entry and no usage.

use super::TurnCost;
use super::clock::Clock;
use super::step_facts::Hidden;
use super::windows::Windows;
use crate::analysis::prices::{Lookup, PriceTable, Rates, price_of};
use crate::run_dir::StoreKey;
use crate::session::{Model, ModelTurn};
use crate::transcript::Kind;
use crate::unit::{Tokens, Usd};
use std::collections::BTreeMap;

/// Names of the entries that the call leaves.
const TITLE: &str = "ai-title";

/// An assumption, and told as one: most tokens that a title takes.
pub(super) const ASSUMED_TITLE: Tokens = Tokens(1_000);

/// Another: most tokens that the call is given where no model turn tells.
pub(super) const ASSUMED_PROMPT: Tokens = Tokens(20_000);

/// For each step the titles that were asked for in its time, one a session, with what these calls cost at most: each is given
/// no more than the first model turn was, at worst without a cache and to the same model.
pub(super) fn titles(
    model: &Model,
    windows: &Windows,
    clock: &Clock,
    costs: &[TurnCost],
    prices: &PriceTable,
) -> BTreeMap<usize, Hidden> {
    let mut firsts: BTreeMap<usize, (&ModelTurn, &TurnCost)> = BTreeMap::new();
    for (turn, cost) in model.usage.turns.iter().zip(costs) {
        firsts.entry(turn.home).or_insert((turn, cost));
    }
    let dearest = prices.dearest();
    let mut titles: BTreeMap<usize, Hidden> = BTreeMap::new();
    for (at, session) in model.sessions.iter().enumerate() {
        let is_title = |kind: &Kind| matches!(kind, Kind::Other(name) if &**name == TITLE);
        let Some((ix, _)) = session.entries().find(|(_, entry)| is_title(&entry.kind)) else { continue };
        let id = StoreKey::parse(session.store_key()).session;
        let first = firsts.get(&at).and_then(|(turn, cost)| of_turn(turn, cost, prices));
        let at_most = first.unwrap_or_else(|| price(ASSUMED_PROMPT, &dearest));
        if let Some(step) = windows.step(id, clock.at(model, at, ix)) {
            titles.entry(step).or_default().add(Some(at_most));
        }
    }
    titles
}

fn price(context: Tokens, rates: &Rates) -> Usd {
    price_of(context, rates.input) + price_of(ASSUMED_TITLE, rates.output)
}

fn of_turn(turn: &ModelTurn, cost: &TurnCost, prices: &PriceTable) -> Option<Usd> {
    let context = turn.usage.context();
    match prices.look_up(&turn.model, cost.at) {
        Lookup::Priced(_, period) => Some(price(context, &period.rates_for(context))),
        Lookup::Undated(..) | Lookup::OtherDays | Lookup::Unknown => None,
    }
}
