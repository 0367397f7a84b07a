use super::limits::MAX_LINKS;
use std::collections::BTreeMap;

/// A plugin directory in memory: what was looked at, by its path from the root with forward slashes; the root is `""`.
///
/// Links are nodes of their own. They are followed only where they stay inside, and only by [`Tree::resolve`].
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The root as people see it, without a slash at the end.
    pub(super) shown: String,
    pub(super) nodes: BTreeMap<String, Node>,
    /// Names of the folders on the way to the files that start something, by what they are to a file system that does not tell
    /// letter cases apart.
    pub(super) spellings: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// Links that nothing else looked at and that lead out, or to nothing, with whether they lead to nothing.
    pub(super) stray_links: Vec<(String, bool)>,
    /// Not all of the directory was searched for them.
    pub(super) links_left_out: bool,
    /// What reading left out, once for each reason.
    pub(super) left_out: Vec<LeftOut>,
}

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    File(FileNode),
    /// With the names in it, in order; empty if they were not wanted.
    Folder(Vec<String>),
    Link(LinkTo),
    /// A FIFO, a socket or a device: never opened.
    Special,
}

/// A regular file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileNode {
    pub(super) bytes: u64,
    pub(super) content: Content,
}

/// What is known of a file's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    /// Nobody asked.
    NotRead,
    /// Bytes that are no UTF-8 are U+FFFD, as in the CLI.
    Text(String),
    /// Longer than the limit for one file; its beginning.
    TooLarge(String),
    /// The limit for the whole directory was reached before.
    BudgetSpent,
    Unreadable(String),
}

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LinkTo {
    /// To a path of this tree.
    Inside(String),
    Outside,
    /// To nothing, or in a circle.
    Nowhere,
}

/// A limit that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeftOut {
    Entries,
    Depth,
    Bytes,
}

/// Where a path leads once the links on its way are followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Resolved<'a> {
    /// To a node that is no link, by its real path.
    Node(String, &'a Node),
    /// Out of the tree.
    Outside,
    /// To nothing.
    Missing,
}

impl Tree {
    /// The node at `path` itself; a link is not followed.
    pub(super) fn at(&self, path: &str) -> Option<&Node> {
        self.nodes.get(path)
    }

    /// Whether something stands at `path`: a node, be it a link to nothing, or what links on the way lead to, inside or out.
    pub(super) fn has(&self, path: &str) -> bool {
        self.at(path).is_some() || !matches!(self.resolve(path), Resolved::Missing)
    }

    /// Follows the links on the way to `path`.
    pub(super) fn resolve(&self, path: &str) -> Resolved<'_> {
        let mut path = path.to_owned();
        for _ in 0..=MAX_LINKS {
            let link = prefixes(&path).find_map(|prefix| match self.nodes.get(prefix) {
                Some(Node::Link(link)) => Some((prefix.len(), link)),
                _ => None,
            });
            match link {
                None => {
                    let node = self.nodes.get(&path);
                    return node.map_or(Resolved::Missing, |node| Resolved::Node(path, node));
                }
                Some((_, LinkTo::Outside)) => return Resolved::Outside,
                Some((_, LinkTo::Nowhere)) => return Resolved::Missing,
                Some((end, LinkTo::Inside(target))) => {
                    let rest = path.get(end..).unwrap_or_default();
                    path = join(target, rest.trim_start_matches('/'));
                }
            }
        }
        Resolved::Missing
    }

    /// The path as people see it.
    pub(super) fn shown(&self, path: &str) -> String {
        if path.is_empty() { self.shown.clone() } else { format!("{}/{path}", self.shown.trim_end_matches('/')) }
    }
}

/// `path` and the folders above it, the topmost first, without the root.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    ends.filter_map(|end| path.get(..end)).filter(|prefix| !prefix.is_empty())
}

/// A path below another.
pub(super) fn join(base: &str, path: &str) -> String {
    match (base.is_empty(), path.is_empty()) {
        (true, _) => path.to_owned(),
        (_, true) => base.to_owned(),
        _ => format!("{base}/{path}"),
    }
}

/// The name at the end of a path.
pub(super) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The folder of a path.
pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A name without its extension.
pub(super) fn stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

/// A path as a manifest writes it, without what says nothing: `./a//b/` is `a/b`. `None` if it leaves the folder that it
/// starts in.
pub(super) fn normal(declared: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in declared.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop()?;
        } else {
            parts.push(part);
        }
    }
    (!declared.starts_with('/')).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> Node {
        Node::File(FileNode { bytes: 0, content: Content::NotRead })
    }

    #[test]
    fn links_are_followed_inside_only_and_not_for_ever() {
        let link = |target: &str| Node::Link(LinkTo::Inside(target.to_owned()));
        let nodes = [
            ("a", Node::Folder(vec!["x".to_owned()])),
            ("a/x", file()),
            ("b", link("a")),
            ("c", link("b")),
            ("d", link("d")),
            ("out", Node::Link(LinkTo::Outside)),
            ("gone", Node::Link(LinkTo::Nowhere)),
        ];
        let nodes = nodes.into_iter().map(|(path, node)| (path.to_owned(), node)).collect();
        let tree = Tree { nodes, ..Tree::default() };
        assert_eq!(tree.resolve("c/x"), Resolved::Node("a/x".to_owned(), &file()));
        assert_eq!(tree.resolve("out/x"), Resolved::Outside);
        for path in ["d", "d/x", "gone", "nope", "a/x/y"] {
            assert_eq!(tree.resolve(path), Resolved::Missing, "{path}");
        }
    }

    #[test]
    fn paths_of_manifests_are_written_in_many_ways() {
        let normals = ["./a//b/", ".", "./", "./a/../b", "a/../../b", "/etc"].map(normal);
        let expected = [Some("a/b"), Some(""), Some(""), Some("b"), None, None];
        assert_eq!(normals.each_ref().map(Option::as_deref), expected);
        assert_eq!([stem("a.md"), stem(".h"), stem("x.y.md")], ["a", ".h", "x.y"]);
    }
}
