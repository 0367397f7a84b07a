//! The only file of this layer that touches the disk. It looks at what is wanted, never opens anything but regular files,
//! never follows a link out of the directory, and stops at limits; what it leaves out is told, not dropped.

use super::limits::{MAX_ENTRIES, MAX_TOTAL_BYTES};
use super::look_alikes::folded;
use super::tree::{Content, FileNode, LeftOut, LinkTo, Node, Resolved, Tree, join};
use super::wanted::Wanted;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What a path is that a person named.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Named {
    Folder,
    File,
    /// A FIFO, a socket or a device.
    Special,
    Missing,
}

/// Looks at a path that a person named; links are followed, since the person chose them.
pub(super) fn named(path: &Path) -> io::Result<Named> {
    match fs::metadata(path) {
        Ok(facts) if facts.is_dir() => Ok(Named::Folder),
        Ok(facts) if facts.is_file() => Ok(Named::File),
        Ok(_) => Ok(Named::Special),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Named::Missing),
        Err(error) => Err(error),
    }
}

/// Whether there is something at the path, be it a link to nothing.
pub(super) fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|facts| facts.is_symlink())
}

/// Reads a directory piece by piece into a [`Tree`].
#[derive(Debug)]
pub(super) struct Reader {
    /// The real root: what links lead to is compared with it.
    root: PathBuf,
    tree: Tree,
    listed: BTreeSet<String>,
    entries: usize,
    bytes: u64,
}

impl Reader {
    /// Begins with the folder `root`, which is told to people as `shown`.
    pub(super) fn open(root: &Path, shown: String) -> io::Result<Self> {
        let root = fs::canonicalize(root)?;
        let tree = Tree { shown, nodes: [(String::new(), Node::Folder(Vec::new()))].into(), ..Tree::default() };
        Ok(Self { root, tree, listed: BTreeSet::new(), entries: 0, bytes: 0 })
    }

    /// What was read so far.
    pub(super) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The end of the reading: what is left are links beside everything that was wanted.
    pub(super) fn finish(mut self) -> Tree {
        self.find_stray_links();
        self.tree
    }

    /// Looks at all of this.
    pub(super) fn read_all(&mut self, wanted: &[Wanted]) {
        for wanted in wanted {
            self.read(wanted);
        }
    }

    /// Looks at a path and at what is below it, as deep and with as many texts as wanted.
    pub(super) fn read(&mut self, wanted: &Wanted) {
        if wanted.spellings {
            self.list_spellings(&wanted.path);
        }
        let mut queue = vec![(wanted.path.clone(), wanted.depth)];
        let mut seen = BTreeSet::new();
        while let Some((path, depth)) = queue.pop() {
            let Some(path) = self.arrive(&path) else { continue };
            if !seen.insert(path.clone()) {
                continue;
            }
            match self.tree.nodes.get(&path) {
                Some(Node::File(_)) if wanted.texts.include(&path) => self.read_text(&path, wanted.limit),
                Some(Node::Folder(_)) if depth > 0 => {
                    let names = self.list(&path);
                    queue.extend(names.iter().map(|name| (join(&path, name), depth - 1)));
                }
                Some(Node::Folder(_)) if wanted.is_whole() => self.leave_out(LeftOut::Depth),
                _ => {}
            }
        }
    }

    /// Looks at every step of the way, over links that stay inside; the real path of what is there.
    fn arrive(&mut self, path: &str) -> Option<String> {
        let mut real = String::new();
        for name in path.split('/').filter(|name| !name.is_empty()) {
            real = join(&real, name);
            self.look(&real);
            // A real path has no links on its way. Where nothing is, nothing is below it: a path of a megabyte ends here.
            if let Node::Link(LinkTo::Inside(target)) = self.tree.nodes.get(&real)? {
                real = target.clone();
                self.look_down_to(&real.clone());
            }
        }
        match self.tree.resolve(&real) {
            Resolved::Node(real, _) => Some(real),
            Resolved::Outside | Resolved::Missing => None,
        }
    }

    /// Looks at a real path and the folders above it.
    fn look_down_to(&mut self, real: &str) {
        let mut path = String::new();
        for name in real.split('/').filter(|name| !name.is_empty()) {
            path = join(&path, name);
            self.look(&path);
        }
    }

    fn look(&mut self, path: &str) {
        if self.tree.nodes.contains_key(path) {
            return;
        }
        let Ok(facts) = fs::symlink_metadata(self.root.join(path)) else { return };
        if self.entries >= MAX_ENTRIES {
            self.leave_out(LeftOut::Entries);
            return;
        }
        self.entries += 1;
        let node = if facts.is_symlink() {
            Node::Link(self.link(path))
        } else if facts.is_dir() {
            Node::Folder(Vec::new())
        } else if facts.is_file() {
            Node::File(FileNode { bytes: facts.len(), content: Content::NotRead })
        } else {
            Node::Special
        };
        self.tree.nodes.insert(path.to_owned(), node);
    }

