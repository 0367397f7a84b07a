//! The CLI itself, from the npm registry, in `target/claude-code`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The versions whose protocol the runner was made for.
pub(crate) const VERSIONS: [&str; 2] = ["2.1.197", "2.1.332"];

/// The program of a version, installed if it is not there. Tests of several processes wait for each other.
pub(crate) fn program(version: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/claude-code").join(version);
    fs::create_dir_all(&folder).unwrap();
    let lock = File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    if let Some(program) = find(&folder) {
        return program;
    }
    let package = format!("@anthropic-ai/claude-code@{version}");
    let installed = Command::new("npm")
        .args(["install", "--no-audit", "--no-fund", "--no-save", "--ignore-scripts", "--prefix"])
        .arg(&folder)
        .arg(&package)
        .output()
        .expect("npm is needed for the tests against the CLI itself: install the packages nodejs and npm");
    assert!(installed.status.success(), "npm install {package}: {}", String::from_utf8_lossy(&installed.stderr));
    find(&folder).unwrap_or_else(|| panic!("{package} holds no program for this machine"))
}

/// The program lies in a package of its own, one for each kind of machine.
fn find(folder: &Path) -> Option<PathBuf> {
    let packages = fs::read_dir(folder.join("node_modules/@anthropic-ai")).ok()?;
    let programs = packages.filter_map(|entry| Some(entry.ok()?.path().join("claude")));
    programs
        .filter(|program| program.is_file())
        .find(|program| Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success()))
}
