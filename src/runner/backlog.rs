use super::clock;
use super::store::{Store, StoreError};
use crate::unit::counted;
use std::collections::HashMap;
use std::thread;
use std::time::{Duration, Instant};
use thiserror::Error;

/// Waits before an append is tried again, in milliseconds. Source: spec/runner.md, section 13.
const PAUSES: [u64; 3] = [0, 200, 800];

/// Bytes of entries that are held back while the store cannot be written; beyond it the CLI's own files have to do.
const MAX_HELD: usize = 16 << 20;

/// How long a store that failed is left alone: trying takes up to some seconds, and the CLI waits meanwhile.
const REST: Duration = Duration::from_secs(10);

/// Entries on their way to the store, in their order: while it cannot be written they are held back.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    held: Vec<(String, Vec<String>)>,
    bytes: usize,
    /// The key that the store has for the session of a key, once that is known.
    keys: HashMap<String, String>,
    /// When the store failed last.
    failed_at: Option<Instant>,
}

/// Entries of one frame, and the store key that the CLI's file has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mirrored<'a> {
    pub(super) key: String,
    pub(super) entries: Vec<&'a str>,
}

/// Entries that could not be stored.
#[derive(Debug, Error)]
#[error("{} held back: {reason}", counted(*.entries, "entry"))]
pub(super) struct HeldBack {
    entries: usize,
    reason: String,
}

impl Backlog {
    /// How many entries are held back.
    pub(super) fn held(&self) -> usize {
        self.held.iter().map(|(_, entries)| entries.len()).sum()
    }

    /// Stores entries, and those that were held back before them.
    pub(super) fn store(&mut self, store: &mut Store, frames: &[Mirrored<'_>], now: i64) -> Result<(), HeldBack> {
        if frames.is_empty() {
            return Ok(());
        }
        let held_back = |reason| HeldBack { entries: frames.iter().map(|frame| frame.entries.len()).sum(), reason };
        if self.failed_at.is_some_and(|at| clock::instant().duration_since(at) < REST) {
            self.hold(frames);
            return Err(held_back("the store failed a moment ago".to_owned()));
        }
        let mut reason = String::new();
        // Once the store is known to fail, the CLI need not wait for every frame anew.
        let tries = if self.held.is_empty() { PAUSES.len() } else { 1 };
        for pause in PAUSES.into_iter().take(tries) {
            thread::sleep(Duration::from_millis(pause));
            match self.flush(store, now).and_then(|()| self.append(store, frames, now)) {
                Ok(()) => return Ok(()),
                Err(error) => reason = error.to_string(),
            }
        }
        self.failed_at = Some(clock::instant());
        self.hold(frames);
        Err(held_back(reason))
    }

    /// Stores what was held back.
    pub(super) fn flush(&mut self, store: &mut Store, now: i64) -> Result<(), StoreError> {
        while let Some((key, entries)) = self.held.first().cloned() {
            let entries = entries.iter().map(String::as_str).collect();
            self.append(store, &[Mirrored { key, entries }], now)?;
            self.held.remove(0);
        }
        (self.bytes, self.failed_at) = (0, None);
        Ok(())
    }

    /// Appends under the key that the session has already.
    fn append(&mut self, store: &mut Store, frames: &[Mirrored<'_>], now: i64) -> Result<(), StoreError> {
        for Mirrored { key, .. } in frames {
            if !self.keys.contains_key(key) {
                self.keys.insert(key.clone(), store.key_of_same_session(key)?);
            }
        }
        let batches: Vec<(&str, &[&str])> = frames
            .iter()
            .map(|Mirrored { key, entries }| (self.keys.get(key).unwrap_or(key).as_str(), entries.as_slice()))
            .collect();
        store.append_all(&batches, now).map(drop)
    }

    fn hold(&mut self, frames: &[Mirrored<'_>]) {
        for Mirrored { key, entries } in frames {
            let bytes = entries.iter().map(|entry| entry.len()).sum::<usize>();
            if self.bytes + bytes <= MAX_HELD {
                self.bytes += bytes;
                self.held.push((key.clone(), entries.iter().map(|entry| (*entry).to_owned()).collect()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame<'a>(key: &str, entry: &'a str) -> [Mirrored<'a>; 1] {
        [Mirrored { key: key.to_owned(), entries: vec![entry] }]
    }

    #[test]
    fn entries_keep_their_order_over_a_locked_store() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.db");
        let mut store = Store::open(&path).unwrap();
        store.connection.busy_timeout(Duration::ZERO).unwrap();
        let mut backlog = Backlog::default();
        let other = Store::open(&path).unwrap();
        other.connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        let failed = backlog.store(&mut store, &frame("-w/s", r#"{"n":1}"#), 1).unwrap_err().to_string();
        assert!(failed.starts_with("1 entry held back: ") && failed.contains("locked"), "{failed}");
        let failed = backlog.store(&mut store, &frame("-w/s", r#"{"n":2}"#), 1).unwrap_err().to_string();
        assert_eq!((failed.as_str(), backlog.held()), ("1 entry held back: the store failed a moment ago", 2));
        other.connection.execute_batch("ROLLBACK").unwrap();
        backlog.flush(&mut store, 1).unwrap();
        backlog.store(&mut store, &frame("-w/s", r#"{"n":3}"#), 1).unwrap();
        assert_eq!(backlog.held(), 0);
        let stored: Vec<String> = store.payloads("-w/s").unwrap().into_iter().map(|(_, json)| json).collect();
        assert_eq!(stored, [r#"{"n":1}"#, r#"{"n":2}"#, r#"{"n":3}"#]);
    }

    #[test]
    fn what_is_too_much_is_left_to_the_files() {
        let mut backlog = Backlog::default();
        let large = "x".repeat(MAX_HELD / 2);
        backlog.hold(&frame("k", &large));
        backlog.hold(&frame("k", &large));
        backlog.hold(&frame("k", "y"));
        assert_eq!(backlog.held(), 2);
    }
}
