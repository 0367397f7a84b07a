use super::column::{self, number, text};
use super::scene::Scene;
use super::table::{Mask, Table, TableSpec, spec};
use crate::analysis::Ladder;
use std::borrow::Cow;

type Field = column::Field<Ladder>;

fn fields() -> Vec<Field> {
    vec![
        Field::text("store_key", "Session.", |r| text(&r.store_key)),
        Field::integer("seq", "Its first entry.", |r| Some(r.seq)),
        Field::text("step", "The step in which it happened.", |r| text(r.step.as_deref()?)),
        Field::integer("attempt", "Which attempt of the step.", |r| number(r.attempt?)),
        Field::timestamp("started_at", "First failure.", |r| r.started_at),
        Field::timestamp("ended_at", "When it was over: the answer, or the final error.", |r| r.ended_at),
        Field::integer("retries", "Retries announced.", |r| number(r.retries)),
        Field::integer("max_retries", "How many the client would have made.", |r| number(r.max?)),
        Field::millis("announced_wait_ms", "What it announced to wait altogether.", |r| {
            Some(r.announced_wait_s.millis())
        }),
        Field::word("kinds", "Kinds of its failures, with `, ` between them.", |r| {
            let kinds: Vec<&str> = r.kinds.iter().map(Into::into).collect();
            Some(Cow::Owned(kinds.join(", ")))
        }),
        Field::word("ending", "`recovered`, `gave-up` or `broken`.", |r| text(r.end.into())),
    ]
}

pub(super) fn retries_spec() -> TableSpec {
    spec("retries", "Retries that the client announced one after another for one request.", &fields())
}

pub(super) fn retries<'a>(scene: &'a Scene<'a>, mask: &'a Mask<'a>) -> Table<'a> {
    Table::new(retries_spec(), fields(), scene.retries().ladders, mask)
}
