//! Plugins: what the checks of one say, what it costs in context, and what a run made of it.

mod details;
mod events;
mod survey;
mod used;
mod validation;

pub use crate::plugin::{Estimate, FileVerdict, Provides};
pub use details::{ContextPrice, Groups, NoPrice, PluginDetails, Priced, context_price, plugin_details};
pub use used::{PluginUsed, Use, UsedComponent, UsedTotal, plugin_used};
pub use validation::{PluginValidation, plugin_validation};
