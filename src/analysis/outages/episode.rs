use crate::analysis::horizon::{horizon, is_believed};
use crate::analysis::{Failure, FailureKind, Failures, Selection, Source};
use crate::session::Model;
use crate::unit::{Span, Timestamp};
use std::collections::BTreeSet;

/// A network that is down lets nothing through: once something came through, a failure this much later is another outage.
const QUIET_NETWORK: Span = Span::from_millis(5_000);

/// An API that is overloaded, or refuses some requests, lets others through in between.
const QUIET_SERVICE: Span = Span::from_millis(60_000);

/// Failures of the service that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::analysis) struct Episode {
    pub(in crate::analysis) first: Timestamp,
    pub(in crate::analysis) last: Timestamp,
    /// The first answer after the last failure, of any session.
    pub(in crate::analysis) recovered: Option<Timestamp>,
    /// Its failures, by index, in the order of time.
    pub(in crate::analysis) failures: Vec<usize>,
}

impl Episode {
    /// Its failures.
    pub(super) fn own<'f>(&self, failures: &'f Failures) -> impl Iterator<Item = &'f Failure> {
        self.failures.iter().filter_map(|index| failures.all.get(*index))
    }

    /// Whether it hit a chosen session.
    pub(in crate::analysis) fn hits(&self, failures: &Failures, selection: &Selection) -> bool {
        self.own(failures).any(|failure| selection.has(failure.session))
    }

    /// The kinds of its failures.
    pub(in crate::analysis) fn kinds(&self, failures: &Failures) -> Vec<FailureKind> {
        self.own(failures).map(|failure| failure.judged.kind).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// Failures over all sessions, clustered by time (spec/errors.md, Outages; it names no limit). A failure belongs to the
/// episode before it if no session got an answer in between, or if the last failure is only a moment ago: five seconds where
/// one of the two is of the network, a minute where the API refused both.
pub(in crate::analysis) fn episodes(model: &Model, failures: &Failures) -> Vec<Episode> {
    let mut answers: Vec<Timestamp> = model.usage.turns.iter().filter_map(|turn| turn.timestamp).collect();
    answers.sort_unstable();
    let horizon = horizon(model);
    let next_answer = |t: Timestamp| answers.get(answers.partition_point(|answer| *answer <= t)).copied();
    let mut timed: Vec<(Timestamp, usize)> = failures
        .all
        .iter()
        .enumerate()
        .filter(|(_, failure)| is_of_outage(failure))
        .filter_map(|(index, failure)| Some((believed(failure, horizon)?, index)))
        .collect();
    timed.sort_unstable();
    let kind = |index: &usize| failures.all.get(*index).map(|failure| failure.judged.kind);
    let mut episodes: Vec<Episode> = Vec::new();
    for (at, index) in timed {
        let belongs = |episode: &&mut Episode| {
            let answered = next_answer(episode.last).is_some_and(|answer| answer < at);
            let down = [episode.failures.last().and_then(kind), kind(&index)].contains(&Some(FailureKind::Network));
            !answered || at.since(episode.last) <= if down { QUIET_NETWORK } else { QUIET_SERVICE }
        };
        match episodes.last_mut().filter(belongs) {
            Some(episode) => {
                episode.last = at;
                episode.failures.push(index);
            }
            None => episodes.push(Episode { first: at, last: at, recovered: None, failures: vec![index] }),
        }
    }
    for episode in &mut episodes {
        episode.recovered = next_answer(episode.last);
    }
    episodes
}

/// The time of a failure, if no wrong clock dated it.
pub(super) fn believed(failure: &Failure, horizon: Option<Timestamp>) -> Option<Timestamp> {
    failure.timestamp.filter(|time| is_believed(*time, horizon))
}

/// Told for the first time, and by the service or the way to it. An announced retry without a reason counts; a stream that
/// was only likely cut does not.
pub(super) fn is_of_outage(failure: &Failure) -> bool {
    let announced = failure.source == Source::CliRetry && failure.judged.kind == FailureKind::Unknown;
    let is_guess = failure.source == Source::CutStream;
    failure.repeats.is_none() && !is_guess && (failure.judged.kind.is_of_the_service() || announced)
}
