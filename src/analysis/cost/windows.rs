use crate::analysis::steps::sessions_of;
use crate::run_dir::Manifest;
use crate::unit::Timestamp;
use foldhash::{HashMap, HashMapExt};

/// Windows that are looked at for one moment. Steps of one session follow each other; more overlaps are an attack.
const MAX_OVERLAPS: usize = 256;

/// The time windows of the steps, to tell which step a moment of a session belongs to (spec/cost.md, Reconciling).
#[derive(Debug, Default)]
pub(in crate::analysis) struct Windows {
    all: Lane,
    of_session: HashMap<String, Lane>,
}

/// How it is known that something belongs to a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum StepBasis {
    /// The step names the session, and no other step that does ran then.
    #[default]
    Named,
    /// Several steps that name the session ran then: it is the one that started last. A guess.
    Overlapping,
    /// No step names the session: the step is the only one that ran then. A guess.
    ByTime,
}

/// Windows in the order of their starts.
#[derive(Debug, Default)]
struct Lane(Vec<Window>);

#[derive(Debug, Clone, Copy)]
struct Window {
    step: usize,
    start: Option<Timestamp>,
    /// `None` is open: the step has no end.
    end: Option<Timestamp>,
    /// Some window up to this one is open or ends at or after this moment.
    reach: Option<Timestamp>,
}

impl Windows {
    /// The windows of every step of the manifest.
    pub(in crate::analysis) fn new(manifest: &Manifest) -> Self {
        let mut all = Lane::default();
        let mut of_session: HashMap<String, Lane> = HashMap::new();
        for (step, row) in manifest.rows.iter().enumerate() {
            let window = Window { step, start: row.started_at, end: row.ended_at, reach: row.ended_at };
            all.0.push(window);
            for id in sessions_of(row) {
                of_session.entry(id.clone()).or_default().0.push(window);
            }
        }
        all.order();
        of_session.values_mut().for_each(Lane::order);
        Self { all, of_session }
    }

    /// The step to which the moment `at` of a session belongs. A session that steps name belongs to these alone; one that
    /// no step names to the only step that ran at that moment.
    pub(in crate::analysis) fn step(&self, session_id: &str, at: Option<Timestamp>) -> Option<usize> {
        self.known(session_id, at).map(|(step, _)| step)
    }

    /// The same, with how that is known.
    pub(super) fn known(&self, session_id: &str, at: Option<Timestamp>) -> Option<(usize, StepBasis)> {
        let Some(own) = self.of_session.get(session_id) else {
            return match self.all.holding(at).as_slice() {
                [only] => Some((only.step, StepBasis::ByTime)),
                _ => None,
            };
        };
        match own.holding(at).as_slice() {
            [] => own.only_undated(at).map(|only| (only, StepBasis::Named)),
            // A step whose end is not recorded had ended when the next one began.
            [last, others @ ..] if others.iter().all(|other| other.end.is_none()) => {
                Some((last.step, StepBasis::Named))
            }
            [last, ..] => Some((last.step, StepBasis::Overlapping)),
        }
    }
}

impl Lane {
    fn order(&mut self) {
        self.0.sort_by_key(|window| window.start);
        let mut reach = Some(i64::MIN);
        for window in &mut self.0 {
            reach = reach.zip(window.end).map(|(reach, end)| reach.max(end.millis()));
            window.reach = reach.and_then(Timestamp::from_millis);
        }
    }

    /// The windows that hold `at`, the one that started last first.
    fn holding(&self, at: Option<Timestamp>) -> Vec<Window> {
        let Some(at) = at else { return Vec::new() };
        let started = self.0.partition_point(|window| window.start.is_none_or(|start| start <= at));
        let before = self.0.get(..started).unwrap_or_default().iter().rev().take(MAX_OVERLAPS);
        before
            .take_while(|window| window.start.is_some() && window.reach.is_none_or(|reach| at <= reach))
            .filter(|window| window.end.is_none_or(|end| at <= end))
            .copied()
            .collect()
    }

    /// The step of a session that has one step, where that has no start or the moment is not known.
    fn only_undated(&self, at: Option<Timestamp>) -> Option<usize> {
        match self.0.as_slice() {
            [only] if only.start.is_none() || at.is_none() => Some(only.step),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_dir::ManifestRow;

    fn row(session: &str, start: i64, end: i64) -> ManifestRow {
        let time = |millis: i64| (millis > 0).then(|| Timestamp::from_millis(millis)).flatten();
        let session_id = Some(session.to_owned());
        ManifestRow { session_id, started_at: time(start), ended_at: time(end), ..ManifestRow::default() }
    }

    fn steps<const N: usize>(rows: Vec<ManifestRow>, session: &str, at: [i64; N]) -> [Option<usize>; N] {
        let windows = Windows::new(&Manifest { rows, ..Manifest::default() });
        at.map(|at| windows.step(session, Timestamp::from_millis(at)))
    }

    #[test]
    fn a_session_is_split_by_the_windows_of_its_steps() {
        let rows = || vec![row("a", 100, 200), row("b", 150, 400), row("a", 300, 400)];
        assert_eq!(steps(rows(), "a", [99, 100, 200, 250, 350, 401]), [None, Some(0), Some(0), None, Some(2), None]);
        assert_eq!(steps(rows(), "b", [160, 350]), [Some(1), Some(1)]);
    }

    #[test]
    fn a_session_that_no_step_names_belongs_to_the_only_step_of_that_moment() {
        let rows = || vec![row("a", 100, 200), row("b", 150, 300)];
        assert_eq!(steps(rows(), "c", [120, 160, 250, 301]), [Some(0), None, Some(1), None]);
    }

    #[test]
    fn a_guess_is_known_as_one() {
        let rows = vec![row("a", 100, 200), row("a", 150, 250), row("b", 300, 400)];
        let windows = Windows::new(&Manifest { rows, ..Manifest::default() });
        let known = |session, at| windows.known(session, Timestamp::from_millis(at));
        assert_eq!(known("a", 120), Some((0, StepBasis::Named)));
        assert_eq!(known("a", 160), Some((1, StepBasis::Overlapping)));
        assert_eq!(known("c", 350), Some((2, StepBasis::ByTime)));
    }

    #[test]
    fn a_step_without_an_end_is_open() {
        assert_eq!(
            steps(vec![row("a", 100, 0), row("a", 500, 600)], "a", [400, 550, 700]),
            [Some(0), Some(1), Some(0)]
        );
        assert_eq!(steps(vec![row("a", 0, 0)], "a", [400]), [Some(0)], "without a start the whole session is its");
        let unknown = |rows| Windows::new(&Manifest { rows, ..Manifest::default() }).step("a", None);
        assert_eq!(unknown(vec![row("a", 100, 200)]), Some(0), "without a time the session tells");
        assert_eq!(unknown(vec![row("a", 100, 200), row("a", 300, 400)]), None);
    }
}
