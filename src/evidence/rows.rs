//! The rows of `entries`, in ranges of rowid over several connections.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Statement, params};
use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::error::{LastRow, Reached};
use super::store::Store;
use super::{Remark, connection};
use crate::run_dir::limits::{MAX_PAYLOAD_BYTES, MAX_STORE_KEY_BYTES};
use crate::run_dir::{Position, Row};

const ROWS: &str = include_str!("../../queries/store/rows.sql");
const ROWS_BY_KEY: &str = include_str!("../../queries/store/rows_by_key.sql");
const FIRST_ROW: &str = include_str!("../../queries/store/first_row.sql");
const LAST_ROW: &str = include_str!("../../queries/store/last_row.sql");
const PAYLOAD: &str = include_str!("../../queries/store/payload.sql");

/// Rowids that a thread takes at a time: large against the cost of a statement, small against the rows of a large store.
const RANGE: i64 = 2000;

/// Rows that were handed out although a column was not as expected.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Oddities {
    store_keys: u64,
    uids: u64,
}

/// Why a scan ended early.
pub(super) struct Stopped {
    pub(super) error: rusqlite::Error,
    pub(super) reached: Reached,
}

/// Hands every row to `each`: one state per thread, made by `new`.
pub(super) fn scan<S: Send>(
    store: &Store,
    threads: NonZeroUsize,
    new: &(impl Fn() -> S + Sync),
    each: &(impl Fn(&mut S, Row<'_>) + Sync),
) -> Result<(Vec<S>, Oddities), Stopped> {
    let last = if threads.get() == 1 || store.is_small() || !store.shape.has_rowid {
        None
    } else {
        // If the last row cannot be found, reading in order shows how far the rows go.
        store.connection.query_row(LAST_ROW, [], |row| row.get::<_, i64>(0)).ok()
    };
    let Some(last) = last else {
        let mut worker = Worker::new(new());
        let ended = if store.shape.has_rowid {
            worker.read_all(&store.connection, each)
        } else {
            worker.read_by_key(&store.connection, each)
        };
        return match ended {
            Ok(()) => Ok((vec![worker.state], worker.oddities)),
            Err(error) => Err(Stopped { error, reached: worker.reached(&store.connection) }),
        };
    };
    let first = store.connection.query_row(FIRST_ROW, [i64::MIN], |row| row.get::<_, i64>(0));
    let first = first.map_err(|error| Stopped { error, reached: Reached::default() })?;
    let file = store.file.as_path();
    let ranges = Ranges { next: Mutex::new(Some(first)), last };
    let ended = std::thread::scope(|scope| {
        let spawn = |_| scope.spawn(|| run(file, &ranges, Worker::new(new()), each));
        let handles: Vec<_> = (0..threads.get()).map(spawn).collect();
        let join = |handle: std::thread::ScopedJoinHandle<'_, _>| {
            handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        handles.into_iter().map(join).collect::<Vec<_>>()
    });
    gather(ended)
}

/// How far the rows of a damaged database can be read, in order.
pub(super) fn reach(connection: &Connection) -> Reached {
    let mut worker = Worker::new(());
    match worker.read_all(connection, &|(), _| ()) {
        Ok(()) | Err(_) => worker.reached(connection),
    }
}

impl Oddities {
    /// What is to be said about them.
    pub(super) fn remarks(self) -> impl Iterator<Item = Remark> {
        let counted = |rows: u64, remark: fn(u64) -> Remark| (rows > 0).then(|| remark(rows));
        [
            counted(self.store_keys, |rows| Remark::OddStoreKeys { rows }),
            counted(self.uids, |rows| Remark::OddUids { rows }),
        ]
        .into_iter()
        .flatten()
    }
}

/// The rowids that no thread has taken yet.
struct Ranges {
    next: Mutex<Option<i64>>,
    last: i64,
}

impl Ranges {
    fn take(&self) -> Option<(i64, i64)> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let from = (*next)?;
        let to = from.saturating_add(RANGE - 1).min(self.last);
        *next = (to < self.last).then(|| to.saturating_add(1));
        Some((from, to))
    }

    /// Rowids may lie far apart; an empty range would otherwise be followed by as many as fit in between.
    fn skip_to(&self, rowid: i64) {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = next.as_mut() {
            *at = rowid.max(*at);
        }
    }

    fn stop(&self) {
        *self.next.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

type Ended<S> = Result<Worker<S>, (rusqlite::Error, Reached)>;

fn run<S>(file: &Path, ranges: &Ranges, mut worker: Worker<S>, each: &impl Fn(&mut S, Row<'_>)) -> Ended<S> {
    let failed = |error| {
        ranges.stop();
        error
    };
    let connection = connection::immutable(file).map_err(|error| failed((error, Reached::default())))?;
    let mut statement = connection.prepare(ROWS).map_err(|error| failed((error, Reached::default())))?;
    while let Some((from, to)) = ranges.take() {
        let before = worker.rows;
        let ended = worker.read(&mut statement, params![from, to, longest(), longest_key()], each).and_then(|()| {
            if worker.rows == before
                && let Some(next) = connection.query_row(FIRST_ROW, [to], |row| row.get(0)).optional()?
            {
                ranges.skip_to(next);
            }
            Ok(())
        });
        if let Err(error) = ended {
            return Err(failed((error, worker.reached(&connection))));
        }
    }
    Ok(worker)
}

fn gather<S>(ended: Vec<Ended<S>>) -> Result<(Vec<S>, Oddities), Stopped> {
    let mut states = Vec::new();
    let mut oddities = Oddities::default();
    let mut rows = 0;
    let mut stopped: Option<Stopped> = None;
    for one in ended {
        match one {
            Ok(worker) => {
                rows += worker.rows;
                oddities.store_keys += worker.oddities.store_keys;
                oddities.uids += worker.oddities.uids;
                states.push(worker.state);
            }
            Err((error, reached)) => {
                rows += reached.rows;
                stopped = Some(Stopped { error, reached });
            }
        }
    }
    match stopped {
        None => Ok((states, oddities)),
        Some(Stopped { error, reached }) => Err(Stopped { error, reached: Reached { rows, ..reached } }),
    }
}

/// One thread's work.
struct Worker<S> {
    state: S,
    rows: u64,
    last: Option<i64>,
    oddities: Oddities,
}

impl<S> Worker<S> {
    fn new(state: S) -> Self {
        Self { state, rows: 0, last: None, oddities: Oddities::default() }
    }

    fn read_all(&mut self, connection: &Connection, each: &impl Fn(&mut S, Row<'_>)) -> rusqlite::Result<()> {
        self.read(&mut connection.prepare(ROWS)?, params![i64::MIN, i64::MAX, longest(), longest_key()], each)
    }

    fn read_by_key(&mut self, connection: &Connection, each: &impl Fn(&mut S, Row<'_>)) -> rusqlite::Result<()> {
        self.read(&mut connection.prepare(ROWS_BY_KEY)?, params![longest(), longest_key()], each)
    }

    fn read(
        &mut self,
        statement: &mut Statement<'_>,
        parameters: impl rusqlite::Params,
        each: &impl Fn(&mut S, Row<'_>),
    ) -> rusqlite::Result<()> {
        let mut rows = statement.query(parameters)?;
        while let Some(row) = rows.next()? {
            self.hand_out(row, each)?;
        }
        Ok(())
    }

    fn hand_out(&mut self, row: &rusqlite::Row<'_>, each: &impl Fn(&mut S, Row<'_>)) -> rusqlite::Result<()> {
        let rowid = match integer(row.get_ref(0)?) {
            Some(rowid) if self.last.is_some_and(|last| rowid <= last) => return Err(out_of_order()),
            Some(rowid) => rowid,
            // Without rowids, the place in the order of reading stands in.
            None => i64::try_from(self.rows + 1).unwrap_or(i64::MAX),
        };
        let seq = integer(row.get_ref(2)?);
        let store_key = store_key(row.get_ref(1)?, &mut self.oddities);
        let uid = row.get_ref(3)?;
        let uid_text = uid.as_str().ok();
        self.oddities.uids += u64::from(uid_text.is_none() && uid != ValueRef::Null);
        let (payload, too_long) = (row.get_ref(4)?, row.get_ref(5)?);
        let said;
        let payload = match (payload, too_long) {
            (ValueRef::Null, ValueRef::Integer(bytes)) => {
                said = format!("too long: {bytes} bytes");
                Err(said.as_str())
            }
            (ValueRef::Text(bytes) | ValueRef::Blob(bytes), _) => Ok(bytes),
            (ValueRef::Null, _) => Err("null"),
            (ValueRef::Integer(_), _) => Err("integer"),
            (ValueRef::Real(_), _) => Err("real"),
        };
        let position = Position::Database { rowid, seq };
        each(&mut self.state, Row { store_key: &store_key, position, uid: uid_text, payload });
        self.rows += 1;
        self.last = Some(rowid);
        Ok(())
    }

    /// The last row is read again only now, so that a scan keeps nothing per row.
    fn reached(&self, connection: &Connection) -> Reached {
        let last = self.last.and_then(|rowid| {
            let row = |row: &rusqlite::Row<'_>| {
                let key = store_key(row.get_ref(0)?, &mut Oddities::default()).into_owned();
                Ok(LastRow { rowid, store_key: key, seq: integer(row.get_ref(1)?) })
            };
            connection.query_row(PAYLOAD, params![rowid, 0], row).ok()
        });
        Reached { rows: self.rows, last }
    }
}

/// A page that is partly zeros passes SQLite's own checks and gives rows without content; their rowids betray them. Shown
/// by the fixture `torn-tail`.
fn out_of_order() -> rusqlite::Error {
    let corrupt = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
    rusqlite::Error::SqliteFailure(corrupt, Some("rows are out of order: a page is partly overwritten".to_owned()))
}

/// The longest payload that is read, as a parameter.
pub(super) fn longest() -> i64 {
    i64::try_from(MAX_PAYLOAD_BYTES).unwrap_or(i64::MAX)
}

/// The number in a column; `None` if it holds something else.
pub(super) fn integer(value: ValueRef<'_>) -> Option<i64> {
    match value {
        ValueRef::Integer(number) => Some(number),
        ValueRef::Null | ValueRef::Real(_) | ValueRef::Text(_) | ValueRef::Blob(_) => None,
    }
}

/// The longest store key or uid that is read, as a parameter.
fn longest_key() -> i64 {
    i64::try_from(MAX_STORE_KEY_BYTES).unwrap_or(i64::MAX)
}

/// A store key as text; what is none is converted and counted.
pub(super) fn store_key<'a>(value: ValueRef<'a>, oddities: &mut Oddities) -> Cow<'a, str> {
    match value {
        ValueRef::Text(text) => match std::str::from_utf8(text) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => odd(String::from_utf8_lossy(text), oddities),
        },
        ValueRef::Blob(bytes) => odd(String::from_utf8_lossy(bytes), oddities),
        ValueRef::Integer(number) => odd(number.to_string().into(), oddities),
        ValueRef::Real(number) => odd(number.to_string().into(), oddities),
        ValueRef::Null => odd("".into(), oddities),
    }
}

fn odd<'a>(key: Cow<'a, str>, oddities: &mut Oddities) -> Cow<'a, str> {
    oddities.store_keys += 1;
    key
}
