//! The files that make up a source, and the small ones as bytes.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::EvidenceError;
use super::fingerprint::regular;
use super::source::{Content, Source};
use super::transcripts::Transcript;
use crate::run_dir::limits::MAX_STATE_FILE_BYTES;
use crate::run_dir::names::{JOURNAL_ENDING, LINEAGE, MANIFEST, SHM_ENDING, WAL_ENDING};

/// Every file that a fingerprint is taken of, with its name relative to the source. A file that is not there may appear.
pub(super) fn of(source: &Source) -> Vec<(String, PathBuf)> {
    let files = match &source.content {
        Content::Transcripts(listing) => {
            return listing.files.iter().flat_map(Transcript::named_paths).collect();
        }
        Content::Database(files) => files,
    };
    let name = files.shown.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let with = |ending: &str| format!("{name}{ending}");
    let mut named = vec![
        (name.clone(), files.database.clone()),
        (with(WAL_ENDING), files.wal.clone()),
        (with(JOURNAL_ENDING), files.journal.clone()),
        (with(SHM_ENDING), files.shm.clone()),
    ];
    for state in [MANIFEST, LINEAGE] {
        // A pipe under such a name is not opened here; asking for its content says so.
        let path = source.folder.as_ref().map(|folder| folder.join(state));
        named.extend(path.filter(|path| regular(path).is_ok()).map(|path| (state.to_owned(), path)));
    }
    named
}

/// The bytes of a state file; `None` if there is no such file.
pub(super) fn read(folder: &Path, name: &str) -> Option<Result<Vec<u8>, EvidenceError>> {
    let path = folder.join(name);
    match regular(&path) {
        Ok(None) => None,
        Ok(Some(metadata)) => Some(read_limited(&path, metadata.len())),
        Err(error) => Some(Err(error)),
    }
}

/// The size is checked first, and again while reading: the file may grow, or lie.
fn read_limited(path: &Path, bytes: u64) -> Result<Vec<u8>, EvidenceError> {
    let limit = MAX_STATE_FILE_BYTES;
    let too_long = |bytes| EvidenceError::TooLong { path: path.to_owned(), bytes, limit };
    if bytes > limit {
        return Err(too_long(bytes));
    }
    let mut content = Vec::new();
    File::open(path)
        .and_then(|file| file.take(limit + 1).read_to_end(&mut content))
        .map_err(|error| EvidenceError::io(path, error))?;
    match u64::try_from(content.len()) {
        Ok(length) if length <= limit => Ok(content),
        _ => Err(too_long(limit + 1)),
    }
}
