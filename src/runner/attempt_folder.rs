use super::json::Object;
use super::mirror::store_key;
use super::state_file::{lock, make_folder};
use super::store::Store;
use crate::run_dir::names::{ATTEMPTS, PROJECTS, TRANSCRIPT_EXTENSION};
use crate::transcript::is_healed;
use anyhow::{Context, Result};
use std::fs::{self, File, Permissions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Lines that the CLI writes to its files only.
const FILE_ONLY: &str = "api-request";

/// Ending of the lock of a process.
const LOCK_ENDING: &str = ".lock";

/// The private configuration folders of the attempts of one process, below the run directory.
///
/// The lock is held as long as the process lives: folders whose lock is free belong to a process that died.
#[derive(Debug)]
pub(super) struct AttemptFolders {
    root: PathBuf,
    run: String,
    _lock: File,
}

/// The configuration folder of one attempt (spec/runner.md, section 6).
#[derive(Debug)]
pub(super) struct AttemptFolder(PathBuf);

impl AttemptFolders {
    /// The folders of the process named `run`, below an absolute run directory.
    pub(super) fn open(run_dir: &Path, run: &str) -> Result<Self> {
        let root = run_dir.join(ATTEMPTS);
        make_folder(&root).with_context(|| format!("cannot make {}", root.display()))?;
        let held =
            lock(&root.join(format!("{run}.lock"))).with_context(|| format!("cannot lock {}", root.display()))?;
        Ok(Self { root, run: run.to_owned(), _lock: held })
    }

    /// An empty folder for an attempt.
    pub(super) fn make(&self, number: u32) -> Result<AttemptFolder> {
        let path = self.root.join(format!("{}-{number}", self.run));
        make_folder(&path.join(PROJECTS)).with_context(|| format!("cannot make {}", path.display()))?;
        #[expect(clippy::disallowed_methods, reason = "the CLI's private folder: nobody else may look into it")]
        fs::set_permissions(&path, Permissions::from_mode(0o700))?;
        Ok(AttemptFolder(path))
    }

    /// Takes over what processes that died left behind: their transcripts go to the store, their folders go away. Tells
    /// what was found, one sentence per folder.
    pub(super) fn recover(&self, store: &mut Store, now: i64) -> Result<Vec<String>> {
        let mut told = Vec::new();
        for (name, path) in self.listed()? {
            let Some((run, _)) = name.rsplit_once('-').filter(|_| path.is_dir()) else { continue };
            let Some(_held) = self.lock_of_dead(run) else { continue };
            let folder = AttemptFolder(path);
            let written = folder.ingest(store, now)?;
            folder.remove()?;
            told.push(format!("{name} was left by a process that died: {written} entries were not in the store yet"));
        }
        for (name, path) in self.listed()? {
            if let Some(run) = name.strip_suffix(LOCK_ENDING)
                && let Some(_held) = self.lock_of_dead(run)
            {
                #[expect(clippy::disallowed_methods, reason = "the lock of a process that died, which we hold")]
                fs::remove_file(path)?;
            }
        }
        Ok(told)
    }

    /// What is in the folder, by name.
    fn listed(&self) -> Result<Vec<(String, PathBuf)>> {
        let entries = fs::read_dir(&self.root).with_context(|| format!("cannot list {}", self.root.display()))?;
        let named = entries.map(|entry| entry.map(|e| (e.file_name().to_string_lossy().into_owned(), e.path())));
        Ok(named.collect::<std::io::Result<_>>()?)
    }

    /// The lock of another process, if that has died.
    fn lock_of_dead(&self, run: &str) -> Option<File> {
        if run == self.run {
            return None;
        }
        let file = File::open(self.root.join(format!("{run}{LOCK_ENDING}"))).or_else(absent).ok()?;
        file.try_lock().ok().map(|()| file)
    }
}

/// Without a lock file nobody holds the lock: `/dev/null` stands for it.
fn absent(error: std::io::Error) -> std::io::Result<File> {
    if error.kind() == std::io::ErrorKind::NotFound { File::open("/dev/null") } else { Err(error) }
}

/// The process is over; a file that nobody locks means nothing.
impl Drop for AttemptFolders {
    fn drop(&mut self) {
        #[expect(clippy::disallowed_methods, reason = "the runner's own lock")]
        let _ = fs::remove_file(self.root.join(format!("{}{LOCK_ENDING}", self.run)));
    }
}

impl AttemptFolder {
    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Where its transcripts are.
    pub(super) fn projects(&self) -> PathBuf {
        self.0.join(PROJECTS)
    }

    /// Puts the entries of its transcripts that have a uuid into the store, as far as they are not there; how many.
    pub(super) fn ingest(&self, store: &mut Store, now: i64) -> Result<usize> {
        let projects = self.projects();
        let mut written = 0;
        let mut folders = vec![projects.clone()];
        while let Some(folder) = folders.pop() {
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries {
                let path = entry?.path();
                if path.is_dir() && !path.is_symlink() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == TRANSCRIPT_EXTENSION)
                    && let Some(key) = store_key(&projects.to_string_lossy(), &path.to_string_lossy())
                {
                    written += ingest_file(store, &key, &path, now)?;
                }
            }
        }
        Ok(written)
    }

    /// Removes it.
    #[expect(clippy::disallowed_methods, reason = "the runner's own folder, once its transcripts are in the store")]
    pub(super) fn remove(&self) -> Result<()> {
        fs::remove_dir_all(&self.0).with_context(|| format!("cannot remove {}", self.0.display()))
    }
}

