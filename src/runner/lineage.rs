use super::json::quoted;
use super::state_file::{STATE_MODE, lock, read, replace};
use crate::run_dir::Lineage;
use crate::run_dir::names::{LINEAGE, LINEAGE_LOCK};
use std::io;
use std::path::PathBuf;

/// The lineage of a run directory: which session each step continues in the next run (spec/runner.md, section 16).
#[derive(Debug)]
pub(super) struct LineageFile {
    folder: PathBuf,
    workspace: String,
}

impl LineageFile {
    /// The lineage in `folder`, as far as it belongs to `workspace`.
    pub(super) const fn new(folder: PathBuf, workspace: String) -> Self {
        Self { folder, workspace }
    }

    /// The session of a step; `None` if the file is missing, broken, or of another workspace.
    pub(super) fn session(&self, step: &str) -> io::Result<Option<String>> {
        Ok(self.read()?.session(step).map(str::to_owned))
    }

    /// Notes the session of a step. What other processes noted meanwhile stays.
    pub(super) fn remember(&self, step: &str, session: &str) -> io::Result<()> {
        self.change(|lineage| {
            lineage.steps.retain(|(name, _)| name != step);
            lineage.steps.push((step.to_owned(), session.to_owned()));
        })
    }

    /// Counts that the run directory was used once more.
    pub(super) fn bump(&self) -> io::Result<()> {
        self.change(|lineage| lineage.woke = Some(lineage.woke.unwrap_or(0).saturating_add(1)))
    }

    fn read(&self) -> io::Result<Lineage> {
        let lineage = Lineage::parse(&read(&self.folder.join(LINEAGE))?.unwrap_or_default());
        let is_ours = lineage.workspace.as_deref() == Some(&self.workspace);
        Ok(if is_ours { lineage } else { Lineage::default() })
    }

    fn change(&self, change: impl FnOnce(&mut Lineage)) -> io::Result<()> {
        let _held = lock(&self.folder.join(LINEAGE_LOCK))?;
        let mut lineage = self.read()?;
        change(&mut lineage);
        let steps = lineage.steps.iter().map(|(step, session)| format!("    {}: {}", quoted(step), quoted(session)));
        let steps = match steps.collect::<Vec<_>>().join(",\n") {
            none if none.is_empty() => "{}".to_owned(),
            some => format!("{{\n{some}\n  }}"),
        };
        let mut members = vec![
            ("workspace", quoted(&self.workspace)),
            ("woke", lineage.woke.unwrap_or(0).to_string()),
            ("steps", steps),
        ];
        members.extend(lineage.unknown.iter().map(|key| (key.name.as_str(), key.json.clone())));
        let members = members.iter().map(|(name, json)| format!("  {}: {json}", quoted(name)));
        let text = format!("{{\n{}\n}}\n", members.collect::<Vec<_>>().join(",\n"));
        replace(&self.folder.join(LINEAGE), text.as_bytes(), STATE_MODE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn sessions_are_remembered_per_workspace() {
        let folder = tempfile::tempdir().unwrap();
        let lineage = |workspace: &str| LineageFile::new(folder.path().to_owned(), workspace.to_owned());
        let (here, there) = (lineage("/w"), lineage("/other"));
        assert_eq!(here.session("a").unwrap(), None, "no file");
        here.bump().unwrap();
        here.remember("a", "1").unwrap();
        lineage("/w").remember("b", "2").unwrap();
        here.remember("a", "3").unwrap();
        assert_eq!(here.session("a").unwrap().as_deref(), Some("3"));
        assert_eq!(here.session("b").unwrap().as_deref(), Some("2"), "noted by another process");
        assert_eq!(there.session("a").unwrap(), None, "another workspace");
        let text = fs::read_to_string(folder.path().join(LINEAGE)).unwrap();
        assert_eq!(
            text,
            "{\n  \"workspace\": \"/w\",\n  \"woke\": 1,\n  \"steps\": {\n    \"b\": \"2\",\n    \"a\": \"3\"\n  }\n}\n"
        );
        replace(&folder.path().join(LINEAGE), b"{", STATE_MODE).unwrap();
        assert_eq!(here.session("a").unwrap(), None, "broken");
        there.remember("a", "4").unwrap();
        assert_eq!(there.session("a").unwrap().as_deref(), Some("4"));
    }
}
