use super::limits::MAX_ENTRIES;
use crate::unit::{Diagnosis, Level};
use strum::IntoStaticStr;
use thiserror::Error;

/// What the agent CLI does not check and its reference demands, and what reading left out (spec/plugins.md, Differences).
#[derive(Debug, Clone, PartialEq, Eq, Error, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Remark {
    /// An option of the user in a hook that a shell runs.
    #[error(
        "the {event} hook refers to ${{user_config.{key}}} in a command that a shell runs, so it fails to load: give `args`, or read CLAUDE_PLUGIN_OPTION_{upper} in the script",
        upper = key.to_uppercase()
    )]
    UserConfigInShellHook {
        /// Event.
        event: String,
        /// Option.
        key: String,
    },
    /// An option of the user in a monitor.
    #[error(
        "the monitor {monitor} refers to ${{user_config.{key}}}, so it fails to load: read CLAUDE_PLUGIN_OPTION_{upper} in the script",
        upper = key.to_uppercase()
    )]
    UserConfigInMonitor {
        /// Monitor.
        monitor: String,
        /// Option.
        key: String,
    },
    /// A monitor that waits for a skill of another plugin, or of none.
    #[error(
        "the monitor {monitor} starts with the skill {skill}, which the plugin does not bring: it never starts unless \
         another plugin or the project has a skill of this name"
    )]
    MonitorOfUnknownSkill {
        /// Monitor.
        monitor: String,
        /// Skill.
        skill: String,
    },
    /// A plugin that needs itself.
    #[error("the plugin names itself as a dependency, which says nothing: remove it")]
    DependsOnItself,
    /// A channel of a server that is not there.
    #[error(
        "the channel is bound to the MCP server {server}, which the plugin does not declare: declare it, or name one that it declares"
    )]
    ChannelWithoutServer {
        /// Server.
        server: String,
    },
    /// A field that is ignored in the agents of plugins.
    #[error("the field {field} is ignored in an agent of a plugin: remove it, or put the agent into the project")]
    AgentFieldIgnored {
        /// Field.
        field: &'static str,
    },
    /// A value that an agent's field cannot have.
    #[error("the agent's {field} is {found}, expected {expected}: it is ignored")]
    AgentFieldInvalid {
        /// Field.
        field: &'static str,
        /// What it is.
        found: String,
        /// What it can be.
        expected: &'static str,
    },
    /// A matcher that is no regular expression.
    #[error("the matcher {matcher:?} of a {event} hook is no regular expression, so it matches nothing: {error}")]
    MatcherInvalid {
        /// Event.
        event: String,
        /// Matcher.
        matcher: String,
        /// Why.
        error: String,
    },
    /// A matcher that names an MCP tool of the plugin without its full name.
    #[error(
        "the matcher {matcher:?} of a {event} hook never fires: the tools of the plugin's server {server} are called {prefix}…"
    )]
    MatcherNamesBareTool {
        /// Event.
        event: String,
        /// Matcher.
        matcher: String,
        /// Server.
        server: String,
        /// How its tools begin.
        prefix: String,
    },
    /// A matcher for the tools of a server that is not the plugin's.
    #[error(
        "the matcher {matcher:?} of a {event} hook is for the tools of the MCP server {server}, which the plugin does not \
         declare: it fires only where the session has a server of this name"
    )]
    MatcherNamesForeignServer {
        /// Event.
        event: String,
        /// Matcher.
        matcher: String,
        /// Server.
        server: String,
    },
    /// A matcher that is too long or too nested to be compiled.
    #[error(
        "the matcher of a {event} hook has {bytes} bytes and {parts} groups and alternatives, so whether it is a regular \
         expression was not checked: make it shorter"
    )]
    MatcherNotChecked {
        /// Event.
        event: String,
        /// Its length.
        bytes: usize,
        /// Opening brackets and bars.
        parts: usize,
    },
    /// A tool hook of a server that is not the plugin's.
    #[error(
        "the {event} hook calls a tool of the MCP server {server:?}, which the plugin does not declare: it works only where \
         the session has a server of this name"
    )]
    HookServerForeign {
        /// Event.
        event: String,
        /// Server.
        server: String,
    },
    /// A tool hook with the bare name of one of the plugin's servers.
    #[error(
        "the {event} hook calls a tool of the server {server:?}, which never connects under this name: write {expected:?}"
    )]
    HookServerUnscoped {
        /// Event.
        event: String,
        /// Server.
        server: String,
        /// Full name.
        expected: String,
    },
    /// A language server that does not load.
    #[error("the language server does not load and nothing says so: {path}: {reason}")]
    LspServerInvalid {
        /// Field.
        path: String,
        /// Why.
        reason: String,
    },
    /// An extension that two language servers claim.
    #[error(
        "the files {extension} are for the language servers {first} and {second}; only the one registered first gets them: {first}"
    )]
    LspExtensionTaken {
        /// Extension.
        extension: String,
        /// The one that gets it.
        first: String,
        /// The one that does not.
        second: String,
    },
    /// Monitors that do not load.
    #[error("none of the plugin's monitors loads: {path}: {reason}")]
    MonitorsInvalid {
        /// Field.
        path: String,
        /// Why.
        reason: String,
    },
    /// A link out of the plugin.
    #[error(
        "the link leads out of the plugin: it was not followed, and an installed copy does not have what it leads to. Put a copy here"
    )]
    LinkLeavesPlugin,
    /// A link to nothing.
    #[error("the link leads to nothing, or in a circle: remove it, or put a copy of what was meant here")]
    LinkLeadsNowhere,
    /// A directory with too many files to look for links in.
    #[error(
        "the directory holds more than {MAX_ENTRIES} files and folders: links beyond them were not looked for; move what is \
         no part of the plugin out of it"
    )]
    LinksNotLookedFor,
    /// A path that is only refused when the plugin is loaded.
    #[error("the path {path} of {component} holds a backslash, which is refused when the plugin is loaded: write /")]
    PathWithBackslash {
        /// Path.
        path: String,
        /// Component.
        component: &'static str,
    },
    /// A path that leaves the plugin over a link.
    #[error(
        "the path {path} of {component} leads out of the plugin over a link, which is refused when the plugin is loaded: put a copy here"
    )]
    PathLeavesPlugin {
        /// Path.
        path: String,
        /// Component.
        component: &'static str,
    },
    /// A default folder that a key of the manifest hides.
    #[error("{folder} is ignored because the manifest sets {key}: name it there too, or remove it")]
    FolderShadowed {
        /// Folder or file.
        folder: &'static str,
        /// Key.
        key: &'static str,
    },
    /// Two MCP servers with one name.
    #[error(
        "the MCP server {name} is declared more than once; which one connects is not defined: give each its own name"
    )]
    McpServerTwice {
        /// Server.
        name: String,
    },
    /// A default that contradicts the rest of its option.
    #[error("the option {key} contradicts itself: {what}")]
    UserConfigContradictory {
        /// Option.
        key: String,
        /// How.
        what: String,
    },
    /// A file that was not read.
    #[error("{what}, so it was not read and nothing in it was checked: {advice}")]
    FileNotRead {
        /// What it is.
        what: String,
        /// What to do.
        advice: &'static str,
    },
    /// A limit was reached.
    #[error(
        "the directory holds {what}; what lies beyond was not looked at: move what is no part of the plugin out of it"
    )]
    DirectoryTooLarge {
        /// What it holds too much of.
        what: String,
    },
}

