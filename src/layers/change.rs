use serde::Serialize;
use std::ops::AddAssign;
use strum::{EnumIter, IntoStaticStr};

/// The load layers, in the order in which they work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, EnumIter, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Layer {
    /// Old results of commands that only look.
    Expire,
    /// Long results.
    Trim,
    /// What is not worth being seen again, and the links around it.
    Prune,
    /// Calls without a result.
    Heal,
}

impl Layer {
    /// Its name.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Why a layer changed something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Reason {
    /// The result of a command that only looks, and newer ones follow.
    Expired,
    /// A long result, and newer ones follow.
    LongResult,
    /// A call that was denied, or its result, and newer ones follow.
    Denied,
    /// An API error in the place of an answer.
    ApiError,
    /// Something that the harness wrote in the place of an answer.
    Synthetic,
    /// The client's running total.
    CostState,
    /// A result that only tells of an interruption.
    Interrupted,
    /// The result of a call that a person rejected.
    Rejected,
    /// The entry above was dropped.
    ParentDropped,
    /// A call without a result.
    Orphan,
    /// A result was put between this entry and the one above.
    ParentHealed,
}

impl Reason {
    /// Stable code.
    pub fn code(self) -> &'static str {
        self.into()
    }
}

/// How much of a session something is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Size {
    /// Entries.
    pub entries: u64,
    /// Blocks of content.
    pub blocks: u64,
    /// Characters that the model is given.
    pub characters: u64,
}

/// Saturates: hostile figures stay figures.
impl AddAssign for Size {
    fn add_assign(&mut self, other: Self) {
        self.entries = self.entries.saturating_add(other.entries);
        self.blocks = self.blocks.saturating_add(other.blocks);
        self.characters = self.characters.saturating_add(other.characters);
    }
}

impl Size {
    /// Without `taken` and with `given`.
    #[must_use]
    pub fn changed(self, taken: Self, given: Self) -> Self {
        let change = |all: u64, taken: u64, given: u64| all.saturating_add(given).saturating_sub(taken);
        Self {
            entries: change(self.entries, taken.entries, given.entries),
            blocks: change(self.blocks, taken.blocks, given.blocks),
            characters: change(self.characters, taken.characters, given.characters),
        }
    }

    /// That many characters of text.
    pub(super) fn characters(characters: u64) -> Self {
        Self { characters, ..Self::default() }
    }
}

/// One change that a layer made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Which layer.
    pub layer: Layer,
    /// Why.
    pub reason: Reason,
    /// The entry; of an added one, the entry that it follows.
    pub seq: i64,
    /// What was done.
    pub edit: Edit,
    /// What it took away.
    pub taken: Size,
    /// What it put there instead.
    pub given: Size,
}

/// What was done to an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// The content of a result is another.
    Replaced {
        /// Which block of the entry, from 0.
        block: usize,
        /// The call that it answers.
        tool_use_id: String,
        /// The text that stood there.
        before: String,
        /// The text that stands there now.
        after: String,
        /// File for the text that stood there, if the model is told of one.
        spill: Option<String>,
    },
    /// Blocks were taken out.
    Stripped {
        /// Ids of their calls, in order.
        ids: Vec<String>,
    },
    /// The entry is not fed.
    Dropped,
    /// The entry hangs below another one.
    Relinked {
        /// Its `parentUuid` before.
        before: Option<String>,
        /// Its `parentUuid` now.
        after: Option<String>,
    },
    /// An entry follows that was not there.
    Added {
        /// Its uuid.
        uuid: String,
        /// Its `parentUuid`.
        parent: Option<String>,
        /// The calls that it answers.
        tool_use_ids: Vec<String>,
        /// The text of each answer.
        content: String,
    },
}
