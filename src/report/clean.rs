use super::cell::Cell;
use super::page::{Bar, Bars, Body, Curve, Facts, Page, Section, TreeLine};
use super::page_lanes::{Glyph, InkKey, Lane, LaneGroup, Lanes};
use super::page_table::{Column, Table};
use crate::masking::{Masker, Mode, sanitize};

/// A page in which secrets are masked and control characters are visible: the only kind that renderers take, so that
/// neither can be forgotten.
#[derive(Debug, Clone, PartialEq)]
pub struct CleanPage(Page);

impl CleanPage {
    /// Cleans every text of `page`.
    pub fn new(page: Page, masker: &Masker) -> Self {
        let clean = Cleaner(masker);
        Self(Page {
            title: clean.line(&page.title),
            sections: page
                .sections
                .into_iter()
                .map(|s| Section { heading: s.heading.map(|h| clean.line(&h)), body: clean.body(s.body) })
                .collect(),
            data: page.data.map(|table| clean.table(table)),
        })
    }

    /// The cleaned page.
    pub const fn page(&self) -> &Page {
        &self.0
    }
}

struct Cleaner<'a>(&'a Masker);

impl Cleaner<'_> {
    /// Secrets first: an escape in the middle of a key would hide it from its pattern.
    fn line(&self, text: &str) -> String {
        sanitize(&self.0.mask(text), Mode::Line).into_owned()
    }

    fn lines(&self, texts: &[String]) -> Vec<String> {
        texts.iter().map(|text| self.line(text)).collect()
    }

    fn block(&self, text: &str) -> String {
        sanitize(&self.0.mask(text), Mode::Block).into_owned()
    }

    fn cell(&self, cell: Cell) -> Cell {
        Cell { shown: self.line(&cell.shown), exact: cell.exact.map(|e| self.block(&e)), ..cell }
    }

    fn rows(&self, rows: Vec<Vec<Cell>>) -> Vec<Vec<Cell>> {
        rows.into_iter().map(|row| row.into_iter().map(|c| self.cell(c)).collect()).collect()
    }

    fn body(&self, body: Body) -> Body {
        match body {
            Body::Facts(facts) => Body::Facts(Facts {
                lines: facts.lines.into_iter().map(|(label, cell)| (self.line(&label), self.cell(cell))).collect(),
            }),
            Body::Table(table) => Body::Table(self.table(table)),
            Body::Bars(bars) => Body::Bars(Bars {
                rows: bars.rows.into_iter().map(|b| self.bar(b)).collect(),
                parts: self.lines(&bars.parts),
            }),
            Body::Curve(c) => Body::Curve(Curve {
                step: self.line(&c.step),
                caption: self.line(&c.caption),
                ends: self.lines(&c.ends),
                key: self.lines(&c.key),
                ..c
            }),
            Body::Lanes(lanes) => Body::Lanes(self.lanes(lanes)),
            Body::Tree(lines) => Body::Tree(lines.into_iter().map(|l| self.tree_line(l)).collect()),
            Body::Text(text) => Body::Text(self.block(&text)),
            Body::Note(text) => Body::Note(self.line(&text)),
        }
    }

    fn table(&self, table: Table) -> Table {
        let column = |c: Column| Column { header: self.line(&c.header), name: self.line(&c.name), ..c };
        Table {
            columns: table.columns.into_iter().map(column).collect(),
            rows: self.rows(table.rows),
            footer: self.rows(table.footer),
            empty: table.empty.map(|e| self.line(&e)),
            ..table
        }
    }

    fn lanes(&self, lanes: Lanes) -> Lanes {
        let lane = |l: Lane| Lane { label: self.line(&l.label), note: self.line(&l.note), ..l };
        let group = |g: LaneGroup| LaneGroup {
            heading: self.line(&g.heading),
            counted: self.line(&g.counted),
            joins: g.joins,
            lanes: g.lanes.into_iter().map(lane).collect(),
        };
        let glyph = |g: Glyph| Glyph { meaning: self.line(&g.meaning), ..g };
        Lanes {
            groups: lanes.groups.into_iter().map(group).collect(),
            key: lanes.key.into_iter().map(glyph).collect(),
            inks: lanes.inks.into_iter().map(|i| InkKey { meaning: self.line(&i.meaning), ..i }).collect(),
            ..lanes
        }
    }

    fn bar(&self, bar: Bar) -> Bar {
        Bar { label: self.line(&bar.label), shown: self.line(&bar.shown), note: bar.note.map(|n| self.line(&n)), ..bar }
    }

    fn tree_line(&self, line: TreeLine) -> TreeLine {
        TreeLine { text: self.line(&line.text), note: line.note.map(|n| self.line(&n)), ..line }
    }
}
