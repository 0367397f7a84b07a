use super::super::axis::Cut;
use super::super::page_lanes::{Ink, InkKey, Mark};
use super::fold::Line;
use super::frame::Frame;
use super::signs::{base, height};
use crate::unit::counted;

/// Cuts that are named below the drawing.
const MAX_NAMED: usize = 6;

/// What the height of a column tells.
pub(super) fn height_note(noun: &str, most: usize, unicode: bool) -> Option<String> {
    let sign = |count| height(count, most, unicode);
    match most {
        0 => None,
        1 => Some(format!("{}: {}", sign(1), counted(1, noun))),
        _ => Some(format!("{} to {}: 1 to {} in a column", sign(1), sign(most), counted(most, noun))),
    }
}

impl Frame<'_> {
    /// What the signs mean that are drawn.
    pub(super) fn signs<'l>(&self, lines: impl Iterator<Item = &'l Line<'l>>) -> Vec<String> {
        let mut counts = vec![0_usize; self.lanes.key.len()];
        for mark in lines.flat_map(|line| line.lanes).flat_map(|lane| &lane.marks) {
            if let Ink::Sign(sign) = mark.ink
                && let Some(count) = counts.get_mut(sign)
            {
                *count += 1;
            }
        }
        let named = self.lanes.key.iter().zip(counts).filter(|(_, count)| *count > 0);
        let named = named.map(|(glyph, count)| {
            let sign = if self.style.unicode { glyph.sign } else { glyph.ascii };
            format!("{sign} {}", counted(count, &glyph.meaning))
        });
        let all: Vec<String> = named.collect();
        if all.is_empty() { Vec::new() } else { vec![all.join(", ")] }
    }

    /// What the bars and lines mean that are drawn.
    pub(super) fn inks<'l>(&self, lines: impl Iterator<Item = &'l Line<'l>>) -> Option<String> {
        let is_drawn =
            |key: &InkKey, mark: &Mark| key.ink == mark.ink && (key.ink != Ink::Bar || key.tone == mark.tone);
        let mut drawn = vec![false; self.lanes.inks.len()];
        for mark in lines.flat_map(|line| line.lanes).flat_map(|lane| &lane.marks) {
            if let Some(nth) = self.lanes.inks.iter().position(|key| is_drawn(key, mark))
                && let Some(drawn) = drawn.get_mut(nth)
            {
                *drawn = true;
            }
        }
        let told = self
            .lanes
            .inks
            .iter()
            .zip(drawn)
            .filter(|(_, drawn)| *drawn)
            .map(|(key, _)| format!("{} {}", base(key.ink, key.tone, self.style.unicode), key.meaning));
        let told: Vec<String> = told.collect();
        (!told.is_empty()).then(|| told.join(", "))
    }

    /// What is cut out of the axis.
    pub(super) fn cut_notes(&self) -> Option<String> {
        let cuts: Vec<Cut> = self.axis.cuts().collect();
        let sign = if self.style.unicode { '┊' } else { ':' };
        let named = cuts.iter().take(MAX_NAMED);
        let named: Vec<String> =
            named.map(|cut| format!("{} after {}", cut.length, self.lanes.clock.moment(cut.after))).collect();
        let more = cuts.len().saturating_sub(MAX_NAMED);
        let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
        (!cuts.is_empty()).then(|| format!("{sign} nothing happened, not drawn to scale: {}{rest}", named.join(", ")))
    }
}
