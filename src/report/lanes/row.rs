use super::super::axis::Axis;
use super::super::cell::Tone;
use super::super::page_lanes::Ink;
use super::fold::Line;

/// What a lane shows in each column.
pub(super) struct Row {
    pub(super) base: Vec<Option<(Ink, Tone)>>,
    pub(super) counts: Vec<usize>,
    pub(super) tones: Vec<Tone>,
    pub(super) signs: Vec<Option<usize>>,
}

impl Row {
    /// Each mark is looked at once, and each column of its time; counts only at its ends, since there may be thousands.
    pub(super) fn of(line: &Line<'_>, axis: &Axis) -> Self {
        let columns = axis.columns();
        let mut row = Self {
            base: vec![None; columns],
            counts: vec![0; columns],
            tones: vec![Tone::Normal; columns],
            signs: vec![None; columns],
        };
        let mut changes = vec![(0_usize, 0_usize); columns + 1];
        for mark in line.lanes.iter().flat_map(|lane| &lane.marks) {
            let (from, to) = (axis.column(mark.from), axis.column(mark.to.max(mark.from)));
            match mark.ink {
                Ink::Bar | Ink::Dots | Ink::Line => {
                    for cell in row.base.iter_mut().take(to + 1).skip(from) {
                        *cell = Some(worse(*cell, (mark.ink, mark.tone)));
                    }
                }
                Ink::Count => {
                    if let Some((begin, _)) = changes.get_mut(from) {
                        *begin += 1;
                    }
                    if let Some((_, end)) = changes.get_mut(to + 1) {
                        *end += 1;
                    }
                    if let Some(tone) = row.tones.get_mut(to).filter(|tone| rank(**tone) < rank(mark.tone)) {
                        *tone = mark.tone;
                    }
                }
                Ink::Sign(sign) => {
                    if let Some(seen) = row.signs.get_mut(from).filter(|seen| seen.is_none_or(|seen| sign < seen)) {
                        *seen = Some(sign);
                    }
                }
            }
        }
        let mut open = 0_usize;
        for (count, (begin, end)) in row.counts.iter_mut().zip(&changes) {
            open = (open + begin).saturating_sub(*end);
            *count = open;
        }
        row
    }

    pub(super) fn most(&self) -> usize {
        self.counts.iter().copied().max().unwrap_or(0)
    }
}

/// A bar hides dots, dots hide a line; of two bars the worse one is seen.
fn worse(seen: Option<(Ink, Tone)>, new: (Ink, Tone)) -> (Ink, Tone) {
    let weight = |(ink, tone): (Ink, Tone)| (ink == Ink::Bar, ink == Ink::Dots, rank(tone));
    seen.filter(|seen| weight(*seen) >= weight(new)).unwrap_or(new)
}

const fn rank(tone: Tone) -> u8 {
    match tone {
        Tone::Faint => 0,
        Tone::Normal => 1,
        Tone::Good => 2,
        Tone::Warn => 3,
        Tone::Bad => 4,
    }
}
