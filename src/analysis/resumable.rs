use crate::session::{CallFaultKind, SessionModel, Standing};
use crate::unit::counted;
use serde::Serialize;

/// Whether a session can be resumed as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Resumable {
    /// The verdict.
    pub verdict: ResumeVerdict,
    /// What speaks against a plain yes.
    pub reasons: Vec<String>,
}

/// Whether a session can be resumed, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::Display, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum ResumeVerdict {
    /// As it is.
    Yes,
    /// After healing, which adds the missing results.
    AfterHealing,
    /// Without a part of its history.
    WithLoss,
    /// The API would refuse it.
    No,
}

/// The red lines of spec/layers.md, asked of the live chain as it is stored: every call has its result and the reverse, the
/// whole chain is reached from the leaf. What the load layers make of it before they hand it over is to be asked here too.
pub fn resumable(session: &SessionModel) -> Resumable {
    let live = |at| session.chain.standing[at] == Standing::Live;
    let faults = || session.call_faults.iter().filter(|fault| live(fault.at));
    let count = |wanted: fn(&CallFaultKind) -> bool| faults().filter(|fault| wanted(&fault.kind)).count();
    let orphans = count(|kind| matches!(kind, CallFaultKind::OrphanCall { healable: true, .. }));
    // The order of the rows is not the order of the links, which the API is given.
    let harmless = count(|kind| matches!(kind, CallFaultKind::ResultBeforeCall { linked: false, .. }));
    // A result on another line shows there; what is missing is missing here.
    let elsewhere = session
        .calls
        .iter()
        .filter(|call| live(call.at) && call.answer.as_ref().is_some_and(|answer| !live(answer.at)));
    let refused = faults().count() - orphans - harmless + elsewhere.count();
    let detached = session.chain.standing.iter().filter(|(_, standing)| **standing == Standing::Detached).count();
    let mut found = Vec::new();
    if session.chain.live_leaf().is_none() {
        found.push((ResumeVerdict::No, "it has no leaf to go on from".to_owned()));
    }
    if refused > 0 {
        found.push((
            ResumeVerdict::No,
            format!("{} that the API refuses", counted(refused, "fault of call and result")),
        ));
    }
    if detached > 0 {
        let entries = counted(detached, "entry");
        found.push((ResumeVerdict::WithLoss, format!("{entries} that the live chain does not reach")));
    }
    if orphans > 0 {
        found.push((ResumeVerdict::AfterHealing, format!("{} without a result", counted(orphans, "call"))));
    }
    let verdict = found.iter().map(|(verdict, _)| *verdict).max().unwrap_or(ResumeVerdict::Yes);
    Resumable { verdict, reasons: found.into_iter().map(|(_, reason)| reason).collect() }
}
