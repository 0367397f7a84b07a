use crate::analysis::horizon::{horizon, is_believed};
use crate::session::{Ix, Model};
use crate::unit::Timestamp;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Times of entries that have none, or none that can be believed: that of the last entry before with one. A session is
/// walked once, when it is asked for.
#[derive(Debug, Default)]
pub(super) struct Clock {
    /// Later times were written by a wrong clock.
    horizon: Option<Timestamp>,
    known: Mutex<BTreeMap<usize, Vec<Option<Timestamp>>>>,
}

impl Clock {
    pub(super) fn new(model: &Model) -> Self {
        Self { horizon: horizon(model), known: Mutex::default() }
    }

    /// A time, if it can be believed.
    pub(super) fn believed(&self, time: Option<Timestamp>) -> Option<Timestamp> {
        time.filter(|time| is_believed(*time, self.horizon))
    }

    /// The newest time at or before the entry, in the order of the session; `None` before the first.
    pub(super) fn at(&self, model: &Model, session: usize, ix: Ix) -> Option<Timestamp> {
        let mut known = self.known.lock().ok()?;
        let times = known.entry(session).or_insert_with(|| {
            let entries = model.sessions.get(session).map(|s| s.session.entries.as_slice()).unwrap_or_default();
            let mut last = None;
            let mut time = |own: Option<Timestamp>| {
                last = self.believed(own).or(last);
                last
            };
            entries.iter().map(|entry| time(entry.timestamp)).collect()
        });
        times.get(ix.position()).copied().flatten()
    }
}
