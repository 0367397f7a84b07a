use crate::analysis::steps::sessions_of;
use crate::run_dir::Manifest;
use crate::unit::{Span, Timestamp};
use std::collections::{BTreeMap, HashMap};

/// How far the times of a transcript may lie behind the end of their step: two programs write them.
const CLOCKS_APART: Span = Span::from_millis(60_000);

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
    /// Sessions that one row names, whenever that was.
    only: HashMap<&'a str, Option<usize>>,
    by_session: HashMap<&'a str, BTreeMap<Timestamp, usize>>,
    by_time: BTreeMap<Timestamp, usize>,
    ends: Vec<Option<Timestamp>>,
}

impl<'a> StepsOf<'a> {
    pub(super) fn new(manifest: &'a Manifest) -> Self {
        let mut steps =
            Self { only: HashMap::new(), by_session: HashMap::new(), by_time: BTreeMap::new(), ends: Vec::new() };
        for (at, row) in manifest.rows.iter().enumerate() {
            steps.ends.push(row.ended_at);
            for session in sessions_of(row) {
                let only = steps.only.entry(session).or_insert(Some(at));
                *only = only.filter(|only| *only == at);
            }
            let Some(start) = row.started_at else { continue };
            steps.by_time.insert(start, at);
            for session in sessions_of(row) {
                steps.by_session.entry(session).or_default().insert(start, at);
            }
        }
        steps
    }

    /// The row of a segment that begins at `start`. Without a time the session alone tells, if one row names it.
    pub(super) fn of(&self, session: &str, start: Option<Timestamp>) -> Owner {
        let only = self.only.get(session).copied().flatten();
        let Some(start) = start else { return only.map_or(Owner::None, Owner::Row) };
        let Some(rows) = self.by_session.get(session) else {
            let by_time = || self.holding(&self.by_time, start).map_or(Owner::None, Owner::ByTime);
            return only.map_or_else(by_time, Owner::Row);
        };
        let inside = self.holding(rows, start).map(Owner::Row);
        let nearest = || rows.range(start..).next().or(rows.iter().next_back()).map(|(_, row)| *row);
        inside.or_else(|| nearest().map(Owner::Outside)).unwrap_or(Owner::None)
    }

    /// The latest time that an entry of such a segment can have: nothing is written for a step that has ended.
    pub(super) fn latest(&self, session: &str, start: Option<Timestamp>) -> Option<Timestamp> {
        let (Owner::Row(row) | Owner::ByTime(row)) = self.of(session, start) else { return None };
        let end = self.ends.get(row).copied().flatten().filter(|end| start.is_none_or(|start| start <= *end))?;
        Timestamp::from_millis(end.millis().saturating_add(CLOCKS_APART.millis()))
    }

    /// The row that started last before `start`, if it had not ended by then.
    fn holding(&self, rows: &BTreeMap<Timestamp, usize>, start: Timestamp) -> Option<usize> {
        let (_, row) = rows.range(..=start).next_back()?;
        let end = self.ends.get(*row).copied().flatten();
        end.is_none_or(|end| start <= end).then_some(*row)
    }
}
