use super::column::{self, dollars, nanos, number, text, tokens};
use super::scene::{Scene, Step};
use super::table::{Mask, Table, TableSpec, spec};
use crate::analysis::cost::TurnCost;
use crate::run_dir::Kind;
use crate::session::{ModelTurn, SessionModel};
use crate::unit::Zone;
use std::borrow::Cow;

/// One model turn: one message of the API, counted once over the whole store.
pub(super) struct TurnRow<'a> {
    turn: &'a ModelTurn,
    cost: &'a TurnCost,
    home: &'a SessionModel,
    step: Option<Step<'a>>,
    zone: Zone,
}

impl<'a> TurnRow<'a> {
    fn entry(&self) -> Option<&'a crate::transcript::Message> {
        self.home.entry(self.turn.at)?.message.as_deref()
    }
}

type Field<'a> = column::Field<TurnRow<'a>>;

fn fields<'a>() -> Vec<Field<'a>> {
    let mut fields = vec![
        Field::text("store_key", "Session that the message was written to first: its spend belongs there.", |r| {
            text(r.home.store_key())
        }),
        Field::integer("seq", "Sequence number of its first entry there.", |r| Some(r.home.seq(r.turn.at))),
        Field::text("message_id", "Id of the message.", |r| text(r.entry()?.id.as_deref()?)),
        Field::text("model", "The model that answered.", |r| text(&r.turn.model)),
        Field::timestamp("timestamp", "When its first entry was written, else the entry before it.", |r| r.cost.at),
        Field::word("day", "Calendar day of `timestamp` in the zone of the report.", |r| {
            Some(Cow::Owned(r.zone.day(r.cost.at?)))
        }),
        Field::word("hour", "Hour of `timestamp` in the zone of the report, with its offset.", |r| {
            Some(Cow::Owned(r.zone.hour(r.cost.at?)))
        }),
        Field::word("thread", "`main` or `subagent`.", |r| {
            text(if r.home.kind() == Kind::Subagent { "subagent" } else { "main" })
        }),
        Field::integer("step_n", "The step it belongs to: `n` of `steps`; null outside of every step.", |r| {
            number(r.step?.n)
        }),
        Field::text("step", "Name of that step.", |r| text(r.step?.name())),
        Field::text("run", "The process that ran that step.", |r| text(r.step?.row.run.as_deref()?)),
        Field::boolean("ended", "The answer says why it ended; if not, its stream was cut.", |r| Some(r.turn.ended)),
    ];
    fields.extend(tokens_and_money());
    fields
}

fn tokens_and_money<'a>() -> [Field<'a>; 16] {
    [
        Field::tokens("input", "Uncached input.", |r| tokens(r.turn.usage.input)),
        Field::tokens("output", "Output, thinking included.", |r| tokens(r.turn.usage.output)),
        Field::tokens("cache_read", "Input read from the cache.", |r| tokens(r.turn.usage.cache_read)),
        Field::tokens("cache_write", "Input written to the cache.", |r| tokens(r.turn.usage.cache_write)),
        Field::tokens("cache_write_1h", "The part of `cache_write` known to be for one hour.", |r| {
            tokens(r.turn.usage.cache_write_1h)
        }),
        Field::tokens("context", "What the model was given: input, cache reads and cache writes.", |r| {
            tokens(r.turn.usage.context())
        }),
        Field::integer("entries_with_usage", "Entries that repeat the usage, copies in forks included.", |r| {
            number(r.turn.entries_with_usage)
        }),
        Field::integer("web_searches", "Searches that were billed.", |r| number(r.turn.service.web_searches)),
        Field::nanos("measured_nanos", "What the transcript says it cost; 0 if `unpriced`.", |r| {
            nanos(r.cost.bill.measured())
        }),
        Field::nanos("low_nanos", "The least it can have cost.", |r| nanos(r.cost.bill.low)),
        Field::nanos("high_nanos", "The most it can have cost; null if `unpriced`.", |r| nanos(r.cost.bill.high?)),
        Field::nanos("uncached_nanos", "What its context would have cost without a cache.", |r| {
            nanos(r.cost.bill.uncached)
        }),
        Field::dollars("measured_usd", "`measured_nanos` in dollars.", |r| dollars(r.cost.bill.measured())),
        Field::dollars("low_usd", "`low_nanos` in dollars.", |r| dollars(r.cost.bill.low)),
        Field::dollars("high_usd", "`high_nanos` in dollars.", |r| dollars(r.cost.bill.high?)),
        Field::word("unpriced", "Why there is no price: `unknown-model` or `no-price-that-day`; else null.", |r| {
            text(r.cost.bill.unpriced?.into())
        }),
    ]
}

pub(super) fn turns_spec() -> TableSpec {
    spec("turns", "One model turn: one message of the API, counted once over the whole store.", &fields())
}

pub(super) fn turns<'a>(scene: &'a Scene<'a>, mask: &'a Mask<'a>) -> Table<'a> {
    let turns = scene.model.usage.turns.iter().zip(scene.costs());
    let chosen = turns.filter(|(turn, _)| scene.selection.has(turn.home));
    let row = |(turn, cost): (&'a ModelTurn, &'a TurnCost)| {
        let home = scene.model.sessions.get(turn.home)?;
        Some(TurnRow { turn, cost, home, step: scene.step(cost.step), zone: scene.zone })
    };
    Table::new(turns_spec(), fields(), chosen.filter_map(row).collect(), mask)
}
