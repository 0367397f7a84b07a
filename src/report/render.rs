use serde::Serialize;
use std::str::FromStr;
use thiserror::Error;

use super::clean::CleanPage;
use super::csv::{CsvError, csv};
use super::json::envelope;
use super::markdown::markdown;
use super::page::Page;
use super::style::Style;
use super::terminal::terminal;
use crate::masking::Masker;
use crate::unit::Finding;

/// The forms of a report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Format {
    /// For a terminal.
    #[default]
    Table,
    /// The versioned contract for programs.
    Json,
    /// The primary table for a spreadsheet.
    Csv,
    /// For an issue or a pull request.
    Md,
}

impl Format {
    /// All forms, in the order in which help shows them.
    pub const ALL: [Self; 4] = [Self::Table, Self::Json, Self::Csv, Self::Md];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Md => "md",
        }
    }
}

/// A name that is no form of a report.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("unknown format {name:?}: expected table, json, csv or md")]
pub struct UnknownFormat {
    /// The name as given.
    pub name: String,
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|f| f.name() == name).ok_or_else(|| UnknownFormat { name: name.to_owned() })
    }
}

/// What a person asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The form.
    pub format: Format,
    /// How a terminal page is drawn.
    pub style: Style,
    /// Show secrets.
    pub reveal: bool,
}

/// Why a report could not be written.
#[derive(Debug, Error)]
pub enum RenderError {
    /// A result that JSON cannot carry.
    #[error("cannot write the result as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A table that CSV cannot carry.
    #[error("cannot write the table as CSV: {0}")]
    Csv(#[from] CsvError),
    /// Where it goes does not take it.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// One command's result, in all that the forms need.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a, S: ?Sized, T: ?Sized> {
    /// The command, as in the schema's name.
    pub command: &'a str,
    /// What was read.
    pub source: &'a S,
    /// What was found on the way.
    pub findings: &'a [Finding],
    /// The result itself.
    pub result: &'a T,
}

/// The report in the form that `options` ask for. The page is made only for the forms that show it.
pub fn render<S: Serialize + ?Sized, T: Serialize + ?Sized>(
    report: &Report<'_, S, T>,
    page: impl FnOnce() -> Page,
    options: &Options,
) -> Result<String, RenderError> {
    let masker = if options.reveal { Masker::revealing() } else { Masker::masking() };
    let clean = || CleanPage::new(page(), &masker);
    match options.format {
        Format::Table => Ok(terminal(&clean(), &options.style)),
        Format::Json => envelope(report.command, report.source, report.findings, report.result, &masker),
        Format::Csv => csv(&clean()),
        Format::Md => Ok(markdown(&clean())),
    }
}

#[cfg(test)]
mod tests {
    use super::super::page_table::{Column, Table};
    use super::*;

    #[test]
    fn every_form_masks_and_reveals() {
        let secret = "sk-ant-fake-0123456789";
        let report = Report { command: "x", source: "runs", findings: &[], result: secret };
        let page = || Page::new(secret).note(secret).part(Table::new([Column::text("key")]).row([secret.into()]));
        for format in Format::ALL {
            let style = Style { width: 80, color: false, unicode: true };
            let shown = |reveal| render(&report, page, &Options { format, style, reveal }).unwrap();
            assert!(!shown(false).contains("0123456789"), "{}", shown(false));
            assert!(shown(true).contains("0123456789"), "{}", shown(true));
            assert_eq!(format.name().parse(), Ok(format));
        }
        assert_eq!(
            "xml".parse::<Format>().unwrap_err().to_string(),
            "unknown format \"xml\": expected table, json, csv or md"
        );
    }
}
