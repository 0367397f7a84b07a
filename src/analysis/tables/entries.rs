use super::column::{self, number, text};
use super::scene::Scene;
use super::table::{Mask, Table, TableSpec, spec};
use crate::session::{Ix, SessionModel, Standing};
use crate::transcript::{Entry, Message, Parent};
use crate::unit::Zone;
use std::borrow::Cow;

/// One entry.
pub(super) struct EntryRow<'a> {
    session: &'a SessionModel,
    ix: Ix,
    entry: &'a Entry,
    zone: Zone,
}

impl<'a> EntryRow<'a> {
    fn message(&self) -> Option<&'a Message> {
        self.entry.message.as_deref()
    }
}

type Field<'a> = column::Field<EntryRow<'a>>;

fn fields<'a>() -> Vec<Field<'a>> {
    let mut fields = vec![
        Field::text("store_key", "Session.", |r| text(r.session.store_key())),
        Field::integer("seq", "Sequence number in the session.", |r| Some(r.entry.seq)),
        Field::integer("part", "Which record of its row; 0 unless several are glued together.", |r| {
            number(r.entry.part)
        }),
        Field::text("uuid", "Uuid.", |r| Some(Cow::Owned(r.entry.uuid.as_ref()?.to_string()))),
        Field::text("parent_uuid", "Uuid of the entry before it, as recorded.", |r| match &r.entry.parent {
            Parent::Of(uid) => Some(Cow::Owned(uid.to_string())),
            Parent::Root | Parent::Absent => None,
        }),
        Field::text("type", "Type, as recorded.", |r| text(r.entry.kind.name())),
        Field::text("subtype", "Subtype of a system entry, type of an attachment.", |r| text(r.entry.subtype()?)),
        Field::timestamp("timestamp", "When, as recorded.", |r| r.entry.timestamp),
        Field::word("day", "Calendar day of `timestamp` in the zone of the report.", |r| {
            Some(Cow::Owned(r.zone.day(r.entry.timestamp?)))
        }),
        Field::text("version", "Version of the client.", |r| text(r.entry.version.as_deref()?)),
        Field::text("message_id", "Id of the message that it is a part of.", |r| text(r.message()?.id.as_deref()?)),
        Field::text("model", "Model of that message.", |r| text(r.message()?.model.as_deref()?)),
        Field::text("stop_reason", "Why that answer ended.", |r| text(r.message()?.stop_reason.as_deref()?)),
        Field::word("standing", "`live`, `branch`, `detached` or `side`: where it stands in the chain.", |r| {
            text(standing(r.session.chain.standing[r.ix]))
        }),
    ];
    fields.extend(facts());
    fields
}

fn facts<'a>() -> [Field<'a>; 11] {
    [
        Field::boolean("is_prompt", "A person or the harness asks.", |r| Some(r.entry.is_prompt())),
        Field::boolean("is_answer", "A model answers.", |r| Some(r.entry.is_answer())),
        Field::boolean("is_sidechain", "Marked as part of a sidechain.", |r| Some(r.entry.flags.sidechain)),
        Field::boolean("is_meta", "Marked as written by the harness.", |r| Some(r.entry.flags.meta)),
        Field::boolean("is_api_error", "An API error in the place of an answer.", |r| Some(r.entry.flags.api_error)),
        Field::boolean("is_compact_summary", "The summary of a compaction.", |r| Some(r.entry.flags.compact_summary)),
        Field::integer("tool_calls", "Tool calls in it.", |r| number(r.entry.calls().count())),
        Field::integer("tool_results", "Tool results in it.", |r| number(r.entry.results().count())),
        Field::integer("bytes", "Size of its payload.", |r| number(r.entry.bytes)).unit("bytes"),
        Field::integer("characters", "Characters that the model is given of it.", |r| number(r.entry.characters()))
            .unit("characters"),
        Field::text("excerpt", "The beginning of its text.", |r| text(r.entry.excerpt())),
    ]
}

fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Live => "live",
        Standing::Branch => "branch",
        Standing::Detached => "detached",
        Standing::Side => "side",
    }
}

pub(super) fn entries_spec() -> TableSpec {
    spec("entries", "One entry of a transcript, without its payload.", &fields())
}

pub(super) fn entries<'a>(scene: &'a Scene<'a>, mask: &'a Mask<'a>) -> Table<'a> {
    let sessions = scene.selection.sessions(scene.model).map(|(_, session)| session);
    let rows = sessions.flat_map(|session| {
        session.entries().map(move |(ix, entry)| EntryRow { session, ix, entry, zone: scene.zone })
    });
    Table::new(entries_spec(), fields(), rows.collect(), mask)
}
