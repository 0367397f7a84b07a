use super::state_file::{STATE_MODE, make_folder, replace};
use crate::run_dir::names::{ARTIFACTS, INDEX, NOTES, SCRIPTS, SPILL, WORKBENCH_IN_RUN_DIR};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Files of one folder that are listed in the index.
const MAX_LISTED: usize = 200;

/// How a script says what it does, in its first line.
const DESCRIPTION: &str = "# desc:";

/// Where an agent keeps scripts, long outputs and notes over the steps of a run (spec/runner.md, section 15).
#[derive(Debug, Clone)]
pub(super) struct Workbench {
    root: PathBuf,
}

impl Workbench {
    /// The workbench of a run directory, made if it is not there.
    pub(super) fn open(run_dir: &Path) -> io::Result<Self> {
        let root = run_dir.join(WORKBENCH_IN_RUN_DIR);
        [SCRIPTS, ARTIFACTS, NOTES].iter().try_for_each(|folder| make_folder(&root.join(folder)))?;
        Ok(Self { root })
    }

    /// Its folder.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Where long results go.
    pub(super) fn spill(&self) -> PathBuf {
        self.root.join(SPILL)
    }

    /// Writes the index again and tells what it says, for the system prompt.
    pub(super) fn index(&self) -> io::Result<String> {
        let root = self.root.display();
        let mut text = format!(
            "# 工作台\n\n根目录:{root}\n\n- {SCRIPTS}/ 可重复使用的脚本,第一行写 `{DESCRIPTION} …`\n- {ARTIFACTS}/ 长输出\n- {NOTES}/ 笔记\n"
        );
        // Writing to a String cannot fail.
        for folder in [SCRIPTS, ARTIFACTS, NOTES] {
            let files = files(&self.root.join(folder))?;
            if files.is_empty() {
                continue;
            }
            let _ = write!(text, "\n## {folder}/\n\n");
            for (name, path) in files.iter().take(MAX_LISTED) {
                let description = if folder == SCRIPTS { description(path) } else { None };
                let description = description.map(|text| format!(" — {text}")).unwrap_or_default();
                let _ = writeln!(text, "- {name}{description}");
            }
            if files.len() > MAX_LISTED {
                let _ = writeln!(text, "- … 还有 {} 个", files.len() - MAX_LISTED);
            }
        }
        replace(&self.root.join(INDEX), text.as_bytes(), STATE_MODE)?;
        Ok(text)
    }
}

/// The files of a folder by name.
fn files(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            files.push((entry.file_name().to_string_lossy().into_owned(), entry.path()));
        }
    }
    files.sort();
    Ok(files)
}

fn description(script: &Path) -> Option<String> {
    let mut first = String::new();
    BufReader::new(File::open(script).ok()?.take(1024)).read_line(&mut first).ok()?;
    first.trim().strip_prefix(DESCRIPTION).map(|text| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_lists_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let bench = Workbench::open(folder.path()).unwrap();
        let write = |name: &str, bytes: &[u8]| replace(&bench.root().join(name), bytes, STATE_MODE).unwrap();
        write("scripts/b.sh", b"# desc: counts\nx");
        write("scripts/a.sh", &[0xff, 0xfe]);
        write("notes/目标.md", b"x");
        let index = bench.index().unwrap();
        assert!(index.ends_with("## scripts/\n\n- a.sh\n- b.sh — counts\n\n## notes/\n\n- 目标.md\n"), "{index}");
        assert_eq!(fs::read_to_string(bench.root().join(INDEX)).unwrap(), index);
    }
}
