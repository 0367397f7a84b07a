use super::json::{Object, list};
use super::state_file::{STATE_MODE, lock, read, replace};
use super::step::StepResult;
use crate::run_dir::names::{MANIFEST, MANIFEST_LOCK};
use serde::Serialize;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The manifest of a run directory, and the rows of this process in it (spec/runner.md, section 16).
#[derive(Debug)]
pub(super) struct ManifestFile {
    folder: PathBuf,
    run: String,
    rows: Vec<String>,
    /// Everything is in the file.
    is_written: bool,
}

/// A row, with its keys in flower's order.
#[derive(Serialize)]
struct Row<'a> {
    step: &'a str,
    session_id: Option<&'a str>,
    ok: bool,
    cost_usd: f64,
    num_turns: u64,
    text: String,
    error: Option<String>,
    started_at: f64,
    ended_at: f64,
    attempts: u32,
    errors: Vec<String>,
    resumed: bool,
    retired: [&'a str; 0],
    context: u64,
    duration_s: f64,
    run: &'a str,
}

impl ManifestFile {
    /// The manifest in `folder`; `run` names this process.
    pub(super) const fn new(folder: PathBuf, run: String) -> Self {
        Self { folder, run, rows: Vec::new(), is_written: true }
    }

    /// Where it is.
    pub(super) fn path(&self) -> PathBuf {
        self.folder.join(MANIFEST)
    }

    /// Adds the row of a step; `clean` takes secrets out of its texts.
    pub(super) fn add(&mut self, step: &str, result: &StepResult, clean: impl Fn(&str) -> String) -> io::Result<()> {
        let row = Row {
            step,
            session_id: result.session_id.as_deref(),
            ok: result.ok,
            cost_usd: result.cost.dollars(),
            num_turns: result.turns,
            text: clean(&result.text),
            error: result.error.as_deref().map(&clean),
            started_at: result.started_at,
            ended_at: result.ended_at,
            attempts: result.attempts,
            errors: result.errors.iter().map(|error| clean(error)).collect(),
            resumed: result.resumed,
            retired: [],
            context: result.context,
            duration_s: ((result.ended_at - result.started_at) * 100.0).round() / 100.0,
            run: &self.run,
        };
        let row = serde_json::to_string_pretty(&row)?;
        self.rows.push(row.replace('\n', "\n  "));
        self.is_written = false;
        self.write_again()
    }

    /// Writes the rows of this process, unless they are in the file already.
    pub(super) fn write_again(&mut self) -> io::Result<()> {
        if !self.is_written {
            self.write()?;
            self.is_written = true;
        }
        Ok(())
    }

    /// Rows of other processes stay as they are, byte for byte; those of this one are written again.
    fn write(&self) -> io::Result<()> {
        let _held = lock(&self.folder.join(MANIFEST_LOCK))?;
        let path = self.path();
        let bytes = read(&path)?;
        let text = bytes.as_deref().map(String::from_utf8_lossy);
        let rows = match text.as_deref() {
            None => Vec::new(),
            Some(text) if serde_json::from_str::<Vec<&serde_json::value::RawValue>>(text).is_ok() => list(text.trim()),
            Some(_) => {
                set_aside(&path)?;
                Vec::new()
            }
        };
        let is_ours = |row: &str| Object::parse(row).unwrap_or_default().text("run").as_deref() == Some(&self.run);
        let others = rows.into_iter().filter(|row| !is_ours(row));
        let all: Vec<&str> = others.chain(self.rows.iter().map(String::as_str)).collect();
        replace(&path, format!("[\n  {}\n]\n", all.join(",\n  ")).as_bytes(), STATE_MODE)
    }
}

/// What cannot be read is kept under another name: it may be all that is known of earlier runs.
#[expect(clippy::disallowed_methods, reason = "the runner's own manifest, kept under another name")]
fn set_aside(path: &Path) -> io::Result<()> {
    let name = |n: u32| path.with_extension(format!("json.bad-{n}"));
    let free = (1..u32::MAX).map(name).find(|name| !name.exists());
    free.map_or(Ok(()), |free| fs::rename(path, free))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_dir::Manifest;
    use crate::unit::Usd;

    fn result(text: &str) -> StepResult {
        StepResult {
            text: text.to_owned(),
            cost: Usd::from_nanos(40_200_000),
            started_at: 1000.123,
            ended_at: 1002.5,
            attempts: 1,
            ok: true,
            session_id: Some("s".to_owned()),
            ..StepResult::default()
        }
    }

    #[test]
    fn rows_of_others_stay_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(MANIFEST);
        let other = "{\"step\": \"other\", \"run\": \"r0\",  \"new\": [1, \"\\ud83d\"]}";
        let text = format!("[{other}, {{\"step\": \"old\", \"run\": \"r1\"}}]");
        replace(&path, text.as_bytes(), STATE_MODE).unwrap();
        let mut manifest = ManifestFile::new(folder.path().to_owned(), "r1".to_owned());
        manifest.add("one", &result("干活"), str::to_owned).unwrap();
        manifest.add("two", &result("k"), |text| text.replace('k', "*")).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(
            text.starts_with(&format!("[\n  {other},\n  {{\n    \"step\": \"one\",\n    \"session_id\": \"s\"")),
            "{text}"
        );
        assert!(text.contains("\"text\": \"干活\"") && text.contains("\"text\": \"*\""), "{text}");
        let read = Manifest::parse(text.as_bytes());
        assert_eq!(read.rows.iter().map(|row| row.step.as_str()).collect::<Vec<_>>(), ["other", "one", "two"]);
        assert_eq!(
            (read.rows[1].cost_usd, read.rows[1].duration_s.unwrap().millis()),
            (Some(Usd::from_nanos(40_200_000)), 2380)
        );
    }

    #[test]
    fn what_cannot_be_read_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(MANIFEST);
        let mut manifest = ManifestFile::new(folder.path().to_owned(), "r".to_owned());
        for broken in ["{\"step\": 1}", "[1, "] {
            replace(&path, broken.as_bytes(), STATE_MODE).unwrap();
            manifest.add("s", &result(""), str::to_owned).unwrap();
        }
        let kept = |n: u32| fs::read_to_string(folder.path().join(format!("manifest.json.bad-{n}"))).unwrap();
        assert_eq!([kept(1), kept(2)], ["{\"step\": 1}", "[1, "]);
        assert!(Manifest::parse(&fs::read(&path).unwrap()).problems.is_empty());
    }

    #[test]
    fn two_processes_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let write = |run: &'static str| {
            let folder = folder.path().to_owned();
            std::thread::spawn(move || {
                let mut manifest = ManifestFile::new(folder.clone(), run.to_owned());
                for _ in 0..50 {
                    manifest.add("s", &result(""), str::to_owned).unwrap();
                    let read = Manifest::parse(&fs::read(folder.join(MANIFEST)).unwrap());
                    assert_eq!(read.problems, []);
                }
            })
        };
        for thread in [write("a"), write("b")] {
            thread.join().unwrap();
        }
        let read = Manifest::parse(&fs::read(folder.path().join(MANIFEST)).unwrap());
        for run in ["a", "b"] {
            assert_eq!(read.rows.iter().filter(|row| row.run.as_deref() == Some(run)).count(), 50);
        }
    }
}
