use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::EvidenceError;
use crate::unit::Timestamp;

/// What is known of one file of the source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileFacts {
    /// Name relative to the source.
    pub name: String,
    /// Size when it was opened, in bytes.
    pub bytes: u64,
    /// Time of the last change when it was opened.
    pub mtime: Option<Timestamp>,
    /// SHA-256 when it was opened, in hex; only if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Whether it is different now.
    pub changed: bool,
}

/// The state of one file: equal marks mean that nobody wrote. The first bytes are part of it, because they hold SQLite's
/// change counter and a journal's nonce, which move even within one tick of the file system's clock.
///
/// Source: spec/evidence.md rule 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) bytes: u64,
    pub(super) inode: (u64, u64),
    mtime: (i64, i64),
    ctime: (i64, i64),
    pub(super) head: Vec<u8>,
}

impl Mark {
    /// The state of a regular file with its first `head` bytes; `None` if there is no file.
    pub(super) fn take(path: &Path, head: usize) -> Result<Option<Self>, EvidenceError> {
        let Some(mut metadata) = regular(path)? else { return Ok(None) };
        let mut first = Vec::with_capacity(head);
        if head > 0 {
            // A live writer may delete its journal at any moment, and the facts must be those of the file that was read.
            let Some(file) = found(path, File::open(path))? else { return Ok(None) };
            metadata = file.metadata().map_err(|error| EvidenceError::io(path, error))?;
            let limit = u64::try_from(head).unwrap_or(u64::MAX);
            file.take(limit).read_to_end(&mut first).map_err(|error| EvidenceError::io(path, error))?;
        }
        Ok(Some(Self {
            bytes: metadata.len(),
            inode: (metadata.dev(), metadata.ino()),
            mtime: (metadata.mtime(), metadata.mtime_nsec()),
            ctime: (metadata.ctime(), metadata.ctime_nsec()),
            head: first,
        }))
    }

    fn moment(&self) -> Option<Timestamp> {
        let (seconds, nanos) = self.mtime;
        Timestamp::from_millis(seconds.checked_mul(1000)?.checked_add(nanos / 1_000_000)?)
    }
}

/// The metadata of a regular file; `None` if there is nothing. Pipes and devices are refused before anybody opens them.
pub(super) fn regular(path: &Path) -> Result<Option<fs::Metadata>, EvidenceError> {
    match found(path, fs::metadata(path))? {
        Some(metadata) if !metadata.is_file() => {
            Err(EvidenceError::NotAFile { path: path.to_owned(), found: kind_of(metadata.file_type()) })
        }
        metadata => Ok(metadata),
    }
}

/// What is not there is `None`, not an error.
fn found<T>(path: &Path, result: io::Result<T>) -> Result<Option<T>, EvidenceError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(EvidenceError::io(path, error)),
    }
}

/// What a path is that is no regular file.
pub(super) fn kind_of(kind: fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match kind {
        _ if kind.is_dir() => "a folder",
        _ if kind.is_fifo() => "a named pipe",
        _ if kind.is_socket() => "a socket",
        _ if kind.is_symlink() => "a symbolic link that leads nowhere",
        _ => "a device",
    }
}

/// The SHA-256 of a file in hex.
pub(super) fn sha256(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 17];
    loop {
        let read = file.read(&mut buffer)?;
        let Some(bytes) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else { break };
        hash.update(bytes);
    }
    Ok(hex(&hash.finalize()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// The files of a source as they were when it was opened.
#[derive(Debug)]
pub(super) struct Fingerprints {
    files: Vec<Fingerprint>,
}

#[derive(Debug)]
struct Fingerprint {
    name: String,
    path: PathBuf,
    mark: Option<Mark>,
    sha256: Option<String>,
    head: usize,
}

impl Fingerprints {
    /// Takes the state of each file with its first `head` bytes; a file that is not there may appear later.
    pub(super) fn take(
        files: impl IntoIterator<Item = (String, PathBuf)>,
        head: usize,
        hash: bool,
    ) -> Result<Self, EvidenceError> {
        let take = |(name, path): (String, PathBuf)| {
            // A file that may not be opened is known by its metadata; whether its content is needed shows later.
            let (mark, head) = match Mark::take(&path, head) {
                Err(_) if head > 0 => (Mark::take(&path, 0)?, 0),
                taken => (taken?, head),
            };
            let sha256 = match &mark {
                Some(_) if hash && head > 0 => found(&path, sha256(&path))?,
                Some(_) if hash => sha256(&path).ok(),
                _ => None,
            };
            Ok(Fingerprint { name, path, mark, sha256, head })
        };
        Ok(Self { files: files.into_iter().map(take).collect::<Result<_, _>>()? })
    }

    /// Takes the state again: the facts of each file, and a sentence for each change.
    pub(super) fn again(self) -> (Vec<FileFacts>, Vec<String>) {
        let mut changes = Vec::new();
        let mut facts = Vec::new();
        for file in self.files {
            let change = file.change();
            if let Some(mark) = &file.mark {
                let (bytes, mtime) = (mark.bytes, mark.moment());
                let sha256 = file.sha256;
                facts.push(FileFacts { name: file.name, bytes, mtime, sha256, changed: change.is_some() });
            }
            changes.extend(change);
        }
        (facts, changes)
    }
}

impl Fingerprint {
    fn change(&self) -> Option<String> {
        let name = &self.name;
        let now = match Mark::take(&self.path, self.head) {
            Ok(now) => now,
            Err(error) => return Some(format!("{name} cannot be read any more: {error}")),
        };
        match (&self.mark, now) {
            (None, None) => None,
            (None, Some(_)) => Some(format!("{name} appeared")),
            (Some(_), None) => Some(format!("{name} disappeared")),
            (Some(before), Some(now)) if before.inode != now.inode => Some(format!("{name} was replaced")),
            (Some(before), Some(now)) if before.bytes != now.bytes => {
                Some(format!("{name} went from {} to {} bytes", before.bytes, now.bytes))
            }
            (Some(before), Some(now)) if *before != now => Some(format!("{name} was written to")),
            (Some(_), Some(_)) => {
                let differs = self.sha256.is_some() && sha256(&self.path).ok() != self.sha256;
                differs.then(|| format!("{name} has other content"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn each_change_has_its_sentence() {
        let folder = tempfile::tempdir().unwrap();
        let named = |name: &str| (name.to_owned(), folder.path().join(name));
        let write = |name: &str, text: &str| {
            let mut file = tempfile::NamedTempFile::new_in(folder.path()).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            file.persist(folder.path().join(name)).unwrap();
        };
        write("kept", "same");
        write("replaced", "one");
        let prints = Fingerprints::take(["kept", "replaced", "new"].map(named), 2, true).unwrap();
        write("replaced", "two");
        write("new", "");
        let (facts, changes) = prints.again();
        assert_eq!(changes, ["replaced was replaced", "new appeared"]);
        assert_eq!(facts.iter().map(|file| file.changed).collect::<Vec<_>>(), [false, true]);
        assert_eq!(
            facts[0].sha256.as_deref(),
            Some("0967115f2813a3541eaef77de9d9d5773f1c0c04314b0bbfe4ff3b3b1c55b5d5")
        );
    }
}
