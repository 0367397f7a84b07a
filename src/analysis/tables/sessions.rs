use super::column::{self, dollars, nanos, number, text, tokens};
use super::scene::Scene;
use super::table::{Mask, Table, TableSpec, spec};
use crate::analysis::cost::Spend;
use crate::analysis::sessions::SessionRow;
use crate::run_dir::{Kind, StoreKey};
use std::borrow::Cow;

/// One session with what it cost.
pub(super) struct SessionLine {
    session: SessionRow,
    spend: Spend,
}

type Field = column::Field<SessionLine>;

fn fields() -> Vec<Field> {
    let mut fields = vec![
        Field::text("store_key", "Store key.", |r| text(&r.session.store_key)),
        Field::text("session_id", "The session of the key: a subagent has that of its main thread.", |r| {
            text(StoreKey::parse(&r.session.store_key).session)
        }),
        Field::word("kind", "`main`, `subagent` or `other`.", |r| text(kind(r.session.kind))),
        Field::text("agent_id", "Id of a subagent.", |r| {
            text(StoreKey::parse(&r.session.store_key).agent().filter(|_| r.session.kind == Kind::Subagent)?)
        }),
        Field::text("agent_type", "Type of a subagent.", |r| text(r.session.agent_type.as_deref()?)),
        Field::text("description", "What a subagent was asked for; how a main thread began.", |r| {
            text(&r.session.description)
        }),
        Field::text("parent_store_key", "Session with the call that started a subagent.", |r| {
            text(&r.session.parent_call.as_ref()?.store_key)
        }),
        Field::integer("parent_seq", "Entry with that call.", |r| Some(r.session.parent_call.as_ref()?.seq)),
        Field::text("parent_tool", "Tool of that call.", |r| text(&r.session.parent_call.as_ref()?.tool)),
        Field::timestamp("first_at", "Oldest time stamp.", |r| r.session.first),
        Field::timestamp("last_at", "Newest time stamp.", |r| r.session.last),
        Field::text("models", "Models that answered, with `, ` between them.", |r| {
            Some(Cow::Owned(r.session.models.join(", ")))
        }),
        Field::text("versions", "Versions of the client, with `, ` between them.", |r| {
            Some(Cow::Owned(r.session.versions.join(", ")))
        }),
    ];
    fields.extend(counts());
    fields.extend(money());
    fields
}

fn counts() -> [Field; 12] {
    [
        Field::integer("entries", "Entries.", |r| number(r.session.entries)),
        Field::integer("defects", "Rows that are no entries.", |r| number(r.session.defects)),
        Field::integer("chain_entries", "Entries that are part of a chain.", |r| number(r.session.reachable.of)),
        Field::integer("live_entries", "Of them, entries on the live chain, over compactions.", |r| {
            number(r.session.reachable.history)
        }),
        Field::integer("branches", "Real branches.", |r| number(r.session.branches)),
        Field::integer("breaks", "Breaks of the chain.", |r| number(r.session.breaks)),
        Field::integer("compactions", "Compactions.", |r| number(r.session.compactions)),
        Field::integer("api_errors", "API errors: in the place of an answer, and announced retries.", |r| {
            number(r.session.api_errors)
        }),
        Field::integer("tool_errors", "Tool results marked as errors.", |r| number(r.session.tool_errors)),
        Field::integer("orphan_calls", "Tool calls without a result.", |r| number(r.session.orphan_calls)),
        Field::integer("shared_turns", "Model turns here that were written elsewhere first.", |r| {
            number(r.session.shared_turns)
        }),
        Field::tokens("context_max", "Largest context of a model turn.", |r| tokens(r.session.context_max)),
    ]
}

fn money() -> [Field; 14] {
    [
        Field::integer("model_turns", "Model turns that were written here first.", |r| {
            number(r.session.totals.model_turns)
        }),
        Field::integer("entries_with_usage", "Entries that repeat the usage of these turns.", |r| {
            number(r.session.totals.entries_with_usage)
        }),
        Field::tokens("input", "Uncached input of these turns.", |r| tokens(r.session.totals.usage.input)),
        Field::tokens("output", "Their output, thinking included.", |r| tokens(r.session.totals.usage.output)),
        Field::tokens("cache_read", "Their input read from the cache.", |r| tokens(r.session.totals.usage.cache_read)),
        Field::tokens("cache_write", "Their input written to the cache.", |r| {
            tokens(r.session.totals.usage.cache_write)
        }),
        Field::tokens("cache_write_1h", "The part of `cache_write` known to be for one hour.", |r| {
            tokens(r.session.totals.usage.cache_write_1h)
        }),
        Field::integer("unpriced_turns", "Turns without a price: they are in none of the sums of money.", |r| {
            number(r.spend.unpriced_turns)
        }),
        Field::nanos("measured_nanos", "What the transcript says these turns cost.", |r| nanos(r.spend.measured_usd)),
        Field::nanos("low_nanos", "The least that the data allows.", |r| nanos(r.spend.low_usd)),
        Field::nanos("high_nanos", "The most that the data allows; null where a turn has no price.", |r| {
            nanos(r.spend.high.0?)
        }),
        Field::dollars("measured_usd", "`measured_nanos` in dollars.", |r| dollars(r.spend.measured_usd)),
        Field::dollars("low_usd", "`low_nanos` in dollars.", |r| dollars(r.spend.low_usd)),
        Field::dollars("high_usd", "`high_nanos` in dollars.", |r| dollars(r.spend.high.0?)),
    ]
}

pub(super) fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Main => "main",
        Kind::Subagent => "subagent",
        Kind::Other => "other",
    }
}

pub(super) fn sessions_spec() -> TableSpec {
    spec("sessions", "One session: a main thread or a subagent.", &fields())
}

pub(super) fn sessions<'a>(scene: &'a Scene<'a>, mask: &'a Mask<'a>) -> Table<'a> {
    let mut spends = vec![Spend::default(); scene.model.sessions.len()];
    for (turn, cost) in scene.model.usage.turns.iter().zip(scene.costs()) {
        if let Some(spend) = spends.get_mut(turn.home) {
            spend.add(turn, cost);
        }
    }
    let chosen = scene.selection.sessions(scene.model).map(|(at, _)| at);
    let told = crate::analysis::sessions(scene.model, scene.selection).sessions;
    let line = |(session, at): (SessionRow, usize)| SessionLine {
        session,
        spend: spends.get(at).copied().unwrap_or_default(),
    };
    Table::new(sessions_spec(), fields(), told.into_iter().zip(chosen).map(line).collect(), mask)
}
