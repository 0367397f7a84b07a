use super::json::Object;
use super::leftovers::end_leftovers;
use super::mirror::store_key;
use super::spawn_line::CONFIG_DIR;
use super::state_file::{lock, make_folder};
use super::store::Store;
use crate::run_dir::names::{ATTEMPTS, PROJECTS, TRANSCRIPT_EXTENSION};
use crate::transcript::is_healed;
use crate::unit::counted;
use anyhow::{Context, Result};
use rustix::io::{Errno, FdFlags};
use rustix::process::{Pid, Signal, test_kill_process};
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// Lines that the CLI writes to its files only.
const FILE_ONLY: &str = "api-request";

/// How long what a dead runner left has to end by itself, and once it is killed, in pauses of this length.
const ORPHAN_PAUSE: Duration = Duration::from_millis(50);
const ORPHAN_TERM: u32 = 100;
const ORPHAN_KILL: u32 = 40;

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

/// What became of the lines of an attempt's transcripts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Ingested {
    /// Entries that the store did not have.
    pub(super) written: usize,
    /// Lines that are torn, or no text: the store takes none of them, so the folder has to stay.
    pub(super) unreadable: usize,
}

/// The configuration folder of one attempt (spec/runner.md, section 6).
#[derive(Debug, Clone)]
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
            let mut was_ended = "";
            let held = self.lock_of_dead(run).or_else(|| {
                was_ended = " and what its runner had started was ended";
                self.end_orphan(run, &path)
            });
            match held {
                Some(_held) => told.push(take_over(&name, was_ended, &AttemptFolder(path), store, now)),
                None => told.extend(self.orphan(run).map(|pid| orphan_sentence(&name, pid))),
            }
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

    /// Ends what a dead runner had started and what still writes to its folder: two CLIs must not write one session. The
    /// lock, once it is free.
    fn end_orphan(&self, run: &str, folder: &Path) -> Option<File> {
        self.orphan(run)?;
        [(Signal::TERM, ORPHAN_TERM), (Signal::KILL, ORPHAN_KILL)].into_iter().find_map(|(signal, tries)| {
            end_leftovers(CONFIG_DIR, folder, signal);
            (0..tries).find_map(|_| {
                thread::sleep(ORPHAN_PAUSE);
                self.lock_of_dead(run)
            })
        })
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
        // One that is gone is made anew: of two runners that start at once, one takes over.
        let mut options = OpenOptions::new();
        #[expect(clippy::disallowed_methods, reason = "the lock of a process that died, below the run directory")]
        let file = options.write(true).create(true).truncate(false).open(self.root.join(format!("{run}{LOCK_ENDING}")));
        file.ok().filter(|file| file.try_lock().is_ok())
    }
}

/// Takes over one folder that nobody writes to any more; a sentence on it.
fn take_over(name: &str, was_ended: &str, folder: &AttemptFolder, store: &mut Store, now: i64) -> String {
    let was_left = format!("{name} was left behind{was_ended}");
    match folder.ingest(store, now) {
        Ok(Ingested { written, unreadable: 0 }) => {
            let kept = if folder.remove().is_ok() { "" } else { "; the folder cannot be removed" };
            format!("{was_left}: {} not in the store yet{kept}", counted_entries(written))
        }
        Ok(Ingested { written, unreadable }) => format!(
            "{was_left}: {} not in the store yet, and {} cannot be read: the folder is kept, remove it once they are looked at",
            counted_entries(written),
            counted(unreadable, "line")
        ),
        Err(error) => format!("{was_left} and cannot be taken over: {error:#}; it is kept"),
    }
}

fn orphan_sentence(name: &str, pid: Pid) -> String {
    format!(
        "{name} is left alone: its runner ({}) died, but what that started still runs, spends and writes there, and cannot be ended; it is taken over once that has ended",
        pid.as_raw_nonzero()
    )
}

fn counted_entries(written: usize) -> String {
    format!("{} {}", counted(written, "entry"), if written == 1 { "was" } else { "were" })
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

    /// Puts the entries of its transcripts into the store, as far as they are not there. What has no uuid is there if the
    /// same bytes are, as often.
    pub(super) fn ingest(&self, store: &mut Store, now: i64) -> Result<Ingested> {
        let mut all = Ingested::default();
        for (key, path) in self.transcripts()? {
            let one = ingest_file(store, &key, &path, now)?;
            all.written += one.written;
            all.unreadable += one.unreadable;
        }
        Ok(all)
    }

    /// Takes the uuids of its entries out of a list; what cannot be read has none.
    pub(super) fn strike_out(&self, uuids: &mut BTreeSet<&str>) {
        for (_, path) in self.transcripts().unwrap_or_default() {
            let lines = File::open(path).into_iter().flat_map(|file| BufReader::new(file).split(b'\n'));
            for line in lines.map_while(Result::ok).filter_map(|line| String::from_utf8(line).ok()) {
                if let Some(uuid) = Object::parse(&line).and_then(|entry| entry.text("uuid")) {
                    uuids.remove(uuid.as_ref());
                }
            }
        }
    }

    /// Its transcripts with their store keys.
    fn transcripts(&self) -> Result<Vec<(String, PathBuf)>> {
        let projects = self.projects();
        let (mut found, mut folders) = (Vec::new(), vec![projects.clone()]);
        while let Some(folder) = folders.pop() {
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries {
                let path = entry?.path();
                if path.is_dir() && !path.is_symlink() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == TRANSCRIPT_EXTENSION) {
                    let key = store_key(&projects.to_string_lossy(), &path.to_string_lossy());
                    found.extend(key.map(|key| (key, path)));
                }
            }
        }
        Ok(found)
    }

    /// Removes it.
    #[expect(clippy::disallowed_methods, reason = "the runner's own folder, once its transcripts are in the store")]
    pub(super) fn remove(&self) -> Result<()> {
        fs::remove_dir_all(&self.0).with_context(|| format!("cannot remove {}", self.0.display()))
    }
}

fn ingest_file(store: &mut Store, key: &str, path: &Path, now: i64) -> Result<Ingested> {
    let key = store.key_of_same_session(key)?;
    let mut stored = store.without_uid(&key)?;
    let (mut entries, mut unreadable) = (Vec::new(), 0);
    for line in BufReader::new(File::open(path)?).split(b'\n') {
        let line = line?;
        let line = String::from_utf8(line).unwrap_or_default();
        let Some(entry) = Object::parse(&line) else {
            unreadable += 1;
            continue;
        };
        if !is_entry(&entry) {
            continue;
        }
        match stored.get_mut(&line) {
            Some(times @ 1..) if entry.text("uuid").is_none() => *times -= 1,
            _ => entries.push(line),
        }
    }
    let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
    Ok(Ingested { written: store.append(&key, &entries, now)?.written, unreadable })
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

    #[test]
    fn what_cannot_be_read_is_kept() {
        let run_dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(&run_dir.path().join("s.db")).unwrap();
        let folder = AttemptFolders::open(run_dir.path(), "r1").unwrap().make(1).unwrap();
        let project = folder.projects().join("-w");
        make_folder(&project).unwrap();
        let lines = b"{\"uuid\":\"a\"}\n{\"uuid\":\"to\xffrn\"}\n{\"uuid\":\"torn";
        replace(&project.join("s.jsonl"), lines, STATE_MODE).unwrap();
        let alive = AttemptFolders::open(run_dir.path(), "r2").unwrap();
        let told = alive.recover(&mut store, 2).unwrap();
        assert!(told[0].contains("1 entry was not in the store yet, and 2 lines cannot be read"), "{told:?}");
        assert!(folder.path().exists());
    }
}
