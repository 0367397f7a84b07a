use super::limits::MAX_FILE_BYTES;
use super::manifest_file::PLUGIN_JSON;
use super::tree::{Content, FileNode, LinkTo, Node, Resolved, Tree, join};
use super::wanted::is_markdown;
use std::collections::BTreeSet;
use std::ops::Bound;

/// The folder of one plugin in a tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Root<'a> {
    pub(super) tree: &'a Tree,
    /// Path of the plugin in the tree; empty for the tree's own root.
    pub(super) base: &'a str,
}

/// What reading a file gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Text<'a> {
    Is(&'a str),
    Missing,
    /// A link, a folder, a FIFO, a device.
    NotRegular,
    TooLong,
    Failed(&'a str),
}

/// A file that a walk came by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Found {
    /// Folders between the start of the walk and the file.
    pub(super) folders: Vec<String>,
    pub(super) name: String,
    /// Its real path in the tree.
    pub(super) real: String,
}

impl<'a> Root<'a> {
    /// The path as people see it.
    pub(super) fn shown(&self, path: &str) -> String {
        self.tree.shown(&join(self.base, path))
    }

    /// The node itself; no link is followed.
    pub(super) fn at(&self, path: &str) -> Option<&'a Node> {
        self.tree.at(&join(self.base, path))
    }

    pub(super) fn is_folder(&self, path: &str) -> bool {
        matches!(self.at(path), Some(Node::Folder(_)))
    }

    pub(super) fn is_link(&self, path: &str) -> bool {
        matches!(self.at(path), Some(Node::Link(_)))
    }

    pub(super) fn resolve(&self, path: &str) -> Resolved<'a> {
        self.tree.resolve(&join(self.base, path))
    }

    /// The text of a file; no link is followed.
    pub(super) fn text(&self, path: &str) -> Text<'a> {
        self.at(path).map_or(Text::Missing, text_of)
    }

    /// The text of a file, over links that stay inside.
    pub(super) fn text_followed(&self, path: &str) -> Text<'a> {
        match self.resolve(path) {
            Resolved::Node(_, node) => text_of(node),
            Resolved::Outside => Text::NotRegular,
            Resolved::Missing => Text::Missing,
        }
    }

    /// The text at a real path of the tree.
    pub(super) fn text_at(&self, real: &str) -> Option<&'a str> {
        match self.tree.at(real).map(text_of) {
            Some(Text::Is(text)) => Some(text),
            _ => None,
        }
    }

    /// Names in a folder, over links that stay inside.
    pub(super) fn names(&self, path: &str) -> &'a [String] {
        match self.resolve(path) {
            Resolved::Node(_, Node::Folder(names)) => names,
            Resolved::Node(..) | Resolved::Outside | Resolved::Missing => &[],
        }
    }

    /// The text at a real path of the tree, of a long one the beginning.
    pub(super) fn beginning_at(&self, real: &str) -> &'a str {
        match self.tree.at(real) {
            Some(Node::File(FileNode { content: Content::Text(text) | Content::TooLarge(text), .. })) => text,
            _ => "",
        }
    }

    /// Whether a file at a real path of the tree is over the limit.
    pub(super) fn is_too_long(&self, real: &str) -> bool {
        matches!(self.tree.at(real).map(text_of), Some(Text::TooLong))
    }

    /// Whether a folder above a path is a link.
    pub(super) fn is_below_link(&self, path: &str) -> bool {
        path.match_indices('/').filter_map(|(at, _)| path.get(..at)).any(|folder| self.is_link(folder))
    }

    /// Whether a manifest is there that the CLI reads as such and not for its hooks.
    pub(super) fn manifest_is_unread(&self) -> bool {
        match self.at(PLUGIN_JSON) {
            Some(Node::File(file)) => file.bytes > MAX_FILE_BYTES,
            Some(Node::Link(_) | Node::Folder(_) | Node::Special) => true,
            None => self.is_below_link(PLUGIN_JSON),
        }
    }

    /// Markdown files below a folder, or the file itself. Without `follow`, links are passed over.
    pub(super) fn markdown(&self, start: &str, follow: bool) -> Vec<Found> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        let mut queue = vec![(join(self.base, start), Vec::new())];
        while let Some((path, folders)) = queue.pop() {
            if !follow && matches!(self.tree.at(&path), Some(Node::Link(_))) {
                continue;
            }
            match self.tree.resolve(&path) {
                Resolved::Node(real, Node::Folder(names)) if seen.insert(real.clone()) => {
                    for name in names.iter().rev() {
                        let below = join(&real, name);
                        let mut folders = folders.clone();
                        if is_markdown(name) && !matches!(self.tree.at(&below), Some(Node::Folder(_))) {
                            queue.push((below, folders));
                        } else if !matches!(self.tree.at(&below), Some(Node::File(_))) {
                            folders.push(name.clone());
                            queue.push((below, folders));
                        }
                    }
                }
                Resolved::Node(real, Node::File(_)) => {
                    let name = super::tree::base_name(&path).to_owned();
                    if is_markdown(&name) {
                        found.push(Found { folders, name, real });
                    }
                }
                Resolved::Node(..) | Resolved::Outside | Resolved::Missing => {}
            }
        }
        found
    }

    /// Whether a path of the tree lies in the folder.
    pub(super) fn holds(&self, path: &str) -> bool {
        let rest = path.strip_prefix(self.base);
        rest.is_some_and(|rest| self.base.is_empty() || rest.is_empty() || rest.starts_with('/'))
    }

    /// Everything in the folder that was looked at, by its path in the tree.
    pub(super) fn nodes(&self) -> impl Iterator<Item = (&'a str, &'a Node)> {
        let (base, root) = (self.base, *self);
        let from = self.tree.nodes.range::<str, _>((Bound::Included(base), Bound::Unbounded));
        let from = from.map(|(path, node)| (path.as_str(), node));
        from.take_while(move |(path, _)| path.starts_with(base)).filter(move |(path, _)| root.holds(path))
    }

    /// Links in the folder that lead out or to nothing, with whether they lead to nothing.
    pub(super) fn bad_links(&self) -> impl Iterator<Item = (&'a str, bool)> {
        self.nodes().filter_map(|(path, node)| match node {
            Node::Link(to @ (LinkTo::Outside | LinkTo::Nowhere)) => Some((path, *to == LinkTo::Nowhere)),
            Node::Link(LinkTo::Inside(_)) | Node::File(_) | Node::Folder(_) | Node::Special => None,
        })
    }
}

fn text_of(node: &Node) -> Text<'_> {
    let Node::File(file) = node else { return Text::NotRegular };
    match &file.content {
        Content::Text(text) => Text::Is(text),
        Content::TooLarge(_) | Content::BudgetSpent => Text::TooLong,
        Content::Unreadable(error) => Text::Failed(error),
        Content::NotRead => Text::Failed("it was not read"),
    }
}
