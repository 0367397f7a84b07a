use super::words::{answer, name, price};
use crate::analysis::layers::{ChangeRow, KeyLoad, LayerSize, PolicyLoad};
use crate::report::views::Opening;
use crate::report::{Cell, Column, Table};
use crate::unit::short_count;

pub(super) fn sessions(load: &PolicyLoad, opening: &Opening) -> Table {
    let columns = [
        Column::word("session").named("store_key"),
        Column::text("live path"),
        Column::text("whole").minor(),
        Column::number("replaced"),
        Column::number("dropped"),
        Column::number("added"),
        Column::number("characters seen").minor(),
        Column::number("saved"),
        Column::number("first change"),
        Column::number("tokens behind"),
        Column::number("to write again"),
    ];
    let row = |(key, load): (&String, &KeyLoad)| {
        let (b, a) = (load.context.before.size.characters, load.context.after.size.characters);
        let zero = |n: usize| if n == 0 { Cell::from(n).faint() } else { Cell::from(n) };
        [
            name(opening, key),
            answer(load.verdict.live),
            answer(load.verdict.whole),
            zero(load.outcome.replaced.len()),
            zero(load.outcome.dropped.len()),
            zero(load.outcome.inserted.len()),
            format!("{} → {}", short_count(b), short_count(a)).into(),
            match (a < b, b < a) {
                (true, _) => Cell::share(b - a, b),
                (_, true) => Cell::text(format!("-{}", Cell::share(a - b, b).shown)).warn(),
                _ => Cell::absent(),
            },
            load.cache.first_seq.map(|seq| format!("#{seq}")).into(),
            if load.cache.first_seq.is_some() { load.cache.estimated_tokens.into() } else { Cell::absent() },
            price(&load.cache),
        ]
    };
    Table::new(columns).rows(load.keys.iter().map(row)).empty("The source has no session.")
}

/// The layers that did something.
pub(super) fn layer_table(load: &PolicyLoad, opening: &Opening) -> Table {
    let columns = [
        Column::word("session"),
        Column::word("layer"),
        Column::number("changes"),
        Column::number("entries"),
        Column::number("blocks"),
        Column::number("characters"),
        Column::number("tokens, about"),
    ];
    let both = |before: u64, after: u64| {
        let shown = format!("{} → {}", short_count(before), short_count(after));
        if before == after { Cell::text(shown).faint() } else { Cell::text(shown) }
    };
    let row = |key: &str, layer: &LayerSize| {
        let (b, a) = (layer.before.size, layer.after.size);
        [
            name(opening, key),
            layer.layer.name().into(),
            layer.changes.into(),
            both(b.entries, a.entries),
            both(b.blocks, a.blocks),
            both(b.characters, a.characters),
            both(layer.before.estimated_tokens.0, layer.after.estimated_tokens.0),
        ]
    };
    let at_work = |key: &'_ KeyLoad| key.layers.iter().filter(|layer| layer.changes > 0).copied().collect::<Vec<_>>();
    let rows = load.keys.iter().flat_map(|(key, load)| at_work(load).into_iter().map(move |layer| (key, layer)));
    let rows: Vec<_> = rows.map(|(key, layer)| row(key, &layer)).collect();
    Table::new(columns).rows(rows).empty("No layer changes anything.")
}

pub(super) fn reasons(load: &PolicyLoad, opening: &Opening) -> Table {
    let columns = [
        Column::word("session"),
        Column::number("entry"),
        Column::text("answer"),
        Column::text("where").minor(),
        Column::word("layer"),
        Column::prose("why"),
    ];
    let rows = load.keys.iter().flat_map(|(key, load)| load.verdict.reasons.iter().map(move |reason| (key, reason)));
    Table::new(columns).rows(rows.map(|(key, reason)| {
        [
            name(opening, key),
            reason.seq.map(|seq| format!("#{seq}")).into(),
            answer(reason.answer),
            if reason.live { "live path" } else { "elsewhere" }.into(),
            reason.layer.map_or("stored so", |layer| layer.name()).into(),
            reason.message.as_str().into(),
        ]
    }))
}

pub(super) fn changes(load: &PolicyLoad, opening: &Opening) -> Table {
    let columns = [
        Column::word("session"),
        Column::number("entry"),
        Column::word("layer"),
        Column::word("what"),
        Column::word("reason"),
        Column::prose("before"),
        Column::prose("after"),
    ];
    let rows = load.keys.iter().flat_map(|(key, load)| load.changes.iter().flatten().map(move |change| (key, change)));
    let row = |(key, change): (&String, &ChangeRow)| {
        [
            name(opening, key),
            format!("#{}", change.seq).into(),
            change.layer.name().into(),
            change.what.into(),
            change.reason.code().into(),
            change.before.as_deref().into(),
            change.after.as_deref().into(),
        ]
    };
    Table::new(columns).rows(rows.map(row)).empty("No layer changes anything.")
}
