use super::{Defect, DefectKind, Entry, Interner, Outcome, decode_row};
use crate::run_dir::{Position, Row};
use crate::unit::{Diagnosis, Finding, Place};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Everything that was read of a source, by store key.
#[derive(Debug, Default)]
pub struct Transcripts {
    /// Sessions in the order of their store keys.
    pub sessions: Vec<Session>,
    /// What was seen on the way.
    pub notes: Notes,
}

/// The entries of one store key.
#[derive(Debug, Clone)]
pub struct Session {
    /// Store key.
    pub store_key: String,
    /// Entries in the order of their sequence numbers.
    pub entries: Vec<Entry>,
    /// Rows that are no entries, in the order of the source.
    pub defects: Vec<Defect>,
}

/// Counts over all rows. `rows + split_off = entries + defects`, always.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Notes {
    /// Rows read: rows of the table, or lines.
    pub rows: u64,
    /// Records and remains found beyond the first of a line.
    pub split_off: u64,
    /// Entries.
    pub entries: u64,
    /// Rows, or parts of lines, that are no entry.
    pub defects: u64,
    /// Bytes of all payloads.
    pub bytes: u64,
    /// Labels that were longer than the limit and are shown cut.
    pub cut_labels: u64,
}

/// Decodes rows as they come, in one thread, and keeps what they turn out to be.
#[derive(Debug, Default)]
pub struct Collector {
    sessions: BTreeMap<String, (Vec<Entry>, Vec<Defect>)>,
    interner: Interner,
    notes: Notes,
}

impl Collector {
    /// Decodes one row.
    pub fn push(&mut self, row: &Row<'_>) {
        if !self.sessions.contains_key(row.store_key) {
            self.sessions.insert(row.store_key.to_owned(), (Vec::new(), Vec::new()));
        }
        let Some((entries, defects)) = self.sessions.get_mut(row.store_key) else { return };
        let before = entries.len() + defects.len();
        decode_row(row, &mut self.interner, &mut |outcome| match outcome {
            Outcome::Entry(entry) => entries.push(entry),
            Outcome::Defect(defect) => defects.push(defect),
        });
        let found = entries.len() + defects.len() - before;
        self.notes.rows += 1;
        self.notes.split_off += u64::try_from(found.saturating_sub(1)).unwrap_or(0);
        self.notes.bytes += row.payload.map_or(0, |bytes| u64::try_from(bytes.len()).unwrap_or(0));
    }

    /// Joins what several threads collected and puts every session in order.
    pub fn finish(collectors: impl IntoIterator<Item = Self>) -> Transcripts {
        let mut joined = Self::default();
        for collector in collectors {
            joined.notes.rows += collector.notes.rows;
            joined.notes.split_off += collector.notes.split_off;
            joined.notes.bytes += collector.notes.bytes;
            joined.notes.cut_labels += collector.interner.cut_count();
            for (key, (entries, defects)) in collector.sessions {
                let (all, lost) = joined.sessions.entry(key).or_default();
                append(all, entries);
                append(lost, defects);
            }
        }
        let mut notes = joined.notes;
        let sessions: Vec<_> = joined.sessions.into_par_iter().map(|(key, (e, d))| ordered(key, e, d)).collect();
        notes.entries = sessions.iter().map(|s| u64::try_from(s.entries.len()).unwrap_or(0)).sum();
        notes.defects = sessions.iter().map(|s| u64::try_from(s.defects.len()).unwrap_or(0)).sum();
        Transcripts { sessions, notes }
    }
}

impl Session {
    /// The defects as findings.
    pub fn findings(&self) -> impl Iterator<Item = Finding> {
        self.defects.iter().map(|defect| {
            let line = if let Position::Line { line, .. } = defect.position { Some(line) } else { None };
            let place = Place { file: None, line, store_key: Some(self.store_key.clone()), seq: defect.seq };
            defect.kind.at(place)
        })
    }
}

/// Joins two lists by moving the shorter one; the order is made later.
fn append<T>(all: &mut Vec<T>, mut more: Vec<T>) {
    if all.len() < more.len() {
        std::mem::swap(all, &mut more);
    }
    all.append(&mut more);
}

/// Sorts a session and numbers the records of a file: blank lines take no number, lost records do.
fn ordered(store_key: String, mut entries: Vec<Entry>, mut defects: Vec<Defect>) -> Session {
    defects.sort_by_key(|defect| (defect.position.within_key(), defect.part));
    entries.sort_by_key(|entry| (entry.row.within_key(), entry.part));
    if entries.iter().any(|entry| matches!(entry.row, Position::Line { .. })) {
        number(&mut entries, &mut defects);
    } else {
        place(&mut entries, &defects);
    }
    entries.shrink_to_fit();
    Session { store_key, entries, defects }
}

/// Deals the places of a store key out to its rows in their order; those of entries are kept.
fn place(entries: &mut [Entry], defects: &[Defect]) {
    let rows = entries.iter().map(|entry| entry.row).chain(defects.iter().map(|defect| defect.position));
    let mut places: Vec<Position> = rows.collect();
    places.sort_unstable();
    let mut places = places.into_iter();
    let mut defects = defects.iter().peekable();
    for entry in entries {
        while defects.next_if(|defect| defect.position.within_key() < entry.row.within_key()).is_some() {
            places.next();
        }
        entry.position = places.next().unwrap_or(entry.row);
    }
}

fn number(entries: &mut [Entry], defects: &mut [Defect]) {
    let mut next = 0;
    let mut lost = defects.iter_mut().filter(|defect| defect.kind != DefectKind::BlankLine).peekable();
    for entry in entries {
        while let Some(defect) = lost.next_if(|d| (d.position, d.part) < (entry.position, entry.part)) {
            defect.seq = Some(next);
            next += 1;
        }
        entry.seq = next;
        next += 1;
    }
    for (defect, seq) in lost.zip(next..) {
        defect.seq = Some(seq);
    }
}
