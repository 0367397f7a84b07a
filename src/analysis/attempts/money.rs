use super::Attempts;
use crate::analysis::cost::TurnCost;
use crate::session::Model;
use crate::unit::Usd;
use serde::Serialize;

/// What some model turns cost, measured: a lower bound on the bill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Money {
    /// Model turns.
    pub model_turns: usize,
    /// Measured.
    pub measured_usd: Usd,
    /// The least that the data allows.
    pub low_usd: Usd,
    /// The most that the data allows; null where a turn has no price.
    pub high_usd: Option<Usd>,
    /// Turns without a price: they are not in the sums.
    pub unpriced_turns: usize,
}

impl Default for Money {
    fn default() -> Self {
        let none = Usd::ZERO;
        Self { model_turns: 0, measured_usd: none, low_usd: none, high_usd: Some(none), unpriced_turns: 0 }
    }
}

impl Money {
    /// Adds one turn.
    pub fn add(&mut self, cost: &TurnCost) {
        let bill = &cost.bill;
        self.model_turns += 1;
        self.measured_usd += bill.measured();
        self.low_usd += bill.low;
        self.high_usd = self.high_usd.zip(bill.high).map(|(sum, high)| sum + high);
        self.unpriced_turns += usize::from(bill.unpriced.is_some());
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            model_turns: self.model_turns + other.model_turns,
            measured_usd: self.measured_usd + other.measured_usd,
            low_usd: self.low_usd + other.low_usd,
            high_usd: self.high_usd.zip(other.high_usd).map(|(a, b)| a + b),
            unpriced_turns: self.unpriced_turns + other.unpriced_turns,
        }
    }
}

impl Attempts {
    /// What each attempt cost, its subagents included. `costs` are those of `model.usage.turns`, in their order.
    pub fn money(&self, model: &Model, costs: &[TurnCost]) -> Vec<Money> {
        let mut money = vec![Money::default(); self.all.len()];
        for (turn, cost) in model.usage.turns.iter().zip(costs) {
            if let Some(own) = self.of_entry(turn.home, turn.at, cost.at).and_then(|index| money.get_mut(index)) {
                own.add(cost);
            }
        }
        money
    }
}