impl Diagnosis for Remark {
    fn code(&self) -> &'static str {
        self.into()
    }

    fn level(&self) -> Level {
        match self {
            Self::UserConfigInShellHook { .. }
            | Self::UserConfigInMonitor { .. }
            | Self::LspServerInvalid { .. }
            | Self::MonitorsInvalid { .. }
            | Self::ChannelWithoutServer { .. }
            | Self::MatcherInvalid { .. }
            | Self::MatcherNamesBareTool { .. }
            | Self::HookServerUnscoped { .. }
            | Self::PathWithBackslash { .. }
            | Self::PathLeavesPlugin { .. } => Level::Error,
            Self::MatcherNamesForeignServer { .. }
            | Self::HookServerForeign { .. }
            | Self::MatcherNotChecked { .. } => Level::Info,
            Self::AgentFieldIgnored { .. }
            | Self::AgentFieldInvalid { .. }
            | Self::LspExtensionTaken { .. }
            | Self::MonitorOfUnknownSkill { .. }
            | Self::DependsOnItself
            | Self::LinkLeavesPlugin
            | Self::LinksNotLookedFor
            | Self::LinkLeadsNowhere
            | Self::FolderShadowed { .. }
            | Self::McpServerTwice { .. }
            | Self::UserConfigContradictory { .. }
            | Self::FileNotRead { .. }
            | Self::DirectoryTooLarge { .. } => Level::Warning,
        }
    }

    fn sentence(&self) -> String {
        self.to_string()
    }
}
