//! What the run cost: reported, measured and bounds, and why they differ (spec/cost.md).

mod by_tool;
mod cache;
mod cause;
mod client;
mod clock;
mod expensive;
mod finding;
mod group;
mod killed;
mod leftover;
mod reconcile;
mod report;
mod spend;
mod step_facts;
mod summaries;
mod titles;
mod turn_costs;
mod turn_spends;
mod waste;
mod windows;

pub use by_tool::ToolSpend;
pub use cache::{CacheMiss, CacheMoney, MissCause};
pub use cause::{Cause, CauseKind};
pub use expensive::{ExpensiveTurn, Trend};
pub use finding::CostFinding;
pub use group::{By, GroupRow};
pub use reconcile::StepCost;
pub use report::{Cost, CostQuery, PriceSource, Threads, UnpricedModel, cost};
pub use spend::{High, Spend};
pub use turn_costs::{TurnCost, turn_costs};
pub use turn_spends::{TurnSpend, turn_spends};
pub use waste::Waste;
pub use windows::StepBasis;
pub(super) use windows::Windows;
