use crate::run_dir::limits::MAX_BLOCKS;
use crate::unit::{Diagnosis, Level};
use strum::IntoStaticStr;
use thiserror::Error;

/// What the layers met in an entry and could not treat as they treat others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum LoadFault {
    /// Half of a character in a text that is named after its hash.
    #[error(
        "the text of a trimmed result holds half of a surrogate pair: flower fails at this load; here it is hashed with U+FFFD in its place"
    )]
    LoneSurrogate,
    /// More blocks than are looked at.
    #[error("more than {MAX_BLOCKS} blocks in one list: what stands behind them is fed as it is")]
    TooManyBlocks,
    /// Not an entry at all.
    #[error("this is no JSON object: it is fed as it is")]
    NotAnObject,
}

impl Diagnosis for LoadFault {
    fn code(&self) -> &'static str {
        self.into()
    }

    fn level(&self) -> Level {
        match self {
            Self::LoneSurrogate => Level::Error,
            Self::TooManyBlocks | Self::NotAnObject => Level::Warning,
        }
    }

    fn sentence(&self) -> String {
        self.to_string()
    }
}
