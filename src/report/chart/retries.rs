use super::picture::{Axis, Hue, Lane, LaneSpan, Lanes, Picture, Series};
use crate::unit::{Timestamp, counted};

/// What the figure of retries shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetriesFigure {
    /// First line of the picture.
    pub title: String,
    /// In the order of the run.
    pub steps: Vec<RetriedStep>,
}

/// A step and how it was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetriedStep {
    /// Its name.
    pub name: String,
    /// In the order of time.
    pub attempts: Vec<Attempt>,
}

/// An attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempt {
    /// When it began.
    pub from: Option<Timestamp>,
    /// When it ended.
    pub to: Option<Timestamp>,
    /// Whether it ended well; `None` if it was interrupted or broke off.
    pub ok: Option<bool>,
}

/// Positions of the kinds below.
const OK: usize = 0;
const FAILED: usize = 1;
const UNKNOWN: usize = 2;
const WAIT: usize = 3;

fn kinds() -> Vec<Series> {
    vec![
        Series::new("attempt that ended well", Hue::Good),
        Series::new("attempt that failed", Hue::Bad),
        Series::new("attempt that was interrupted or broke off", Hue::Warn),
        Series::new("wait between attempts", Hue::Rest),
    ]
}

/// Attempts and waits of every step, from the beginning of its first attempt.
pub fn retries(figure: RetriesFigure) -> Picture {
    let untimed = figure.steps.iter().flat_map(|step| &step.attempts).filter(|a| span(a).is_none()).count();
    let lanes = Lanes {
        axis: Axis::Elapsed,
        kinds: kinds(),
        lanes: figure.steps.iter().map(lane).filter(|lane| !lane.spans.is_empty()).collect(),
        idle: Vec::new(),
    };
    let note = (untimed > 0).then(|| format!("{} without a begin or an end: not drawn.", counted(untimed, "attempt")));
    Picture::new(figure.title, "")
        .panel(
            "Attempts and waits of each step, from the beginning of its first attempt",
            lanes,
            "No attempt has a begin and an end.",
        )
        .note(note)
}

fn span(attempt: &Attempt) -> Option<(i64, i64)> {
    Some((attempt.from?.millis(), attempt.to?.millis()))
}

fn lane(step: &RetriedStep) -> Lane {
    let timed: Vec<((i64, i64), &Attempt)> = step.attempts.iter().filter_map(|a| Some((span(a)?, a))).collect();
    let begin = timed.iter().map(|((from, _), _)| *from).min().unwrap_or(0);
    let since = |at: i64| at.saturating_sub(begin);
    let waits = timed.iter().zip(timed.iter().skip(1)).map(|(((_, end), _), ((next, _), _))| LaneSpan {
        from: since(*end),
        to: since(*next),
        kind: WAIT,
    });
    let attempts = timed.iter().map(|((from, to), attempt)| LaneSpan {
        from: since(*from),
        to: since(*to),
        kind: match attempt.ok {
            Some(true) => OK,
            Some(false) => FAILED,
            None => UNKNOWN,
        },
    });
    // Clocks that went back leave no wait.
    let spans = waits.filter(|wait| wait.to > wait.from).chain(attempts).collect();
    let label = format!("{} ({})", step.name, counted(step.attempts.len(), "attempt"));
    Lane { label, spans, ..Lane::default() }
}
