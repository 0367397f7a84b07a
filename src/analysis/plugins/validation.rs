use crate::plugin::{ListedPlugin, Validation, Verdict};
use crate::unit::Finding;
use serde::Serialize;

/// Findings about what was left out are made even where nobody asked for more than the CLI's own checks.
const ALWAYS: [&str; 2] = ["file-not-read", "directory-too-large"];

/// What the checks of a plugin or a marketplace say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PluginValidation {
    /// The verdict of the agent CLI.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// The plugins of a marketplace, with the version and place of an installed copy.
    pub plugins: Vec<ListedPlugin>,
}

/// The verdict with what the CLI does not say, of which only what was left out is told without `lint`.
pub fn plugin_validation(validation: &Validation, strict: bool, lint: bool) -> (PluginValidation, Vec<Finding>) {
    let findings = validation.lint.iter().filter(|finding| lint || ALWAYS.contains(&finding.code)).cloned().collect();
    (PluginValidation { verdict: validation.verdict(strict), plugins: validation.listed.clone() }, findings)
}
