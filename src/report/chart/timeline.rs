use super::picture::{Axis, Hue, Lane, LaneSpan, Lanes, Mark, Picture, Series};
use crate::report::axis::idle;
use crate::unit::{Timestamp, Zone, counted};
use strum::{EnumIter, IntoEnumIterator};

/// What the figure of the timeline shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimelineFigure {
    /// First line of the picture.
    pub title: String,
    /// What has no time, and so no place.
    pub unplaced: usize,
    /// From top to bottom.
    pub rows: Vec<TimelineRow>,
    /// The zone of its times.
    pub zone: Zone,
}

/// A row: a step, a session, a subagent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TimelineRow {
    /// Its name.
    pub name: String,
    /// How far it is nested.
    pub depth: usize,
    /// What kind of row it is: where rows are many, neighbours of one kind share a line.
    pub section: usize,
    /// What took time; a missing end is taken as the begin, a missing begin as the end.
    pub spans: Vec<(Activity, Option<Timestamp>, Option<Timestamp>)>,
    /// What happened at a moment.
    pub moments: Vec<(Activity, Option<Timestamp>)>,
}

/// What is drawn in one colour; what is later is drawn over what is earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, EnumIter)]
pub enum Activity {
    /// A step from its begin to its end.
    Step,
    /// A wait between attempts.
    Wait,
    /// An attempt that ended well.
    Attempt,
    /// An attempt that failed.
    FailedAttempt,
    /// A main thread from its first entry to its last.
    Session,
    /// A subagent from its first entry to its last.
    Subagent,
    /// A tool call.
    ToolCall,
    /// An outage of the service.
    Outage,
    /// A compaction of the context.
    Compaction,
    /// Somebody interrupted.
    Interrupt,
    /// Something failed, or was announced to be tried again.
    Error,
}

impl Activity {
    fn series(self) -> Series {
        match self {
            Self::Step => Series::new("step", Hue::Nth(0)),
            Self::Attempt => Series::new("attempt", Hue::Nth(3)),
            Self::FailedAttempt => Series::new("failed attempt", Hue::Bad),
            Self::Session => Series::new("session", Hue::Nth(2)),
            Self::Subagent => Series::new("subagent", Hue::Nth(5)),
            Self::ToolCall => Series::new("tool call", Hue::Nth(4)),
            Self::Wait => Series::new("wait", Hue::Rest),
            Self::Outage => Series::new("outage", Hue::Nth(8)),
            Self::Error => Series::new("failure", Hue::Nth(6)),
            Self::Compaction => Series::new("compaction", Hue::Nth(1)),
            Self::Interrupt => Series::new("interrupt", Hue::Ink),
        }
    }
}

/// As many times are cut out as there is room for, at eight of these parts each.
const PARTS: usize = 80;
/// Times cut out that are named below the picture.
const MAX_NAMED: usize = 6;

/// Long times in which nothing happened. Attempts, waits and outages join what others mark: they reach over such times.
fn idle_times(rows: &[TimelineRow]) -> Vec<(Timestamp, Timestamp)> {
    let joins = |activity: Activity| {
        matches!(activity, Activity::Attempt | Activity::FailedAttempt | Activity::Wait | Activity::Outage)
    };
    let spans = rows.iter().flat_map(|row| &row.spans).filter(|(activity, ..)| !joins(*activity));
    let spans = spans.filter_map(|(_, from, to)| Some((from.or(*to)?, to.or(*from)?)));
    let moments = rows.iter().flat_map(|row| &row.moments).filter_map(|(_, at)| Some(((*at)?, (*at)?)));
    idle(spans.map(|(from, to)| (from, to.max(from))).chain(moments).collect(), PARTS)
}

fn idle_note(idle: &[(Timestamp, Timestamp)], zone: Zone) -> Option<String> {
    let named = idle.iter().take(MAX_NAMED);
    let named: Vec<String> =
        named.map(|(from, to)| format!("{} after {}", to.since(*from), zone.date_time(*from))).collect();
    let more = idle.len().saturating_sub(MAX_NAMED);
    let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
    let said = format!("Nothing happened, and the axis is broken: {}{rest}.", named.join(", "));
    (!idle.is_empty()).then_some(said)
}

/// Everything on one axis of time; long times in which nothing happened are cut out.
pub fn timeline(figure: TimelineFigure) -> Picture {
    let has = |activity: Activity| {
        figure.rows.iter().any(|row| {
            row.spans.iter().any(|(a, ..)| *a == activity) || row.moments.iter().any(|(a, _)| *a == activity)
        })
    };
    let shown: Vec<Activity> = Activity::iter().filter(|activity| has(*activity)).collect();
    let kind = |activity: Activity| shown.binary_search(&activity).unwrap_or_default();
    let mut untimed = figure.unplaced;
    let mut lane = |row: &TimelineRow| {
        let spans = row.spans.iter().filter_map(|(activity, from, to)| {
            let (from, to) = (from.or(*to)?, to.or(*from)?);
            Some(LaneSpan { from: from.millis(), to: to.millis(), kind: kind(*activity) })
        });
        let spans: Vec<LaneSpan> = spans.collect();
        let marks =
            row.moments.iter().filter_map(|(activity, at)| Some(Mark { at: (*at)?.millis(), kind: kind(*activity) }));
        let marks: Vec<Mark> = marks.collect();
        untimed += row.spans.len() - spans.len() + row.moments.len() - marks.len();
        Lane { label: row.name.clone(), depth: row.depth, section: row.section, spans, marks, ..Lane::default() }
    };
    let lanes: Vec<Lane> = figure.rows.iter().map(&mut lane).collect();
    let idle = idle_times(&figure.rows);
    let lanes = Lanes {
        axis: Axis::Time(figure.zone),
        kinds: shown.iter().map(|a| a.series()).collect(),
        lanes,
        idle: idle.iter().map(|(from, to)| (from.millis(), to.millis())).collect(),
    };
    let note = (untimed > 0).then(|| format!("{} without a time: not drawn.", counted(untimed, "event")));
    Picture::new(figure.title, "")
        .panel("", lanes, "Nothing has a time.")
        .note(idle_note(&idle, figure.zone))
        .note(note)
}
