use serde::Serialize;
use std::fmt;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Worth knowing; nothing is wrong.
    Info,
    /// Something a person should look at.
    Warning,
    /// Something is broken, lost or contradictory.
    Error,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// Where a finding was made. Every part that is known is set.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Place {
    /// File of the source, relative to the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line in that file, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Store key of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store_key: Option<String>,
    /// Sequence number of the entry in its store key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
}

impl Place {
    /// A whole session.
    pub fn session(store_key: impl Into<String>) -> Self {
        Self { store_key: Some(store_key.into()), ..Self::default() }
    }

    /// One entry.
    pub fn entry(store_key: impl Into<String>, seq: i64) -> Self {
        Self { store_key: Some(store_key.into()), seq: Some(seq), ..Self::default() }
    }

    /// A file of the source.
    pub fn file(file: impl Into<String>) -> Self {
        Self { file: Some(file.into()), ..Self::default() }
    }
}

/// What a layer can say about the evidence: one enum per layer implements this, so that each sentence has one home.
pub trait Diagnosis {
    /// Stable kebab-case code.
    fn code(&self) -> &'static str;
    /// How much it matters.
    fn level(&self) -> Level;
    /// One sentence for a person, without the place.
    fn sentence(&self) -> String;

    /// The finding at `place`.
    fn at(&self, place: Place) -> Finding {
        Finding { code: self.code(), level: self.level(), place, message: self.sentence() }
    }
}

/// One thing said about the evidence: a code for machines, a level, a place and a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Stable kebab-case code.
    pub code: &'static str,
    /// How much it matters.
    pub level: Level,
    /// Where it was found.
    pub place: Place,
    /// One sentence for a person.
    pub message: String,
}
