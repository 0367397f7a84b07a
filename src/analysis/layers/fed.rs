use crate::layers::{Line, Loaded, Source};
use crate::run_dir::Row;
use crate::session::{Ix, Model, SessionModel};
use crate::transcript::{Entry, Interner, Notes, Outcome, Session, Transcripts, decode_row};
use foldhash::{HashMap, HashMapExt};
use std::borrow::Cow;

/// A session as it is stored and as it is fed.
pub(super) struct Fed<'a> {
    pub(super) before: &'a SessionModel,
    pub(super) loaded: &'a Loaded<'a>,
    after: Cow<'a, SessionModel>,
    /// Where the entries with these sequence numbers are fed.
    by_seq: HashMap<i64, Ix>,
    /// Where the added entries are fed, by the sequence number that they follow.
    healed: HashMap<i64, Ix>,
}

impl<'a> Fed<'a> {
    /// Builds the model of what is fed. Entries that no layer changed are taken over without being decoded again.
    pub(super) fn new(before: &'a SessionModel, loaded: &'a Loaded<'a>) -> Self {
        let (mut by_seq, mut healed) = (HashMap::new(), HashMap::new());
        for (ix, line) in Ix::all(loaded.lines.len()).zip(&loaded.lines) {
            match line.source() {
                Source::Stored { seq } => by_seq.insert(seq, ix),
                Source::Healed { after } => healed.insert(after, ix),
            };
        }
        let after = if loaded.changes.is_empty() { Cow::Borrowed(before) } else { Cow::Owned(model(before, loaded)) };
        Self { before, loaded, after, by_seq, healed }
    }

    /// The model of what is fed.
    pub(super) fn after(&self) -> &SessionModel {
        &self.after
    }

    /// Where the entry with this sequence number is fed.
    pub(super) fn at(&self, seq: i64) -> Option<Ix> {
        self.by_seq.get(&seq).copied()
    }

    /// Where the entry that was added behind this sequence number is fed.
    pub(super) fn healed_behind(&self, seq: i64) -> Option<Ix> {
        self.healed.get(&seq).copied()
    }

    /// What is fed at `ix`.
    pub(super) fn line(&self, ix: Ix) -> Option<&Line<'a>> {
        self.loaded.lines.get(ix.position())
    }

    /// The stored entry with this sequence number.
    pub(super) fn stored(&self, seq: i64) -> Option<(Ix, &'a Entry)> {
        let entries = &self.before.session.entries;
        let at = entries.binary_search_by_key(&seq, |entry| entry.seq).ok()?;
        Some((Ix::new(at)?, entries.get(at)?))
    }

    /// Whether the model saw the stored entry at `ix`.
    pub(super) fn was_loaded(&self, ix: Ix) -> bool {
        self.before.chain.loaded[ix]
    }

    /// Whether the model sees what is fed at `ix`.
    pub(super) fn is_loaded(&self, ix: Ix) -> bool {
        self.after().chain.loaded[ix]
    }
}

fn model(before: &SessionModel, loaded: &Loaded<'_>) -> SessionModel {
    let mut interner = Interner::default();
    let stored = &before.session.entries;
    let entry = |line: &Line<'_>| {
        let (Source::Stored { seq } | Source::Healed { after: seq }) = line.source();
        let known = stored.binary_search_by_key(&seq, |entry| entry.seq).ok().and_then(|at| stored.get(at))?;
        let is_stored = matches!(line.source(), Source::Stored { .. });
        if is_stored && !line.is_changed() {
            return Some(known.clone());
        }
        let row =
            Row { store_key: before.store_key(), position: known.row, uid: None, payload: Ok(line.json().as_bytes()) };
        let mut found = None;
        decode_row(&row, &mut interner, &mut |outcome| {
            if let Outcome::Entry(entry) = outcome {
                found = Some(Entry { seq, position: known.position, ..entry });
            }
        });
        found
    };
    let entries = loaded.lines.iter().filter_map(entry).collect();
    let session = Session { store_key: before.store_key().to_owned(), entries, defects: Vec::new() };
    let transcripts = Transcripts { sessions: vec![session], notes: Notes::default() };
    let mut sessions = Model::build(transcripts).sessions;
    sessions.pop().unwrap_or_else(|| before.clone())
}
