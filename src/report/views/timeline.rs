use super::evidence::Opening;
use super::lanes::{lanes, threads};
use super::range::range;
use super::tools::shortened;
use crate::analysis::{Basis, SpanKind, Timeline, TimelineEvent, TimelineSpan};
use crate::report::{Cell, Column, Facts, Page, Table};
use crate::unit::{Span, Timestamp, counted};

/// Events and things without a place that people see; JSON has all.
const MAX_SHOWN: usize = 20;
/// The longest calls that people see.
const MAX_CALLS: usize = 10;

/// The chart, then what happened at single moments, the longest calls, and what has no place.
pub fn timeline(result: &Timeline, opening: &Opening) -> Page {
    let page = Page::new(opening.title("Timeline")).data(data(result)).part(overview(result, opening));
    let page = page.section("What happened beside what", lanes(result, opening));
    let page = if result.events.is_empty() {
        page
    } else {
        page.section("Events", shortened(events(result, opening), MAX_SHOWN))
    };
    let page = page.section("Longest calls", longest(result, opening));
    let page = if result.unplaced.is_empty() {
        page
    } else {
        page.section("Without a place on the axis", shortened(unplaced(result, opening), MAX_SHOWN))
    };
    page.section("Evidence", opening.facts())
}

fn overview(result: &Timeline, opening: &Opening) -> Facts {
    let zone = opening.zone;
    let of = |kind| result.spans.iter().filter(|span| span.kind == kind).count();
    let count = |kind: SpanKind, noun: &str| counted(of(kind), noun);
    let time = result.from.zip(result.to).map(|(from, to)| {
        format!("{} to {} ({}), {}", zone.date_time(from), zone.date_time(to), zone.name(), to.since(from))
    });
    let what = [
        count(SpanKind::Step, "step"),
        count(SpanKind::Attempt, "attempt"),
        counted(threads(result).len(), "thread"),
        count(SpanKind::ToolCall, "tool call"),
        count(SpanKind::Outage, "outage"),
        counted(result.events.len(), "event"),
    ];
    let unplaced: usize = result.unplaced.iter().map(|unplaced| unplaced.count).sum();
    Facts::new()
        .line("time", Cell::from(time))
        .line("on the axis", what.join(", "))
        .line_if(
            "range",
            range(result.range, &[(result.spans_left_out, "span"), (result.events_left_out, "event")], opening),
        )
        .line_if("without a place", (unplaced > 0).then(|| Cell::from(unplaced).warn()))
}

/// Columns of spans and events.
const COLUMNS: [&str; 15] = [
    "type",
    "kind",
    "name",
    "store_key",
    "seq",
    "start",
    "end",
    "duration_s",
    "outcome",
    "entries",
    "failures",
    "attempt",
    "failure",
    "wait",
    "guessed",
];

/// Spans and events together, for spreadsheets.
fn data(result: &Timeline) -> Table {
    Table::new(COLUMNS.map(Column::text)).rows(result.spans.iter().map(span)).rows(result.events.iter().map(event))
}

/// As many cells as columns: a cell more would be lost.
type Row = [Cell; COLUMNS.len()];

fn span(span: &TimelineSpan) -> Row {
    [
        "span".into(),
        span.kind.to_string().into(),
        span.name.as_str().into(),
        span.store_key.as_deref().into(),
        span.seq.into(),
        span.start.to_string().into(),
        span.end.map(|end| end.to_string()).into(),
        span.duration_s.into(),
        span.outcome.map(|outcome| outcome.to_string()).into(),
        span.entries.into(),
        span.failures.into(),
        span.attempt.into(),
        span.failure.map(|failure| failure.to_string()).into(),
        span.wait.map(|verdict| verdict.to_string()).into(),
        span.guessed.into(),
    ]
}

fn event(event: &TimelineEvent) -> Row {
    [
        "event".into(),
        event.kind.to_string().into(),
        event.text.as_str().into(),
        event.store_key.as_str().into(),
        event.seq.into(),
        event.time.to_string().into(),
        Cell::absent(),
        Cell::absent(),
        Cell::absent(),
        Cell::absent(),
        Cell::absent(),
        Cell::absent(),
        event.failure.map(|failure| failure.to_string()).into(),
        Cell::absent(),
        event.basis.map(Basis::is_guess).into(),
    ]
}

fn events(result: &Timeline, opening: &Opening) -> Table {
    let columns = [
        Column::number("time"),
        Column::word("event"),
        Column::word("kind"),
        Column::word("entry"),
        Column::text("text").minor(),
    ];
    let rows = result.events.iter().map(|event| {
        [
            Cell::moment(event.time, opening.zone),
            event.kind.to_string().into(),
            event.failure.map(|failure| likely(&failure.to_string(), event.basis)).into(),
            format!("{}:{}", opening.names.of(&event.store_key), event.seq).into(),
            event.text.as_str().into(),
        ]
    });
    Table::new(columns).rows(rows)
}

/// A kind that is not recorded but concluded is said to be likely.
fn likely(kind: &str, basis: Option<Basis>) -> Cell {
    if basis.is_some_and(Basis::is_guess) { Cell::text(format!("{kind} (likely)")).faint() } else { kind.into() }
}

fn longest(result: &Timeline, opening: &Opening) -> Table {
    let columns = [
        Column::text("tool"),
        Column::number("took"),
        Column::number("from"),
        Column::word("entry"),
        Column::word("outcome"),
    ];
    let timed = result.spans.iter().filter(|span| span.kind == SpanKind::ToolCall);
    let mut calls: Vec<(Span, Timestamp, &TimelineSpan)> =
        timed.filter_map(|span| Some((span.duration_s?, span.start, span))).collect();
    calls.sort_by_key(|(lasted, start, _)| (std::cmp::Reverse(*lasted), *start));
    let rows = calls.into_iter().take(MAX_CALLS).map(|(lasted, start, span)| {
        let place = span.store_key.as_deref().zip(span.seq);
        [
            span.name.as_str().into(),
            lasted.into(),
            Cell::moment(start, opening.zone),
            place.map(|(key, seq)| format!("{}:{seq}", opening.names.of(key))).into(),
            span.outcome.map(|outcome| outcome.to_string()).into(),
        ]
    });
    Table::new(columns).rows(rows).empty("No call with a start and an end.")
}

fn unplaced(result: &Timeline, opening: &Opening) -> Table {
    let columns = [
        Column::word("kind"),
        Column::text("name"),
        Column::number("count"),
        Column::word("first"),
        Column::prose("why"),
    ];
    let rows = result.unplaced.iter().map(|unplaced| {
        let thread = unplaced.store_key.as_deref().map(|key| opening.names.of(key).to_owned());
        let place = match (thread, unplaced.seq) {
            (Some(thread), Some(seq)) => Some(format!("{thread}:{seq}")),
            (thread, _) => thread,
        };
        [
            unplaced.kind.as_str().into(),
            unplaced.name.as_str().into(),
            unplaced.count.into(),
            place.into(),
            unplaced.why.into(),
        ]
    });
    Table::new(columns).rows(rows)
}
