//! Text of a transcript before a person or a file sees it: secrets are masked, characters that act or hide are made visible.

mod sanitize;
mod secrets;

pub use sanitize::{Mode, sanitize};
pub use secrets::Masker;
