use super::super::scale::Scale;
use super::super::scene::Scene;
use super::frame::Ruler;

/// Room of what is cut out, in pixels.
const GAP: i32 = 16;
/// Least room of a piece, in pixels: that of a day below it.
const LEAST: i32 = 76;

/// A scale without the parts in which nothing stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Broken {
    /// In order.
    pieces: Vec<Scale>,
}

impl Broken {
    /// `whole` without `idle`, whose parts are in order and inside of it.
    pub(super) fn new(whole: Scale, idle: &[(i64, i64)]) -> Self {
        let mut edges = vec![whole.low];
        edges.extend(idle.iter().flat_map(|(from, to)| [*from, *to]));
        edges.push(whole.high);
        let ranges: Vec<(i64, i64)> =
            edges.chunks(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))).collect();
        let count = i32::try_from(ranges.len()).unwrap_or(i32::MAX).max(1);
        let room = (whole.end - whole.start - GAP.saturating_mul(count - 1)).max(count);
        let least = LEAST.min(room / count);
        let length = |(low, high): &(i64, i64)| i128::from(*high) - i128::from(*low);
        let total = ranges.iter().map(length).sum::<i128>().max(1);
        let free = i128::from(room - least * count);
        let (mut start, mut before) = (whole.start, 0);
        let pieces = ranges.iter().map(|(low, high)| {
            let after = before + length(&(*low, *high));
            let share = i32::try_from(after * free / total - before * free / total).unwrap_or(0);
            let piece = Scale { low: *low, high: *high, start, end: start + least + share };
            (start, before) = (piece.end + GAP, after);
            piece
        });
        Self { pieces: pieces.collect() }
    }

    /// The pixel of a value; of one that is cut out or beyond an end, that of the nearest that is shown before it.
    pub(super) fn at(&self, value: i64) -> i32 {
        let next = self.pieces.partition_point(|piece| piece.low <= value);
        self.pieces.get(next.saturating_sub(1)).map_or(0, |piece| piece.at(value))
    }

    /// Draws the axis at the height `bottom` with lines up to `top`, and a slanted pair of lines where it is broken.
    pub(super) fn draw(&self, scene: &mut Scene, (top, bottom): (i32, i32), ruler: &Ruler<'_>) {
        let (axis, grid) = (scene.theme.axis(), scene.theme.grid());
        let mut free = i32::MIN;
        for piece in &self.pieces {
            let ruler = Ruler { low: piece.low, high: piece.high, ..ruler.clone() };
            free = ruler.marks(scene, *piece, bottom, Some(top), free);
            scene.line((piece.start, bottom), (piece.end, bottom), axis);
        }
        for (before, after) in self.pieces.iter().zip(self.pieces.iter().skip(1)) {
            for at in [before.end, after.start] {
                scene.line((at, top), (at, bottom), grid);
                scene.line((at - 3, bottom + 5), (at + 3, bottom - 5), axis);
            }
        }
        if let (Some(first), Some(last)) = (self.pieces.first(), self.pieces.last()) {
            scene.line((first.start, top), (first.start, bottom), axis);
            ruler.caption(scene, (first.start, last.end), bottom);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_out_takes_no_room() {
        let whole = Scale { low: 0, high: 1_000_000, start: 100, end: 1100 };
        let broken = Broken::new(whole, &[(100, 999_900)]);
        assert_eq!([0, 100, 500_000, 999_900, 1_000_000].map(|at| broken.at(at)), [100, 592, 592, 608, 1100]);
        assert_eq!(Broken::new(whole, &[]).at(500_000), 600);
        // More pieces than have room for a day are narrower, and still in order.
        let idle: Vec<(i64, i64)> = (0..40).map(|n| (n * 1000 + 10, n * 1000 + 990)).collect();
        let many = Broken::new(whole, &idle);
        assert!(many.pieces.is_sorted_by_key(|piece| piece.start) && many.at(1_000_000) <= 1100, "{many:?}");
    }
}
