use super::column::{self, dollars, nanos, number, text, tokens};
use super::scene::Scene;
use super::table::{Mask, Table, TableSpec, spec};
use crate::analysis::cost::StepCost;
use crate::analysis::steps::StepRow;
use crate::unit::Zone;
use std::borrow::Cow;

/// One executed step, as the manifest has it and as the transcripts tell.
pub(super) struct StepLine<'a> {
    n: usize,
    step: StepRow,
    cost: &'a StepCost,
    zone: Zone,
}

type Field<'a> = column::Field<StepLine<'a>>;

fn fields<'a>() -> Vec<Field<'a>> {
    let mut fields = vec![
        Field::integer("n", "Its place in the manifest, from 1: `step_n` of the other tables.", |r| number(r.n)),
        Field::text("step", "Name, with its round, retry or judge number.", |r| text(&r.step.step)),
        Field::text("run", "The process that ran it.", |r| text(r.step.run.as_deref()?)),
        Field::text("session_id", "Last living session.", |r| text(r.step.session_id.as_deref()?)),
        Field::boolean("session_in_store", "The store has that session.", |r| Some(r.step.session_in_store)),
        Field::boolean("ok", "It ended well.", |r| r.step.ok),
        Field::timestamp("started_at", "Start.", |r| r.step.started_at),
        Field::timestamp("ended_at", "End.", |r| r.step.ended_at),
        Field::word("day", "Calendar day of `started_at` in the zone of the report.", |r| {
            Some(Cow::Owned(r.zone.day(r.step.started_at?)))
        }),
        Field::millis("duration_ms", "How long it took.", |r| Some(r.step.duration_s?.millis())),
        Field::integer("attempts", "How often it was tried.", |r| number(r.step.attempts?)),
        Field::integer("num_turns", "Turns as the client counts them; not model turns.", |r| number(r.step.num_turns?)),
        Field::boolean("resumed", "It went on from the break instead of starting again.", |r| r.step.resumed),
        Field::integer("handoffs", "Sessions used up by handoffs.", |r| number(r.step.handoffs?)),
        Field::tokens("context", "Largest context of its main thread.", |r| tokens(r.step.context?)),
        Field::boolean("continues", "The next run would go on in its session.", |r| r.step.continues),
        Field::text("error", "Why it failed.", |r| text(r.step.error.as_deref()?)),
    ];
    fields.extend(money());
    fields
}

fn money<'a>() -> [Field<'a>; 14] {
    [
        Field::integer("model_turns", "Model turns that belong to it.", |r| number(r.cost.spend.totals.model_turns)),
        Field::integer("unpriced_turns", "Of them, turns without a price.", |r| number(r.cost.spend.unpriced_turns)),
        Field::nanos("reported_nanos", "Cost as the client estimated it.", |r| nanos(r.cost.reported_usd?)),
        Field::nanos("measured_nanos", "What the transcripts say it cost: a lower bound on the bill.", |r| {
            nanos(r.cost.spend.measured_usd)
        }),
        Field::nanos("low_nanos", "The least that the data allows.", |r| nanos(r.cost.spend.low_usd)),
        Field::nanos("high_nanos", "The most that the data allows; null where a turn has no price.", |r| {
            nanos(r.cost.spend.high.0?)
        }),
        Field::nanos("difference_nanos", "Reported minus measured.", |r| nanos(r.cost.difference_usd?)),
        Field::nanos("client_nanos", "What the client spent by its own totals, where that can be told.", |r| {
            nanos(r.cost.client_usd?)
        }),
        Field::dollars("reported_usd", "`reported_nanos` in dollars.", |r| dollars(r.cost.reported_usd?)),
        Field::dollars("measured_usd", "`measured_nanos` in dollars.", |r| dollars(r.cost.spend.measured_usd)),
        Field::dollars("low_usd", "`low_nanos` in dollars.", |r| dollars(r.cost.spend.low_usd)),
        Field::dollars("high_usd", "`high_nanos` in dollars.", |r| dollars(r.cost.spend.high.0?)),
        Field::dollars("difference_usd", "`difference_nanos` in dollars.", |r| dollars(r.cost.difference_usd?)),
        Field::word(
            "causes",
            "What makes the difference: codes, with `, ` between them; empty if nothing does.",
            |r| {
                let codes: Vec<&str> = r.cost.causes.iter().map(|cause| cause.code.code()).collect();
                Some(Cow::Owned(codes.join(", ")))
            },
        ),
    ]
}

pub(super) fn steps_spec() -> TableSpec {
    spec("steps", "One executed step of the manifest; figures of the manifest are as reported.", &fields())
}

pub(super) fn steps<'a>(scene: &'a Scene<'a>, mask: &'a Mask<'a>) -> Table<'a> {
    let told = scene.steps();
    let rows =
        told.into_iter().zip(&scene.cost().steps).map(|((n, step), cost)| StepLine { n, step, cost, zone: scene.zone });
    Table::new(steps_spec(), fields(), rows.collect(), mask)
}
