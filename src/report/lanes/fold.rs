use super::super::page_lanes::{Lane, LaneGroup, Mark};
use super::super::style::Style;
use super::super::text;

/// Lanes of a group that are drawn one by one; of more, neighbours share a line.
const MAX_LINES: usize = 40;

/// A group as it is drawn.
pub(super) struct Folded<'a> {
    pub(super) heading: String,
    pub(super) counted: &'a str,
    pub(super) joins: bool,
    pub(super) lines: Vec<Line<'a>>,
    pub(super) lanes: usize,
}

/// One or several neighbouring lanes on one line.
pub(super) struct Line<'a> {
    pub(super) note: String,
    pub(super) lanes: &'a [Lane],
}

/// Between the names of the first and the last lane of a line.
const TO: &str = " … ";

impl Line<'_> {
    /// The label in `room` columns; of several lanes the first and the last are named.
    pub(super) fn label(&self, style: &Style, room: usize) -> String {
        let (first, last) = match self.lanes {
            [] => return String::new(),
            [only] => return style.cut_inside(&style.plain(&only.label), room),
            [first, .., last] => (style.plain(&first.label), style.plain(&last.label)),
        };
        let to = style.plain(TO);
        let room = room.saturating_sub(text::width(&to));
        let first = style.cut_inside(&first, room.saturating_sub(text::width(&last)).max(room / 2));
        let last = style.cut_inside(&last, room.saturating_sub(text::width(&first)));
        format!("{first}{to}{last}")
    }

    /// The columns that the whole label takes.
    pub(super) fn width(&self, style: &Style) -> usize {
        text::width(&self.label(style, usize::MAX))
    }
}

pub(super) fn fold(group: &LaneGroup) -> Folded<'_> {
    let each = group.lanes.len().div_ceil(MAX_LINES).max(1);
    let note = |lanes: &[Lane]| match lanes {
        [only] => only.note.clone(),
        several => format!("{} lanes", several.len()),
    };
    let lines = group.lanes.chunks(each).map(|lanes| Line { note: note(lanes), lanes });
    Folded {
        heading: group.heading.clone(),
        counted: &group.counted,
        joins: group.joins,
        lines: lines.collect(),
        lanes: group.lanes.len(),
    }
}

impl Folded<'_> {
    pub(super) fn marks(&self) -> impl Iterator<Item = &Mark> {
        self.lines.iter().flat_map(|line| line.lanes).flat_map(|lane| &lane.marks)
    }

    pub(super) fn note(&self) -> Option<String> {
        let (all, drawn) = (self.lanes, self.lines.len());
        let whose = if self.heading.is_empty() { String::new() } else { format!("{}: ", self.heading) };
        (all > drawn).then(|| format!("{whose}{all} lanes on {drawn} lines, neighbours share one"))
    }
}
