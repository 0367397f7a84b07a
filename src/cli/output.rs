use super::args::CommonArgs;
use anyhow::{Context, Result, bail};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::{fs, fs::File};

/// Refuses an output file inside of the source, before anything is read.
pub(super) fn check(common: &CommonArgs, source: &Path) -> Result<()> {
    let Some(output) = &common.output else { return Ok(()) };
    let folder = match output.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let folder = fs::canonicalize(&folder)
        .with_context(|| format!("cannot write to {}: its folder does not exist", output.display()))?;
    let Ok(source) = fs::canonicalize(source) else { return Ok(()) };
    let target = fs::canonicalize(output).unwrap_or_else(|_| folder.join(output.file_name().unwrap_or_default()));
    // A database or transcript is surrounded by files that belong to it.
    let evidence = if source.is_dir() { source.as_path() } else { source.parent().unwrap_or(&source) };
    if target.starts_with(evidence) {
        bail!(
            "{} lies inside of the source {}: evidence is never changed; choose a file elsewhere",
            output.display(),
            evidence.display()
        );
    }
    Ok(())
}

/// Writes a report to `--output` or to standard output. A reader that went away is no failure.
pub(super) fn write(common: &CommonArgs, text: &str) -> Result<()> {
    write_bytes(common, text.as_bytes())
}

/// Writes bytes as they are, to `--output` or to standard output.
pub(super) fn write_bytes(common: &CommonArgs, bytes: &[u8]) -> Result<()> {
    let Some(path) = &common.output else { return standard(bytes) };
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that writes reports; check() keeps it out of the source"
    )]
    let mut file = File::create(path).with_context(|| format!("cannot write to {}", path.display()))?;
    file.write_all(bytes).with_context(|| format!("cannot write to {}", path.display()))
}

/// Writes bytes to standard output.
pub(super) fn standard(bytes: &[u8]) -> Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}
