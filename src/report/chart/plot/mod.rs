//! How each form of plot is laid out: shapes from plain data. Each returns the height at which it ends.

mod bars;
mod broken;
mod flow;
mod frame;
mod growth;
mod lanes;
mod legend;
mod track;

pub(super) use bars::bars;
pub(super) use flow::{flow, gathered};
pub(super) use frame::Frame;
pub(super) use lanes::lanes;
pub(super) use track::track;
