use super::fed::Fed;
use super::finding::{Effect, LayerFinding};
use super::{harm, pairing, path};
use crate::layers::{Layer, Loaded};
use crate::session::SessionModel;
use crate::unit::{Diagnosis, Finding, Place};
use serde::Serialize;

/// Whether a session can be resumed from what is fed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Answer {
    /// Yes.
    Resumable,
    /// Yes, but something is lost that no layer is meant to take away.
    ResumableWithLoss,
    /// No.
    Refused,
}

/// The verdict on what is fed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// For the path that the harness walks.
    pub live: Answer,
    /// For everything under the store key.
    pub whole: Answer,
    /// Why it is not simply resumable, the gravest first.
    pub reasons: Vec<Reason>,
}

/// Why a session is not simply resumable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// Code of the finding.
    pub code: &'static str,
    /// What follows from it.
    pub answer: Answer,
    /// It is on the path that the harness walks.
    pub live: bool,
    /// The layer that caused it; null if it was there before.
    pub layer: Option<Layer>,
    /// The entry that shows it.
    pub seq: Option<i64>,
    /// One sentence.
    pub message: String,
}

/// A finding with the place where it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Observed {
    pub(super) finding: LayerFinding,
    pub(super) seq: Option<i64>,
    /// It is on the path that the harness walks.
    pub(super) live: bool,
}

/// Judges what is fed of a session.
pub fn verdict(session: &SessionModel, loaded: &Loaded<'_>) -> Verdict {
    Verdict::of(&observe(&Fed::new(session, loaded)))
}

/// Everything that is to be said of what is fed.
pub(super) fn observe(fed: &Fed<'_>) -> Vec<Observed> {
    let mut observed = pairing::pairing(fed);
    observed.extend(path::path(fed));
    observed.extend(harm::harm(fed));
    observed
}

impl Verdict {
    /// Judges what was observed.
    pub(super) fn of(observed: &[Observed]) -> Self {
        let mut reasons: Vec<Reason> = observed.iter().filter_map(reason).collect();
        reasons.sort_by_key(|reason| (std::cmp::Reverse((reason.live, reason.answer)), reason.seq));
        let worst = |live: bool| {
            let answers = reasons.iter().filter(|reason| reason.live || !live).map(|reason| reason.answer);
            answers.max().unwrap_or(Answer::Resumable)
        };
        Self { live: worst(true), whole: worst(false), reasons }
    }
}

fn reason(observed: &Observed) -> Option<Reason> {
    let answer = match observed.finding.effect() {
        Effect::None => return None,
        Effect::Loss => Answer::ResumableWithLoss,
        Effect::Refused => Answer::Refused,
    };
    let (code, message) = (observed.finding.code(), observed.finding.sentence());
    Some(Reason { code, answer, live: observed.live, layer: observed.finding.layer(), seq: observed.seq, message })
}

/// The findings; what was wrong before the layers has its finding elsewhere.
pub(super) fn findings(store_key: &str, observed: &[Observed]) -> Vec<Finding> {
    let is_new = |observed: &&Observed| !observed.finding.is_of_the_store();
    let place = |seq: Option<i64>| seq.map_or_else(|| Place::session(store_key), |seq| Place::entry(store_key, seq));
    observed.iter().filter(is_new).map(|observed| observed.finding.at(place(observed.seq))).collect()
}
