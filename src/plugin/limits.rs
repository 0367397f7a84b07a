//! Limits on what a plugin directory may make us read; each with its reason.

/// Longest file that is read, in bytes: the limit of the agent CLI itself (spec/plugins.md, Symlinks).
pub(super) const MAX_FILE_BYTES: u64 = 1 << 20;

/// Longest manifest that is read, in bytes. The agent CLI itself reads one of any length (spec/plugins.md, Symlinks); a
/// gigabyte would have to fit into memory several times.
pub(super) const MAX_MANIFEST_BYTES: u64 = 16 << 20;

/// Bytes of text that are read of one directory. The largest plugins hold a few megabytes of instructions.
pub(super) const MAX_TOTAL_BYTES: u64 = 64 << 20;

/// Files and folders that are looked at. A plugin of 500 components has a few thousand; `node_modules` is not looked into
/// unless the manifest points there.
pub(super) const MAX_ENTRIES: usize = 50_000;

/// Depth of folders that are searched for commands, agents and output styles. The deepest seen is 4.
pub(super) const MAX_DEPTH: usize = 16;

/// Links that are followed one behind the other: what Linux itself allows.
pub(super) const MAX_LINKS: usize = 40;

/// Longest path and longest name in it, in bytes: what Linux itself allows.
pub(super) const MAX_PATH_BYTES: usize = 4095;
pub(super) const MAX_NAME_BYTES: usize = 255;

/// Longest matcher that is compiled, in bytes, and how many groups and alternatives it may have: compiling takes stack for
/// each. The longest seen has 80 bytes.
pub(super) const MAX_MATCHER_BYTES: usize = 1000;
pub(super) const MAX_MATCHER_PARTS: usize = 100;

/// Plugins of one marketplace that are looked into. The largest public one lists about 200.
pub(super) const MAX_PLUGINS: usize = 2000;

/// Longest frontmatter that is read as YAML, in bytes. It is given to the model in every session; 256 KiB of it would be
/// 60,000 tokens.
pub(super) const MAX_FRONTMATTER_BYTES: usize = 256 << 10;

/// Values of one frontmatter that are kept. Real ones have a dozen.
pub(super) const MAX_YAML_VALUES: usize = 10_000;

/// Nesting of one frontmatter. Real ones have three levels; without a limit, taking the value apart could overflow the stack.
pub(super) const MAX_YAML_DEPTH: usize = 64;

/// Issues that are carried from the manifests of a marketplace's plugins. One manifest that is listed under thousands of
/// names would multiply them.
pub(super) const MAX_CARRIED_ISSUES: usize = 10_000;
