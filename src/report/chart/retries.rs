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
const WAIT: usize = 0;
const OK: usize = 1;
const UNKNOWN: usize = 2;
const FAILED: usize = 3;

/// Steps that are all drawn; of more, only those that did not end well at once.
const MAX_PLAIN: usize = 40;

fn kinds() -> Vec<Series> {
    vec![
        Series::new("wait between attempts", Hue::Rest),
        Series::new("attempt that ended well", Hue::Good),
        Series::new("attempt that was interrupted or broke off", Hue::Warn),
        Series::new("attempt that failed", Hue::Bad),
    ]
}

/// Attempts and waits of every step, from the beginning of its first attempt.
pub fn retries(figure: RetriesFigure) -> Picture {
    let untimed = figure.steps.iter().flat_map(|step| &step.attempts).filter(|a| span(a).is_none()).count();
    let (told, plain): (Vec<&RetriedStep>, Vec<&RetriedStep>) = figure.steps.iter().partition(|step| !is_plain(step));
    let plain = if figure.steps.len() > MAX_PLAIN && !told.is_empty() { plain.len() } else { 0 };
    let steps = if plain > 0 { told } else { figure.steps.iter().collect() };
    let plain = (plain > 0).then(|| format!("{} with one attempt that ended well: not drawn.", counted(plain, "step")));
    let lanes = Lanes {
        axis: Axis::Elapsed,
        kinds: kinds(),
        lanes: steps.into_iter().map(lane).filter(|lane| !lane.spans.is_empty()).collect(),
        idle: Vec::new(),
    };
    let note = (untimed > 0).then(|| format!("{} without a begin or an end: not drawn.", counted(untimed, "attempt")));
    Picture::new(figure.title, "")
        .panel(
            "Attempts and waits of each step, from the beginning of its first attempt",
            lanes,
            "No attempt has a begin and an end.",
        )
        .note(plain)
        .note(note)
}

/// Whether there is nothing to tell of it: one attempt that ended well.
fn is_plain(step: &RetriedStep) -> bool {
    matches!(step.attempts.as_slice(), [only] if only.ok == Some(true))
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
    Lane { label: step.name.clone(), remark: counted(step.attempts.len(), "attempt"), spans, ..Lane::default() }
}