    fn link(&self, path: &str) -> LinkTo {
        let Ok(target) = fs::canonicalize(self.root.join(path)) else { return LinkTo::Nowhere };
        match target.strip_prefix(&self.root) {
            Ok(inside) => LinkTo::Inside(inside.to_string_lossy().into_owned()),
            Err(_) => LinkTo::Outside,
        }
    }

    fn list(&mut self, path: &str) -> Vec<String> {
        if self.listed.insert(path.to_owned()) {
            let left = MAX_ENTRIES.saturating_sub(self.entries);
            let entries = fs::read_dir(self.root.join(path)).into_iter().flatten().filter_map(Result::ok);
            let mut names: Vec<String> =
                entries.take(left + 1).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
            names.sort_unstable();
            self.tree.nodes.insert(path.to_owned(), Node::Folder(names));
        }
        match self.tree.nodes.get(path) {
            Some(Node::Folder(names)) => names.clone(),
            _ => Vec::new(),
        }
    }

    /// Looks at every way to a path over names that differ only by letter case or Unicode form. No link is followed.
    fn list_spellings(&mut self, path: &str) {
        let parts: Vec<String> = path.split('/').filter(|part| !part.is_empty()).map(folded).collect();
        let mut queue = vec![(String::new(), 0)];
        while let Some((folder, depth)) = queue.pop() {
            let Some(part) = parts.get(depth) else { continue };
            if !matches!(self.tree.nodes.get(&folder), Some(Node::Folder(_))) {
                continue;
            }
            if !self.tree.spellings.contains_key(&folder) {
                let mut by_spelling: BTreeMap<String, Vec<String>> = BTreeMap::new();
                for name in self.list(&folder) {
                    by_spelling.entry(folded(&name)).or_default().push(name);
                }
                self.tree.spellings.insert(folder.clone(), by_spelling);
            }
            let alike = self.tree.spellings.get(&folder).and_then(|names| names.get(part)).cloned();
            for below in alike.into_iter().flatten().map(|name| join(&folder, &name)) {
                self.look(&below);
                queue.push((below, depth + 1));
            }
        }
    }

    /// Looks through the whole directory, at the kinds of its entries only.
    fn find_stray_links(&mut self) {
        let mut left = MAX_ENTRIES;
        let mut queue = vec![String::new()];
        while let Some(folder) = queue.pop() {
            for entry in fs::read_dir(self.root.join(&folder)).into_iter().flatten().filter_map(Result::ok) {
                let (Ok(kind), Some(name)) = (entry.file_type(), entry.file_name().to_str().map(ToOwned::to_owned))
                else {
                    continue;
                };
                if left == 0 {
                    self.tree.links_left_out = true;
                    return;
                }
                left -= 1;
                let path = join(&folder, &name);
                if kind.is_dir() {
                    queue.push(path);
                } else if kind.is_symlink() && !self.tree.nodes.contains_key(&path) {
                    let nowhere = match self.link(&path) {
                        LinkTo::Inside(_) => continue,
                        LinkTo::Outside => false,
                        LinkTo::Nowhere => true,
                    };
                    self.tree.stray_links.push((path, nowhere));
                }
            }
        }
        self.tree.stray_links.sort_unstable();
    }

    fn read_text(&mut self, path: &str, limit: u64) {
        let Some(Node::File(file)) = self.tree.nodes.get(path) else { return };
        if file.content != Content::NotRead {
            return;
        }
        let content = if self.bytes + file.bytes.min(limit) > MAX_TOTAL_BYTES {
            self.leave_out(LeftOut::Bytes);
            Content::BudgetSpent
        } else {
            match read_regular(&self.root.join(path), limit) {
                Ok(bytes) => {
                    self.bytes += length(&bytes);
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    if length(&bytes) > limit { Content::TooLarge(text) } else { Content::Text(text) }
                }
                Err(error) => Content::Unreadable(error.to_string()),
            }
        };
        if let Some(Node::File(file)) = self.tree.nodes.get_mut(path) {
            file.content = content;
        }
    }

    fn leave_out(&mut self, what: LeftOut) {
        if !self.tree.left_out.contains(&what) {
            self.tree.left_out.push(what);
        }
    }
}

/// The bytes of a regular file, one more than the limit at most. What was put in its place since it was looked at is not read.
fn read_regular(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let before = fs::symlink_metadata(path)?;
    let is_same = |facts: &Metadata| facts.is_file() && (facts.dev(), facts.ino()) == (before.dev(), before.ino());
    if !before.is_file() {
        return Err(io::Error::other("it is no longer a regular file"));
    }
    let file = File::open(path)?;
    if !is_same(&file.metadata()?) {
        return Err(io::Error::other("it was replaced while it was read"));
    }
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}
