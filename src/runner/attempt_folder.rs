use super::json::Object;
use super::mirror::store_key;
use super::state_file::{lock, make_folder};
use super::store::Store;
use crate::run_dir::names::{ATTEMPTS, PROJECTS, TRANSCRIPT_EXTENSION};
use crate::transcript::is_healed;
use crate::unit::counted;
use anyhow::{Context, Result};
use rustix::io::{Errno, FdFlags};
use rustix::process::{Pid, test_kill_process};
use std::fs::{self, File, Permissions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Lines that the CLI writes to its files only.
const FILE_ONLY: &str = "api-request";

/// Ending of the lock of a process.
const LOCK_ENDING: &str = ".lock";

/// The private configuration folders of the attempts of one process, below the run directory.
///
/// The lock is held as long as the process lives, and by the CLIs that it started: folders whose lock is free belong to a
/// process that died, and nobody writes to them.
#[derive(Debug)]
pub(super) struct AttemptFolders {
    root: PathBuf,
    run: String,
    lock: File,
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
        // What is started inherits it: a CLI goes on writing when the runner is killed.
        rustix::io::fcntl_setfd(&held, FdFlags::empty())?;
        (&held).write_all(std::process::id().to_string().as_bytes())?;
        Ok(Self { root, run: run.to_owned(), lock: held })
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
            let Some(_held) = self.lock_of_dead(run) else {
                told.extend(self.orphan(run).map(|pid| orphan_sentence(&name, pid)));
                continue;
            };
            let folder = AttemptFolder(path);
            let taken = folder.ingest(store, now);
            let removed = taken.as_ref().is_ok_and(|_| folder.remove().is_ok());
            told.push(match taken {
                Ok(written) => {
                    let kept = if removed { "" } else { "; the folder cannot be removed" };
                    format!("{name} was left behind: {} not in the store yet{kept}", counted_entries(written))
                }
                Err(error) => format!("{name} was left behind and cannot be taken over: {error:#}; it is kept"),
            });
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

    /// The runner that a lock belongs to, if it is dead while something that it started still holds the lock.
    fn orphan(&self, run: &str) -> Option<Pid> {
        let text = fs::read_to_string(self.root.join(format!("{run}{LOCK_ENDING}"))).ok()?;
        let pid = Pid::from_raw(text.trim().parse().ok()?)?;
        let is_dead = run != self.run && test_kill_process(pid) == Err(Errno::SRCH);
        is_dead.then_some(pid)
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

fn orphan_sentence(name: &str, pid: Pid) -> String {
    format!(
        "{name} is left alone: its runner ({}) died, but what that started still runs, spends and writes there; it is taken over once that has ended",
        pid.as_raw_nonzero()
    )
}

fn counted_entries(written: usize) -> String {
    format!("{} {}", counted(written, "entry"), if written == 1 { "was" } else { "were" })
}

/// Without a lock file nobody holds the lock: `/dev/null` stands for it.
fn absent(error: std::io::Error) -> std::io::Result<File> {
    if error.kind() == std::io::ErrorKind::NotFound { File::open("/dev/null") } else { Err(error) }
}

/// The process is over; a file that nobody locks means nothing. What was started and still runs keeps it.
impl Drop for AttemptFolders {
    fn drop(&mut self) {
        let _ = self.lock.unlock();
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

    /// Puts the entries of its transcripts into the store, as far as they are not there; how many. What has no uuid is
    /// there if the same bytes are, as often.
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
    let mut stored = store.without_uid(&key)?;
    let mut entries = Vec::new();
    for line in BufReader::new(File::open(path)?).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        let Some(entry) = Object::parse(&line).filter(is_entry) else { continue };
        match stored.get_mut(&line) {
            Some(times @ 1..) if entry.text("uuid").is_none() => *times -= 1,
            _ => entries.push(line),
        }
    }
    let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
    Ok(store.append(&key, &entries, now)?.written)
}

/// A line that the store keeps: healed calls only exist in what is fed to the CLI.
fn is_entry(entry: &Object<'_>) -> bool {
    let kind = entry.text("type").unwrap_or_default();
    !entry.text("uuid").is_some_and(|uuid| is_healed(&uuid)) && !kind.starts_with(FILE_ONLY)
}

#[cfg(test)]
mod tests {
    use super::super::state_file::{STATE_MODE, replace};
    use super::*;

    #[test]
    fn what_a_dead_process_left_is_taken_over() {
        let run_dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(&run_dir.path().join("s.db")).unwrap();
        store.append("-flower-key/s", &[r#"{"uuid":"a"}"#, r#"{"type":"last-prompt"}"#], 1).unwrap();
        let dead = AttemptFolders::open(run_dir.path(), "r1").unwrap();
        let folder = dead.make(1).unwrap();
        let project = folder.projects().join("-w");
        make_folder(&project).unwrap();
        let lines = [
            r#"{"uuid":"a"}"#,
            r#"{"uuid":"heal-0123456789ab"}"#,
            r#"{"type":"last-prompt"}"#,
            r#"{"type":"last-prompt"}"#,
            r#"{"type":"mode"}"#,
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
        let [a, prompt, mode, b] = [r#"{"uuid":"a"}"#, lines[2], lines[4], r#"{"uuid":"b"}"#];
        assert_eq!(stored, [a, prompt, prompt, mode, b], "what was missing, under the key that the session has");
        assert!(!folder.path().exists() && alive.recover(&mut store, 3).unwrap().is_empty());
    }
}
