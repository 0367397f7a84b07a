use super::evidence::Opening;
use crate::analysis::{EventKind, SpanKind, SpanOutcome, Timeline, TimelineEvent, TimelineSpan};
use crate::report::{Clock, Glyph, Ink, InkKey, Lane, LaneGroup, Lanes, Mark, Tone};
use crate::run_dir::{Kind, StoreKey};
use crate::unit::{Span, Timestamp, counted};
use foldhash::{HashMap, HashSet};

/// Threads that have a lane each, subagents included.
const MAX_THREADS: usize = 40;

/// The signs of events, the most pressing first.
const SIGNS: [(&[EventKind], char, char, &str, Tone); 5] = [
    (
        &[EventKind::ApiError, EventKind::SubagentDied, EventKind::CutStream, EventKind::EndedEarly],
        '✗',
        '!',
        "failure",
        Tone::Bad,
    ),
    (&[EventKind::OpenCalls], '○', 'o', "broken-off turn", Tone::Bad),
    (&[EventKind::Interrupt], '◆', 'i', "interrupt", Tone::Warn),
    (&[EventKind::ApiRetry], '↻', 'r', "announced retry", Tone::Warn),
    (&[EventKind::Compaction], '▾', 'v', "compaction", Tone::Normal),
];

/// What bars and lines mean.
const INKS: [(Ink, Tone, &str); 5] = [
    (Ink::Bar, Tone::Good, "ended well"),
    (Ink::Bar, Tone::Bad, "failed, or an outage"),
    (Ink::Bar, Tone::Warn, "no end known"),
    (Ink::Dots, Tone::Warn, "wait"),
    (Ink::Line, Tone::Faint, "thread at work"),
];

/// Steps, attempts, outages and threads, lane by lane.
pub(super) fn lanes(result: &Timeline, opening: &Opening) -> Lanes {
    let group = |heading: &str, counted: &str, lanes| LaneGroup {
        heading: heading.to_owned(),
        counted: counted.to_owned(),
        joins: false,
        lanes,
    };
    let steps = result.spans.iter().filter(|span| span.kind == SpanKind::Step).map(step_lane).collect();
    let threads = thread_lanes(threads(result), opening);
    let groups = vec![
        group("Steps", "", steps),
        LaneGroup {
            joins: true,
            ..group(
                "Attempts of steps that were tried again or failed, and the waits between",
                "",
                attempt_lanes(result),
            )
        },
        LaneGroup {
            joins: true,
            ..group(
                "Outages of the service, from the first failure to the first answer after it",
                "",
                outage_lanes(result),
            )
        },
        group("Threads and their tool calls", "call", threads),
    ];
    let glyph = |(_, sign, ascii, meaning, tone): (&[EventKind], char, char, &str, Tone)| {
        let meaning = meaning.to_owned();
        Glyph { sign, ascii, meaning, tone }
    };
    let ink = |(ink, tone, meaning): (Ink, Tone, &str)| InkKey { ink, tone, meaning: meaning.to_owned() };
    let inks = INKS.map(ink).into();
    Lanes { clock: Clock::Zone(opening.zone), groups, key: SIGNS.map(glyph).into(), inks }
}

const fn tone(outcome: Option<SpanOutcome>) -> Tone {
    match outcome {
        Some(SpanOutcome::Ok) => Tone::Good,
        Some(SpanOutcome::Open) | None => Tone::Warn,
        Some(SpanOutcome::Failed | SpanOutcome::Denied | SpanOutcome::LikelyDenied | SpanOutcome::Interrupted) => {
            Tone::Bad
        }
    }
}

/// Steps with one attempt that went well have nothing to add to their own lane.
fn attempt_lanes(result: &Timeline) -> Vec<Lane> {
    let mut order: Vec<&str> = Vec::new();
    let mut attempts: HashMap<&str, Vec<&TimelineSpan>> = HashMap::default();
    for span in result.spans.iter().filter(|span| matches!(span.kind, SpanKind::Attempt | SpanKind::Wait)) {
        let own = attempts.entry(&span.name).or_default();
        if own.is_empty() {
            order.push(&span.name);
        }
        own.push(span);
    }
    let has_step: HashSet<&str> =
        result.spans.iter().filter(|span| span.kind == SpanKind::Step).map(|span| span.name.as_str()).collect();
    let lane = |name: &str| {
        let spans = attempts.get(name)?;
        let own = || spans.iter().filter(|span| span.kind == SpanKind::Attempt);
        let is_plain = own().all(|span| span.attempt == Some(1) && span.outcome == Some(SpanOutcome::Ok));
        (!is_plain || !has_step.contains(name)).then(|| attempt_lane(name, spans))
    };
    order.into_iter().filter_map(lane).collect()
}

