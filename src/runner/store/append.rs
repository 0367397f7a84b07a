use super::super::json::Object;
use super::fold::fold;
use super::open::{Store, StoreError};
use super::summary_data::SummaryData;
use crate::run_dir::{Kind, StoreKey};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use std::borrow::Cow;
use std::collections::HashSet;

const LAST_MTIME: &str = include_str!("../../../queries/runner/last_mtime.sql");
const NEXT_SEQ: &str = include_str!("../../../queries/runner/next_seq.sql");
const HAS_UID: &str = include_str!("../../../queries/runner/has_uid.sql");
const INSERT_ENTRY: &str = include_str!("../../../queries/runner/insert_entry.sql");
const WRITE_META: &str = include_str!("../../../queries/runner/write_meta.sql");
const SUMMARY: &str = include_str!("../../../queries/runner/summary.sql");
const WRITE_SUMMARY: &str = include_str!("../../../queries/runner/write_summary.sql");

/// What became of a batch of entries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::runner) struct Appended {
    /// Entries that were written.
    pub(in crate::runner) written: usize,
    /// Entries whose uuid the store key has already.
    pub(in crate::runner) known: usize,
}

impl Store {
    /// Appends entries to a store key, all or none of them (spec/runner.md, section 13).
    ///
    /// An entry whose uuid is there already is left out; one without uuid never is. `now` is in milliseconds.
    pub(in crate::runner) fn append(&mut self, key: &str, entries: &[&str], now: i64) -> Result<Appended, StoreError> {
        // Two runners in one directory must not take the same numbers: the write lock comes before the first question.
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let new = new_entries(&transaction, key, entries)?;
        let appended = Appended { written: new.len(), known: entries.len() - new.len() };
        if new.is_empty() {
            return Ok(appended);
        }
        let last: Option<i64> = transaction.prepare_cached(LAST_MTIME)?.query_row([], |row| row.get(0))?;
        let mtime = now.max(self.last_mtime.saturating_add(1)).max(last.unwrap_or(0).saturating_add(1));
        let first: i64 = transaction.prepare_cached(NEXT_SEQ)?.query_row([key], |row| row.get(0))?;
        let mut next = first;
        let mut insert = transaction.prepare_cached(INSERT_ENTRY)?;
        for entry in &new {
            insert.execute(params![key, next, entry.uid, entry.json])?;
            next = next.saturating_add(1);
        }
        drop(insert);
        transaction.prepare_cached(WRITE_META)?.execute(params![key, mtime, next])?;
        let parts = StoreKey::parse(key);
        if parts.kind() == Kind::Main {
            summarise(&transaction, parts, &new, mtime)?;
        }
        transaction.commit()?;
        self.last_mtime = mtime;
        Ok(appended)
    }
}

/// An entry that is not in the store yet.
struct NewEntry<'a> {
    json: &'a str,
    object: Object<'a>,
    uid: Option<String>,
}

/// The entries without those whose uuid is known. Uuids are looked up one by one: a fork sends its whole history again.
fn new_entries<'a>(connection: &Connection, key: &str, entries: &[&'a str]) -> rusqlite::Result<Vec<NewEntry<'a>>> {
    let mut has_uid = connection.prepare_cached(HAS_UID)?;
    let mut seen = HashSet::new();
    let mut new = Vec::with_capacity(entries.len());
    for json in entries {
        let object = Object::parse(json).unwrap_or_default();
        let uid = object.text("uuid").map(Cow::into_owned);
        if let Some(uid) = &uid
            && (!seen.insert(uid.clone()) || has_uid.exists(params![key, uid])?)
        {
            continue;
        }
        new.push(NewEntry { json, object, uid });
    }
    Ok(new)
}

