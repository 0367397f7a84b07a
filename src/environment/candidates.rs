use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What kind of source a setting comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Origin {
    /// The environment of the process.
    Process,
    /// The file that `$FLOWER_ENV` names.
    NamedFile,
    /// `.env` in the current folder, which need not be the workspace.
    CurrentFolder,
    /// `flower/.env` in the user's configuration folder.
    User,
    /// Claude Code's `settings.json`, its block `env`.
    Settings,
    /// Claude Code's `settings.local.json`, its block `env`.
    LocalSettings,
    /// A file named on the command line: the only one that is read then.
    CommandLine,
}

impl Origin {
    /// Only the known keys are taken, from JSON.
    pub const fn is_settings(self) -> bool {
        matches!(self, Self::Settings | Self::LocalSettings)
    }
}

/// A file that may hold settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// What kind of source it is.
    pub origin: Origin,
    /// Where it is.
    pub path: PathBuf,
}

/// The files in which settings are looked for, the first claim of a key wins (spec/runner.md, section 4).
///
/// Computed once, before any file is read: a `.env` file cannot move the others.
pub fn candidates(process: &BTreeMap<String, String>, current_folder: &Path) -> Vec<Candidate> {
    let variable = |name: &str| process.get(name).filter(|value| !value.is_empty());
    let home = variable("HOME").map(PathBuf::from);
    let config = variable("XDG_CONFIG_HOME").map(PathBuf::from).or_else(|| Some(home.as_ref()?.join(".config")));
    let claude = home.map(|home| home.join(".claude"));
    let files = [
        (Origin::NamedFile, variable("FLOWER_ENV").map(|path| current_folder.join(path))),
        (Origin::CurrentFolder, Some(current_folder.join(".env"))),
        (Origin::User, config.map(|config| config.join("flower").join(".env"))),
        (Origin::Settings, claude.as_ref().map(|claude| claude.join("settings.json"))),
        (Origin::LocalSettings, claude.as_ref().map(|claude| claude.join("settings.local.json"))),
    ];
    files.into_iter().filter_map(|(origin, path)| Some(Candidate { origin, path: path? })).collect()
}

/// Only the file named on the command line: without the others as a fallback.
pub fn only(path: &Path, current_folder: &Path) -> Vec<Candidate> {
    vec![Candidate { origin: Origin::CommandLine, path: current_folder.join(path) }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(process: &[(&str, &str)]) -> Vec<String> {
        let process = process.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let found = candidates(&process, Path::new("/w"));
        found.iter().map(|c| format!("{} {}", c.origin, c.path.display())).collect()
    }

    #[test]
    fn files_stand_in_the_order_of_their_claims() {
        assert_eq!(
            paths(&[("HOME", "/home/a"), ("FLOWER_ENV", "x.env")]),
            [
                "named-file /w/x.env",
                "current-folder /w/.env",
                "user /home/a/.config/flower/.env",
                "settings /home/a/.claude/settings.json",
                "local-settings /home/a/.claude/settings.local.json",
            ]
        );
    }

    #[test]
    fn empty_variables_are_no_variables() {
        let usual = ["current-folder /w/.env", "user /home/a/.config/flower/.env"];
        let found = paths(&[("HOME", "/home/a"), ("FLOWER_ENV", ""), ("XDG_CONFIG_HOME", "")]);
        assert_eq!(found.get(..2), Some(&usual.map(str::to_owned)[..]));
        assert_eq!(paths(&[]), ["current-folder /w/.env"], "without a home there is no user file");
        assert!(paths(&[("XDG_CONFIG_HOME", "/etc/xdg")]).contains(&"user /etc/xdg/flower/.env".to_owned()));
    }
}