fn attempt_lane(name: &str, spans: &[&TimelineSpan]) -> Lane {
    let is_wait = |span: &TimelineSpan| span.kind == SpanKind::Wait;
    let marks = spans.iter().map(|span| {
        if is_wait(span) { mark(span, Ink::Dots, Tone::Warn) } else { mark(span, Ink::Bar, tone(span.outcome)) }
    });
    let waits = || spans.iter().filter(|span| is_wait(span));
    let waited = waits().filter_map(|span| span.duration_s).map(Span::millis).fold(0, i64::saturating_add);
    let waited =
        if waits().next().is_some() { format!(", waited {}", Span::from_millis(waited)) } else { String::new() };
    let guessed = spans.iter().any(|span| span.guessed);
    let guessed = if guessed { ", step guessed" } else { "" };
    let attempts = spans.iter().filter(|span| !is_wait(span)).count();
    let note = format!("{}{waited}{guessed}", counted(attempts, "attempt"));
    Lane { label: name.to_owned(), marks: marks.collect(), note }
}

/// One lane an outage, numbered as `outages` numbers them.
fn outage_lanes(result: &Timeline) -> Vec<Lane> {
    let outages = result.spans.iter().filter(|span| span.kind == SpanKind::Outage);
    let lane = |(number, span): (usize, &TimelineSpan)| {
        let lasted = span.duration_s.unwrap_or_default();
        let ended = if span.outcome == Some(SpanOutcome::Open) { ", open" } else { "" };
        let failures = counted(span.failures.unwrap_or_default(), "failure");
        let marks = vec![mark(span, Ink::Bar, Tone::Bad)];
        Lane { label: format!("{number} {}", span.name), marks, note: format!("{failures}, {lasted}{ended}") }
    };
    (1..).zip(outages).map(lane).collect()
}

fn step_lane(span: &TimelineSpan) -> Lane {
    let outcome = span.outcome.map_or_else(|| "unknown".to_owned(), |outcome| outcome.to_string());
    let lasted = span.duration_s.map(|lasted| format!(", {lasted}")).unwrap_or_default();
    let marks = vec![mark(span, Ink::Bar, tone(span.outcome))];
    Lane { label: span.name.clone(), marks, note: format!("{outcome}{lasted}") }
}

/// What one session did.
#[derive(Default)]
pub(super) struct Thread<'a> {
    pub(super) active: Vec<&'a TimelineSpan>,
    pub(super) calls: Vec<&'a TimelineSpan>,
    pub(super) events: Vec<&'a TimelineEvent>,
}

impl Thread<'_> {
    fn join(&mut self, other: Self) {
        self.active.extend(other.active);
        self.calls.extend(other.calls);
        self.events.extend(other.events);
    }

    /// Its first moment: spans and events are in order.
    fn first(&self) -> Option<Timestamp> {
        let spans = self.active.first().into_iter().chain(self.calls.first()).map(|span| span.start);
        spans.chain(self.events.first().map(|event| event.time)).min()
    }
}

