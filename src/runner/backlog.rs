use super::store::{Store, StoreError};
use std::collections::HashMap;
use std::thread;
use std::time::Duration;

/// Waits before an append is tried again, in milliseconds. Source: spec/runner.md, section 13.
const PAUSES: [u64; 3] = [0, 200, 800];

/// Bytes of entries that are held back while the store cannot be written; beyond it the CLI's own files have to do.
const MAX_HELD: usize = 16 << 20;

/// Entries on their way to the store, in their order: while it cannot be written they are held back.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    held: Vec<(String, Vec<String>)>,
    bytes: usize,
    /// The key that the store has for the session of a key, once that is known.
    keys: HashMap<String, String>,
    /// Some entries were not kept here: they are only in the CLI's own files.
    is_incomplete: bool,
}

impl Backlog {
    /// Notes that something is only in the CLI's own files.
    pub(super) const fn miss(&mut self) {
        self.is_incomplete = true;
    }

    /// Whether everything that came in is in the store.
    pub(super) const fn is_stored(&self) -> bool {
        !self.is_incomplete && self.held.is_empty()
    }

    /// Stores entries, and those that were held back before them.
    pub(super) fn store(&mut self, store: &mut Store, key: &str, entries: &[&str], now: i64) -> Result<(), StoreError> {
        let mut failure = None;
        // Once the store is known to fail, the CLI need not wait for every frame anew.
        let tries = if self.held.is_empty() { PAUSES.len() } else { 1 };
        for pause in PAUSES.into_iter().take(tries) {
            thread::sleep(Duration::from_millis(pause));
            match self.flush(store, now).and_then(|()| self.append(store, key, entries, now)) {
                Ok(()) => return Ok(()),
                Err(error) => failure = Some(error),
            }
        }
        self.hold(key, entries);
        failure.map_or(Ok(()), Err)
    }

    /// Stores what was held back.
    pub(super) fn flush(&mut self, store: &mut Store, now: i64) -> Result<(), StoreError> {
        while let Some((key, entries)) = self.held.first().cloned() {
            self.append(store, &key, &entries.iter().map(String::as_str).collect::<Vec<_>>(), now)?;
            self.held.remove(0);
        }
        self.bytes = 0;
        Ok(())
    }

    /// Appends under the key that the session has already.
    fn append(&mut self, store: &mut Store, key: &str, entries: &[&str], now: i64) -> Result<(), StoreError> {
        if !self.keys.contains_key(key) {
            self.keys.insert(key.to_owned(), store.key_of_same_session(key)?);
        }
        let key = self.keys.get(key).map_or(key, String::as_str);
        store.append(key, entries, now).map(drop)
    }

    fn hold(&mut self, key: &str, entries: &[&str]) {
        self.bytes += entries.iter().map(|entry| entry.len()).sum::<usize>();
        if self.bytes > MAX_HELD {
            self.is_incomplete = true;
        } else {
            self.held.push((key.to_owned(), entries.iter().map(|entry| (*entry).to_owned()).collect()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_keep_their_order_over_a_locked_store() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.db");
        let mut store = Store::open(&path).unwrap();
        store.connection.busy_timeout(Duration::ZERO).unwrap();
        let mut backlog = Backlog::default();
        let other = Store::open(&path).unwrap();
        other.connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        assert!(backlog.store(&mut store, "-w/s", &[r#"{"n":1}"#], 1).is_err());
        assert!(!backlog.is_stored());
        other.connection.execute_batch("ROLLBACK").unwrap();
        backlog.store(&mut store, "-w/s", &[r#"{"n":2}"#], 1).unwrap();
        assert!(backlog.is_stored());
        let stored: Vec<String> = store.payloads("-w/s").unwrap().into_iter().map(|(_, json)| json).collect();
        assert_eq!(stored, [r#"{"n":1}"#, r#"{"n":2}"#]);
    }

    #[test]
    fn what_is_too_much_is_left_to_the_files() {
        let mut backlog = Backlog::default();
        let large = "x".repeat(MAX_HELD / 2);
        backlog.hold("k", &[&large]);
        backlog.hold("k", &[&large]);
        assert!(!backlog.is_incomplete);
        backlog.hold("k", &["y"]);
        assert!(backlog.is_incomplete && backlog.held.len() == 2);
    }
}
