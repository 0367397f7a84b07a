use super::column::{self, number, text};
use super::scene::Scene;
use super::table::{Mask, Table, TableSpec, spec};
use crate::unit::{Finding, Level};

type Field<'a> = column::Field<&'a Finding>;

fn fields<'a>() -> Vec<Field<'a>> {
    vec![
        Field::word("code", "Stable code.", |r| text(r.code)),
        Field::word("level", "`info`, `warning` or `error`.", |r| text(level(r.level))),
        Field::text("file", "File of the source.", |r| text(r.place.file.as_deref()?)),
        Field::integer("line", "Line in that file, from 1.", |r| number(r.place.line?)),
        Field::text("store_key", "Session.", |r| text(r.place.store_key.as_deref()?)),
        Field::integer("seq", "Entry.", |r| r.place.seq),
        Field::text("message", "What was found, what was expected, what to do.", |r| text(&r.message)),
    ]
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Info => "info",
        Level::Warning => "warning",
        Level::Error => "error",
    }
}

pub(super) fn findings_spec() -> TableSpec {
    spec("findings", "One thing that is to be said about the run, the worst first.", &fields())
}

pub(super) fn findings<'a>(scene: &'a Scene<'a>, mask: &'a Mask<'a>) -> Table<'a> {
    Table::new(findings_spec(), fields(), scene.findings().iter().collect(), mask)
}
