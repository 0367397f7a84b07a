use super::open::{Store, StoreError};
use rusqlite::Connection;
use std::collections::HashMap;

const HAS_SESSION: &str = include_str!("../../../queries/runner/has_session.sql");
const HAS_UID: &str = include_str!("../../../queries/runner/has_uid.sql");
const PAYLOADS_WITHOUT_UID: &str = include_str!("../../../queries/runner/payloads_without_uid.sql");
const SUBAGENTS: &str = include_str!("../../../queries/runner/subagents.sql");
const SESSION_KEYS: &str = include_str!("../../../queries/runner/session_keys.sql");
const PAYLOADS: &str = include_str!("../../../queries/runner/payloads.sql");

impl Store {
    /// Whether anything was stored under the store key.
    pub(in crate::runner) fn has_session(&self, key: &str) -> Result<bool, StoreError> {
        Ok(self.connection.prepare_cached(HAS_SESSION)?.exists([key])?)
    }

    /// Whether the store key has an entry with this uuid.
    pub(in crate::runner) fn has_uid(&self, key: &str, uid: &str) -> Result<bool, StoreError> {
        Ok(self.connection.prepare_cached(HAS_UID)?.exists([key, uid])?)
    }

    /// The payloads of entries without uuid, each with how often it is there.
    pub(in crate::runner) fn without_uid(&self, key: &str) -> Result<HashMap<String, usize>, StoreError> {
        let mut statement = self.connection.prepare_cached(PAYLOADS_WITHOUT_UID)?;
        let mut rows = statement.query([key])?;
        let mut counts = HashMap::new();
        while let Some(row) = rows.next()? {
            *counts.entry(row.get(0)?).or_default() += 1;
        }
        Ok(counts)
    }

    /// The store keys of the subagents of a main thread.
    pub(in crate::runner) fn subagents(&self, key: &str) -> Result<Vec<String>, StoreError> {
        // `0` follows `/`: every text that begins with the key and a slash lies between the two.
        let mut statement = self.connection.prepare_cached(SUBAGENTS)?;
        let keys = statement.query_map([format!("{key}/"), format!("{key}0")], |row| row.get(0))?;
        Ok(keys.collect::<Result<_, _>>()?)
    }

    /// The key under which the session of `key` is stored already: flower names projects in another way, and a session must
    /// not be torn in two. Without one that is certain, `key` itself.
    pub(in crate::runner) fn key_of_same_session(&self, key: &str) -> Result<String, StoreError> {
        if self.has_session(key)? {
            return Ok(key.to_owned());
        }
        let Some(at) = key.find('/') else { return Ok(key.to_owned()) };
        let mut statement = self.connection.prepare_cached(SESSION_KEYS)?;
        let found = statement.query_map([key.get(at..)], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
        Ok(match <[String; 1]>::try_from(found) {
            Ok([only]) => only,
            Err(_) => key.to_owned(),
        })
    }

    /// The payloads of a store key with their numbers, in their order. What is no text in a damaged store is left out.
    pub(in crate::runner) fn payloads(&self, key: &str) -> Result<Vec<(i64, String)>, StoreError> {
        Ok(payloads(&self.connection, key)?)
    }
}

fn payloads(connection: &Connection, key: &str) -> rusqlite::Result<Vec<(i64, String)>> {
    let mut statement = connection.prepare_cached(PAYLOADS)?;
    let mut rows = statement.query([key])?;
    let mut payloads = Vec::new();
    while let Some(row) = rows.next()? {
        if let Ok(bytes) = row.get_ref(1)?.as_bytes() {
            payloads.push((row.get(0)?, String::from_utf8_lossy(bytes).into_owned()));
        }
    }
    Ok(payloads)
}
