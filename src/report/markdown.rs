use super::cell::Cell;
use super::clean::CleanPage;
use super::page::{Bars, Body, Facts, Section};
use super::page_table::{Align, Column, Table};
use super::terminal::drawing;

/// Width of drawings inside of a Markdown page.
const DRAWING_WIDTH: usize = 100;

/// The page as GitHub shows it. Text of the run cannot become a link, an image, HTML or another column.
pub fn markdown(page: &CleanPage) -> String {
    let page = page.page();
    let mut parts = Vec::new();
    if !page.title.is_empty() {
        parts.push(format!("# {}\n", escaped(&page.title)));
    }
    parts.extend(page.sections.iter().map(section));
    parts.join("\n")
}

fn section(section: &Section) -> String {
    let heading = section.heading.as_ref().map(|h| format!("## {}\n\n", escaped(h))).unwrap_or_default();
    heading
        + &match &section.body {
            Body::Facts(facts) => fact_list(facts),
            Body::Table(table) => table_of(table),
            Body::Bars(bars) => table_of(&bar_table(bars)),
            Body::Curve(_) | Body::Lanes(_) | Body::Tree(_) => fenced(&drawing(&section.body, DRAWING_WIDTH)),
            Body::Text(text) => fenced(text),
            Body::Note(text) => format!("{}\n", escaped(text)),
        }
}

fn fact_list(facts: &Facts) -> String {
    let lines = facts.lines.iter().map(|(label, cell)| format!("- {}: {}", escaped(label), cell_text(cell)));
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

fn table_of(table: &Table) -> String {
    if table.rows.is_empty() && table.footer.is_empty() {
        return format!("{}\n", escaped(table.empty.as_deref().unwrap_or("(none)")));
    }
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut out = line(table.columns.iter().map(|c| escaped(&c.header)).collect());
    out.push_str(&line(table.columns.iter().map(rule).collect()));
    let cells = |row: &Vec<Cell>| -> Vec<String> {
        (0..table.columns.len()).map(|i| row.get(i).map(cell_text).unwrap_or_default()).collect()
    };
    table.rows.iter().for_each(|row| out.push_str(&line(cells(row))));
    for row in &table.footer {
        let strong = |cell: String| if cell.is_empty() { cell } else { format!("**{cell}**") };
        out.push_str(&line(cells(row).into_iter().map(strong).collect()));
    }
    out
}

fn rule(column: &Column) -> String {
    match column.align {
        Align::Left => ":---".to_owned(),
        Align::Right => "---:".to_owned(),
    }
}

/// The notes of bars with parts hold the parts.
fn bar_table(bars: &Bars) -> Table {
    let noted = bars.rows.iter().any(|b| b.note.is_some());
    let note = if bars.parts.is_empty() { "note".to_owned() } else { bars.parts.join(" + ") };
    let columns = [Column::text(""), Column::number("value"), Column::text(note)];
    Table::new(columns.into_iter().take(if noted { 3 } else { 2 })).rows(
        bars.rows
            .iter()
            .map(|b| [Cell::text(&b.label), Cell::text(&b.shown), Cell::text(b.note.as_deref().unwrap_or_default())]),
    )
}

fn cell_text(cell: &Cell) -> String {
    if cell.absent { "–".to_owned() } else { escaped(&cell.shown) }
}

/// A block of lines as they are; the fence is longer than any run of backticks inside.
fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}text\n{text}{end}{fence}\n")
}

/// Text in which nothing is markup. An underscore inside a word, as in `cost_usd`, is not.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut previous = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let inside_word = previous.is_alphanumeric() && chars.peek().is_some_and(|n| n.is_alphanumeric());
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '_' if inside_word => out.push(c),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' => out.extend(['\\', c]),
            '#' | '+' | '-' if out.is_empty() => out.extend(['\\', c]),
            _ => out.push(c),
        }
        previous = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::page::{Bar, Curve, Page, TreeLine};
    use super::*;
    use crate::masking::Masker;
    use crate::unit::Usd;

    #[test]
    fn text_of_the_run_is_no_markup() {
        for (text, shown) in [
            ("a|b`c`", r"a\|b\`c\`"),
            ("![x](http://t/)", r"!\[x\](http://t/)"),
            ("<img src=x>&amp;", "&lt;img src=x&gt;&amp;amp;"),
            ("cost_usd __init__ *a* ~b~", r"cost_usd \_\_init\_\_ \*a\* \~b\~"),
            ("# no heading", r"\# no heading"),
            (r"\|", r"\\\|"),
        ] {
            assert_eq!(escaped(text), shown);
        }
        assert_eq!(fenced("a ```` b"), "`````text\na ```` b\n`````\n");
    }

    #[test]
    fn a_page_on_github() {
        let page = Page::new("Run")
            .part(Facts::new().line("steps", 2_u64).line("end", Cell::absent()))
            .section(
                "Steps",
                Table::new([Column::text("step"), Column::number("cost")])
                    .row(["干活·判定#1".into(), Usd::from_nanos(238_406_000).into()])
                    .footer(["total".into(), Usd::from_nanos(238_406_000).into()]),
            )
            .section("Money", vec![Bar::new("a", 2.0, "$2.00"), Bar::new("b", 1.0, "$1.00").note("half")])
            .section("Context", Curve::new(vec![1, 2], "turn", "tokens").height(2))
            .section("Chain", vec![TreeLine::new(0, "root"), TreeLine::new(1, "leaf")])
            .note("Done.");
        insta::assert_snapshot!(markdown(&CleanPage::new(page, &Masker::masking())), @r"
        # Run

        - steps: 2
        - end: –

        ## Steps

        | step | cost |
        | :--- | ---: |
        | 干活·判定#1 | $0.2384 |
        | **total** | **$0.2384** |

        ## Money

        |  | value | note |
        | :--- | ---: | :--- |
        | a | $2.00 |  |
        | b | $1.00 | half |

        ## Context

        ```text
        2 ┤   ███
          │██████
        0 └──────
           1    2
        tokens per turn
        ```

        ## Chain

        ```text
        root
        └─ leaf
        ```

        Done.
        ");
    }
}