/// Folds the new entries into the summary of their main thread. A summary that cannot be read is made anew.
fn summarise(connection: &Connection, key: StoreKey<'_>, new: &[NewEntry<'_>], mtime: i64) -> rusqlite::Result<()> {
    let (project, session) = (key.project, key.session);
    let stored: Option<String> =
        connection.prepare_cached(SUMMARY)?.query_row([project, session], |row| row.get(0)).optional()?;
    let mut data = stored.as_deref().map(SummaryData::parse).unwrap_or_default();
    for entry in new {
        fold(&mut data, &entry.object);
    }
    let json = data.to_json(session, mtime);
    connection.prepare_cached(WRITE_SUMMARY)?.execute(params![project, session, mtime, json]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::super::super::frame::Frame;
    use super::super::super::mirror::store_key;
    use super::*;
    use serde_json::{Value, json};
    use std::fs;
    use std::path::{Path, PathBuf};

    const KEY: &str = "-w/11111111-1111-4111-8111-111111111111";

    fn store() -> Store {
        Store::open(Path::new(":memory:")).unwrap()
    }

    fn column(store: &Store, sql: &str) -> Vec<String> {
        let mut statement = store.connection.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get::<_, Option<String>>(0)).unwrap();
        rows.map(|row| row.unwrap().unwrap_or_else(|| "NULL".to_owned())).collect()
    }

    #[test]
    fn entries_are_numbered_and_kept_byte_for_byte() {
        let mut store = store();
        let odd = r#"{ "uuid" : "a", "text": "\ud83d", "big": 1e400 }"#;
        assert_eq!(store.append(KEY, &[odd, r#"{"type":"x"}"#], 5).unwrap(), Appended { written: 2, known: 0 });
        assert_eq!(store.append(KEY, &[r#"{"type":"x"}"#], 5).unwrap().written, 1, "without uuid nothing is the same");
        assert_eq!(column(&store, "SELECT payload FROM entries ORDER BY seq")[0], odd);
        assert_eq!(
            column(&store, "SELECT seq || ' ' || ifnull(uid, '-') FROM entries ORDER BY seq"),
            ["0 a", "1 -", "2 -"]
        );
        assert_eq!(column(&store, "SELECT mtime || ' ' || next_seq FROM meta"), ["6 3"], "time goes on");
    }

    #[test]
    fn known_uuids_are_left_out_and_change_nothing() {
        let mut store = store();
        let [a, b] = [r#"{"uuid":"a"}"#, r#"{"uuid":"b"}"#];
        assert_eq!(store.append(KEY, &[a, a, b], 1).unwrap(), Appended { written: 2, known: 1 });
        let before = column(&store, "SELECT mtime || '' FROM meta");
        assert_eq!(store.append(KEY, &[b, a], 99).unwrap(), Appended { written: 0, known: 2 });
        assert_eq!(column(&store, "SELECT mtime || '' FROM meta"), before, "nothing new, nothing written");
        assert_eq!(store.append("-w/other", &[a], 1).unwrap().written, 1, "another key knows nothing of it");
    }

    #[test]
    fn a_wrong_number_in_meta_does_not_stop_the_store() {
        let mut store = store();
        store.append(KEY, &[r#"{"a":1}"#, r#"{"a":2}"#], 1).unwrap();
        store.connection.execute("UPDATE meta SET next_seq = 0", []).unwrap();
        assert_eq!(store.append(KEY, &[r#"{"a":3}"#], 1).unwrap().written, 1);
        assert_eq!(column(&store, "SELECT max(seq) || '' FROM entries"), ["2"]);
    }

    #[test]
    fn only_main_threads_have_summaries() {
        let mut store = store();
        store.append(&format!("{KEY}/subagents/agent-a"), &[r#"{"cwd":"/w"}"#], 1).unwrap();
        assert_eq!(column(&store, "SELECT data FROM summaries"), Vec::<String>::new());
        store.append(KEY, &[r#"{"cwd":"/w"}"#], 1).unwrap();
        let expected = r#"{"session_id":"11111111-1111-4111-8111-111111111111","mtime":2,"data":{"is_sidechain":false,"cwd":"/w"}}"#;
        assert_eq!(column(&store, "SELECT data FROM summaries"), [expected]);
    }

    fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/protocol")
    }

    fn recordings() -> Vec<(String, String)> {
        let names = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name.ends_with(".ndjson")).collect();
        names.sort();
        names.into_iter().map(|name| (name.clone(), fs::read_to_string(folder().join(name)).unwrap())).collect()
    }

    /// Replays the mirror frames of a recording; the keys that have no place in a store.
    fn replay(store: &mut Store, recording: &str) -> Vec<String> {
        let mut strangers = Vec::new();
        for line in recording.lines() {
            let record = Object::parse(line).unwrap();
            let Some(Frame::Mirror { path, entries }) = record.raw("frame").and_then(Frame::parse) else { continue };
            let roots = ["/CFG/projects", "/RESUME_CFG/projects"];
            match roots.iter().find_map(|root| store_key(root, &path)) {
                Some(key) => drop(store.append(&key, &entries, 0).unwrap()),
                None => strangers.push(path.into_owned()),
            }
        }
        strangers
    }

    fn rows(store: &Store, sql: &str) -> Vec<(String, String)> {
        let mut statement = store.connection.prepare(sql).unwrap();
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn every_recording_makes_the_store_that_the_sdk_makes() {
        let expected: Value = serde_json::from_slice(&fs::read(folder().join("expected_store.json")).unwrap()).unwrap();
        let recordings = recordings();
        assert_eq!(recordings.len(), expected.as_object().unwrap().len());
        for (name, recording) in recordings {
            let mut store = Store::open(Path::new(":memory:")).unwrap();
            assert_eq!(replay(&mut store, &recording), Vec::<String>::new(), "{name}");
            let meta = rows(&store, "SELECT store_key, next_seq || '' FROM meta");
            let next: serde_json::Map<String, Value> =
                meta.into_iter().map(|(key, next)| (key, json!(next.parse::<i64>().unwrap()))).collect();
            let summaries = rows(&store, "SELECT project_key || '/' || session_id, data FROM summaries");
            let summaries: serde_json::Map<String, Value> = summaries
                .into_iter()
                .map(|(key, data)| {
                    let mut summary: Value = serde_json::from_str(&data).unwrap();
                    summary.as_object_mut().unwrap().remove("mtime");
                    (key, summary)
                })
                .collect();
            assert_eq!(json!({ "meta_next_seq": next, "summaries": summaries }), expected[&name], "{name}");
        }
    }

    #[test]
    fn replaying_again_adds_only_what_has_no_uuid() {
        for (name, recording) in recordings() {
            let mut store = Store::open(Path::new(":memory:")).unwrap();
            replay(&mut store, &recording);
            let with_uuid = "SELECT store_key || seq, payload FROM entries WHERE uid IS NOT NULL ORDER BY 1";
            let anonymous = "SELECT count(*) || '', '' FROM entries WHERE uid IS NULL";
            let (before, once) = (rows(&store, with_uuid), rows(&store, anonymous));
            replay(&mut store, &recording);
            let twice = once[0].0.parse::<usize>().unwrap() * 2;
            assert_eq!((rows(&store, with_uuid), rows(&store, anonymous)[0].0.parse()), (before, Ok(twice)), "{name}");
        }
    }
}
