use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// The bytes of a file that an option names, such as "prices". Folders, devices and pipes are refused before they are
/// opened, and so is what is longer than `most`.
pub(super) fn read(what: &str, path: &Path, most: u64) -> Result<Vec<u8>> {
    let shown = path.display();
    let cannot = || format!("cannot read the {what} {shown}");
    if !fs::metadata(path).with_context(cannot)?.is_file() {
        bail!("cannot read the {what} {shown}: expected a file, found a folder, device or pipe");
    }
    let file = File::open(path).with_context(cannot)?;
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).with_context(cannot)?;
    if u64::try_from(bytes.len())? > most {
        bail!("cannot read the {what} {shown}: expected at most {} KiB", most >> 10);
    }
    Ok(bytes)
}
