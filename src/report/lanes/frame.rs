use super::super::axis::Axis;
use super::super::cell::Tone;
use super::super::page_lanes::Lanes;
use super::super::style::Style;
use super::super::text;
use super::fold::Line;
use super::row::Row;
use super::signs::{base, height};

/// What all lines of the drawing have in common.
pub(super) struct Frame<'a> {
    pub(super) lanes: &'a Lanes,
    pub(super) axis: &'a Axis,
    pub(super) label: usize,
    pub(super) note: usize,
    pub(super) style: &'a Style,
}

impl Frame<'_> {
    /// A lane beside its label and its remark.
    pub(super) fn line(&self, line: &Line<'_>, row: &Row, most: usize) -> String {
        let cuts: Vec<usize> = self.axis.cuts().map(|cut| cut.column).collect();
        let mut drawn = String::new();
        for column in 0..self.axis.columns() {
            let (sign, tone) = if cuts.binary_search(&column).is_ok() {
                (if self.style.unicode { '┊' } else { ':' }, Tone::Faint)
            } else {
                self.cell(row, column, most)
            };
            drawn.push_str(&self.style.tint(&sign.to_string(), tone));
        }
        let label = text::pad(&line.label(self.style, self.label), self.label);
        let note = self.style.cut(&self.style.plain(&line.note), self.note);
        format!("{label}  {}  {}", drawn, self.style.tint(&note, Tone::Faint)).trim_end().to_owned()
    }

    /// A sign hides a count, a count hides a bar or line.
    fn cell(&self, row: &Row, column: usize, most: usize) -> (char, Tone) {
        let unicode = self.style.unicode;
        let sign = row.signs.get(column).copied().flatten().and_then(|sign| self.lanes.key.get(sign));
        if let Some(glyph) = sign {
            return (if unicode { glyph.sign } else { glyph.ascii }, glyph.tone);
        }
        if let Some(count) = row.counts.get(column).copied().filter(|count| *count > 0) {
            return (height(count, most, unicode), row.tones.get(column).copied().unwrap_or_default());
        }
        let line = row.base.get(column).copied().flatten();
        line.map_or((' ', Tone::Normal), |(ink, tone)| (base(ink, tone, unicode), tone))
    }
}
