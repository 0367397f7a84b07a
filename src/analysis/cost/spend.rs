use super::TurnCost;
use crate::analysis::prices::ClassCosts;
use crate::session::{ModelTurn, Totals};
use crate::unit::Usd;
use serde::Serialize;
use std::iter::Sum;

/// Money and tokens of several model turns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Spend {
    /// Turns and tokens.
    #[serde(flatten)]
    pub totals: Totals,
    /// Measured cost by class of tokens.
    #[serde(flatten)]
    pub classes: ClassCosts,
    /// What the transcript says it cost: a lower bound on the bill.
    pub measured_usd: Usd,
    /// The least that the data allows.
    pub low_usd: Usd,
    /// The most that the data allows; null where that is not known of a turn, or the sum is too large.
    #[serde(rename = "high_usd")]
    pub high: High,
    /// Turns without a price, or in part without one: the sums lack them.
    pub unpriced_turns: u64,
    /// Turns with a count of tokens that cannot be read: the sums lack what it says.
    pub unreadable_turns: u64,
}

/// An upper bound that one part without takes away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct High(pub Option<Usd>);

impl Default for High {
    fn default() -> Self {
        Self(Some(Usd::ZERO))
    }
}

impl High {
    /// Adds the bound of one part. A sum that is too large is no bound.
    pub(super) fn add(&mut self, part: Option<Usd>) {
        let sum = self.0.zip(part).map(|(sum, part)| sum + part);
        self.0 = sum.filter(|sum| !sum.is_saturated());
    }
}

impl Spend {
    /// Adds one turn.
    pub fn add(&mut self, turn: &ModelTurn, cost: &TurnCost) {
        self.totals.add(turn);
        self.classes += cost.bill.classes;
        self.measured_usd += cost.bill.measured();
        self.low_usd += cost.bill.low;
        self.high.add(cost.bill.high);
        self.unpriced_turns += u64::from(cost.bill.lacks_a_price());
        self.unreadable_turns += u64::from(turn.service.unreadable);
    }

    /// Both together.
    #[must_use]
    pub fn plus(mut self, other: Self) -> Self {
        self.totals = self.totals.plus(other.totals);
        self.classes += other.classes;
        self.measured_usd += other.measured_usd;
        self.low_usd += other.low_usd;
        self.high.add(other.high.0);
        self.unpriced_turns += other.unpriced_turns;
        self.unreadable_turns += other.unreadable_turns;
        self
    }
}

impl Sum for Spend {
    fn sum<I: Iterator<Item = Self>>(spends: I) -> Self {
        spends.fold(Self::default(), Self::plus)
    }
}

impl<'a> Sum<(&'a ModelTurn, &'a TurnCost)> for Spend {
    fn sum<I: Iterator<Item = (&'a ModelTurn, &'a TurnCost)>>(turns: I) -> Self {
        turns.fold(Self::default(), |mut spend, (turn, cost)| {
            spend.add(turn, cost);
            spend
        })
    }
}
