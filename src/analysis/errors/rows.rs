use super::denials::{self, Denials};
use super::distribution::{self, HourRow, KindRow};
use super::finding;
use super::{Outcome, Outcomes};
use crate::analysis::{
    Attempts, Basis, Evidence, Failure, FailureClass, FailureKind, Failures, Judged, LeftOut, Reset, Selection, Source,
    TimeRange, judge,
};
use crate::run_dir::{Kind, Manifest};
use crate::session::{Backoff, Classified, Model, classify};
use crate::transcript::FailureFields;
use crate::unit::{Finding, Span, Timestamp};
use serde::Serialize;

/// Every failure of the chosen sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Errors {
    /// The time that is looked at.
    pub range: TimeRange,
    /// Errors that it leaves out.
    pub errors_left_out: LeftOut,
    /// Tool calls that it leaves out.
    pub calls_left_out: LeftOut,
    /// In the order of time; those without a time last.
    pub errors: Vec<ErrorRow>,
    /// Counts by kind, repeats left out.
    pub by_kind: Vec<KindRow>,
    /// Counts by hour and kind, repeats left out.
    pub by_hour: Vec<HourRow>,
    /// Denied tool calls of each thread.
    pub denials: Vec<Denials>,
}

/// One entry, or one reason of the manifest, that tells of a failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ErrorRow {
    /// When; null where nothing tells.
    pub at: Option<Timestamp>,
    /// How it shows.
    pub source: Source,
    /// Session; null for a reason of the manifest without one.
    pub store_key: Option<String>,
    /// Entry.
    pub seq: Option<i64>,
    /// Line of the manifest.
    pub line: Option<u64>,
    /// `main` or `subagent`.
    pub thread: &'static str,
    /// The step in which it happened.
    pub step: Option<String>,
    /// The process that ran the step.
    pub run: Option<String>,
    /// Which attempt of the step.
    pub attempt: Option<u32>,
    /// What failed.
    pub kind: FailureKind,
    /// Whether trying again can help.
    pub class: FailureClass,
    /// How the kind is known.
    pub basis: Basis,
    /// HTTP status.
    pub status: Option<u64>,
    /// The API's type.
    pub error_type: Option<String>,
    /// The CLI's word.
    pub error: Option<String>,
    /// The code of the connection.
    pub connection: Option<String>,
    /// Which of its own retries the CLI announces.
    pub retry_attempt: Option<u64>,
    /// How many it would make.
    pub retry_max: Option<u64>,
    /// How long it is going to wait.
    pub retry_wait_s: Option<Span>,
    /// Calls left without a result.
    pub open_calls: usize,
    /// When a quota opens again.
    pub reset: Option<Reset>,
    /// The moment of that, where the text names one.
    pub reset_at: Option<Timestamp>,
    /// What flower makes of the text.
    pub flower: FlowerVerdict,
    /// What became of it.
    pub outcome: Outcome,
    /// The entry that this one only tells again.
    pub repeats: Option<Repeated>,
    /// What was said.
    pub text: String,
}

/// Flower's verdict beside the analyzer's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FlowerVerdict {
    /// The verdict, with the pattern that matched.
    #[serde(flatten)]
    pub classified: Classified,
    /// It says the same as the class.
    pub agrees: bool,
    /// Flower decides by this text: it ended an attempt, and is told here first.
    pub decides: bool,
}

/// The entry that tells a failure first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Repeated {
    /// Session.
    pub store_key: String,
    /// Entry.
    pub seq: i64,
}

/// Everything that is known of the failures of a store.
struct Scene<'a> {
    model: &'a Model,
    manifest: Option<&'a Manifest>,
    failures: &'a Failures,
    attempts: &'a Attempts,
    outcomes: Outcomes<'a>,
}

/// The failures of the chosen sessions in a range, and where verdicts disagree. What became of them is told by the whole run.
pub fn errors(
    model: &Model,
    selection: &Selection,
    manifest: Option<&Manifest>,
    failures: &Failures,
    attempts: &Attempts,
    range: TimeRange,
) -> (Errors, Vec<Finding>) {
    let scene = Scene { model, manifest, failures, attempts, outcomes: Outcomes::new(model, attempts) };
    let chosen = failures.all.iter().filter(|failure| selection.has(failure.session));
    let mut judged: Vec<(ErrorRow, Judged, Option<usize>)> = chosen.map(|failure| scene.recorded(failure)).collect();
    let own = |session: Option<usize>| session.map_or(selection.prefix().is_none(), |session| selection.has(session));
    for (index, attempt) in attempts.all.iter().enumerate().filter(|(_, attempt)| own(attempt.session)) {
        judged.extend(attempt.reason.as_deref().map(|reason| scene.reason(index, reason)));
    }
    let mut errors_left_out = LeftOut::default();
    judged.retain(|(row, _, _)| errors_left_out.takes(range, row.at));
    let of_row = |(row, judged, attempt): &(ErrorRow, Judged, Option<usize>)| {
        finding::of_row(row, judged, attempt.is_some_and(|attempt| scene.was_given_up(attempt)))
    };
    let mut findings: Vec<Finding> = judged.iter().flat_map(of_row).collect();
    // A step that fails six times for the same reason is one thing to say.
    findings.dedup();
    let mut errors: Vec<ErrorRow> = judged.into_iter().map(|(row, _, _)| row).collect();
    errors.sort_by_key(|row| (row.at.is_none(), row.at));
    let (denials, calls_left_out) = denials::denials(model, selection, range);
    let result = Errors {
        range,
        errors_left_out,
        calls_left_out,
        by_kind: distribution::by_kind(&errors),
        by_hour: distribution::by_hour(&errors),
        denials,
        errors,
    };
    (result, findings)
}

