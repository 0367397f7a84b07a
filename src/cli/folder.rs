use super::output::check_file;
use anyhow::{Context, Result, bail};
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::{TempDir, TempPath};

/// A folder that several files are put into together: all of them or none.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    force: bool,
}

impl Folder {
    /// Refuses a folder inside of the source, a file in the place of a folder, and files that are there already unless
    /// they are to be replaced: before anything is read.
    pub(super) fn check(
        path: &Path,
        source: &Path,
        names: impl IntoIterator<Item = String>,
        force: bool,
    ) -> Result<Self> {
        let path = check_file(path, source)?;
        if path.exists() && !path.is_dir() {
            bail!("{} is a file: expected a folder, or a name that is not there yet", path.display());
        }
        let names: Vec<String> = names.into_iter().collect();
        let is_folder = |name: &&String| path.join(name).symlink_metadata().is_ok_and(|found| found.is_dir());
        if let Some(name) = names.iter().find(is_folder) {
            bail!("{} has a folder {name}: choose another folder", path.display());
        }
        // Also what is there under the name of a link is not written over unasked.
        let there = |name: &&String| path.join(name).symlink_metadata().is_ok();
        if let Some(name) = names.iter().find(there).filter(|_| !force) {
            bail!(
                "{} has a file {name} already: choose another folder, or replace the files with --force",
                path.display()
            );
        }
        Ok(Self { path, force })
    }

    /// Where a file of this name stands.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// A folder for the files that are not all there yet: inside of this one, or beside its name if it is not there.
    pub(super) fn stage(&self) -> Result<Stage<'_>> {
        let parent = if self.path.is_dir() { &self.path } else { self.path.parent().unwrap_or(Path::new(".")) };
        // As any new folder: what others may do with it is up to the umask.
        let made =
            tempfile::Builder::new().prefix(".export-").permissions(Permissions::from_mode(0o777)).tempdir_in(parent);
        let place = made.with_context(|| format!("cannot make a folder in {}", parent.display()))?;
        Ok(Stage { folder: self, place, names: Vec::new() })
    }
}

/// Files that are written and not yet in their places. Dropped before that, nothing of them is left.
#[derive(Debug)]
pub(super) struct Stage<'a> {
    folder: &'a Folder,
    place: TempDir,
    names: Vec<String>,
}

impl Stage<'_> {
    /// Writes one file; tells its size.
    pub(super) fn write(&mut self, name: &str, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<u64> {
        let path = self.place.path().join(name);
        let put = || -> Result<u64> {
            #[expect(clippy::disallowed_methods, reason = "in a folder that was made for it, outside of the source")]
            let mut file = io::BufWriter::new(File::create_new(&path)?);
            write(&mut file)?;
            let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            Ok(file.metadata()?.len())
        };
        let bytes = put().with_context(|| format!("cannot write to {}", self.folder.file(name).display()))?;
        self.names.push(name.to_owned());
        Ok(bytes)
    }

    /// Puts all files in their places. A new folder is there with all of them at once. In one that was there, the last
    /// file is taken away first and put back last: where it stands, all of them belong together. Files called `outdated`
    /// are taken away in between.
    pub(super) fn publish(self, outdated: &[String]) -> Result<()> {
        let at = self.folder.path.clone();
        self.put(outdated).with_context(|| format!("cannot put the files into {}", at.display()))
    }

    fn put(self, outdated: &[String]) -> Result<()> {
        let Self { folder, place, names } = self;
        if !folder.path.is_dir() {
            #[expect(clippy::disallowed_methods, reason = "a folder outside of the source, as checked")]
            fs::rename(place.path(), &folder.path)?;
            // It has another name now, and stays.
            let _renamed = place.keep();
            return Ok(());
        }
        for name in names.last().into_iter().chain(outdated).filter(|name| folder.force && !folder.file(name).is_dir())
        {
            #[expect(clippy::disallowed_methods, reason = "a file of an earlier export, outside of the source")]
            match fs::remove_file(folder.file(name)) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
        for name in &names {
            let file = TempPath::try_from_path(place.path().join(name))?;
            if folder.force { file.persist(folder.file(name))? } else { file.persist_noclobber(folder.file(name))? }
        }
        Ok(())
    }
}
