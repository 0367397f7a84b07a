//! The page of each command: which facts stand where. Numbers are formatted by the units, not here.

mod chain;
mod cost;
mod cost_parts;
mod dot;
mod errors;
mod evidence;
mod findings;
mod layers;
mod outages;
mod plugin_used;
mod plugins;
mod retries;
mod sessions;
mod show;
mod steps;
mod summary;
mod tools;

pub use chain::{chain, chain_check};
pub use cost::cost;
pub use dot::dot;
pub use errors::{errors, explained};
pub use evidence::Opening;
pub use layers::{layers, ruling};
pub use outages::outages;
pub use plugin_used::plugin_used;
pub use plugins::{plugin_details, plugin_validation};
pub use retries::retries;
pub use sessions::sessions;
pub use show::{show_defect, show_entry, show_session};
pub use summary::summary;