impl Scene<'_> {
    /// What a transcript records.
    fn recorded(&self, failure: &Failure) -> (ErrorRow, Judged, Option<usize>) {
        let place = failure.place(self.model);
        let session = self.model.sessions.get(failure.session);
        let is_main = session.is_some_and(|session| session.kind() != Kind::Subagent);
        let attempt = self.attempts.of_entry(failure.session, failure.at, failure.timestamp);
        let first = failure.repeats.and_then(|first| self.failures.all.get(first));
        let decides = is_main && failure.source == Source::Final && first.is_none();
        let judged = &first.unwrap_or(failure).judged;
        let row = self.row(attempt, judged, &failure.text, decides, failure.fields(self.model));
        let row = ErrorRow {
            at: failure.timestamp,
            source: failure.source,
            store_key: place.map(|(key, _)| key.to_owned()),
            seq: place.map(|(_, seq)| seq),
            thread: if is_main { "main" } else { "subagent" },
            open_calls: failure.open_calls,
            reset_at: judged.reset.as_ref().and_then(|reset| reset.moment(failure.timestamp)),
            outcome: self.outcomes.of(first.unwrap_or(failure)),
            repeats: first.and_then(|first| repeated(first, self.model)),
            ..row
        };
        (row, judged.clone(), attempt)
    }

    /// What the manifest says of an attempt. Where the transcript records why it ended, it is the same failure told again.
    fn reason(&self, index: usize, reason: &str) -> (ErrorRow, Judged, Option<usize>) {
        let attempt = self.attempts.all.get(index);
        let first = attempt.and_then(|attempt| self.failures.all.get(attempt.failure?));
        let told = judge(&Evidence::text(reason));
        let judged = match (attempt.and_then(|attempt| attempt.kind), attempt) {
            (Some(kind), Some(attempt)) if first.is_some() => Judged { kind, basis: attempt.basis, ..told },
            _ => told,
        };
        let row = attempt.and_then(|attempt| self.manifest?.rows.get(attempt.row?));
        let session = attempt.and_then(|attempt| self.model.sessions.get(attempt.session?));
        let at = attempt.and_then(|attempt| attempt.end);
        // The same text in the transcript already stands for what flower decided by.
        let decides = first.is_none_or(|first| first.source != Source::Final);
        let row = ErrorRow {
            at: first.map_or(at, |first| first.timestamp.or(at)),
            source: Source::Manifest,
            store_key: session.map(|session| session.store_key().to_owned()),
            line: row.map(|row| row.line),
            reset_at: judged.reset.as_ref().and_then(|reset| reset.moment(at)),
            outcome: self.outcomes.of_attempt(index),
            repeats: first.and_then(|first| repeated(first, self.model)),
            ..self.row(Some(index), &judged, reason, decides, None)
        };
        (row, judged, Some(index))
    }

    /// The manifest says that nothing was tried after this attempt, although flower had attempts left: whoever ran the step
    /// decided by something else than the text.
    fn was_given_up(&self, index: usize) -> bool {
        let attempt = self.attempts.all.get(index);
        let row = attempt.and_then(|attempt| self.manifest?.rows.get(attempt.row?));
        let claimed = row.filter(|row| row.ended_at.is_some()).and_then(|row| row.attempts);
        let left = claimed.is_some_and(|claimed| claimed < u64::from(Backoff::FLOWER.attempts));
        left && attempt.is_some_and(|attempt| claimed <= Some(u64::from(attempt.n)))
            && self.attempts.next(index).is_none()
    }

    /// The part that all rows have in common.
    fn row(
        &self,
        attempt: Option<usize>,
        judged: &Judged,
        text: &str,
        decides: bool,
        fields: Option<&FailureFields>,
    ) -> ErrorRow {
        let attempt = attempt.and_then(|index| self.attempts.all.get(index));
        let class = judged.kind.class();
        let classified = classify(text);
        let agrees = classified.verdict == class.verdict();
        let owned = |label: Option<&crate::transcript::Label>| label.map(ToString::to_string);
        let retry = fields.and_then(|fields| fields.retry);
        ErrorRow {
            at: None,
            source: Source::Manifest,
            store_key: None,
            seq: None,
            line: None,
            thread: "main",
            step: attempt.and_then(|attempt| attempt.step.clone()),
            run: attempt.and_then(|attempt| attempt.run.clone()),
            attempt: attempt.map(|attempt| attempt.n),
            kind: judged.kind,
            class,
            basis: judged.basis,
            status: fields.and_then(|fields| fields.status),
            error_type: owned(fields.and_then(|fields| fields.error_type.as_ref())),
            error: owned(fields.and_then(|fields| fields.error.as_ref())),
            connection: owned(fields.and_then(|fields| fields.connection.as_ref())),
            retry_attempt: retry.and_then(|retry| retry.attempt),
            retry_max: retry.and_then(|retry| retry.max),
            retry_wait_s: retry.and_then(|retry| retry.wait),
            open_calls: 0,
            reset: judged.reset.clone(),
            reset_at: None,
            flower: FlowerVerdict { classified, agrees, decides },
            outcome: Outcome::Final,
            repeats: None,
            text: text.to_owned(),
        }
    }
}

fn repeated(first: &Failure, model: &Model) -> Option<Repeated> {
    first.place(model).map(|(key, seq)| Repeated { store_key: key.to_owned(), seq })
}
