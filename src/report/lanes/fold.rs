use super::super::page_lanes::{Lane, LaneGroup, Mark};

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
    pub(super) label: String,
    pub(super) note: String,
    pub(super) lanes: &'a [Lane],
}

pub(super) fn fold(group: &LaneGroup) -> Folded<'_> {
    let each = group.lanes.len().div_ceil(MAX_LINES).max(1);
    let line = |lanes: &'_ [Lane]| match lanes {
        [only] => (only.label.clone(), only.note.clone()),
        [first, .., last] => (format!("{} … {}", first.label, last.label), format!("{} lanes", lanes.len())),
        [] => (String::new(), String::new()),
    };
    let lines = group.lanes.chunks(each).map(|lanes| {
        let (label, note) = line(lanes);
        Line { label, note, lanes }
    });
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
