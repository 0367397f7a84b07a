use crate::analysis::layers::{Explained, Ruling};
use crate::report::{Cell, Column, Facts, Page, Table};

/// Segments that are listed one by one; more are only counted.
const MAX_SEGMENTS: usize = 200;

/// Whether a command only looks, and why.
pub fn ruling(explained: &Explained) -> Page {
    let ruling = &explained.ruling;
    let answer = if explained.ephemeral {
        Cell::text("only looks: its old results expire").good()
    } else {
        Cell::text("counts as one that changes something: its results stay").warn()
    };
    let mut facts = Facts::new().line("command", explained.command.as_str()).line("it", answer);
    if ruling.blank {
        facts = facts.line("because", "it is blank");
    }
    for mark in &ruling.marks {
        facts = facts.line("because", format!("of `{}`: {}", mark.sign, mark.why));
    }
    let (shown, all) = (segments(ruling, MAX_SEGMENTS), segments(ruling, usize::MAX));
    Page::new("Whether a command only looks").part(facts).part(shown).data(all).note(
        "This is flower's rule. It knows no quotes, and a line end is no separator: what follows one is not looked at.",
    )
}

fn segments(ruling: &Ruling, most: usize) -> Table {
    let columns =
        [Column::number("segment"), Column::text("text"), Column::text("begins with"), Column::text("only looks")];
    let rows = ruling.segments.iter().enumerate().take(most).map(|(at, segment)| {
        let looks = segment.looks.map_or_else(|| Cell::text("no").warn(), |_| Cell::text("yes").good());
        [Cell::from(at + 1), segment.text.as_str().into(), segment.looks.into(), looks]
    });
    let mut table = Table::new(columns).rows(rows).primary();
    let more = ruling.segments.len().saturating_sub(most);
    if more > 0 {
        table.push([Cell::absent(), Cell::text(format!("and {more} more; --format json lists them"))]);
    }
    table
}
