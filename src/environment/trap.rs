use crate::unit::{Diagnosis, Finding, Level, Place};

/// A line or file that does not mean what it seems to mean (spec/runner.md, section 4, table of traps).
#[derive(Debug, Clone, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case", prefix = "env-")]
pub enum Trap {
    /// `export K=V`: the blank is part of the key.
    ExportPrefix {
        /// The key without `export`.
        key: String,
    },
    /// `K=v # note`: the note is part of the value.
    InlineComment {
        /// The key.
        key: String,
    },
    /// `K=$OTHER`: nothing is interpolated.
    NotInterpolated {
        /// The key.
        key: String,
    },
    /// A value that opens a quote and does not close it: values do not go over lines.
    OpenQuote {
        /// The key.
        key: String,
    },
    /// A quote at one end only: it is stripped all the same.
    StrippedQuote {
        /// The key.
        key: String,
    },
    /// `K=`: claims the key with nothing.
    EmptyClaim {
        /// The key.
        key: String,
    },
    /// The key occurs before in the same file.
    Duplicate {
        /// The key.
        key: String,
        /// Line of the one that counts.
        first: u64,
    },
    /// `=v`: no key.
    NoKey,
    /// A zero byte in the key or value.
    ZeroByte {
        /// The key.
        key: String,
    },
    /// The file starts with a byte order mark.
    ByteOrderMark,
    /// The file is not UTF-8.
    NotUtf8,
    /// The file is there and cannot be read.
    Unreadable {
        /// What the system said.
        reason: String,
    },
    /// A settings file that is no JSON object.
    BrokenSettings {
        /// What was found.
        reason: String,
    },
    /// Both a key and a token: the CLI sends both.
    TwoCredentials,
    /// Neither a key nor a token that is not empty.
    NoCredentials,
}

impl Diagnosis for Trap {
    fn code(&self) -> &'static str {
        self.into()
    }

    fn level(&self) -> Level {
        match self {
            Self::NotUtf8 | Self::Unreadable { .. } | Self::NoCredentials => Level::Error,
            Self::TwoCredentials | Self::ByteOrderMark => Level::Info,
            Self::ExportPrefix { .. }
            | Self::InlineComment { .. }
            | Self::NotInterpolated { .. }
            | Self::OpenQuote { .. }
            | Self::StrippedQuote { .. }
            | Self::EmptyClaim { .. }
            | Self::Duplicate { .. }
            | Self::NoKey
            | Self::ZeroByte { .. }
            | Self::BrokenSettings { .. } => Level::Warning,
        }
    }

    fn sentence(&self) -> String {
        match self {
            Self::ExportPrefix { key } => {
                format!("the key is literally `export {key}`, and `{key}` stays unset; remove `export`")
            }
            Self::InlineComment { key } => {
                format!("what follows `#` is part of the value of `{key}`; put the note on a line of its own")
            }
            Self::NotInterpolated { key } => {
                format!("`$` in the value of `{key}` is taken as it stands; write the value itself")
            }
            Self::OpenQuote { key } => {
                format!("the value of `{key}` opens a quote and ends without it: only this line is read; write the value on one line")
            }
            Self::StrippedQuote { key } => {
                format!("a quote at one end of the value of `{key}` is stripped; quotes at the ends never belong to a value")
            }
            Self::EmptyClaim { key } => {
                format!("`{key}` is claimed with an empty value, so that no later source can set it; remove the line or fill it")
            }
            Self::Duplicate { key, first } => {
                format!("`{key}` stands in line {first} already, and the first one counts; remove one of them")
            }
            Self::NoKey => "nothing stands before `=`; the line is skipped".to_owned(),
            Self::ZeroByte { key } => format!("`{key}` holds a zero byte, which no variable can; the line is skipped"),
            Self::ByteOrderMark => {
                "the file starts with a byte order mark, which is skipped here and makes flower miss the first key; save it without"
                    .to_owned()
            }
            Self::NotUtf8 => "the file is not UTF-8, so none of it is read, and flower ends with an error; save it as UTF-8".to_owned(),
            Self::Unreadable { reason } => format!("the file cannot be read: {reason}; it is skipped"),
            Self::BrokenSettings { reason } => format!("the settings are skipped: {reason}"),
            Self::TwoCredentials => {
                "both ANTHROPIC_API_KEY and ANTHROPIC_AUTH_TOKEN are set, and the CLI sends both; keep the one that is meant"
                    .to_owned()
            }
            Self::NoCredentials => {
                "neither ANTHROPIC_API_KEY nor ANTHROPIC_AUTH_TOKEN has a value; set one, or run `flower-run setup`".to_owned()
            }
        }
    }
}

/// A trap and where it was hit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The trap.
    pub trap: Trap,
    /// The file as shown, `None` for the settings as a whole.
    pub file: Option<String>,
    /// Line, counted from 1.
    pub line: Option<u64>,
}

impl Warning {
    /// The finding.
    pub fn finding(&self) -> Finding {
        self.trap.at(Place { file: self.file.clone(), line: self.line, ..Place::default() })
    }
}
