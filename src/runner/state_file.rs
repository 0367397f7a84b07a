use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

/// How often, and how long in between, a lock is tried: five seconds in all. Who holds it only reads and writes one file.
const TRIES: u32 = 100;
const PAUSE: Duration = Duration::from_millis(50);

/// What others may do with a state file is up to the umask, as with any new file.
pub(super) const STATE_MODE: u32 = 0o666;

/// What holds a credential is for its owner only.
pub(super) const PRIVATE_MODE: u32 = 0o600;

/// Takes the lock of a state file until the file that is returned is dropped.
pub(super) fn lock(path: &Path) -> io::Result<File> {
    #[expect(clippy::disallowed_methods, reason = "the runner's own lock, in its own run directory")]
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Err(io::Error::new(ErrorKind::TimedOut, format!("{} is locked by another process", path.display())))
}

/// Replaces a file in one step, so that a reader finds the old or the new text and a full disk leaves the old one.
pub(super) fn replace(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    replace_with(path, [bytes], mode)
}

/// The same with a text that comes in pieces.
pub(super) fn replace_with(
    path: &Path,
    pieces: impl IntoIterator<Item = impl AsRef<[u8]>>,
    mode: u32,
) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = tempfile::Builder::new().permissions(Permissions::from_mode(mode)).tempfile_in(folder)?;
    let mut to = BufWriter::new(file);
    pieces.into_iter().try_for_each(|piece| to.write_all(piece.as_ref()))?;
    let file = to.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// The bytes of a file; `None` if there is none.
pub(super) fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Makes a folder and those above it.
#[expect(clippy::disallowed_methods, reason = "folders of the runner: its run directory, the workspace, the workbench")]
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}