fn ingest_file(store: &mut Store, key: &str, path: &Path, now: i64) -> Result<usize> {
    let key = store.key_of_same_session(key)?;
    let mut entries = Vec::new();
    for line in BufReader::new(File::open(path)?).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        if Object::parse(&line).is_some_and(|entry| is_entry(&entry)) {
            entries.push(line);
        }
    }
    let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
    Ok(store.append(&key, &entries, now)?.written)
}

/// A line that the store keeps: healed calls only exist in what is fed to the CLI.
fn is_entry(entry: &Object<'_>) -> bool {
    let kind = entry.text("type").unwrap_or_default();
    entry.text("uuid").is_some_and(|uuid| !is_healed(&uuid)) && !kind.starts_with(FILE_ONLY)
}

#[cfg(test)]
mod tests {
    use super::super::state_file::{STATE_MODE, replace};
    use super::*;

    #[test]
    fn what_a_dead_process_left_is_taken_over() {
        let run_dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(&run_dir.path().join("s.db")).unwrap();
        store.append("-flower-key/s", &[r#"{"uuid":"a"}"#], 1).unwrap();
        let dead = AttemptFolders::open(run_dir.path(), "r1").unwrap();
        let folder = dead.make(1).unwrap();
        let project = folder.projects().join("-w");
        make_folder(&project).unwrap();
        let lines = [
            r#"{"uuid":"a"}"#,
            r#"{"uuid":"heal-0123456789ab"}"#,
            r#"{"type":"last-prompt"}"#,
            r#"{"type":"api-request","uuid":"x"}"#,
            r#"{"uuid":"b"}"#,
            r#"{"uuid":"torn"#,
        ];
        replace(&project.join("s.jsonl"), lines.join("\n").as_bytes(), STATE_MODE).unwrap();
        let alive = AttemptFolders::open(run_dir.path(), "r2").unwrap();
        assert_eq!(alive.recover(&mut store, 2).unwrap(), Vec::<String>::new(), "its lock is held");
        std::mem::forget(dead.make(2).unwrap());
        drop(dead);
        assert_eq!(alive.recover(&mut store, 2).unwrap().len(), 2);
        let stored: Vec<String> = store.payloads("-flower-key/s").unwrap().into_iter().map(|(_, json)| json).collect();
        assert_eq!(stored, [r#"{"uuid":"a"}"#, r#"{"uuid":"b"}"#], "under the key that the session has");
        assert!(!folder.path().exists() && alive.recover(&mut store, 3).unwrap().is_empty());
    }
}
