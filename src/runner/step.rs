use crate::unit::Usd;

/// What a step is to do, and how. Everything but the prompt and the start stays the same over its attempts.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Step {
    /// Name in the lineage.
    pub(super) name: String,
    /// Name in the manifest: the name, or `name#retry1`.
    pub(super) label: String,
    /// The prompt.
    pub(super) prompt: String,
    /// Added to the system prompt.
    pub(super) instructions: Option<String>,
    /// Tools that may be used without asking.
    pub(super) tools: Vec<String>,
    /// The CLI's permission mode.
    pub(super) permission_mode: Option<String>,
    /// Most that it may cost, over all attempts.
    pub(super) budget: Option<Usd>,
    /// The model.
    pub(super) model: Option<String>,
    /// The effort level.
    pub(super) effort: Option<String>,
    /// Most turns of one attempt.
    pub(super) max_turns: Option<u32>,
    /// Where it starts.
    pub(super) start: Start,
}

/// Where a conversation starts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Start {
    /// With nothing, under an id that is known before the CLI is started.
    Fresh {
        /// Id of the session.
        id: String,
    },
    /// Where a session ended.
    Resume {
        /// Id of the session.
        id: String,
        /// Roll back to this entry.
        at: Option<String>,
    },
    /// With a copy of a session, which stays as it is.
    Fork {
        /// Id of the session that is copied.
        from: String,
        /// Only up to this entry.
        at: Option<String>,
        /// Id of the copy.
        id: String,
    },
    /// Nowhere yet.
    #[default]
    Unset,
}

impl Start {
    /// The session that is read from the store.
    pub(super) fn source(&self) -> Option<&str> {
        match self {
            Self::Resume { id, .. } | Self::Fork { from: id, .. } => Some(id),
            Self::Fresh { .. } | Self::Unset => None,
        }
    }

    /// The session that the attempt writes to.
    pub(super) fn session(&self) -> Option<&str> {
        match self {
            Self::Fresh { id } | Self::Resume { id, .. } | Self::Fork { id, .. } => Some(id),
            Self::Unset => None,
        }
    }
}

/// What became of a step over all its attempts.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct StepResult {
    pub(super) session_id: Option<String>,
    pub(super) ok: bool,
    pub(super) cost: Usd,
    pub(super) turns: u64,
    /// Main-thread text of the last attempt that said anything.
    pub(super) text: String,
    pub(super) error: Option<String>,
    pub(super) started_at: f64,
    pub(super) ended_at: f64,
    pub(super) attempts: u32,
    /// Texts of failures, one per failed attempt. The model never sees them.
    pub(super) errors: Vec<String>,
    /// Continued from a break instead of started again.
    pub(super) resumed: bool,
    /// Largest context of the main thread.
    pub(super) context: u64,
}
