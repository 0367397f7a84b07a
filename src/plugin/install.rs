use super::names::slug;
use super::root::Root;
use serde::Serialize;
use serde_json::Value;

/// Characters of a digest in a version.
const DIGEST_LENGTH: usize = 12;

/// The version that the CLI would give an installed plugin: that of its manifest, of its entry in the marketplace, its
/// commit, the beginning of its archive's digest, or `unknown` (spec/plugins.md, Version, cache, lockfiles).
pub(super) fn version(manifest: Option<&Value>, entry: Option<&Value>) -> String {
    let source = entry.and_then(|entry| entry.get("source"));
    let is_command = source.and_then(|source| source.get("source")).and_then(Value::as_str) == Some("command");
    let text = |of: Option<&Value>, name: &str| {
        of.and_then(|of| of.get(name)?.as_str()).filter(|text| !text.is_empty()).map(ToOwned::to_owned)
    };
    let digest = || text(source, "sha256").map(|digest| digest.chars().take(DIGEST_LENGTH).collect());
    text(manifest, "version")
        .or_else(|| text(entry, "version").filter(|_| !is_command))
        .or_else(|| text(source, "sha"))
        .or_else(digest)
        .unwrap_or_else(|| "unknown".to_owned())
}

/// The name of the folder in which a plugin keeps its data, below `~/.claude/plugins/data`.
pub(super) fn data_folder(id: &str) -> String {
    slug(id)
}

/// What installing a plugin does about its Node packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeInstall {
    /// There is no `package.json`, or no lockfile that is used: nothing is installed.
    Nothing,
    /// `bun install --frozen-lockfile --ignore-scripts`.
    Bun,
    /// `npm ci --ignore-scripts`.
    Npm,
    /// A `bunfig.toml` stands beside a lockfile of bun: nothing is installed.
    SkippedForBunfig,
}

/// The lockfile by which packages are installed, and how.
pub(super) fn node_install(root: &Root<'_>) -> (Option<&'static str>, NodeInstall) {
    let names = root.names("");
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    if !has("package.json") {
        return (None, NodeInstall::Nothing);
    }
    let locks = ["bun.lock", "bun.lockb", "npm-shrinkwrap.json", "package-lock.json"];
    let Some(lock) = locks.into_iter().find(|lock| has(lock)) else { return (None, NodeInstall::Nothing) };
    let is_bun = lock.starts_with("bun");
    let has_bunfig = names.iter().any(|name| name.eq_ignore_ascii_case("bunfig.toml"));
    let how = match (is_bun, has_bunfig) {
        (true, true) => NodeInstall::SkippedForBunfig,
        (true, false) => NodeInstall::Bun,
        (false, _) => NodeInstall::Npm,
    };
    (Some(lock), how)
}

/// A plugin that a marketplace lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedPlugin {
    /// Name of the entry.
    pub name: String,
    /// `path`, or the kind of the source.
    pub source: String,
    /// Its version once installed, as far as the files tell.
    pub version: String,
    /// Folder of the installed copy, below `~/.claude/plugins/cache`.
    pub cache: String,
}

/// The plugins of a marketplace. `manifest` knows the manifests of those that lie in its folder, by the number of the entry.
pub(super) fn listed<'a>(market: &Value, manifest: impl Fn(usize) -> Option<&'a Value>) -> Vec<ListedPlugin> {
    let name = market.get("name").and_then(Value::as_str).unwrap_or_default();
    let entries = market.get("plugins").and_then(Value::as_array).into_iter().flatten();
    let entries = entries.enumerate().filter_map(|(at, entry)| {
        let plugin = entry.get("name")?.as_str()?;
        let source = entry.get("source")?;
        let kind = source.get("source").and_then(Value::as_str).unwrap_or("path");
        let version = version(manifest(at), Some(entry));
        let cache = format!("{name}/{plugin}/{version}");
        Some(ListedPlugin { name: plugin.to_owned(), source: kind.to_owned(), version, cache })
    });
    entries.collect()
}

#[cfg(test)]
mod tests {
    use super::super::tree::{Node, Tree};
    use super::*;
    use serde_json::json;

    #[test]
    fn the_version_comes_from_the_first_that_has_one() {
        let sha = "0123456789abcdef0123456789abcdef01234567";
        let entry = |version: Value, source: Value| json!({ "version": version, "source": source });
        let github = json!({"source": "github", "sha": sha});
        let manifest = json!({"version": "1.0"});
        assert_eq!(version(Some(&manifest), Some(&entry(json!("2.0"), github.clone()))), "1.0");
        assert_eq!(version(None, Some(&entry(json!("2.0"), github.clone()))), "2.0");
        assert_eq!(version(Some(&json!({})), Some(&entry(json!(null), github))), sha);
        let archive = json!({"source": "archive", "sha256": sha});
        assert_eq!(version(None, Some(&entry(json!(null), archive))), "0123456789ab");
        assert_eq!(version(None, Some(&entry(json!("2.0"), json!({"source": "command"})))), "unknown");
        assert_eq!(data_folder("my.plugin@inline"), "my-plugin-inline");
    }

    #[test]
    fn the_first_lockfile_beside_a_package_decides() {
        let install = |names: &[&str]| {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            let nodes = [(String::new(), Node::Folder(names))].into();
            node_install(&Root { tree: &Tree { nodes, ..Tree::default() }, base: "" })
        };
        assert_eq!(install(&["package-lock.json"]), (None, NodeInstall::Nothing));
        assert_eq!(install(&["package.json", "yarn.lock"]), (None, NodeInstall::Nothing));
        let both = ["package.json", "package-lock.json", "bun.lockb"];
        assert_eq!(install(&both), (Some("bun.lockb"), NodeInstall::Bun));
        assert_eq!(
            install(&[&both[..], &["BunFig.toml"]].concat()),
            (Some("bun.lockb"), NodeInstall::SkippedForBunfig)
        );
        assert_eq!(install(&both[..2]), (Some("package-lock.json"), NodeInstall::Npm));
    }
}
