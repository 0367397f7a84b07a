use crate::analysis::prices::{Lookup, PriceTable, price_of};
use crate::plugin::{ComponentCost, Details, NodeInstall, Placeholder};
use crate::unit::{Tokens, Usd};
use serde::Serialize;
use thiserror::Error;

/// Turns of the second price: about what a step of a long run takes.
const MANY_TURNS: u64 = 100;

/// What a plugin is, and what it adds to the context of every session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PluginDetails {
    /// Name: of the manifest, else of the folder.
    pub name: String,
    /// Name for people, if the manifest has one.
    pub display_name: Option<String>,
    /// Version, if the manifest has one.
    pub version: Option<String>,
    /// Description, if the manifest has one.
    pub description: Option<String>,
    /// Id under which a session loads the folder.
    pub id: String,
    /// A session would load it.
    pub loads: bool,
    /// Folder of its data, below `~/.claude/plugins/data`.
    pub data_folder: String,
    /// Lockfile by which an installed copy gets its Node packages.
    pub lockfile: Option<&'static str>,
    /// How it gets them.
    pub node_install: NodeInstall,
    /// What it brings, by kind, with the names that the CLI lists.
    pub inventory: Groups,
    /// Tokens that it adds to every session, estimated from characters.
    pub always_on_tokens: Tokens,
    /// What each skill, command and agent costs, the dearest first.
    pub components: Vec<ComponentCost>,
    /// What the part that is always on costs, if a model was named.
    pub price: Option<ContextPrice>,
    /// Placeholders in what it starts.
    pub placeholders: Vec<Placeholder>,
}

/// Names by kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Groups {
    /// Skills and commands, by short name.
    pub skills: Vec<String>,
    /// Agents, by file name.
    pub agents: Vec<String>,
    /// Events with hooks, in file order.
    pub hooks: Vec<String>,
    /// MCP servers, in file order.
    pub mcp_servers: Vec<String>,
    /// Language servers, in file order.
    pub lsp_servers: Vec<String>,
}

/// What tokens in the context of every turn cost with a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContextPrice {
    /// The model as it was named.
    pub model: String,
    /// Turns of the `per_turns` prices.
    pub turns: u64,
    /// Paid as input each time: nothing is cached.
    pub uncached: Priced,
    /// Written to the cache for five minutes in the first turn, read from it in all others.
    pub cached: Priced,
}

/// A price for one turn, and for many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Priced {
    /// A turn; of the cached, one that reads.
    pub per_turn_usd: Usd,
    /// All turns together.
    pub per_turns_usd: Usd,
}

/// A model without prices.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there are no prices for the model {model}: name one as transcripts do, or give its prices with --prices")]
pub struct NoPrice {
    model: String,
}

/// What `tokens` in the context of every turn cost with `model`, at its newest prices in the table.
///
/// # Errors
///
/// The table has no prices for the model.
pub fn context_price(tokens: Tokens, model: &str, prices: &PriceTable) -> Result<ContextPrice, NoPrice> {
    let newest = match prices.look_up(model, None) {
        Lookup::Undated(_, periods) => periods.last(),
        Lookup::Priced(_, period) => Some(period),
        Lookup::OtherDays | Lookup::Unknown => None,
    };
    let rates = newest.ok_or_else(|| NoPrice { model: model.to_owned() })?.rates;
    let times = |turns: u64| Tokens(tokens.0.saturating_mul(turns));
    let uncached = |turns| price_of(times(turns), rates.input);
    let reads = |turns| price_of(times(turns), rates.cache_read);
    Ok(ContextPrice {
        model: model.to_owned(),
        turns: MANY_TURNS,
        uncached: Priced { per_turn_usd: uncached(1), per_turns_usd: uncached(MANY_TURNS) },
        cached: Priced {
            per_turn_usd: reads(1),
            per_turns_usd: price_of(tokens, rates.cache_write_5m) + reads(MANY_TURNS - 1),
        },
    })
}

/// The details of a plugin, with the price of its context if one was asked for.
pub fn plugin_details(details: &Details, price: Option<ContextPrice>) -> PluginDetails {
    PluginDetails {
        name: details.name.clone(),
        display_name: details.display_name.clone(),
        version: details.version.clone(),
        description: details.description.clone(),
        id: details.id.clone(),
        loads: details.loads,
        data_folder: details.data_folder.clone(),
        lockfile: details.lockfile,
        node_install: details.node_install,
        inventory: Groups {
            skills: details.skills.clone(),
            agents: details.agents.clone(),
            hooks: details.hooks.clone(),
            mcp_servers: details.mcp_servers.clone(),
            lsp_servers: details.lsp_servers.clone(),
        },
        always_on_tokens: details.always_on,
        components: details.components.clone(),
        price,
        placeholders: details.placeholders.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_context_of_every_turn_is_written_once_and_read_again() {
        let json = r#"{"models": {"m": {"periods": [
            {"until": "2026-01-01", "per_mtok":
                {"input": 9, "output": 9, "cache_write_5m": 9, "cache_write_1h": 9, "cache_read": 9}},
            {"from": "2026-01-01", "per_mtok":
                {"input": 4, "output": 20, "cache_write_5m": 5, "cache_write_1h": 8, "cache_read": 0.4}}]}}}"#;
        let prices = PriceTable::parse("test", json.as_bytes()).unwrap();
        let price = context_price(Tokens(1000), "m", &prices).unwrap();
        let nanos = |priced: Priced| [priced.per_turn_usd.nanos(), priced.per_turns_usd.nanos()];
        assert_eq!(nanos(price.uncached), [4_000_000, 400_000_000]);
        assert_eq!(nanos(price.cached), [400_000, 5_000_000 + 39_600_000]);
        assert!(context_price(Tokens(1), "x", &prices).unwrap_err().to_string().contains("the model x"));
    }
}
