use super::words::{answer, name, price};
use crate::analysis::layers::{KeyLoad, PolicyLoad};
use crate::report::views::Opening;
use crate::report::{Cell, Column, Table};

pub(super) fn comparison(first: &PolicyLoad, second: &PolicyLoad, opening: &Opening) -> Table {
    let columns = [
        Column::word("session"),
        Column::text("A: live path"),
        Column::text("B: live path"),
        Column::number("A: changes"),
        Column::number("B: changes"),
        Column::number("A: characters seen"),
        Column::number("B: characters seen"),
        Column::number("A: first change").minor(),
        Column::number("B: first change").minor(),
        Column::number("A: to write again").minor(),
        Column::number("B: to write again").minor(),
    ];
    let changes = |load: &KeyLoad| load.layers.iter().map(|layer| layer.changes).sum::<u64>();
    let at = |load: &KeyLoad| load.cache.first_seq.map(|seq| format!("#{seq}"));
    let rows = first.keys.iter().filter_map(|(key, a)| Some((key, a, second.keys.get(key)?)));
    let rows = rows.filter(|(_, a, b)| changes(a) + changes(b) > 0).map(|(key, a, b)| {
        [
            name(opening, key),
            answer(a.verdict.live),
            answer(b.verdict.live),
            changes(a).into(),
            changes(b).into(),
            Cell::count(a.context.after.size.characters),
            Cell::count(b.context.after.size.characters),
            at(a).into(),
            at(b).into(),
            price(&a.cache),
            price(&b.cache),
        ]
    });
    Table::new(columns).rows(rows).empty("Neither policy changes anything.")
}
