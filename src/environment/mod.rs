//! Where the settings of a run come from: the sources in their order, the grammar of `.env` files, and the traps in it.
//!
//! Shared by the runner, which passes the settings on, and the analyzer, which explains them. Files are read by the
//! caller; nothing here looks at the real environment.

mod candidates;
mod claim;
mod dotenv;
mod explanation;
mod gather;
mod settings_json;
mod trap;

pub use candidates::{Candidate, Origin, candidates, only};
pub use claim::{Claim, Masked, Shadowed, masked};
pub use dotenv::{Assignment, parse};
pub use explanation::{ExplainedSetting, ExplainedSource, ExplainedValue, Explanation};
pub use gather::{Environment, NoCredentials, Reading, Source};
pub use trap::{Trap, Warning};

/// The keys that are taken from Claude Code's own settings (spec/runner.md, section 4).
pub const KNOWN: [&str; 9] = [
    API_KEY,
    AUTH_TOKEN,
    BASE_URL,
    MODEL,
    OPUS_MODEL,
    SONNET_MODEL,
    HAIKU_MODEL,
    "CLAUDE_CODE_SUBAGENT_MODEL",
    "CLAUDE_CODE_EFFORT_LEVEL",
];

/// The key sent as `x-api-key`.
pub const API_KEY: &str = "ANTHROPIC_API_KEY";
/// The token sent as `authorization: Bearer`.
pub const AUTH_TOKEN: &str = "ANTHROPIC_AUTH_TOKEN";
/// Where the API is, if not at its usual place.
pub const BASE_URL: &str = "ANTHROPIC_BASE_URL";
/// The model of the main thread.
pub const MODEL: &str = "ANTHROPIC_MODEL";
/// What `opus` means.
pub const OPUS_MODEL: &str = "ANTHROPIC_DEFAULT_OPUS_MODEL";
/// What `sonnet` means.
pub const SONNET_MODEL: &str = "ANTHROPIC_DEFAULT_SONNET_MODEL";
/// What `haiku` means.
pub const HAIKU_MODEL: &str = "ANTHROPIC_DEFAULT_HAIKU_MODEL";
