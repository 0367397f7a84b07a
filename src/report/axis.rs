//! Moments to columns: a linear axis without the long times in which nothing happened.

use crate::unit::{Span, Timestamp, without_overlaps};

/// A shorter time without anything is never cut out, in milliseconds.
const SHORTEST_CUT: i64 = 60_000;
/// Columns for each cut at least: beyond, the longest are cut out and the others stay.
const COLUMNS_PER_CUT: usize = 8;

/// An axis over some columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Axis {
    /// In order; between two of them is one column for what is cut out.
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    from: Timestamp,
    to: Timestamp,
    column: usize,
    columns: usize,
}

/// A time that is cut out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) column: usize,
    pub(super) after: Timestamp,
    pub(super) length: Span,
}

impl Axis {
    /// The axis on which all of `times` have a place; `None` without any.
    pub(super) fn over(times: Vec<(Timestamp, Timestamp)>, columns: usize) -> Option<Self> {
        let times = without_overlaps(times);
        let (first, last) = (times.first()?.0, times.last()?.1);
        let mut edges = vec![first];
        edges.extend(cuts(&times, columns).into_iter().flat_map(|(from, to)| [from, to]));
        edges.push(last);
        let ranges: Vec<(Timestamp, Timestamp)> =
            edges.chunks(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))).collect();
        let room = columns.saturating_sub(ranges.len() - 1).max(ranges.len());
        Some(Self { pieces: spread(&ranges, room) })
    }

    /// Columns of the whole axis.
    pub(super) fn columns(&self) -> usize {
        self.pieces.last().map_or(0, |piece| piece.column + piece.columns)
    }

    /// The column of a moment; one that is cut out or beyond an end goes to the nearest.
    pub(super) fn column(&self, t: Timestamp) -> usize {
        let next = self.pieces.partition_point(|piece| piece.from <= t);
        let Some(piece) = self.pieces.get(next.saturating_sub(1)) else { return 0 };
        let length = wide(piece.to.since(piece.from));
        let at = wide(t.since(piece.from)).clamp(0, length);
        let columns = i128::try_from(piece.columns).unwrap_or(1);
        let column = usize::try_from(at * columns / (length + 1)).unwrap_or(0);
        piece.column + column.min(piece.columns.saturating_sub(1))
    }

    /// The moment at which a column begins; `None` for one that stands for what is cut out.
    pub(super) fn moment(&self, column: usize) -> Option<Timestamp> {
        let next = self.pieces.partition_point(|piece| piece.column <= column);
        let piece = self.pieces.get(next.checked_sub(1)?)?;
        let within = i128::try_from(column - piece.column).ok()?;
        let columns = i128::try_from(piece.columns).ok()?;
        if within >= columns {
            return None;
        }
        let millis = wide(piece.to.since(piece.from)) * within / columns;
        Timestamp::from_millis(piece.from.millis().saturating_add(i64::try_from(millis).ok()?))
    }

    /// What is cut out.
    pub(super) fn cuts(&self) -> impl Iterator<Item = Cut> {
        self.pieces.iter().zip(self.pieces.iter().skip(1)).map(|(before, after)| Cut {
            column: before.column + before.columns,
            after: before.to,
            length: after.from.since(before.to),
        })
    }
}

fn wide(span: Span) -> i128 {
    i128::from(span.millis())
}

/// What is cut out of an axis of so many columns on which all of `times` have a place, in order.
pub(super) fn idle(times: Vec<(Timestamp, Timestamp)>, columns: usize) -> Vec<(Timestamp, Timestamp)> {
    cuts(&without_overlaps(times), columns)
}

/// The times between `times` that are longer than half of everything that happened, in order.
fn cuts(times: &[(Timestamp, Timestamp)], columns: usize) -> Vec<(Timestamp, Timestamp)> {
    let whole = times.first().zip(times.last()).map_or(Span::default(), |((first, _), (_, last))| last.since(*first));
    let gaps = times.iter().zip(times.iter().skip(1)).map(|((_, end), (start, _))| (*end, *start));
    let length = |gap: &(Timestamp, Timestamp)| gap.1.since(gap.0).millis();
    let mut long: Vec<_> = gaps.filter(|gap| length(gap) > SHORTEST_CUT).collect();
    let idle = long.iter().map(length).fold(0, i64::saturating_add);
    let busy = whole.millis().saturating_sub(idle);
    long.retain(|gap| length(gap) > busy / 2);
    long.sort_by_key(|gap| std::cmp::Reverse(length(gap)));
    long.truncate(columns / COLUMNS_PER_CUT);
    long.sort_unstable();
    long
}

/// Every piece gets a column, the others go to each by its length.
fn spread(ranges: &[(Timestamp, Timestamp)], room: usize) -> Vec<Piece> {
    let total = ranges.iter().map(|(from, to)| wide(to.since(*from))).sum::<i128>().max(1);
    let free = i128::try_from(room.saturating_sub(ranges.len())).unwrap_or(0);
    let (mut pieces, mut column, mut before) = (Vec::with_capacity(ranges.len()), 0, 0_i128);
    for (from, to) in ranges {
        let after = before + wide(to.since(*from));
        let share = after * free / total - before * free / total;
        let columns = 1 + usize::try_from(share).unwrap_or(0);
        pieces.push(Piece { from: *from, to: *to, column, columns });
        (before, column) = (after, column + columns + 1);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1000).unwrap()
    }

    #[test]
    fn a_single_moment_has_a_column() {
        let axis = Axis::over(vec![(at(5), at(5))], 40).unwrap();
        assert_eq!((axis.columns(), axis.column(at(5)), axis.moment(0)), (1, 0, Some(at(5))));
        assert_eq!(Axis::over(vec![], 40), None);
    }

    #[test]
    fn a_night_is_cut_out_and_a_wait_is_not() {
        let axis = Axis::over(vec![(at(0), at(3600)), (at(4200), at(7200)), (at(90_000), at(93_600))], 40).unwrap();
        let cuts: Vec<_> = axis.cuts().map(|cut| (cut.column, cut.after, cut.length)).collect();
        assert_eq!(cuts, [(25, at(7200), Span::from_millis(82_800_000))]);
        assert_eq!((axis.columns(), axis.moment(25)), (40, None));
        assert_eq!([0, 7200, 7201, 89_999, 90_000, 93_600].map(|t| axis.column(at(t))), [0, 24, 24, 24, 26, 39]);
    }

    proptest! {
        #[test]
        fn moments_keep_their_order_and_stay_inside(
            times in prop::collection::vec((-9_000_000_000_i64..9_000_000_000, 0_i64..100_000), 1..30),
            columns in 1_usize..200,
        ) {
            let times: Vec<_> = times.into_iter().map(|(from, length)| (at(from), at(from + length))).collect();
            let axis = Axis::over(times.clone(), columns).unwrap();
            let mut moments: Vec<_> = times.iter().flat_map(|(from, to)| [*from, *to]).collect();
            moments.sort_unstable();
            let placed: Vec<_> = moments.iter().map(|t| axis.column(*t)).collect();
            prop_assert!(placed.is_sorted(), "{placed:?}");
            prop_assert!(axis.columns() <= columns.max(2 * axis.pieces.len()));
            prop_assert!(placed.iter().all(|column| axis.moment(*column).is_some()));
        }
    }
}
