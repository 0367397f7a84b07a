use super::segment::Segment;
use crate::analysis::steps::sessions_of;
use crate::run_dir::{Manifest, StoreKey};
use crate::session::Model;
use crate::unit::Timestamp;
use std::collections::{BTreeMap, HashMap};

/// The row of the manifest that a segment belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Owner {
    /// The row names its session, and its window holds the beginning of the segment.
    Row(usize),
    /// No row names its session: the window of this one holds its beginning. A guess.
    ByTime(usize),
    /// The row names its session, but is of a later or an earlier process: this one left no row. A guess.
    Outside(usize),
    /// No row fits.
    None,
}

/// The windows of the steps, to be asked by session and by time.
pub(super) struct StepsOf<'a> {
    by_session: HashMap<&'a str, BTreeMap<Timestamp, usize>>,
    by_time: BTreeMap<Timestamp, usize>,
    ends: Vec<Option<Timestamp>>,
}

impl<'a> StepsOf<'a> {
    pub(super) fn new(manifest: &'a Manifest) -> Self {
        let mut steps = Self { by_session: HashMap::new(), by_time: BTreeMap::new(), ends: Vec::new() };
        for (at, row) in manifest.rows.iter().enumerate() {
            steps.ends.push(row.ended_at);
            let Some(start) = row.started_at else { continue };
            steps.by_time.insert(start, at);
            for session in sessions_of(row) {
                steps.by_session.entry(session).or_default().insert(start, at);
            }
        }
        steps
    }

    pub(super) fn of(&self, model: &Model, segment: &Segment) -> Owner {
        let key = model.sessions.get(segment.session).map(|session| StoreKey::parse(session.store_key()));
        let (Some(key), Some(start)) = (key, segment.start) else { return Owner::None };
        match self.by_session.get(key.session) {
            Some(rows) => {
                let inside = self.holding(rows, start).map(Owner::Row);
                let nearest = || rows.range(start..).next().or(rows.iter().next_back()).map(|(_, row)| *row);
                inside.or_else(|| nearest().map(Owner::Outside)).unwrap_or(Owner::None)
            }
            None => self.holding(&self.by_time, start).map_or(Owner::None, Owner::ByTime),
        }
    }

    /// The row that started last before `start`, if it had not ended by then.
    fn holding(&self, rows: &BTreeMap<Timestamp, usize>, start: Timestamp) -> Option<usize> {
        let (_, row) = rows.range(..=start).next_back()?;
        let end = self.ends.get(*row).copied().flatten();
        end.is_none_or(|end| start <= end).then_some(*row)
    }
}
