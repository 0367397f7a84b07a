use super::args::CommonArgs;
use crate::run_dir::names::WORKBENCH;
use anyhow::{Context, Result, bail};
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Refuses an output file inside of the source, before anything is read.
pub(super) fn check(common: &CommonArgs, source: &Path) -> Result<()> {
    common.output.as_deref().map_or(Ok(()), |output| check_file(output, source).map(drop))
}

/// Refuses a file inside of the source; tells where it really is.
pub(super) fn check_file(output: &Path, source: &Path) -> Result<PathBuf> {
    let target = target(output)?;
    let Ok(source) = fs::canonicalize(source) else { return Ok(target) };
    // A database or transcript is surrounded by files that belong to it.
    let evidence = if source.is_dir() { source.as_path() } else { source.parent().unwrap_or(&source) };
    // So is the workbench, which lies beside the run directory or further up (spec/run-directory.md).
    let workbenches = evidence.ancestors().map(|folder| folder.join(WORKBENCH)).filter(|folder| folder.is_dir());
    for evidence in std::iter::once(evidence.to_path_buf()).chain(workbenches) {
        if target.starts_with(&evidence) {
            bail!(
                "{} lies inside of the source {}: evidence is never changed; choose another place",
                output.display(),
                evidence.display()
            );
        }
    }
    Ok(target)
}

/// Refuses a file for entries that is none: only a regular file can be put in its place whole.
pub(super) fn check_entries_file(file: &Path, source: &Path, report: Option<&Path>) -> Result<()> {
    if file == Path::new("-") {
        bail!("--emit - : expected a file; standard output is for the report");
    }
    let written = check_file(file, source)?;
    let is_device = |kind: fs::FileType| kind.is_fifo() || kind.is_socket() || kind.is_block_device() || kind.is_dir();
    if fs::metadata(&written).is_ok_and(|found| is_device(found.file_type())) {
        bail!("cannot write to {}: expected a file, found a folder, pipe or device", file.display());
    }
    if let Some(report) = report
        && target(report)? == written
    {
        bail!("--emit and --output name the same file {}: choose two", file.display());
    }
    Ok(())
}

/// Where an output file really is, links followed. A link to nothing is refused: it would make a file somewhere else.
pub(super) fn target(output: &Path) -> Result<PathBuf> {
    if let Ok(target) = fs::canonicalize(output) {
        return Ok(target);
    }
    if output.is_symlink() {
        bail!(
            "cannot write to {}: it is a link to a file that does not exist; name that file itself",
            output.display()
        );
    }
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(folder) = fs::canonicalize(folder) else {
        bail!("cannot write to {}: there is no folder {}; make it first", output.display(), folder.display());
    };
    match output.file_name() {
        Some(name) => Ok(folder.join(name)),
        None => bail!("cannot write to {}: it names no file; add a file name", output.display()),
    }
}

/// Writes a report to `--output` or to standard output. A reader that went away is no failure.
pub(super) fn write(common: &CommonArgs, text: &str) -> Result<()> {
    write_bytes(common, text.as_bytes())
}

/// Writes bytes as they are, to `--output` or to standard output.
pub(super) fn write_bytes(common: &CommonArgs, bytes: &[u8]) -> Result<()> {
    match &common.output {
        Some(path) => write_to(path, bytes),
        None => standard(bytes),
    }
}

/// Writes bytes as they are to a file that was checked.
pub(super) fn write_to(path: &Path, bytes: &[u8]) -> Result<()> {
    write_file(path, bytes).with_context(|| format!("cannot write to {}", path.display()))
}

/// A regular file is written beside its name and then put in its place: what is there under another name, such as a piece of
/// evidence with a second link, stays as it is, and a report is never half written. Devices and pipes are written to.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let target = target(path)?;
    if target.is_dir() {
        bail!("it is a folder; name a file in it");
    }
    if target.exists() && !target.is_file() {
        #[expect(clippy::disallowed_methods, reason = "a device or a pipe, opened for writing only and not created")]
        let mut device = OpenOptions::new().write(true).open(&target)?;
        return device.write_all(bytes).map_err(Into::into);
    }
    let folder = target.parent().unwrap_or(Path::new("."));
    let mut file = beside(folder)?;
    file.write_all(bytes)?;
    file.persist(&target)?;
    Ok(())
}

/// A file without a name of its own yet. As any new file: what others may do with it is up to the umask.
fn beside(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().permissions(Permissions::from_mode(0o666)).tempfile_in(folder)
}

/// Writes bytes to standard output.
pub(super) fn standard(bytes: &[u8]) -> Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}
