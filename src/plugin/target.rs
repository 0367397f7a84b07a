use super::reader::{self, Named};
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use thiserror::Error;

/// Why a target could not even be looked at.
#[derive(Debug, Error)]
#[error("{code}: {what}, {call} '{}'; name a folder or a manifest that can be read", path.display())]
pub struct TargetError {
    code: &'static str,
    what: String,
    call: &'static str,
    path: PathBuf,
}

/// Kinds of errors, with the names and words that the CLI has for them.
const KINDS: [(ErrorKind, &str, &str); 3] = [
    (ErrorKind::NotADirectory, "ENOTDIR", "not a directory"),
    (ErrorKind::InvalidFilename, "ENAMETOOLONG", "name too long"),
    (ErrorKind::PermissionDenied, "EACCES", "permission denied"),
];

impl TargetError {
    fn new(error: &io::Error, call: &'static str, path: &Path) -> Self {
        let known = KINDS.iter().find(|(kind, _, _)| *kind == error.kind()).map(|(_, code, what)| (*code, *what));
        // The standard library has no stable name for this one.
        let is_loop = || reader::is_link(path).then_some(("ELOOP", "too many symbolic links encountered"));
        let (code, what) = match known.or_else(is_loop) {
            Some((code, what)) => (code, what.to_owned()),
            None => ("EIO", error.to_string()),
        };
        Self { code, what, call, path: path.to_owned() }
    }
}

/// What stands at a target.
pub(super) fn look(path: &Path) -> Result<Named, TargetError> {
    reader::named(path).map_err(|error| TargetError::new(&error, "stat", path))
}

/// Begins to read a folder that people see under the name that they gave.
pub(super) fn open(path: &Path) -> Result<reader::Reader, TargetError> {
    let shown = path.display().to_string();
    reader::Reader::open(path, shown).map_err(|error| TargetError::new(&error, "open", path))
}

/// A path from the current folder, without `.` and `..`; links are not looked at, as in the CLI.
pub fn absolute(current: &Path, path: &Path) -> PathBuf {
    let mut absolute = PathBuf::new();
    for component in current.join(path).components() {
        match component {
            Component::ParentDir => {
                absolute.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => absolute.push(component),
        }
    }
    absolute
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_told_from_the_root() {
        let paths = ["", ".", "a/../b/", "../x", "/y/./z"].map(|path| absolute(Path::new("/c/d"), Path::new(path)));
        assert_eq!(paths.map(|path| path.display().to_string()), ["/c/d", "/c/d", "/c/d/b", "/c/x", "/y/z"]);
    }
}
