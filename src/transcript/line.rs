//! What stands on one line of a transcript file: usually one record, after a crash also remains of records.

use super::fields::check;
use super::{DefectKind, Entry};
use crate::run_dir::Position;
use crate::run_dir::limits::MAX_RECORD_STARTS;
use memchr::memmem;
use serde_json::error::Category;
use serde_json::value::RawValue;

/// Some editors and tools put it before the first record.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

/// One thing found on a line: the JSON of a record, or what is wrong.
pub(super) type Found<'a> = Result<&'a str, DefectKind>;

/// How records begin: the CLI writes one of these fields first.
const RECORD_STARTS: [&str; 2] = [r#"{"parentUuid":"#, r#"{"type":"#];

/// Calls `emit` for every record and every defect on a line, at least once.
pub(super) fn records(line: &str, emit: &mut dyn FnMut(Found<'_>)) {
    if line.trim_ascii().is_empty() {
        return emit(Err(DefectKind::BlankLine));
    }
    let rest = line.trim_start_matches('\0');
    let body = rest.trim_end_matches('\0');
    if rest.len() < line.len() {
        emit(Err(DefectKind::NulBlock { bytes: line.len() - rest.len() }));
    }
    body_records(body.trim_ascii(), emit);
    if body.len() < rest.len() {
        emit(Err(DefectKind::NulBlock { bytes: rest.len() - body.len() }));
    }
}

/// The bytes of the record that `entry` was decoded from, in the row that holds it.
pub fn record<'a>(row: &'a [u8], entry: &Entry) -> &'a [u8] {
    let (Position::Line { .. }, Ok(line)) = (entry.row, str::from_utf8(row)) else { return row };
    let mut found = None;
    let mut part = 0;
    records(line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line), &mut |record| {
        if let (Ok(json), true) = (record, part == entry.part) {
            let start = json.as_ptr().addr() - line.as_ptr().addr();
            found = row.get(start..start + json.len());
        }
        part += 1;
    });
    found.unwrap_or(row)
}

/// What keeps `text` from being one JSON object.
pub(super) fn why_no_object(text: &str) -> DefectKind {
    let Err(error) = check(text) else {
        return DefectKind::NotAnObject { begins: text.trim_ascii_start().chars().take(20).collect() };
    };
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    if let (Some(Ok(value)), Category::Syntax) = (stream.next(), error.classify())
        && value.get().starts_with('{')
    {
        return DefectKind::TrailingData { bytes: text.len() - stream.byte_offset() };
    }
    let reason = error.to_string();
    let reason = reason.split(" at line ").next().unwrap_or_default().to_owned();
    DefectKind::TornRecord { bytes: text.len(), at: error.column().saturating_sub(1).min(text.len()), reason }
}

fn body_records(text: &str, emit: &mut dyn FnMut(Found<'_>)) {
    let mut rest = text;
    let mut tries = MAX_RECORD_STARTS;
    while !rest.is_empty() {
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<&RawValue>();
        match stream.next() {
            Some(Ok(value)) => {
                let json = value.get();
                emit(if json.starts_with('{') { Ok(json) } else { Err(why_no_object(json)) });
                rest = rest.get(stream.byte_offset()..).unwrap_or_default().trim_ascii_start();
            }
            Some(Err(_)) => {
                let next = next_whole_record(rest, &mut tries);
                emit(Err(why_no_object(rest.get(..next).unwrap_or(rest))));
                rest = rest.get(next..).unwrap_or_default();
            }
            None => break,
        }
    }
}

/// Where, after the start, the next record begins that is whole; the end of the text if there is none.
///
/// A torn record may hold objects that look like a beginning; only a place from which the reader finds a whole value
/// that is followed by nothing or by another beginning is one. fixtures/torn-lines shows both.
fn next_whole_record(text: &str, tries: &mut usize) -> usize {
    let mut starts: Vec<usize> =
        RECORD_STARTS.iter().flat_map(|start| memmem::find_iter(text.as_bytes(), start).filter(|at| *at > 0)).collect();
    starts.sort_unstable();
    for at in starts {
        if *tries == 0 {
            break;
        }
        *tries -= 1;
        let candidate = text.get(at..).unwrap_or_default();
        let mut stream = serde_json::Deserializer::from_str(candidate).into_iter::<&RawValue>();
        if let Some(Ok(_)) = stream.next() {
            let after = candidate.get(stream.byte_offset()..).unwrap_or_default().trim_ascii_start();
            if after.is_empty() || RECORD_STARTS.iter().any(|start| after.starts_with(start)) || check(after).is_ok() {
                return at;
            }
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> Vec<String> {
        let mut all = Vec::new();
        records(line, &mut |found| {
            all.push(match found {
                Ok(json) => json.to_owned(),
                Err(kind) => kind.to_string(),
            });
        });
        all
    }

    #[test]
    fn a_line_is_usually_one_record() {
        assert_eq!(shown("{\"type\":\"user\"}\r"), [r#"{"type":"user"}"#]);
        assert_eq!(shown("{\"a\":\"\u{2028}\"}"), ["{\"a\":\"\u{2028}\"}"]);
        assert_eq!(shown(" \r"), ["a blank line: nothing is lost"]);
    }

    #[test]
    fn glued_records_come_apart() {
        assert_eq!(shown(r#"{"type":"a"}{"type":"b"} {"type":"c"}"#).len(), 3);
    }

    #[test]
    fn a_nul_block_does_not_hide_the_record_behind_it() {
        let found = shown("\0\0\0{\"type\":\"user\"}");
        assert_eq!(found[0], "3 NUL bytes stand where a record should: what was written here is lost");
        assert_eq!(found[1], r#"{"type":"user"}"#);
        assert_eq!(shown("\0\0").len(), 1);
    }

    #[test]
    fn the_record_behind_a_torn_one_is_found() {
        let torn =
            r#"{"type":"user","message":{"content":[{"type":"text","text":"half{"type":"assistant","n":{"type":1}}"#;
        let found = shown(torn);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("a torn record of 64 bytes"), "{found:?}");
        assert_eq!(found[1], r#"{"type":"assistant","n":{"type":1}}"#);
    }

    #[test]
    fn a_torn_end_is_one_defect() {
        let found = shown(r#"{"type":"user","message":{"content":[{"type":"text","te"#);
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("EOF while parsing a string"), "{found:?}");
    }

    #[test]
    fn a_line_of_beginnings_costs_no_more_than_the_limit() {
        let hostile = r#"{"type":"#.repeat(100_000);
        assert_eq!(shown(&hostile).len(), 1);
    }
}
