use super::column::{self, number, text};
use super::scene::{Scene, Step};
use super::table::{Mask, Table, TableSpec, spec};
use crate::analysis::tools::{FirstCopies, is_likely_denied};
use crate::run_dir::Kind;
use crate::session::{Answer, Call, SessionModel};
use crate::unit::{Timestamp, Zone};
use std::borrow::Cow;

/// One tool call with what became of it.
pub(super) struct CallRow<'a> {
    session: &'a SessionModel,
    call: &'a Call,
    step: Option<Step<'a>>,
    is_copy: bool,
    zone: Zone,
}

impl<'a> CallRow<'a> {
    fn answer(&self) -> Option<&'a Answer> {
        self.call.answer.as_ref()
    }

    fn at(&self) -> Option<Timestamp> {
        self.session.entry(self.call.at)?.timestamp
    }

    fn answered_at(&self) -> Option<Timestamp> {
        self.session.entry(self.answer()?.at)?.timestamp
    }
}

type Field<'a> = column::Field<CallRow<'a>>;

fn fields<'a>() -> Vec<Field<'a>> {
    vec![
        Field::text("store_key", "Session.", |r| text(r.session.store_key())),
        Field::integer("seq", "Entry with the call.", |r| Some(r.session.seq(r.call.at))),
        Field::text("call_id", "Id of the call.", |r| text(r.call.id.as_deref()?)),
        Field::text("tool", "Name of the tool.", |r| text(&r.call.name)),
        Field::text("input", "The beginning of the telling part of its input.", |r| text(&r.call.input)),
        Field::timestamp("timestamp", "When it was called.", CallRow::at),
        Field::word("day", "Calendar day of `timestamp` in the zone of the report.", |r| {
            Some(Cow::Owned(r.zone.day(r.at()?)))
        }),
        Field::word("thread", "`main` or `subagent`.", |r| {
            text(if r.session.kind() == Kind::Subagent { "subagent" } else { "main" })
        }),
        Field::integer("step_n", "The step it belongs to: `n` of `steps`; null outside of every step.", |r| {
            number(r.step?.n)
        }),
        Field::text("step", "Name of that step.", |r| text(r.step?.name())),
        Field::boolean("is_answered", "It has a result.", |r| Some(r.answer().is_some())),
        Field::integer("result_seq", "Entry with the result.", |r| Some(r.session.seq(r.answer()?.at))),
        Field::timestamp("answered_at", "When the result was written.", CallRow::answered_at),
        Field::millis("duration_ms", "From the call to the result, waits for permission included.", |r| {
            Some(r.answered_at()?.since(r.at()?).millis())
        }),
        Field::boolean("is_error", "The result is marked as an error; denials are.", |r| Some(r.answer()?.is_error)),
        Field::text("denial", "What denied it, as recorded.", |r| text(r.answer()?.denial.as_deref()?)),
        Field::boolean("is_likely_denied", "The result reads like a denial that is not marked: a guess.", |r| {
            Some(is_likely_denied(r.answer()?))
        }),
        Field::integer("result_characters", "Characters of the result.", |r| number(r.answer()?.characters))
            .unit("characters"),
        Field::boolean("is_copy", "A fork's copy of a call that another session made: leave it out of counts.", |r| {
            Some(r.is_copy)
        }),
    ]
}

pub(super) fn tool_calls_spec() -> TableSpec {
    spec("tool_calls", "One tool call with its result.", &fields())
}

pub(super) fn tool_calls<'a>(scene: &'a Scene<'a>, mask: &'a Mask<'a>) -> Table<'a> {
    let firsts = FirstCopies::of_calls(scene.model);
    let mut rows = Vec::new();
    for (at, session) in scene.selection.sessions(scene.model) {
        for call in &session.calls {
            let timestamp = session.entry(call.at).and_then(|entry| entry.timestamp);
            let step = scene.step(scene.step_at(session, timestamp));
            let is_copy = session.entry(call.at).is_some_and(|entry| !firsts.is_first(at, entry));
            rows.push(CallRow { session, call, step, is_copy, zone: scene.zone });
        }
    }
    Table::new(tool_calls_spec(), fields(), rows, mask)
}
