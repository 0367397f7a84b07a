use crate::analysis::Tools;
use crate::report::{Align, Body, Cell, Column, Page, Table};
use crate::run_dir::ShortNames;

/// Only the first rows, with a last one that tells how many more there are; JSON has all.
pub(super) fn shortened(mut table: Table, rows: usize) -> Body {
    let more = table.rows.len().saturating_sub(rows);
    if more > 1 {
        table.rows.truncate(rows);
        let note = Cell::text(format!("… and {more} more, see --format json")).faint();
        let at = table.columns.iter().position(|column| column.align == Align::Left).unwrap_or_default();
        let mut row = vec![Cell::text(""); table.columns.len()];
        if let Some(cell) = row.get_mut(at) {
            *cell = note;
        }
        table.push(row);
    }
    table.into()
}

pub(super) fn tools(page: Page, tools: &Tools, names: &ShortNames) -> Page {
    let columns = [
        Column::text("thread"),
        Column::text("tool"),
        Column::number("calls"),
        Column::number("errors"),
        Column::number("denied"),
        Column::number("likely denied").minor(),
        Column::number("no result"),
        Column::number("result characters").minor(),
    ];
    let rows = tools.rows.iter().map(|row| {
        let marked = |n: usize| if n == 0 { Cell::from(n).faint() } else { Cell::from(n).warn() };
        let c = row.counts;
        [
            row.thread.into(),
            row.tool.as_str().into(),
            c.calls.into(),
            marked(c.errors),
            marked(c.denied),
            marked(c.likely_denied),
            marked(c.orphans),
            Cell::count(c.result_characters),
        ]
    });
    let page = page.section("Tools", shortened(Table::new(columns).rows(rows).empty("No tool calls."), 20));
    let denials = tools.denials.iter().map(|row| {
        let c = row.counts;
        let denied = c.denied + c.likely_denied;
        let share = Cell::share(u64::try_from(denied).unwrap_or(0), u64::try_from(c.calls).unwrap_or(0));
        let short = names.of(&row.store_key);
        [Cell::text(short).exact(&row.store_key), c.calls.into(), c.denied.into(), c.likely_denied.into(), share]
    });
    let columns = [
        Column::id("thread with denials"),
        Column::number("calls"),
        Column::number("denied"),
        Column::number("likely denied"),
        Column::number("rate"),
    ];
    if tools.denials.is_empty() { page } else { page.part(shortened(Table::new(columns).rows(denials), 10)) }
}
