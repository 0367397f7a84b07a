//! Lanes over one axis of time: what happened beside what.

use super::cell::Tone;
use crate::unit::{Span, Timestamp, Zone};

/// Lanes over one axis of time. The axis reaches from the first to the last mark that makes it; long times without any are
/// cut out and named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lanes {
    /// How moments of the axis are written.
    pub clock: Clock,
    /// From top to bottom.
    pub groups: Vec<LaneGroup>,
    /// What the marks at single moments look like; where several meet, the first of this list is seen.
    pub key: Vec<Glyph>,
    /// What bars and lines mean; the ones that are drawn are told.
    pub inks: Vec<InkKey>,
}

/// How moments of an axis are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// As times of a zone.
    Zone(Zone),
    /// As times since the beginning, which is the epoch.
    Elapsed,
}

impl Clock {
    /// A moment by itself.
    pub fn moment(self, t: Timestamp) -> String {
        match self {
            Self::Zone(zone) => zone.date_time(t),
            Self::Elapsed => Span::from_millis(t.millis()).to_string(),
        }
    }
}

/// What a bar or a line means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InkKey {
    /// How it is drawn.
    pub ink: Ink,
    /// What it says at a glance.
    pub tone: Tone,
    /// What it stands for.
    pub meaning: String,
}

/// Lanes of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaneGroup {
    /// What they are, in the plural.
    pub heading: String,
    /// What [`Ink::Count`] counts, in the singular.
    pub counted: String,
    /// Its marks only join what others mark, such as the waits between: they are drawn over the axis, but do not make it, so
    /// that one odd clock does not stretch it.
    pub joins: bool,
    /// From top to bottom. Many are folded together when they are drawn, and that is said.
    pub lanes: Vec<Lane>,
}

/// One lane.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lane {
    /// What it stands for.
    pub label: String,
    /// What is on it.
    pub marks: Vec<Mark>,
    /// A remark behind it.
    pub note: String,
}

/// Something on a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// When it begins.
    pub from: Timestamp,
    /// When it ends.
    pub to: Timestamp,
    /// How it is drawn.
    pub ink: Ink,
    /// What it says at a glance.
    pub tone: Tone,
}

/// How a mark is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// A bar over its whole time.
    Bar,
    /// A dotted line over its whole time: a wait.
    Dots,
    /// A thin line over its whole time.
    Line,
    /// One of many: the height tells how many there are at once.
    Count,
    /// A sign, by its place in [`Lanes::key`].
    Sign(usize),
}

/// A sign for what happens at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glyph {
    /// One column wide.
    pub sign: char,
    /// The same in ASCII.
    pub ascii: char,
    /// What it stands for, in the singular.
    pub meaning: String,
    /// What it says at a glance.
    pub tone: Tone,
}
