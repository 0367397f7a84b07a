use crate::analysis::failures::plain_limit;
use crate::analysis::{Attempts, Begun, Ending, Failure, Source};
use crate::session::{Ix, Model};
use serde::Serialize;

/// What became of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::Display, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Outcome {
    /// An answer followed in the same attempt: the CLI went on by itself.
    RecoveredByCli,
    /// An answer followed in a later attempt, in the same session.
    Resumed,
    /// An answer followed in a later attempt, in another session.
    Restarted,
    /// No answer followed: the step, or the subagent, ended with it.
    Final,
}

/// Tells outcomes; knows the answers of every session.
#[derive(Debug)]
pub struct Outcomes<'a> {
    model: &'a Model,
    attempts: &'a Attempts,
    answers: Vec<Vec<Ix>>,
}

impl Outcome {
    /// Something followed.
    pub fn is_recovered(self) -> bool {
        self != Self::Final
    }
}

impl<'a> Outcomes<'a> {
    /// Reads the answers of all sessions.
    pub fn new(model: &'a Model, attempts: &'a Attempts) -> Self {
        let answers = model.sessions.iter().map(|session| {
            let answers = session.entries().filter(|(_, entry)| entry.is_answer() && plain_limit(entry).is_none());
            answers.map(|(ix, _)| ix).collect()
        });
        Self { model, attempts, answers: answers.collect() }
    }

    /// What became of a failure that a transcript records.
    pub fn of(&self, failure: &Failure) -> Outcome {
        // The parent goes on, but no retry brought the subagent back.
        if failure.source == Source::AgentResult { Outcome::Final } else { self.of_thread(failure) }
    }

    /// How the thread of a failure went on.
    pub fn of_thread(&self, failure: &Failure) -> Outcome {
        let attempt = self.attempts.of_entry(failure.session, failure.at, failure.timestamp);
        match self.next_answer(failure) {
            Some((ix, timestamp)) if self.attempts.of_entry(failure.session, ix, timestamp) == attempt => {
                Outcome::RecoveredByCli
            }
            Some(_) => Outcome::Resumed,
            // A dead subagent does not come back when its parent goes on.
            None if self.attempts.main_of(failure.session) != failure.session => Outcome::Final,
            None => attempt.map_or(Outcome::Final, |attempt| self.of_attempt(attempt)),
        }
    }

    /// What became of an attempt that failed.
    pub fn of_attempt(&self, index: usize) -> Outcome {
        let later = self.attempts.after(index);
        match (later.first(), later.last()) {
            (Some(next), Some(last)) if last.ending == Ending::Answered => match next.begun {
                Begun::Restarted => Outcome::Restarted,
                Begun::First | Begun::Resumed => Outcome::Resumed,
            },
            _ => Outcome::Final,
        }
    }

    /// The first answer behind the turn of a failure.
    fn next_answer(&self, failure: &Failure) -> Option<(Ix, Option<crate::unit::Timestamp>)> {
        let session = self.model.sessions.get(failure.session)?;
        let answers = self.answers.get(failure.session)?;
        let behind = answers.get(answers.partition_point(|ix| *ix <= failure.at)..)?;
        let turn = session.chain.turns.of(failure.at);
        let other = |ix: &&Ix| turn.is_none() || session.chain.turns.of(**ix) != turn;
        let ix = *behind.iter().find(other)?;
        Some((ix, session.entry(ix).and_then(|entry| entry.timestamp)))
    }
}
