//! Tables on a terminal. The only file that knows comfy-table, which draws; what fits is decided here.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, TableStyle};

use super::cell::{Cell, Tone};
use super::columns::{GAP, Need, fit};
use super::page_table::{Align, Column, Fold, Table};
use super::style::Style;
use super::text;

/// Lines of one cell before the rest of its text is cut.
const MAX_CELL_LINES: usize = 3;

/// Widest label of a record.
const MAX_LABEL: usize = 24;

/// A cell as it is seen.
type Seen = (String, Tone);

/// The table; without its minor columns where it does not fit, and records one below the other where that is not enough.
pub(super) fn draw(table: &Table, style: &Style) -> String {
    if table.rows.is_empty() {
        let text = table.empty.as_deref().unwrap_or("(none)");
        return style.tint(&style.cut(text, style.room()), Tone::Faint) + "\n";
    }
    let mut kept: Vec<usize> = (0..table.columns.len()).collect();
    loop {
        let part = Part::of(table, &kept, style);
        if let Some(widths) = fit(&part.needs(), style.room()) {
            return part.grid(&part.used(&widths, style), style) + &left_out(table, &kept, style);
        }
        let minor = kept.iter().rposition(|i| table.columns.get(*i).is_some_and(|c| c.minor));
        match minor {
            Some(at) => drop(kept.remove(at)),
            None => return Part::of(table, &(0..table.columns.len()).collect::<Vec<_>>(), style).records(style),
        }
    }
}

fn left_out(table: &Table, kept: &[usize], style: &Style) -> String {
    let hidden = table.columns.iter().enumerate().filter(|(i, _)| !kept.contains(i)).map(|(_, c)| c.header.as_str());
    let hidden: Vec<&str> = hidden.collect();
    if hidden.is_empty() {
        return String::new();
    }
    let text = format!("not shown at this width: {}", hidden.join(", "));
    text::wrap(&text, style.room()).iter().map(|line| style.tint(line, Tone::Faint) + "\n").collect()
}

/// Text and tone of a cell as a terminal shows it.
pub(super) fn seen(cell: Option<&Cell>, style: &Style) -> Seen {
    match cell {
        Some(cell) if cell.absent => (style.dash().to_owned(), cell.tone),
        Some(cell) => (style.plain(&cell.shown), cell.tone),
        None => (String::new(), Tone::Normal),
    }
}

/// The columns of a table that are drawn.
struct Part<'a> {
    columns: Vec<&'a Column>,
    rows: Vec<Vec<Seen>>,
    footer: Vec<Vec<Seen>>,
}

impl<'a> Part<'a> {
    fn of(table: &'a Table, kept: &[usize], style: &Style) -> Self {
        let shown = |rows: &[Vec<Cell>]| -> Vec<Vec<Seen>> {
            rows.iter().map(|row| kept.iter().map(|i| seen(row.get(*i), style)).collect()).collect()
        };
        let columns = kept.iter().filter_map(|i| table.columns.get(*i)).collect();
        Self { columns, rows: shown(&table.rows), footer: shown(&table.footer) }
    }

    fn all(&self) -> impl Iterator<Item = &Vec<Seen>> {
        self.rows.iter().chain(&self.footer)
    }

    fn needs(&self) -> Vec<Need> {
        let columns = self.columns.iter().enumerate();
        columns
            .map(|(i, column)| Need {
                fold: column.fold,
                header: text::width(&column.header),
                header_word: column.header.split(' ').map(text::width).max().unwrap_or(0),
                cells: self.all().filter_map(|row| row.get(i)).map(|cell| text::width(&cell.0)).max().unwrap_or(0),
            })
            .collect()
    }

    fn grid(&self, widths: &[usize], style: &Style) -> String {
        let rule = style.rule();
        let mut drawn = comfy_table::Table::new();
        drawn.load_style(TableStyle::new().header_separator(LineStyle::none().fill(rule).junction(rule)));
        drawn.set_content_arrangement(ContentArrangement::Disabled);
        drawn.set_header(self.columns.iter().zip(widths).map(|(column, width)| {
            let lines: Vec<String> = text::wrap(&column.header, *width).iter().map(|l| style.strong(l)).collect();
            aligned(lines.join("\n"), column.align)
        }));
        for row in self.all() {
            let cells = row.iter().zip(&self.columns).zip(widths);
            drawn.add_row(cells.map(|((cell, c), width)| aligned(lines(cell, c, *width, style).join("\n"), c.align)));
        }
        let last = self.columns.len().saturating_sub(1);
        for (i, column) in drawn.column_iter_mut().enumerate() {
            // The drawer itself leaves one blank between columns.
            column.set_padding((0, if i == last { 0 } else { u16::try_from(GAP - 1).unwrap_or(1) }));
        }
        let mut out: Vec<String> = drawn.lines().collect();
        if !self.footer.is_empty() {
            let rule = rule.to_string().repeat(widths.iter().sum::<usize>() + GAP * last);
            out.insert(out.len().saturating_sub(self.footer_height(widths, style)), rule);
        }
        out.join("\n") + "\n"
    }

    /// The widths that are left of `widths` once the cells are broken into lines.
    fn used(&self, widths: &[usize], style: &Style) -> Vec<usize> {
        let columns = self.columns.iter().zip(widths).enumerate();
        columns
            .map(|(i, (column, width))| {
                let cells = self.all().filter_map(|row| row.get(i)).flat_map(|cell| lines(cell, column, *width, style));
                let header = text::wrap(&column.header, *width).into_iter();
                header.chain(cells).map(|line| text::width(&line)).max().unwrap_or(0)
            })
            .collect()
    }

    fn footer_height(&self, widths: &[usize], style: &Style) -> usize {
        let height = |row: &Vec<Seen>| {
            let cells = row.iter().zip(&self.columns).zip(widths);
            cells.map(|((cell, column), width)| lines(cell, column, *width, style).len()).max().unwrap_or(1)
        };
        self.footer.iter().map(height).sum()
    }

    /// `header  value` lines for each row.
    fn records(&self, style: &Style) -> String {
        let widest = self.columns.iter().map(|c| text::width(&c.header)).max().unwrap_or(0);
        let label = widest.min(MAX_LABEL).min(style.room() / 2);
        let record = |row: &Vec<Seen>| -> String {
            let filled = self.columns.iter().zip(row).filter(|(_, (shown, _))| !shown.is_empty());
            filled.map(|(column, cell)| labelled(&style.plain(&column.header), cell, label, style)).collect()
        };
        let rule = style.rule().to_string().repeat(style.room().min(label * 2 + GAP)) + "\n";
        self.all().map(record).collect::<Vec<_>>().join(&rule)
    }
}

fn aligned(content: String, align: Align) -> comfy_table::Cell {
    comfy_table::Cell::new_owned(content).set_alignment(match align {
        Align::Left => CellAlignment::Left,
        Align::Right => CellAlignment::Right,
    })
}

fn lines((shown, tone): &Seen, column: &Column, width: usize, style: &Style) -> Vec<String> {
    let most = match column.fold {
        Fold::Wrap => MAX_CELL_LINES,
        Fold::Whole => usize::MAX,
        Fold::Never | Fold::Cut => 1,
    };
    text::wrap_at_most(shown, width, most, style.ellipsis()).iter().map(|line| style.tint(line, *tone)).collect()
}

/// `label  value`, the value wrapped beside its label.
pub(super) fn labelled(name: &str, cell: &Seen, label: usize, style: &Style) -> String {
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
