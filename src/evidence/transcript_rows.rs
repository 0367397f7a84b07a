//! The lines of transcript files, with the files spread over threads.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::EvidenceError;
use super::fingerprint::Mark;
use super::lines;
use super::transcripts::Transcript;
use crate::run_dir::limits::MAX_PAYLOAD_BYTES;
use crate::run_dir::{Position, Row, RowName};

/// Total size in bytes from which files are read in several threads.
const LARGE: u64 = 2 << 20;

/// Longest description of a subagent, in bytes; the longest seen has 400.
const LONGEST_META: u64 = 1 << 20;

/// Hands every line to `each`: one state per thread, made by `new`. Of a file that grows meanwhile, the lines that it had in
/// the beginning.
pub(super) fn scan<S: Send>(
    files: &[Transcript],
    marks: &[Mark],
    threads: NonZeroUsize,
    new: &(impl Fn() -> S + Sync),
    each: &(impl Fn(&mut S, Row<'_>) + Sync),
) -> Result<Vec<S>, EvidenceError> {
    let mut work: Vec<_> = (0_u32..).zip(files.iter().zip(marks)).collect();
    // The large files first, so that none is left over for one thread at the end.
    work.sort_by_key(|(_, (_, mark))| std::cmp::Reverse(mark.bytes));
    let next = AtomicUsize::new(0);
    let run = || {
        let mut state = new();
        while let Some((index, (file, mark))) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
            read_file(*index, file, mark.bytes, &mut |row| each(&mut state, row))?;
        }
        Ok(state)
    };
    let total: u64 = marks.iter().map(|mark| mark.bytes).sum();
    let threads = threads.get().min(files.len());
    if threads <= 1 || total < LARGE {
        return Ok(vec![run()?]);
    }
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        let join = |handle: std::thread::ScopedJoinHandle<'_, _>| {
            handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        handles.into_iter().map(join).collect::<Vec<_>>().into_iter().collect()
    })
}

/// One line again; `None` if the file ends before it.
pub(super) fn payload(file: &Transcript, line: u64, offset: u64) -> Result<Option<Vec<u8>>, EvidenceError> {
    if line == 0 {
        return match &file.meta {
            Some(path) => Ok(read_meta(path)?.ok()),
            None => Ok(None),
        };
    }
    let error = |error| EvidenceError::io(&file.path, error);
    let mut reader = BufReader::new(File::open(&file.path).map_err(error)?);
    reader.seek(SeekFrom::Start(offset)).map_err(error)?;
    let mut found = None;
    lines::each(&mut reader, 1, MAX_PAYLOAD_BYTES, |line| found = line.content.ok().map(<[u8]>::to_vec))
        .map_err(error)?;
    Ok(found)
}

/// The lines of one file again, as long as it is now.
pub(super) fn session(file: &Transcript) -> Result<Vec<(RowName, Vec<u8>)>, EvidenceError> {
    let mut payloads = Vec::new();
    read_file(0, file, u64::MAX, &mut |row| {
        if let (Some(name), Ok(bytes)) = (row.position.row_name(), row.payload) {
            payloads.push((name, bytes.to_vec()));
        }
    })?;
    Ok(payloads)
}

fn read_file(index: u32, file: &Transcript, end: u64, hand_out: &mut impl FnMut(Row<'_>)) -> Result<(), EvidenceError> {
    let store_key = file.store_key.as_str();
    if let Some(path) = &file.meta {
        let meta = read_meta(path)?;
        let payload = meta.as_ref().map(Vec::as_slice).map_err(String::as_str);
        let position = Position::Line { file: index, line: 0, offset: 0 };
        hand_out(Row { store_key, position, uid: None, payload });
    }
    let error = |error| EvidenceError::io(&file.path, error);
    let mut reader = BufReader::with_capacity(1 << 18, File::open(&file.path).map_err(error)?);
    lines::each(&mut reader, end, MAX_PAYLOAD_BYTES, |line| {
        let position = Position::Line { file: index, line: line.number, offset: line.offset };
        let said = line.content.map_err(|bytes| format!("too long: {bytes} bytes"));
        let payload = said.as_ref().map(|bytes| *bytes).map_err(String::as_str);
        hand_out(Row { store_key, position, uid: None, payload });
    })
    .map_err(error)
}

/// The description of a subagent as the entry that a store has in its place: the same object with
/// `"type":"agent_metadata"` in front. What is no object, or has a type already, stays as it is.
fn read_meta(path: &Path) -> Result<Result<Vec<u8>, String>, EvidenceError> {
    let error = |error| EvidenceError::io(path, error);
    let file = File::open(path).map_err(error)?;
    let bytes = file.metadata().map_err(error)?.len();
    if bytes > LONGEST_META {
        return Ok(Err(format!("too long: {bytes} bytes")));
    }
    let mut text = Vec::new();
    file.take(LONGEST_META).read_to_end(&mut text).map_err(error)?;
    Ok(Ok(as_entry(&text).unwrap_or(text)))
}

fn as_entry(text: &[u8]) -> Option<Vec<u8>> {
    let object: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(text).ok()?;
    let rest = text.trim_ascii_start().strip_prefix(b"{")?;
    if object.contains_key("type") {
        return None;
    }
    let comma: &[u8] = if object.is_empty() { b"" } else { b"," };
    Some([b"{\"type\":\"agent_metadata\"", comma, rest].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_becomes_an_entry_if_it_can() {
        let made = |text: &str| as_entry(text.as_bytes()).map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(made("\n{\"a\": 1}").as_deref(), Some("{\"type\":\"agent_metadata\",\"a\": 1}"));
        assert_eq!(made("{}").as_deref(), Some("{\"type\":\"agent_metadata\"}"));
        for other in ["", "[1]", "{\"type\":\"x\"}", "{\"a\":"] {
            assert_eq!(made(other), None, "{other}");
        }
    }
}
