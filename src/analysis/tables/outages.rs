use super::column::{self, nanos, number, text};
use super::scene::Scene;
use super::table::{Mask, Table, TableSpec, spec};
use crate::analysis::{NotJudged, Outage};
use std::borrow::Cow;

type Field = column::Field<Outage>;

fn fields() -> Vec<Field> {
    vec![
        Field::timestamp("first_failure_at", "First failure.", |r| Some(r.first_failure)),
        Field::timestamp("last_failure_at", "Last failure.", |r| Some(r.last_failure)),
        Field::timestamp("first_success_at", "First answer after it, of any session.", |r| r.first_success),
        Field::millis("lasted_ms", "From the first failure to the first success, or to the last failure.", |r| {
            Some(r.lasted_s.millis())
        }),
        Field::integer("failures", "Failures, those told twice counted once.", |r| number(r.failures)),
        Field::integer("cli_retries", "Of them, retries that the client announced.", |r| number(r.cli_retries)),
        Field::word("kinds", "Kinds, with `, ` between them.", |r| {
            let kinds: Vec<&str> = r.kinds.iter().map(Into::into).collect();
            Some(Cow::Owned(kinds.join(", ")))
        }),
        Field::text("steps", "Steps that were hit, with `, ` between them.", |r| Some(Cow::Owned(r.steps.join(", ")))),
        Field::integer("threads", "Threads that were hit.", |r| number(r.threads.len())),
        Field::integer(
            "calls_in_flight",
            "Tool calls that ran when it began, or that it left without a result.",
            |r| number(r.calls_in_flight.len()),
        ),
        Field::integer("failed_attempts", "Attempts that it ended.", |r| number(r.failed_attempts)),
        Field::millis("waited_ms", "Time between those attempts and the next ones.", |r| Some(r.waited_s.millis())),
        Field::nanos("failed_nanos", "Spend of the attempts that it ended.", |r| nanos(r.failed_spend.measured_usd)),
        Field::nanos("lost_nanos", "Spend whose work nobody went on with.", |r| nanos(r.lost_spend.measured_usd)),
        Field::integer("lost_subagents", "Subagents that never answered again.", |r| number(r.lost_subagents.len())),
        Field::integer("orphan_calls", "Calls that it left without a result.", |r| number(r.orphan_calls)),
        Field::word("ended", "How it ended for the main threads: the worst of them.", |r| text(r.ended.into())),
        Field::word(
            "resumable",
            "Whether all main threads that were hit can be resumed, as `layers` judges it: the worst of `resumable`, \
             `resumable-with-loss` and `refused`.",
            |r| text(r.resumable?.into()),
        ),
    ]
}

pub(super) fn outages_spec() -> TableSpec {
    spec("outages", "One episode in which the service or the way to it failed.", &fields())
}

pub(super) fn outages<'a>(scene: &'a Scene<'a>, mask: &'a Mask<'a>) -> Result<Table<'a>, NotJudged> {
    Ok(Table::new(outages_spec(), fields(), scene.outages()?, mask))
}
