use std::borrow::Cow;

/// Where a line that is fed comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A stored entry, perhaps changed.
    Stored {
        /// Its sequence number.
        seq: i64,
    },
    /// Added by the layer heal.
    Healed {
        /// Sequence number of the entry that it follows.
        after: i64,
    },
}

/// One entry as it is fed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line<'a> {
    source: Source,
    json: Cow<'a, str>,
}

impl<'a> Line<'a> {
    pub(super) fn new(source: Source, json: impl Into<Cow<'a, str>>) -> Self {
        Self { source, json: json.into() }
    }

    /// Where it comes from.
    pub fn source(&self) -> Source {
        self.source
    }

    /// The entry: the bytes of the payload itself where no layer changed it.
    pub fn json(&self) -> &str {
        &self.json
    }

    /// Whether it is other than the stored entry.
    pub fn is_changed(&self) -> bool {
        matches!(self.json, Cow::Owned(_))
    }

    /// The entry without line ends: between the parts of a JSON value they are blanks, inside of a text they are escaped.
    pub fn on_one_line(&self) -> Cow<'_, str> {
        if self.json.contains(['\n', '\r']) {
            Cow::Owned(self.json.replace(['\n', '\r'], " "))
        } else {
            Cow::Borrowed(&self.json)
        }
    }
}
