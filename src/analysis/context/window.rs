use super::super::prices::model_forms;
use crate::unit::Tokens;
use serde::Serialize;

/// Most tokens that a request may have, by model, as the Claude API documents them (models overview, November 2026). A
/// client may compact long before.
const WINDOWS: [(u64, &[&str]); 2] = [
    (
        1_000_000,
        &[
            "claude-fable-5-1",
            "claude-fable-5",
            "claude-mythos-5-1",
            "claude-mythos-5",
            "claude-opus-5-5",
            "claude-opus-5",
            "claude-opus-4-8",
            "claude-opus-4-7",
            "claude-opus-4-6",
            "claude-sonnet-5-5",
            "claude-sonnet-5",
            "claude-sonnet-4-6",
            "claude-haiku-5-5",
        ],
    ),
    (
        200_000,
        &[
            "claude-opus-4-5",
            "claude-opus-4-1",
            "claude-opus-4",
            "claude-sonnet-4-5",
            "claude-sonnet-4",
            "claude-haiku-4-5",
            "claude-3-7-sonnet",
            "claude-3-5-sonnet",
            "claude-3-5-haiku",
            "claude-3-opus",
            "claude-3-sonnet",
            "claude-3-haiku",
        ],
    ),
];

/// Mark of an id that asks for the long window.
const LONG: &str = "[1m]";

/// The context window of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Window {
    /// Most tokens that a request may have.
    pub tokens: Tokens,
    /// Who says so.
    pub source: WindowSource,
}

/// Who says how large a window is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WindowSource {
    /// The command line.
    Given,
    /// The table of this program.
    Model,
}

impl Window {
    /// The window of `model`: as given, else by the table; `None` for a model that the table does not have.
    pub(super) fn of(model: &str, given: Option<Tokens>) -> Option<Self> {
        if let Some(tokens) = given {
            return Some(Self { tokens, source: WindowSource::Given });
        }
        let known = |id: &str| WINDOWS.iter().find(|(_, ids)| ids.contains(&id)).map(|(tokens, _)| *tokens);
        let long = model.ends_with(LONG).then_some(1_000_000);
        let tokens = long.or_else(|| model_forms(model).into_iter().find_map(known))?;
        Some(Self { tokens: Tokens(tokens), source: WindowSource::Model })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_known_or_given_and_never_guessed() {
        let of = |model: &str, given: Option<u64>| Window::of(model, given.map(Tokens)).map(|w| (w.tokens.0, w.source));
        assert_eq!(of("claude-opus-5-5", None), Some((1_000_000, WindowSource::Model)));
        assert_eq!(of("claude-haiku-4-5-20251001", None), Some((200_000, WindowSource::Model)));
        assert_eq!(of("claude-sonnet-4-5[1m]", None), Some((1_000_000, WindowSource::Model)));
        assert_eq!(of("claude-opus-5-5", Some(5)), Some((5, WindowSource::Given)));
        assert_eq!(of("claude-opus-9", None), None);
    }
}
