use super::load::Loaded;
use crate::analysis::cost::{TurnCost, turn_costs};
use crate::analysis::prices::PriceTable;
use crate::analysis::{Attempts, Failures, Inputs, attempts, failures};
use anyhow::Result;

/// What `errors`, `retries` and `outages` have in common: the failures of the source and the attempts of its steps.
pub(super) struct Failing {
    pub(super) inputs: Inputs,
    pub(super) failures: Failures,
    pub(super) attempts: Attempts,
}

impl Failing {
    pub(super) fn of(loaded: &Loaded) -> Result<Self> {
        let inputs = loaded.inputs()?;
        let failures = failures(&loaded.model);
        let attempts = attempts(&loaded.model, inputs.readable_manifest(), &failures);
        Ok(Self { inputs, failures, attempts })
    }

    /// The cost of every model turn.
    pub(super) fn costs(&self, loaded: &Loaded, prices: &PriceTable) -> Vec<TurnCost> {
        turn_costs(&loaded.model, self.inputs.readable_manifest(), prices)
    }
}
