use crate::report::{Cell, Facts};
use crate::run_dir::ShortNames;
use crate::unit::Zone;

/// Files that are listed one by one; more are only counted.
const MAX_FILES: usize = 6;

/// How the source was read, in the words that every report shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// The path as given.
    pub path: String,
    /// What it is.
    pub kind: String,
    /// How it was read, in one sentence.
    pub method: String,
    /// What recovery did, one sentence each.
    pub recovery: Vec<String>,
    /// Files with their size, and their hash if it was taken.
    pub files: Vec<String>,
    /// Bytes of all files.
    pub bytes: u64,
    /// The hashes were taken, so every file is listed.
    pub hashed: bool,
    /// Whether the source stayed as it was.
    pub unchanged: bool,
    /// What changed.
    pub changes: Vec<String>,
    /// How people name the sessions.
    pub names: ShortNames,
    /// The zone in which times are shown.
    pub zone: Zone,
}

impl Opening {
    /// The first line of a report.
    pub(super) fn title(&self, what: &str) -> String {
        format!("{what} of {} ({})", self.path, self.kind)
    }

    /// The facts about the evidence that close every report.
    pub(super) fn facts(&self) -> Facts {
        let state = if self.unchanged {
            Cell::text("unchanged between opening and closing").good()
        } else {
            Cell::text(format!("changed while it was read, not by this program: {}", self.changes.join("; "))).warn()
        };
        let facts = Facts::new().line("read", self.method.as_str());
        let facts = self.recovery.iter().fold(facts, |facts, line| facts.line("recovery", line.as_str()));
        let facts = facts.line("source", state);
        let shown = if self.files.len() > MAX_FILES && !self.hashed { 0 } else { self.files.len() };
        let facts = self.files.iter().take(shown).fold(facts, |facts, file| facts.line("file", file.as_str()));
        let counted =
            || format!("{} files, {} bytes; --hash and --format json list them", self.files.len(), self.bytes);
        let facts = facts.line_if("files", (shown < self.files.len()).then(counted));
        facts.line("times", format!("shown in {}", self.zone.name()))
    }
}
