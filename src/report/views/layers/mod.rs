//! The page of the load layers.

mod comparison;
mod data;
mod files;
mod page;
mod ruling;
mod tables;
mod words;

pub use page::layers;
pub use ruling::ruling;

pub(super) use words::answer;