/// In the order in which the main threads began; a subagent stands below its main thread.
pub(super) fn threads(result: &Timeline) -> Vec<(&str, Thread<'_>)> {
    let mut threads: HashMap<&str, Thread<'_>> = HashMap::default();
    for span in &result.spans {
        let Some(key) = span.store_key.as_deref() else { continue };
        match span.kind {
            SpanKind::Step | SpanKind::Attempt | SpanKind::Wait | SpanKind::Outage => {}
            SpanKind::Session | SpanKind::Subagent => threads.entry(key).or_default().active.push(span),
            SpanKind::ToolCall => threads.entry(key).or_default().calls.push(span),
        }
    }
    for event in &result.events {
        threads.entry(&event.store_key).or_default().events.push(event);
    }
    let mut begins: HashMap<(&str, &str), Timestamp> = HashMap::default();
    for (key, thread) in &threads {
        if let Some(first) = thread.first() {
            begins.entry(family(key)).and_modify(|begin| *begin = first.min(*begin)).or_insert(first);
        }
    }
    let mut threads: Vec<(&str, Thread<'_>)> = threads.into_iter().collect();
    threads.sort_by_key(|(key, _)| (begins.get(&family(key)).copied(), *key));
    threads
}

/// What a subagent has in common with its main thread.
fn family(key: &str) -> (&str, &str) {
    let key = StoreKey::parse(key);
    (key.project, key.session)
}

/// One lane a thread; of many threads the subagents of each main thread share one.
fn thread_lanes(threads: Vec<(&str, Thread<'_>)>, opening: &Opening) -> Vec<Lane> {
    let is_crowded = threads.len() > MAX_THREADS;
    let is_subagent = |key: &str| StoreKey::parse(key).kind() == Kind::Subagent;
    let mut threads = threads.into_iter().peekable();
    let mut lanes = Vec::new();
    while let Some((key, mut thread)) = threads.next() {
        let mut joined = 1;
        while is_crowded && is_subagent(key) {
            let sibling = threads.next_if(|(next, _)| is_subagent(next) && family(next) == family(key));
            let Some((_, sibling)) = sibling else { break };
            thread.join(sibling);
            joined += 1;
        }
        let lane = thread_lane(key, &thread, opening);
        let label = if joined > 1 { format!("· {}", counted(joined, "subagent")) } else { lane.label };
        lanes.push(Lane { label, ..lane });
    }
    lanes
}

fn thread_lane(key: &str, thread: &Thread<'_>, opening: &Opening) -> Lane {
    let below = if StoreKey::parse(key).kind() == Kind::Subagent { "· " } else { "" };
    let active = thread.active.iter().map(|span| mark(span, Ink::Line, Tone::Faint));
    let calls = thread.calls.iter().map(|span| {
        let failed = !matches!(span.outcome, Some(SpanOutcome::Ok));
        mark(span, Ink::Count, if failed { Tone::Bad } else { Tone::Normal })
    });
    let events = thread.events.iter().filter_map(|event| {
        let sign = SIGNS.iter().position(|(kinds, ..)| kinds.contains(&event.kind))?;
        Some(Mark { from: event.time, to: event.time, ink: Ink::Sign(sign), tone: Tone::Normal })
    });
    let of = |outcomes: &[SpanOutcome]| {
        let is = |span: &&&TimelineSpan| span.outcome.is_some_and(|outcome| outcomes.contains(&outcome));
        thread.calls.iter().filter(is).count()
    };
    let told = [
        (of(&[SpanOutcome::Failed]), "failed"),
        (of(&[SpanOutcome::Denied, SpanOutcome::LikelyDenied]), "denied"),
        (of(&[SpanOutcome::Open]), "open"),
    ];
    let told = told.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}"));
    let note: Vec<String> = [counted(thread.calls.len(), "call")].into_iter().chain(told).collect();
    Lane {
        label: format!("{below}{}", opening.names.of(key)),
        marks: active.chain(calls).chain(events).collect(),
        note: note.join(", "),
    }
}

fn mark(span: &TimelineSpan, ink: Ink, tone: Tone) -> Mark {
    Mark { from: span.start, to: span.last(), ink, tone }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_dir::ShortNames;
    use crate::unit::Zone;

    fn labels(subagents: usize) -> Vec<String> {
        let keys: Vec<String> = ["one", "two"]
            .iter()
            .flat_map(|main| {
                let agents = (0..subagents).map(move |n| format!("-w/{main}/subagents/agent-{n:03}"));
                [format!("-w/{main}")].into_iter().chain(agents)
            })
            .collect();
        let opening = Opening {
            path: String::new(),
            kind: String::new(),
            method: String::new(),
            recovery: Vec::new(),
            files: Vec::new(),
            bytes: 0,
            hashed: false,
            unchanged: true,
            changes: Vec::new(),
            names: ShortNames::of_all(keys.iter().map(String::as_str)),
            zone: Zone::UTC,
        };
        let threads = keys.iter().map(|key| (key.as_str(), Thread::default())).collect();
        thread_lanes(threads, &opening).into_iter().map(|lane| lane.label).collect()
    }

    #[test]
    fn the_subagents_of_a_main_thread_share_a_lane_where_there_are_many() {
        assert_eq!(labels(19).len(), 40, "each has its own");
        let many = labels(30);
        assert_eq!(many.len(), 4);
        assert_eq!([&many[1], &many[3]], ["· 30 subagents"; 2]);
    }
}
