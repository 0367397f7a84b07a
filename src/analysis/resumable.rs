use super::layers::{Answer, verdict};
use crate::layers::{Payload, Policy, load};
use crate::session::SessionModel;
use serde::Serialize;
use thiserror::Error;

/// Whether a main thread can be resumed: the verdict of the load layers on its live path, under flower's own policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Resumable {
    /// The verdict.
    pub verdict: Answer,
    /// Calls without a result that healing answers.
    pub healed_calls: u64,
    /// What speaks against a plain yes, the gravest first.
    pub reasons: Vec<String>,
}

/// A verdict that cannot be given.
#[derive(Debug, Error)]
#[error("cannot tell whether {store_key} can be resumed: {reason}")]
pub struct NotJudged {
    /// The session.
    pub store_key: String,
    /// Why its rows cannot be read again.
    pub reason: String,
}

/// Judges a session; whoever does that has to read its rows again.
pub type Judge<'a> = dyn Fn(&SessionModel) -> Result<Resumable, NotJudged> + 'a;

/// Puts the rows of a session through the load layers, and judges what is fed (spec/layers.md, What the analyzer adds to
/// each layer).
pub fn resumable(session: &SessionModel, payloads: &[Payload<'_>]) -> Resumable {
    let loaded = load(payloads, &Policy::flower());
    let verdict = verdict(session, &loaded);
    let reasons = verdict.reasons.into_iter().filter(|reason| reason.live).map(|reason| reason.message);
    Resumable { verdict: verdict.live, healed_calls: loaded.report.healed, reasons: reasons.collect() }
}
