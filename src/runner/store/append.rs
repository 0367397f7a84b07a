use super::super::json::Object;
use super::fold::fold;
use super::known::{Known, KnownThread};
use super::open::{Store, StoreError};
use super::summary_data::SummaryData;
use crate::run_dir::{Kind, StoreKey};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

const NEXT_SEQ: &str = include_str!("../../../queries/runner/next_seq.sql");
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
        self.append_all(&[(key, entries)], now)
    }

    /// Appends several batches one after the other, each to its store key, all or none of them. What arrives together is
    /// written together, so that a burst is flushed once.
    pub(in crate::runner) fn append_all(
        &mut self,
        batches: &[(&str, &[&str])],
        now: i64,
    ) -> Result<Appended, StoreError> {
        let Self { connection, known, .. } = self;
        // Two runners in one directory must not take the same numbers: the write lock comes before the first question.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        known.forget_if_others_wrote(&transaction)?;
        let mut appended = Appended::default();
        let all = batches.iter().try_for_each(|(key, entries)| {
            let written = append_batch(&transaction, known, key, entries, now)?;
            appended.written += written;
            appended.known += entries.len().saturating_sub(written);
            Ok(())
        });
        let ended = match all {
            Ok(()) if appended.written == 0 => Ok(()),
            Ok(()) => transaction.commit(),
            Err(error) => Err(error),
        };
        if ended.is_err() {
            known.forget();
        }
        Ok(ended.map(|()| appended)?)
    }
}

/// Writes the new entries of a batch, and where its key stands now; how many those were.
fn append_batch(
    transaction: &Connection,
    known: &mut Known,
    key: &str,
    entries: &[&str],
    now: i64,
) -> rusqlite::Result<usize> {
    let parts = StoreKey::parse(key);
    let mut thread = match known.thread(key) {
        Some(thread) => thread.clone(),
        None => read_thread(transaction, key, parts)?,
    };
    let first = thread.next_seq;
    append_new(transaction, key, entries, &mut thread)?;
    let written = usize::try_from(thread.next_seq.saturating_sub(first)).unwrap_or(0);
    if written > 0 {
        let mtime = now.max(known.last_mtime(transaction)?.saturating_add(1));
        transaction.prepare_cached(WRITE_META)?.execute(params![key, mtime, thread.next_seq])?;
        if let Some(summary) = &thread.summary {
            let json = summary.to_json(parts.session, mtime);
            transaction.prepare_cached(WRITE_SUMMARY)?.execute(params![parts.project, parts.session, mtime, json])?;
        }
        known.wrote(key, thread, mtime);
    }
    Ok(written)
}

/// Where a store key stands. A summary that cannot be read is made anew.
fn read_thread(connection: &Connection, key: &str, parts: StoreKey<'_>) -> rusqlite::Result<KnownThread> {
    let next_seq = connection.prepare_cached(NEXT_SEQ)?.query_row([key], |row| row.get(0))?;
    if parts.kind() != Kind::Main {
        return Ok(KnownThread { next_seq, summary: None });
    }
    let mut statement = connection.prepare_cached(SUMMARY)?;
    let stored: Option<String> = statement.query_row([parts.project, parts.session], |row| row.get(0)).optional()?;
    Ok(KnownThread { next_seq, summary: Some(stored.as_deref().map(SummaryData::parse).unwrap_or_default()) })
}

