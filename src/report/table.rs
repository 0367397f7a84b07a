//! Tables on a terminal. The only file that knows comfy-table, which draws; what fits is decided here.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, TableStyle};

use super::cell::{Cell, Tone};
use super::columns::{GAP, Need, fit};
use super::page::{Align, Column, Table};
use super::style::Style;
use super::text;

/// Lines of one cell before the rest of its text is cut.
const MAX_CELL_LINES: usize = 3;

/// Widest label of a record.
const MAX_LABEL: usize = 24;

/// The table; records one below the other where even narrow columns would not fit.
pub(super) fn draw(table: &Table, style: &Style) -> String {
    if table.rows.is_empty() && table.footer.is_empty() {
        let text = table.empty.as_deref().unwrap_or("(none)");
        return style.tint(&style.cut(text, style.room()), Tone::Faint) + "\n";
    }
    let shown = |rows: &[Vec<Cell>]| -> Vec<Vec<(String, Tone)>> {
        rows.iter()
            .map(|row| table.columns.iter().enumerate().map(|(i, _)| seen(row.get(i), style)).collect())
            .collect()
    };
    let (rows, footer) = (shown(&table.rows), shown(&table.footer));
    let needs: Vec<Need> = table
        .columns
        .iter()
        .enumerate()
        .map(|(i, column)| need(column, rows.iter().chain(&footer).filter_map(|row| row.get(i))))
        .collect();
    match fit(&needs, style.room()) {
        Some(widths) => grid(&table.columns, &rows, &footer, &widths, style),
        None => records(&table.columns, &rows, &footer, style),
    }
}

/// Text and tone of a cell as a terminal shows it.
pub(super) fn seen(cell: Option<&Cell>, style: &Style) -> (String, Tone) {
    match cell {
        Some(cell) if cell.absent => (style.dash().to_owned(), cell.tone),
        Some(cell) => (style.plain(&cell.shown), cell.tone),
        None => (String::new(), Tone::Normal),
    }
}

fn need<'a>(column: &Column, cells: impl Iterator<Item = &'a (String, Tone)>) -> Need {
    Need {
        align: column.align,
        header: text::width(&column.header),
        header_word: column.header.split(' ').map(text::width).max().unwrap_or(0),
        cells: cells.map(|(shown, _)| text::width(shown)).max().unwrap_or(0),
    }
}

fn grid(
    columns: &[Column],
    rows: &[Vec<(String, Tone)>],
    footer: &[Vec<(String, Tone)>],
    widths: &[usize],
    style: &Style,
) -> String {
    let mut drawn = comfy_table::Table::new();
    let rule = style.rule();
    drawn.load_style(TableStyle::new().header_separator(LineStyle::none().fill(rule).junction(rule)));
    drawn.set_content_arrangement(ContentArrangement::Disabled);
    drawn.set_header(columns.iter().zip(widths).map(|(column, width)| {
        let lines: Vec<String> = text::wrap(&column.header, *width).iter().map(|line| style.strong(line)).collect();
        aligned(lines.join("\n"), column.align)
    }));
    for row in rows.iter().chain(footer) {
        drawn.add_row(
            row.iter()
                .zip(columns)
                .zip(widths)
                .map(|((cell, column), width)| aligned(lines(cell, *width, style).join("\n"), column.align)),
        );
    }
    let last = columns.len().saturating_sub(1);
    for (i, column) in drawn.column_iter_mut().enumerate() {
        column.set_padding((0, if i == last { 0 } else { u16::try_from(GAP).unwrap_or(2) }));
    }
    let total: usize = widths.iter().sum::<usize>() + GAP * last;
    let mut out: Vec<String> = drawn.lines().collect();
    if !footer.is_empty() {
        let height = |row: &Vec<(String, Tone)>| {
            row.iter().zip(widths).map(|(cell, width)| lines(cell, *width, style).len()).max().unwrap_or(1)
        };
        let below: usize = footer.iter().map(height).sum();
        out.insert(out.len().saturating_sub(below), rule.to_string().repeat(total));
    }
    out.join("\n") + "\n"
}

fn aligned(content: String, align: Align) -> comfy_table::Cell {
    comfy_table::Cell::new_owned(content).set_alignment(match align {
        Align::Left => CellAlignment::Left,
        Align::Right => CellAlignment::Right,
    })
}

fn lines((shown, tone): &(String, Tone), width: usize, style: &Style) -> Vec<String> {
    text::wrap_at_most(shown, width, MAX_CELL_LINES, style.ellipsis()).iter().map(|l| style.tint(l, *tone)).collect()
}

fn records(columns: &[Column], rows: &[Vec<(String, Tone)>], footer: &[Vec<(String, Tone)>], style: &Style) -> String {
    let label = columns.iter().map(|c| text::width(&c.header)).max().unwrap_or(0).min(MAX_LABEL).min(style.room() / 2);
    let rule = style.rule().to_string().repeat(style.room().min(label * 2 + GAP)) + "\n";
    let record = |row: &Vec<(String, Tone)>| -> String {
        let filled = columns.iter().zip(row).filter(|(_, (shown, _))| !shown.is_empty());
        filled.map(|(column, cell)| labelled(&column.header, cell, label, style)).collect()
    };
    let records: Vec<String> = rows.iter().chain(footer).map(record).collect();
    records.join(&rule)
}

/// `label  value`, the value wrapped beside its label.
pub(super) fn labelled(name: &str, cell: &(String, Tone), label: usize, style: &Style) -> String {
    let (shown, tone) = cell;
    let room = style.room().saturating_sub(label + GAP);
    let mut out = String::new();
    for (i, line) in text::wrap(shown, room).iter().enumerate() {
        let head = if i == 0 { style.cut(name, label) } else { String::new() };
        out.push_str(&text::pad(&style.tint(&head, Tone::Faint), label + GAP));
        out.push_str(&style.tint(line, *tone));
        out.push('\n');
    }
    out
}
