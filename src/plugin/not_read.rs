//! The CLI's sentences about what it does not read (spec/plugins.md, Symlinks).

/// What a `CLAUDE.md` at the root of a plugin should be instead.
pub(super) const CLAUDE_MD: &str = "To ship context with your plugin, use a skill (skills/<name>/SKILL.md) instead.";

/// The same for a `CLAUDE.local.md`.
pub(super) const CLAUDE_LOCAL_MD: &str = "Remove it from the plugin root.";

/// A folder of components of a plugin that is a link.
pub(super) const LINKED_FOLDER: &str = "This directory is a symlink, so the validator read nothing in it. An installed \
     plugin loads it only if it points inside the plugin's installed folder, or, for a plugin read in place from a local \
     marketplace folder, inside that folder; a project's .claude/skills plugin, only if it points inside the folder holding \
     that .claude. Otherwise replace the link with a copy of the folder. To check its files, validate the folder it points \
     to.";

/// A manifest that a session reads and the checks of hooks do not.
pub(super) const MANIFEST: &str = "plugin.json was not read for the hooks files it names: it is a link (a symlink or a \
     Windows junction) or in a linked directory, is not a regular file, could not be opened, or is over 1048576 bytes. The \
     plugin loader can still read it, so a hooks module named through it loads without being listed here. Validate a copy of \
     the plugin that holds the real file.";

/// A plugin of a marketplace to which a link leads.
pub(super) const LINKED_PLUGIN: &str = "This path was not read for hooks files: it is or goes through a link (a symlink or a \
     Windows junction), or could not be opened. The plugin loader can still take it as a plugin, so a hooks module there \
     loads without being listed here. Validate the real directory separately.";

/// What a session does with links in a folder of a plugin.
pub(super) const FOLLOWED_INSIDE: &str = "A session started with --plugin-dir on this plugin follows a symlink here. An \
     installed plugin follows one only if it points inside the plugin's installed folder, or, for a plugin read in place from \
     a local marketplace folder, inside that folder; a project's .claude/skills plugin, only if it points inside the folder \
     holding that .claude. To check what a symlink points to, validate that path.";

/// What a session does with links in a folder that was named by itself.
pub(super) const FOLLOWED: &str =
    "A session loading this directory does follow them, so validate the real paths separately.";

/// Why a file was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    LinkedFolder,
    Irregular,
    TooLong,
}

/// A file of hooks.
pub(super) fn hooks(why: Why) -> String {
    let what = match why {
        Why::LinkedFolder => "The hooks directory is a link (a symlink or a Windows junction) and was not read",
        Why::Irregular => "hooks.json is not a regular file (a symlink, a FIFO, a directory)",
        Why::TooLong => "hooks.json is past the size cap and was not read",
    };
    format!(
        "{what} — hooks are read without following symlinks and are capped at 1048576 bytes. The plugin loader has neither \
         limit and fails the whole plugin on bad hook config, so validate the real file separately."
    )
}

/// A file of MCP servers.
pub(super) fn mcp(why: Why) -> String {
    let what = match why {
        Why::LinkedFolder | Why::Irregular => "is not a regular file (a symlink, a FIFO, a directory)",
        Why::TooLong => "is past the size cap",
    };
    format!(
        "The file {what} and was not read — MCP server files are read without following symlinks and are capped at 1048576 \
         bytes. The plugin loader has neither limit, so validate the real file separately."
    )
}

/// Entries of a folder of skills that are links.
pub(super) fn linked_entries(count: usize, follows: &str) -> String {
    let entries = match count {
        1 => "1 entry here is a symlink and was not read".to_owned(),
        _ => format!("{count} entries here are symlinks and were not read"),
    };
    format!("{entries} — components are read without following symlinks. {follows}")
}

/// Skills whose `SKILL.md` is no regular file.
pub(super) fn irregular(count: usize, follows: &str) -> String {
    let components = match count {
        1 => "1 component here was not read".to_owned(),
        _ => format!("{count} components here were not read"),
    };
    let never = if follows == FOLLOWED { "" } else { " A FIFO or a directory is never read." };
    format!("{components} — the path is not a regular file (a symlink, a FIFO, a directory).{never} {follows}")
}

/// Markdown files over the limit.
pub(super) fn too_large(count: usize) -> String {
    match count {
        1 => "1 file here is larger than 1048576 bytes and was not validated.".to_owned(),
        _ => format!("{count} files here are larger than 1048576 bytes and were not validated."),
    }
}
