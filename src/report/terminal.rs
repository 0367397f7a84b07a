use super::bars;
use super::cell::Tone;
use super::clean::CleanPage;
use super::curve;
use super::lanes;
use super::page::{Body, Facts};
use super::style::Style;
use super::table::{self, labelled, seen};
use super::text;
use super::tree;

/// Widest label of a fact.
const MAX_LABEL: usize = 28;

/// Widest paragraph; longer lines are hard to read.
const MAX_PARAGRAPH: usize = 100;

/// The page as a terminal shows it.
pub fn terminal(page: &CleanPage, style: &Style) -> String {
    let page = page.page();
    let mut parts = Vec::new();
    if !page.title.is_empty() {
        parts.push(paragraph(&style.plain(&page.title), style, |line| style.strong(line)));
    }
    for section in &page.sections {
        let mut part = String::new();
        if let Some(heading) = &section.heading {
            part.push_str(&paragraph(&style.plain(heading), style, |line| style.strong(line)));
        }
        part.push_str(&body(&section.body, style));
        parts.push(part);
    }
    Style::finish(&parts.join("\n"))
}

/// A body without colours, for renderers that show a drawing as it is.
pub(super) fn drawing(body_of: &Body, width: usize) -> String {
    let style = Style { width, color: false, unicode: true };
    Style::finish(&body(body_of, &style))
}

fn body(body: &Body, style: &Style) -> String {
    match body {
        Body::Facts(facts) => fact_lines(facts, style),
        Body::Table(table) => table::draw(table, style),
        Body::Bars(bars) => bars::draw(bars, style),
        Body::Curve(curve) => curve::draw(curve, style),
        Body::Lanes(all) => lanes::draw(all, style),
        Body::Tree(lines) => tree::draw(lines, style),
        Body::Text(text) => kept_lines(&style.plain(text), style),
        Body::Note(text) => paragraph(&style.plain(text), style, str::to_owned),
    }
}

fn paragraph(text: &str, style: &Style, ink: impl Fn(&str) -> String) -> String {
    text::wrap(text, style.room().min(MAX_PARAGRAPH)).iter().map(|line| ink(line) + "\n").collect()
}

fn fact_lines(facts: &Facts, style: &Style) -> String {
    let widest = facts.lines.iter().map(|(label, _)| text::width(label)).max().unwrap_or(0);
    let label = widest.min(MAX_LABEL).min(style.room() / 2);
    facts.lines.iter().map(|(name, cell)| labelled(name, &seen(Some(cell), style), label, style)).collect()
}

/// Lines as they are, broken only where they are longer than the terminal.
fn kept_lines(text: &str, style: &Style) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let line = line.replace('\t', "    ");
        if text::width(&line) <= style.room() {
            lines.push(line);
        } else {
            lines.extend(text::wrap(&line, style.room()));
        }
    }
    if lines.is_empty() { style.tint("(empty)", Tone::Faint) + "\n" } else { lines.join("\n") + "\n" }
}