/// Inserts the entries whose uuid is not there yet, and folds them into the summary of a main thread.
fn append_new(connection: &Connection, key: &str, entries: &[&str], thread: &mut KnownThread) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(INSERT_ENTRY)?;
    for json in entries {
        let entry = Object::parse(json).unwrap_or_default();
        if insert.execute(params![key, thread.next_seq, entry.text("uuid"), json])? == 0 {
            continue;
        }
        thread.next_seq = thread.next_seq.saturating_add(1);
        if let Some(summary) = &mut thread.summary {
            fold(summary, &entry);
        }
    }
    Ok(())
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
    fn batches_that_come_together_are_written_together() {
        let mut store = store();
        let agent = format!("{KEY}/subagents/agent-a");
        let both: [&str; 2] = [r#"{"uuid":"a"}"#, r#"{"uuid":"b"}"#];
        let batches: [(&str, &[&str]); 3] = [(KEY, &both[..1]), (&agent, &both[..1]), (KEY, &both)];
        assert_eq!(store.append_all(&batches, 5).unwrap(), Appended { written: 3, known: 1 });
        let meta = "SELECT store_key || ' ' || mtime || ' ' || next_seq FROM meta ORDER BY mtime";
        assert_eq!(column(&store, meta), [format!("{agent} 6 1"), format!("{KEY} 7 2")]);
        let trigger =
            "CREATE TRIGGER t BEFORE INSERT ON entries WHEN new.uid = 'd' BEGIN SELECT RAISE(FAIL, 'full'); END";
        store.connection.execute_batch(trigger).unwrap();
        let batches: [(&str, &[&str]); 2] = [(KEY, &[r#"{"uuid":"c"}"#]), (KEY, &[r#"{"uuid":"d"}"#])];
        assert!(store.append_all(&batches, 5).is_err());
        store.connection.execute_batch("DROP TRIGGER t").unwrap();
        assert_eq!(store.append_all(&batches, 5).unwrap().written, 2, "the first one was not kept alone");
        assert!(column(&store, meta)[1].ends_with(" 4"));
    }

    #[test]
    fn a_wrong_number_in_meta_does_not_stop_the_store() {
        let mut store = store();
        store.append(KEY, &[r#"{"a":1}"#, r#"{"a":2}"#], 1).unwrap();
        store.connection.execute("UPDATE meta SET next_seq = 0", []).unwrap();
        store.known = Known::default();
        assert_eq!(store.append(KEY, &[r#"{"a":3}"#], 1).unwrap().written, 1);
        assert_eq!(column(&store, "SELECT max(seq) || '' FROM entries"), ["2"]);
    }

    #[test]
    fn what_another_process_wrote_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let [mut one, mut other] = [(); 2].map(|()| Store::open(&folder.path().join("s.db")).unwrap());
        let entry = |n: u8| format!(r#"{{"uuid":"{n}","gitBranch":"b{n}"}}"#);
        one.append(KEY, &[&entry(0)], 7).unwrap();
        other.append(KEY, &[&entry(0), &entry(1)], 7).unwrap();
        one.append(KEY, &[&entry(1), &entry(2)], 7).unwrap();
        one.append(KEY, &[&entry(3)], 7).unwrap();
        assert_eq!(column(&one, "SELECT seq || uid FROM entries ORDER BY seq"), ["00", "11", "22", "33"]);
        assert_eq!(column(&other, "SELECT mtime || ' ' || next_seq FROM meta"), ["10 4"]);
        let expected = r#"{"session_id":"11111111-1111-4111-8111-111111111111","mtime":10,"data":{"is_sidechain":false,"git_branch":"b3"}}"#;
        assert_eq!(column(&one, "SELECT data FROM summaries"), [expected]);
    }

    #[test]
    fn an_append_that_fails_is_not_taken_for_written() {
        let mut store = store();
        store.append(KEY, &[r#"{"uuid":"a"}"#], 1).unwrap();
        store
            .connection
            .execute_batch("CREATE TRIGGER t BEFORE INSERT ON summaries BEGIN SELECT RAISE(FAIL, 'full'); END")
            .unwrap();
        assert!(store.append(KEY, &[r#"{"uuid":"b","cwd":"/lost"}"#], 1).is_err());
        store.connection.execute_batch("DROP TRIGGER t").unwrap();
        assert_eq!(store.append(KEY, &[r#"{"uuid":"b"}"#], 1).unwrap().written, 1);
        assert_eq!(column(&store, "SELECT seq || uid FROM entries ORDER BY seq"), ["0a", "1b"]);
        assert!(!column(&store, "SELECT data FROM summaries")[0].contains("lost"));
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
