//! The context of the main threads: what it starts with, how it grows, why it falls, what fills it.

mod drop_cause;
mod fill;
mod report;
mod threads;
mod window;

pub use drop_cause::{DropCause, Known};
pub use fill::{Fill, FillKind, FillPart};
pub use report::{ContextDrop, ContextReport, context};
pub use threads::{Projection, ThreadContext};
pub use window::{Window, WindowSource};

pub(super) use drop_cause::Causes;
