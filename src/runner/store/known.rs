use super::summary_data::SummaryData;
use rusqlite::Connection;
use std::collections::HashMap;

/// Another number once another connection has committed.
const DATA_VERSION: &str = "PRAGMA data_version";
const LAST_MTIME: &str = include_str!("../../../queries/runner/last_mtime.sql");

/// What this process wrote last: true as long as nobody else writes, so that it is not read again for every frame.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// Changes when another connection commits.
    data_version: i64,
    threads: HashMap<String, KnownThread>,
    /// The time of the last append in the store.
    stored_mtime: Option<i64>,
    /// The time of our last append; it counts even if its rows are gone.
    own_mtime: i64,
}

/// Where a store key stands.
#[derive(Debug, Clone)]
pub(super) struct KnownThread {
    /// The sequence number of the next entry.
    pub(super) next_seq: i64,
    /// The summary, if it is that of a main thread.
    pub(super) summary: Option<SummaryData>,
}

impl Known {
    /// Asks, under the write lock, whether what is known still holds.
    pub(super) fn forget_if_others_wrote(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let data_version = connection.prepare_cached(DATA_VERSION)?.query_row([], |row| row.get(0))?;
        if data_version != self.data_version {
            *self = Self { data_version, own_mtime: self.own_mtime, ..Self::default() };
        }
        Ok(())
    }

    /// Forgets what was not committed after all.
    pub(super) fn forget(&mut self) {
        *self = Self { own_mtime: self.own_mtime, ..Self::default() };
    }

    /// Where the store key stands, if that is known.
    pub(super) fn thread(&self, key: &str) -> Option<&KnownThread> {
        self.threads.get(key)
    }

    /// The time that the next append must be later than.
    pub(super) fn last_mtime(&self, connection: &Connection) -> rusqlite::Result<i64> {
        if let Some(mtime) = self.stored_mtime {
            return Ok(mtime);
        }
        let stored: Option<i64> = connection.prepare_cached(LAST_MTIME)?.query_row([], |row| row.get(0))?;
        Ok(self.own_mtime.max(stored.unwrap_or(0)))
    }

    /// Notes what was written; whoever does not commit it says [`Known::forget`].
    pub(super) fn wrote(&mut self, key: &str, thread: KnownThread, mtime: i64) {
        (self.stored_mtime, self.own_mtime) = (Some(mtime), mtime);
        match self.threads.get_mut(key) {
            Some(known) => *known = thread,
            None => drop(self.threads.insert(key.to_owned(), thread)),
        }
    }
}
