use super::evidence::Opening;
use super::lanes::{Thread, threads};
use crate::analysis::{EventKind, SpanKind, SpanOutcome, Timeline, TimelineSpan};
use crate::report::chart::{self, Activity, Picture, TimelineFigure, TimelineRow};
use crate::run_dir::{Kind, StoreKey};
use crate::unit::{Timestamp, counted};
use std::collections::BTreeMap;

/// Positions of what never shares a line in a picture of many rows.
const STEPS: usize = 0;
const OUTAGES: usize = 1;
const THREADS: usize = 2;

/// The timeline as a picture: steps with their attempts and waits, then outages, then threads with their calls and events.
pub fn timeline_chart(result: &Timeline, opening: &Opening) -> Picture {
    let mut rows: Vec<TimelineRow> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for span in result.spans.iter().filter(|span| is_of_step(span.kind)) {
        let place = *places.entry(&span.name).or_insert_with(|| {
            rows.push(TimelineRow { name: span.name.clone(), section: STEPS, ..TimelineRow::default() });
            rows.len() - 1
        });
        if let Some(row) = rows.get_mut(place) {
            row.spans.push(timed(span));
        }
    }
    // A step lies below its attempts.
    for row in &mut rows {
        row.spans.sort_by_key(|(activity, ..)| *activity);
    }
    rows.extend(outages(result));
    rows.extend(threads(result).into_iter().map(|(key, thread)| thread_row(key, &thread, opening)));
    chart::timeline(TimelineFigure {
        title: opening.title("Timeline"),
        unplaced: result.unplaced.iter().map(|unplaced| unplaced.count).sum(),
        rows,
        zone: opening.zone,
    })
}

/// Outages share a row, since no two of them meet; it is drawn between the steps and the threads that they hit.
fn outages(result: &Timeline) -> Option<TimelineRow> {
    let outages: Vec<_> = result.spans.iter().filter(|span| span.kind == SpanKind::Outage).map(timed).collect();
    let name = counted(outages.len(), "outage");
    (!outages.is_empty()).then(|| TimelineRow { name, section: OUTAGES, spans: outages, ..TimelineRow::default() })
}

fn is_of_step(kind: SpanKind) -> bool {
    matches!(kind, SpanKind::Step | SpanKind::Attempt | SpanKind::Wait)
}

fn thread_row(key: &str, thread: &Thread<'_>, opening: &Opening) -> TimelineRow {
    let moment = |kind: EventKind| match kind {
        EventKind::ApiError
        | EventKind::ApiRetry
        | EventKind::SubagentDied
        | EventKind::CutStream
        | EventKind::EndedEarly
        | EventKind::OpenCalls => Activity::Error,
        EventKind::Compaction => Activity::Compaction,
        EventKind::Interrupt => Activity::Interrupt,
    };
    TimelineRow {
        name: opening.names.of(key).to_owned(),
        depth: usize::from(StoreKey::parse(key).kind() == Kind::Subagent),
        section: THREADS,
        spans: thread.active.iter().chain(&thread.calls).map(|span| timed(span)).collect(),
        moments: thread.events.iter().map(|event| (moment(event.kind), Some(event.time))).collect(),
    }
}

fn timed(span: &TimelineSpan) -> (Activity, Option<Timestamp>, Option<Timestamp>) {
    let activity = match (span.kind, span.outcome) {
        (SpanKind::Step, _) => Activity::Step,
        (SpanKind::Attempt, Some(SpanOutcome::Failed)) => Activity::FailedAttempt,
        (SpanKind::Attempt, _) => Activity::Attempt,
        (SpanKind::Wait, _) => Activity::Wait,
        (SpanKind::Session, _) => Activity::Session,
        (SpanKind::Subagent, _) => Activity::Subagent,
        (SpanKind::ToolCall, _) => Activity::ToolCall,
        (SpanKind::Outage, _) => Activity::Outage,
    };
    (activity, Some(span.start), Some(span.last()))
}
