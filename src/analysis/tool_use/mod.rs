//! What the tools were called for, how long they took, and what of it stays in the context.

mod durations;
mod largest;
mod repeats;
mod report;
mod scripts;

pub use durations::Durations;
pub use largest::LargestResult;
pub use repeats::{RepeatedCommand, RepeatedRead};
pub use report::{ThreadTools, ToolLine, ToolReport, tool_report};
pub use scripts::{ScriptLine, ScriptState};
