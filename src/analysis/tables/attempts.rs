use super::column::{self, dollars, nanos, number, text};
use super::scene::Scene;
use super::table::{Mask, Table, TableSpec, spec};
use crate::analysis::AttemptRow;

type Field = column::Field<AttemptRow>;

fn fields() -> Vec<Field> {
    let mut fields = vec![
        Field::text("step", "The step; null where no row of the manifest fits.", |r| text(r.step.as_deref()?)),
        Field::text("run", "The process that ran the step.", |r| text(r.run.as_deref()?)),
        Field::integer("attempt", "Which attempt of the step in this run, from 1.", |r| number(r.attempt)),
        Field::text("store_key", "Main thread; null where only the manifest knows the attempt.", |r| {
            text(r.store_key.as_deref()?)
        }),
        Field::integer("seq", "Its first entry.", |r| r.seq),
        Field::timestamp("started_at", "First sign of life.", |r| r.started_at),
        Field::timestamp("ended_at", "Last sign of life.", |r| r.ended_at),
        Field::millis("lasted_ms", "Time between the two.", |r| Some(r.lasted_s?.millis())),
        Field::word("begun", "How it came about: `first`, `resumed` or `restarted`.", |r| text(r.begun.into())),
        Field::word("ending", "`answered`, `failed`, `interrupted` or `unfinished`.", |r| text(r.ending.into())),
        Field::word("kind", "What failed.", |r| text(r.kind?.into())),
        Field::word("class", "Whether trying again can help: `transient`, `fatal` or `unknown`.", |r| {
            text(r.class?.into())
        }),
        Field::word("basis", "How the kind is known: `fields`, `text`, `absence` (both likely) or `nothing`.", |r| {
            text(r.basis.into())
        }),
        Field::text("error", "Why it failed.", |r| text(r.error.as_deref()?)),
        Field::boolean("is_hopeless", "It could not help: the failure before it was of a kind that stays.", |r| {
            Some(r.hopeless)
        }),
        Field::word("known_by", "Who tells of it: `both`, `manifest`, `transcript` or `guess`.", |r| {
            text(r.known_by.into())
        }),
    ];
    fields.extend(waits_and_money());
    fields
}

fn waits_and_money() -> [Field; 11] {
    [
        Field::millis("wait_ms", "Wait before the next attempt of the step.", |r| {
            Some(r.wait.as_ref()?.observed_s.millis())
        }),
        Field::millis("shortest_wait_ms", "Shortest wait by flower's formula.", |r| {
            Some(r.wait.as_ref()?.shortest_s?.millis())
        }),
        Field::millis("longest_wait_ms", "Longest wait by flower's formula.", |r| {
            Some(r.wait.as_ref()?.longest_s?.millis())
        }),
        Field::millis(
            "start_up_ms",
            "How much of the wait may be the start of the client, ten seconds at most.",
            |r| Some(r.wait.as_ref()?.start_up_s?.millis()),
        ),
        Field::word("wait_verdict", "What is to be made of the wait.", |r| text(r.wait.as_ref()?.verdict.into())),
        Field::integer("model_turns", "Model turns.", |r| number(r.spend.totals.model_turns)),
        Field::integer("unpriced_turns", "Of them, turns without a price.", |r| number(r.spend.unpriced_turns)),
        Field::nanos("measured_nanos", "What the transcripts say it cost.", |r| nanos(r.spend.measured_usd)),
        Field::nanos("low_nanos", "The least that the data allows.", |r| nanos(r.spend.low_usd)),
        Field::nanos("high_nanos", "The most that the data allows; null where a turn has no price.", |r| {
            nanos(r.spend.high.0?)
        }),
        Field::dollars("measured_usd", "`measured_nanos` in dollars.", |r| dollars(r.spend.measured_usd)),
    ]
}

pub(super) fn attempts_spec() -> TableSpec {
    spec("attempts", "One try at a step: one process of the client.", &fields())
}

pub(super) fn attempts<'a>(scene: &'a Scene<'a>, mask: &'a Mask<'a>) -> Table<'a> {
    Table::new(attempts_spec(), fields(), scene.retries().attempts, mask)
}
