use super::chain::standing;
use super::evidence::Opening;
use crate::analysis::{Neighbour, ShownDefect, ShownEntry, ShownLink};
use crate::report::{Body, Cell, Column, Facts, Page, Table};
use crate::unit::Zone;

/// One entry with its surroundings and its content.
pub fn show_entry(entry: &ShownEntry, opening: &Opening) -> Page {
    let mut page = Page::new(format!("Entry {}:{}", entry.store_key, entry.seq)).part(facts(entry, opening.zone));
    page = page.section("Links", links(entry)).section("In the file", neighbours(entry));
    if !entry.calls.is_empty() {
        page = page.section("Tool calls", calls(entry));
    }
    if let Some(content) = &entry.content {
        for block in &content.blocks {
            page = page.section(format!("Content: {}", block.heading), Body::Text(block.text.clone()));
        }
        let fields = content.fields.iter().fold(Facts::new(), |facts, (name, value)| facts.line(name, value.as_str()));
        page = page.section("Other fields", fields);
    }
    page.section("Evidence", opening.facts())
}

/// One row that is no entry, with what stands there.
pub fn show_defect(defect: &ShownDefect, opening: &Opening) -> Page {
    let facts = Facts::new()
        .line("what is wrong", Cell::text(defect.code).bad())
        .line("that is", defect.message.as_str())
        .line_if("line", defect.line);
    let content = defect.content.clone().unwrap_or_else(|| "(no text)".to_owned());
    let seq = defect.seq.map(|seq| format!(":{seq}")).unwrap_or_default();
    Page::new(format!("Row {}{seq}, which is no entry", defect.store_key))
        .part(facts)
        .section("What stands there", Body::Text(content))
        .section("Evidence", opening.facts())
}

/// Every row of a session in one line each.
pub fn show_session(entries: &[ShownEntry], defects: &[ShownDefect], store_key: &str, opening: &Opening) -> Page {
    let columns = [
        Column::number("seq"),
        Column::number("time").named("timestamp"),
        Column::word("type"),
        Column::word("standing"),
        Column::number("parent").named("parent_seq"),
        Column::text("link").minor(),
        Column::number("bytes").minor(),
        Column::id("uuid").minor(),
        Column::text("text"),
    ];
    let row = |entry: &ShownEntry| {
        let stands = Cell::text(standing(entry.standing));
        let parent = entry.parent.as_ref();
        [
            Cell::from(entry.seq),
            entry.timestamp.map(|time| Cell::text(opening.zone.time(time)).exact(time.to_string())).into(),
            kind(entry).into(),
            if stands.shown == "live" { stands } else { stands.faint() },
            parent.map(|parent| parent.entry.seq).into(),
            parent.map(|parent| parent.trust.as_str()).into(),
            entry.bytes.into(),
            entry.uuid.as_deref().map(|uuid| Cell::text(uuid.chars().take(8).collect::<String>()).exact(uuid)).into(),
            entry.text.lines().next().unwrap_or_default().into(),
        ]
    };
    let lost = |defect: &ShownDefect| {
        let line = defect.line.map(|line| format!("line {line}: ")).unwrap_or_default();
        let (code, message) = (Cell::text(defect.code).bad(), Cell::text(format!("{line}{}", defect.message)));
        let blank = Cell::absent;
        [defect.seq.into(), blank(), code, "no entry".into(), blank(), blank(), blank(), blank(), message]
    };
    let mut rows: Vec<(Option<i64>, [Cell; 9])> = entries.iter().map(|entry| (Some(entry.seq), row(entry))).collect();
    rows.extend(defects.iter().map(|defect| (defect.seq, lost(defect))));
    rows.sort_by_key(|(seq, _)| (seq.is_none(), *seq));
    let rows = rows.into_iter().map(|(_, row)| row);
    let table = Table::new(columns).rows(rows).primary().empty("The session has no row.");
    Page::new(format!("Session {store_key}")).part(table).section("Evidence", opening.facts())
}

fn kind(entry: &ShownEntry) -> String {
    entry.subtype.as_ref().map_or_else(|| entry.kind.clone(), |subtype| format!("{}/{subtype}", entry.kind))
}

fn facts(entry: &ShownEntry, zone: Zone) -> Facts {
    Facts::new()
        .line("type", kind(entry))
        .line_if("uuid", entry.uuid.as_deref())
        .line_if("time", entry.timestamp.map(|time| Cell::moment(time, zone)))
        .line("bytes", entry.bytes)
        .line("standing", standing(entry.standing))
        .line("the model sees it", entry.loaded)
}

fn links(entry: &ShownEntry) -> Table {
    let row = |role: &str, link: &ShownLink| {
        [Cell::text(role), link.entry.seq.into(), link.entry.kind.as_str().into(), link.known.into(), text(&link.entry)]
    };
    let mut table = Table::new([
        Column::text("link"),
        Column::number("seq"),
        Column::text("type"),
        Column::text("how it is known"),
        Column::text("text").minor(),
    ])
    .empty("No link to any other entry.");
    match (&entry.parent, &entry.parent_uuid) {
        (Some(parent), _) => table.push(row("parent", parent)),
        (None, Some(uuid)) => {
            table.push([
                Cell::text("parent").bad(),
                Cell::absent(),
                uuid.as_str().into(),
                "not in this session".into(),
            ]);
        }
        (None, None) => {}
    }
    entry.guess.iter().for_each(|guess| table.push(row("parent?", guess)));
    entry.children.iter().for_each(|child| table.push(row("child", child)));
    for other in &entry.turn {
        table.push([
            Cell::text("same turn"),
            other.seq.into(),
            other.kind.as_str().into(),
            "same message or its results".into(),
            text(other),
        ]);
    }
    table
}

fn neighbours(entry: &ShownEntry) -> Table {
    let row =
        |role: &str, other: &Neighbour| [Cell::text(role), other.seq.into(), other.kind.as_str().into(), text(other)];
    let before = entry.before.iter().map(|other| row("before", other));
    let after = entry.after.iter().map(|other| row("after", other));
    let columns = [Column::text("where"), Column::number("seq"), Column::text("type"), Column::text("text")];
    Table::new(columns).rows(before.chain(after)).empty("It is the only entry.")
}

fn calls(entry: &ShownEntry) -> Table {
    let columns = [
        Column::text("tool"),
        Column::id("id"),
        Column::number("call").named("call_seq"),
        Column::number("result").named("result_seq"),
        Column::text("outcome"),
    ];
    let rows = entry.calls.iter().map(|call| {
        let outcome = match (&call.result_seq, &call.denial) {
            (None, _) => Cell::text("no result").bad(),
            (_, Some(denial)) => Cell::text(format!("denied: {denial}")).warn(),
            _ if call.is_error => Cell::text("error").warn(),
            _ => Cell::text("ok").good(),
        };
        [call.tool.as_str().into(), call.id.as_deref().into(), call.call_seq.into(), call.result_seq.into(), outcome]
    });
    Table::new(columns).rows(rows)
}

fn text(entry: &Neighbour) -> Cell {
    entry.text.lines().next().unwrap_or_default().into()
}
