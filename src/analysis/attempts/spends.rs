use super::Attempts;
use crate::analysis::cost::{Spend, TurnCost};
use crate::session::Model;

impl Attempts {
    /// What each attempt cost, its subagents included. `costs` are those of `model.usage.turns`, in their order.
    pub fn spends(&self, model: &Model, costs: &[TurnCost]) -> Vec<Spend> {
        let mut spends = vec![Spend::default(); self.all.len()];
        for (turn, cost) in model.usage.turns.iter().zip(costs) {
            if let Some(own) = self.of_entry(turn.home, turn.at, cost.at).and_then(|index| spends.get_mut(index)) {
                own.add(turn, cost);
            }
        }
        spends
    }
}
