use super::Selection;
use crate::session::{Model, Totals};
use serde::Serialize;
use std::collections::BTreeMap;

/// Usage counted once, in total and by what a person asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct UsageReport {
    /// In total.
    #[serde(flatten)]
    pub total: Totals,
    /// Messages found in more than one session, counted once.
    pub shared_turns: usize,
    /// By the model that answered.
    pub by_model: BTreeMap<String, Totals>,
    /// By the store key that the message was written to first.
    pub by_session: BTreeMap<String, Totals>,
}

/// The usage of the chosen sessions: messages whose first copy is in one of them.
pub fn usage_report(model: &Model, selection: &Selection) -> UsageReport {
    let mut report = UsageReport::default();
    for turn in model.usage.turns.iter().filter(|turn| selection.has(turn.home)) {
        report.total.add(turn);
        report.shared_turns += usize::from(!turn.shared_with.is_empty());
        add(&mut report.by_model, &turn.model, turn);
        if let Some(session) = model.sessions.get(turn.home) {
            add(&mut report.by_session, session.store_key(), turn);
        }
    }
    report
}

fn add(sums: &mut BTreeMap<String, Totals>, key: &str, turn: &crate::session::ModelTurn) {
    if let Some(totals) = sums.get_mut(key) {
        totals.add(turn);
    } else {
        sums.entry(key.to_owned()).or_default().add(turn);
    }
}
