//! CSV. The only file that knows the csv crate.

use std::borrow::Cow;
use std::io::Write;

use super::cell::Cell;
use super::clean::CleanPage;
use super::page::{Bar, Body, Facts};
use super::page_table::Table;
use super::render::RenderError;

pub use ::csv::Error as CsvError;

/// The page's data table, or else its primary table, its first table, bars or facts, as RFC 4180 with a header line: exact values, no
/// sums. A page without any of them is an empty text.
///
/// A cell that a spreadsheet would read as a formula gets a leading `'`; plain numbers such as `-3.5` do not.
pub fn csv(page: &CleanPage) -> Result<String, RenderError> {
    let bodies = || page.page().sections.iter().map(|s| &s.body);
    let primary = bodies().find_map(|b| match b {
        Body::Table(table) if table.primary => Some(table),
        Body::Table(_)
        | Body::Facts(_)
        | Body::Bars(_)
        | Body::Curve(_)
        | Body::Lanes(_)
        | Body::Tree(_)
        | Body::Text(_)
        | Body::Note(_) => None,
    });
    let first = bodies().find_map(|b| match b {
        Body::Table(table) => Some(table),
        Body::Facts(_)
        | Body::Bars(_)
        | Body::Curve(_)
        | Body::Lanes(_)
        | Body::Tree(_)
        | Body::Text(_)
        | Body::Note(_) => None,
    });
    if let Some(table) = page.page().data.as_ref().or(primary).or(first) {
        return write(table_records(table));
    }
    let lines = bodies().find_map(|b| match b {
        Body::Bars(bars) => Some(bar_records(&bars.rows)),
        Body::Facts(facts) => Some(fact_records(facts)),
        Body::Table(_) | Body::Curve(_) | Body::Lanes(_) | Body::Tree(_) | Body::Text(_) | Body::Note(_) => None,
    });
    write(lines.unwrap_or_default())
}

type Records<'a> = Vec<Vec<Cow<'a, str>>>;

fn table_records(table: &Table) -> Records<'_> {
    let header = table.columns.iter().map(|c| Cow::Borrowed(c.name.as_str())).collect();
    let mut records: Records<'_> = vec![header];
    for row in &table.rows {
        records.push((0..table.columns.len()).map(|i| row.get(i).map_or("", Cell::carried).into()).collect());
    }
    records
}

fn bar_records(bars: &[Bar]) -> Records<'_> {
    let mut records: Records<'_> = vec![vec!["label".into(), "value".into(), "note".into()]];
    for bar in bars {
        let note = bar.note.as_deref().unwrap_or_default();
        records.push(vec![bar.label.as_str().into(), bar.value.to_string().into(), note.into()]);
    }
    records
}

fn fact_records(facts: &Facts) -> Records<'_> {
    let mut records: Records<'_> = vec![vec!["label".into(), "value".into()]];
    records.extend(facts.lines.iter().map(|(label, cell)| vec![label.as_str().into(), cell.carried().into()]));
    records
}

fn write(records: Records<'_>) -> Result<String, RenderError> {
    let mut bytes = Vec::new();
    let mut rows = CsvRows::new(&mut bytes);
    for record in records {
        rows.write(record)?;
    }
    rows.finish()?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// CSV that is written row by row; no cell is a formula.
pub(super) struct CsvRows<W: Write>(::csv::Writer<W>);

impl<W: Write> CsvRows<W> {
    pub(super) fn new(out: W) -> Self {
        Self(::csv::Writer::from_writer(out))
    }

    pub(super) fn write<'a>(&mut self, cells: impl IntoIterator<Item = Cow<'a, str>>) -> Result<(), RenderError> {
        for cell in cells {
            self.0.write_field(neutral(&cell).as_bytes())?;
        }
        Ok(self.0.write_record(None::<&[u8]>)?)
    }

    pub(super) fn finish(mut self) -> Result<(), RenderError> {
        Ok(self.0.flush()?)
    }
}

/// A cell that no spreadsheet takes for a formula.
fn neutral(cell: &str) -> Cow<'_, str> {
    let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    if formula && !is_number(cell) { Cow::Owned(format!("'{cell}")) } else { Cow::Borrowed(cell) }
}

fn is_number(cell: &str) -> bool {
    let digits = cell.strip_prefix('-').unwrap_or(cell);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'))
        && digits.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::super::page::Page;
    use super::super::page_table::Column;
    use super::*;
    use crate::masking::Masker;
    use crate::unit::Usd;
    use proptest::prelude::*;

    fn printed(page: Page) -> String {
        csv(&CleanPage::new(page, &Masker::masking())).unwrap()
    }

    #[test]
    fn the_primary_table_is_printed_exact() {
        let other = Table::new([Column::text("other")]).row(["no".into()]);
        let table = Table::new([Column::text("Step"), Column::number("Cost").named("cost_usd"), Column::text("note")])
            .row([
                "干活·判定#1, \"a\"".into(),
                Usd::from_nanos(-238_406_001).into(),
                Cell::text("one…").exact("one\ntwo"),
            ])
            .row(["=cmd|'/C calc'!A0".into(), Cell::absent()])
            .footer(["total".into()])
            .primary();
        insta::assert_snapshot!(printed(Page::new("t").part(other).part(table)), @r#"
        step,cost_usd,note
        "干活·判定#1, ""a""",-0.238406001,"one
        two"
        '=cmd|'/C calc'!A0,,
        "#);
    }

    #[test]
    fn a_page_without_a_table_prints_its_facts() {
        let page = Page::new("t").part(Facts::new().line("steps", 3_u64));
        assert_eq!(printed(page), "label,value\nsteps,3\n");
        assert_eq!(printed(Page::new("t").note("n")), "");
    }

    #[test]
    fn formulas_are_neutral_and_numbers_stay() {
        for formula in ["=1", "+1", "-1+1", "@SUM", "\tx", "-", "--1", "-inf", "-e5"] {
            assert!(neutral(formula).starts_with('\''), "{formula}");
        }
        for plain in ["-3.5", "1e-9", "a=b", "", "2026-11-30"] {
            assert_eq!(neutral(plain), plain);
        }
    }

    proptest! {
        #[test]
        fn cells_come_back(cells in prop::collection::vec("[ -~干活\n]{0,12}", 2..5)) {
            let columns = (0..cells.len()).map(|i| Column::text(format!("c{i}")));
            let row = cells.iter().map(|c| Cell::text("").exact(c));
            let text = printed(Page::new("t").part(Table::new(columns).row(row)));
            let mut reader = ::csv::Reader::from_reader(text.as_bytes());
            let back: Vec<_> = reader.records().map(Result::unwrap).collect();
            let masker = Masker::masking();
            let expected: Vec<String> = cells.iter().map(|c| neutral(&masker.mask(c)).into_owned()).collect();
            prop_assert_eq!(back.len(), 1);
            prop_assert_eq!(back[0].iter().collect::<Vec<_>>(), expected);
        }
    }
}
