use super::fields::each_field;
use super::label::{Interner, Label};
use super::scalar::{number, truthy};
use super::usage::Usage;
use crate::run_dir::limits::MAX_CLIENT_MODELS;
use crate::unit::{Tokens, Usd};

/// What the client writes about its own spend when a process ends (`cost-state`): a running total, carried on where the
/// process continued an earlier one (spec/cost.md, Reconciling).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CostState {
    /// `totalCostUSD`.
    pub total: Option<Usd>,
    /// `startTime` of the first process whose total this is, in milliseconds; states that share it carry one total on.
    pub start: Option<u64>,
    /// `hasUnknownModelCost`: the client itself had no price for a model.
    pub unknown_model: bool,
    /// `modelUsage`, in the order of the entry.
    pub models: Vec<ClientModel>,
}

/// The client's total for one model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientModel {
    /// Id of the model.
    pub model: Label,
    /// Tokens by class.
    pub usage: Usage,
    /// `webSearchRequests`.
    pub web_searches: u64,
    /// `costUSD`.
    pub cost: Option<Usd>,
}

pub(super) fn cost_state(json: &str, interner: &mut Interner) -> CostState {
    let mut state = CostState::default();
    each_field(json, |name, value| match name {
        "totalCostUSD" => state.total = dollars(value),
        "startTime" => state.start = number(value),
        "hasUnknownModelCost" => state.unknown_model = truthy(value),
        "modelUsage" => {
            each_field(value, |model, usage| {
                if state.models.len() < MAX_CLIENT_MODELS {
                    state.models.push(client_model(interner.label(model), usage));
                }
            });
        }
        _ => {}
    });
    state
}

fn client_model(model: Label, json: &str) -> ClientModel {
    let mut of = ClientModel { model, usage: Usage::default(), web_searches: 0, cost: None };
    each_field(json, |name, value| {
        let tokens = || Tokens(number(value).unwrap_or(0));
        match name {
            "inputTokens" => of.usage.input = tokens(),
            "outputTokens" => of.usage.output = tokens(),
            "cacheReadInputTokens" => of.usage.cache_read = tokens(),
            "cacheCreationInputTokens" => of.usage.cache_write = tokens(),
            "cacheCreationEphemeral1hInputTokens" => of.usage.cache_write_1h = tokens(),
            "webSearchRequests" => of.web_searches = number(value).unwrap_or(0),
            "costUSD" => of.cost = dollars(value),
            _ => {}
        }
    });
    of
}

fn dollars(json: &str) -> Option<Usd> {
    Usd::from_dollars(json.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_of_a_real_process_is_read() {
        let json = r#"{"type":"cost-state","totalCostUSD":0.07537400000000001,"startTime":1796048517219,"modelUsage":{"m":{"inputTokens":28,"outputTokens":460,"cacheReadInputTokens":43560,"cacheCreationInputTokens":11470,"webSearchRequests":0,"costUSD":0.075374}},"hasUnknownModelCost":false}"#;
        let state = cost_state(json, &mut Interner::default());
        assert_eq!((state.total, state.start), (Some(Usd::from_nanos(75_374_000)), Some(1_796_048_517_219)));
        let [model] = state.models.as_slice() else { panic!("one model") };
        assert_eq!((&*model.model, model.cost, model.usage.output), ("m", state.total, Tokens(460)));
    }

    #[test]
    fn what_is_no_figure_is_none() {
        let state = cost_state(r#"{"totalCostUSD":"much","startTime":-1,"modelUsage":[1]}"#, &mut Interner::default());
        assert_eq!(state, CostState::default());
    }
}
