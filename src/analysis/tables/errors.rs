use super::column::{self, number, text};
use super::scene::Scene;
use super::table::{Mask, Table, TableSpec, spec};
use crate::analysis::ErrorRow;
use crate::unit::Zone;
use std::borrow::Cow;

/// One error with the zone of its day.
pub(super) struct ErrorLine {
    error: ErrorRow,
    zone: Zone,
}

type Field = column::Field<ErrorLine>;

fn fields() -> Vec<Field> {
    let mut fields = vec![
        Field::timestamp("timestamp", "When; null where nothing tells.", |r| r.error.at),
        Field::word("day", "Calendar day of `timestamp` in the zone of the report.", |r| {
            Some(Cow::Owned(r.zone.day(r.error.at?)))
        }),
        Field::word("hour", "Hour of `timestamp` in the zone of the report, with its offset.", |r| {
            Some(Cow::Owned(r.zone.hour(r.error.at?)))
        }),
        Field::word("source", "How it shows.", |r| text(r.error.source.into())),
        Field::text("store_key", "Session; null for a reason of the manifest without one.", |r| {
            text(r.error.store_key.as_deref()?)
        }),
        Field::integer("seq", "Entry.", |r| r.error.seq),
        Field::integer("line", "Line of the manifest.", |r| number(r.error.line?)),
        Field::word("thread", "`main` or `subagent`.", |r| text(r.error.thread)),
        Field::text("step", "The step in which it happened.", |r| text(r.error.step.as_deref()?)),
        Field::text("run", "The process that ran the step.", |r| text(r.error.run.as_deref()?)),
        Field::integer("attempt", "Which attempt of the step.", |r| number(r.error.attempt?)),
        Field::word("outcome", "What became of it: `recovered-by-cli`, `resumed`, `restarted` or `final`.", |r| {
            text(r.error.outcome.into())
        }),
        Field::boolean("is_repeat", "It only tells another one again: leave it out of counts.", |r| {
            Some(r.error.repeats.is_some())
        }),
    ];
    fields.extend(what());
    fields
}

fn what() -> [Field; 13] {
    [
        Field::word("kind", "What failed.", |r| text(r.error.kind.into())),
        Field::word("class", "Whether trying again can help: `transient`, `fatal` or `unknown`.", |r| {
            text(r.error.class.into())
        }),
        Field::word("basis", "How the kind is known: `fields`, `text`, `absence` (both likely) or `nothing`.", |r| {
            text(r.error.basis.into())
        }),
        Field::boolean("flower_agrees", "Flower's verdict on the text says the same as the class.", |r| {
            Some(r.error.flower.agrees)
        }),
        Field::integer("status", "HTTP status.", |r| number(r.error.status?)),
        Field::text("error_type", "The API's type.", |r| text(r.error.error_type.as_deref()?)),
        Field::text("error", "The client's word.", |r| text(r.error.error.as_deref()?)),
        Field::text("connection", "The code of the connection.", |r| text(r.error.connection.as_deref()?)),
        Field::integer("retry_attempt", "Which of its own retries the client announces.", |r| {
            number(r.error.retry_attempt?)
        }),
        Field::millis("retry_wait_ms", "How long it is going to wait.", |r| Some(r.error.retry_wait_s?.millis())),
        Field::integer("open_calls", "Calls left without a result.", |r| number(r.error.open_calls)),
        Field::timestamp("reset_at", "When a quota opens again, where the text names the moment.", |r| {
            r.error.reset_at
        }),
        Field::text("text", "What was said.", |r| text(&r.error.text)),
    ]
}

pub(super) fn errors_spec() -> TableSpec {
    spec("errors", "One entry, or one reason of the manifest, that tells of a failure.", &fields())
}

pub(super) fn errors<'a>(scene: &'a Scene<'a>, mask: &'a Mask<'a>) -> Table<'a> {
    let rows = scene.errors().into_iter().map(|error| ErrorLine { error, zone: scene.zone });
    Table::new(errors_spec(), fields(), rows.collect(), mask)
}
