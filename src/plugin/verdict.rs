use super::addresses;
use super::hooks::Hook;
use super::inventory::{Component, Inventory};
use super::issue::Issue;
use super::lsp::LspServer;
use super::manifest::Said;
use super::mcp::McpServer;
use super::monitors::Monitor;
use super::names::visible;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What `claude plugin validate --json` prints of a target, field by field (spec/plugins.md, JSON shape).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The target passes.
    pub success: bool,
    /// Warnings count as errors.
    pub strict: bool,
    /// The manifest, or the path as given.
    pub target: String,
    /// The manifest; `None` where there is none and none is needed.
    pub manifest: Option<FileVerdict>,
    /// Other files with something to say.
    pub contents: Vec<FileVerdict>,
    /// What the plugin brings; `None` unless all of it is known.
    pub provides: Option<Provides>,
    /// Hosts that the plugin talks to; `None` unless all is known.
    pub hosts: Option<Hosts>,
    /// The CLI lists remarks on its own installation here; always empty.
    pub advice: [(); 0],
    /// The CLI looks at files for a public listing here, above the plugin too; always `null`.
    pub directory: (),
}

impl Verdict {
    /// Errors of all files.
    pub fn errors(&self) -> usize {
        self.files().map(|file| file.errors.len()).sum()
    }

    /// Warnings of all files.
    pub fn warnings(&self) -> usize {
        self.files().map(|file| file.warnings.len()).sum()
    }

    /// The manifest and the contents.
    pub fn files(&self) -> impl Iterator<Item = &FileVerdict> {
        self.manifest.iter().chain(&self.contents)
    }
}

/// What is said of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileVerdict {
    /// Its path.
    pub file: String,
    /// `plugin`, `marketplace`, `skill`, `agent`, `command`, `hooks` or `mcp`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// What makes the target fail.
    pub errors: Vec<Issue>,
    /// What makes it fail if warnings count.
    pub warnings: Vec<Issue>,
    /// What never makes it fail.
    pub notes: Vec<String>,
    /// Outside of the reference; always empty.
    #[serde(rename = "gatingHooks")]
    pub gating_hooks: [(); 0],
    /// Outside of the reference; always empty.
    pub wasm: [(); 0],
    /// Outside of the reference; `null` for hooks with errors, else empty.
    pub modules: Option<[(); 0]>,
}

impl FileVerdict {
    /// A file of hooks that was not read.
    pub(super) fn unread_hooks(file: &str, said: Said) -> Self {
        Self { modules: None, ..Self::new(file, "hooks", said) }
    }

    pub(super) fn new(file: &str, kind: &'static str, said: Said) -> Self {
        let modules = (kind != "hooks" || said.errors.is_empty()).then_some([]);
        let Said { errors, warnings, notes } = said;
        Self { file: visible(file), kind, errors, warnings, notes, gating_hooks: [], wasm: [], modules }
    }
}

/// What a plugin brings, in the CLI's form.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names of the components are what they are")]
pub struct Provides {
    pub modules: [(); 0],
    pub hooks: Vec<Hook>,
    pub mcp_servers: Vec<McpServer>,
    pub lsp_servers: Vec<LspServer>,
    pub monitors: Vec<Monitor>,
    pub skills: Vec<String>,
    pub commands: Vec<String>,
    pub agents: Vec<String>,
    pub output_styles: Vec<String>,
    pub themes: Vec<String>,
    pub workflows: Vec<String>,
    pub bin: Vec<String>,
}

impl Provides {
    pub(super) fn of(inventory: &Inventory) -> Self {
        let names = |components: &[Component]| components.iter().map(|component| component.name.clone()).collect();
        Self {
            modules: [],
            hooks: inventory.hooks.clone(),
            mcp_servers: inventory.mcp_servers.clone(),
            lsp_servers: inventory.lsp_servers.clone(),
            monitors: inventory.monitors.clone(),
            skills: names(&inventory.skills),
            commands: names(&inventory.commands),
            agents: names(&inventory.agents),
            output_styles: names(&inventory.output_styles),
            themes: names(&inventory.themes),
            workflows: names(&inventory.workflows),
            bin: inventory.bin.clone(),
        }
    }
}

/// Whom a plugin talks to, as far as its files tell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Hosts {
    /// Hosts that are written down.
    pub named: Vec<NamedHost>,
    /// Components that may talk to anyone, since they are programs or instructions.
    pub unread: Vec<Unread>,
    /// Outside of the reference: what the plugin says about its own network use.
    pub declared: DeclaredHosts,
}

/// A host, and where it is written down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NamedHost {
    /// Host name.
    pub host: String,
    /// Where.
    pub sources: Vec<HostSource>,
}

/// Where a host is written down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum HostSource {
    /// In a hook of this event.
    Hook {
        /// Event.
        event: String,
        /// Which tools or sources it is for.
        #[serde(skip_serializing_if = "Option::is_none")]
        matcher: Option<String>,
    },
    /// In the list of hosts of the manifest.
    Declared,
    /// In an MCP server.
    Mcp {
        /// Server.
        name: String,
    },
}

/// A component of which the hosts are not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unread {
    /// List of [`Provides`] that it is in.
    pub kind: &'static str,
    /// Its name there.
    pub name: String,
    /// `process` for a program or an instruction, `url` for a URL without a host, or with one that is only known at run time.
    pub reason: &'static str,
}

/// What the plugin says about its own network use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct DeclaredHosts {
    /// The manifest lists hosts.
    pub plugin: bool,
    /// Always empty.
    pub servers: [(); 0],
}

impl Hosts {
    pub(super) fn of(inventory: &Inventory, listed: Option<&[String]>) -> Self {
        let declared = DeclaredHosts { plugin: listed.is_some(), servers: [] };
        Self { named: named(inventory, listed.unwrap_or_default()), unread: unread(inventory), declared }
    }
}

fn named(inventory: &Inventory, listed: &[String]) -> Vec<NamedHost> {
    let mut sources: BTreeMap<String, Vec<HostSource>> = BTreeMap::new();
    let hooks = inventory.hooks.iter().filter_map(|hook| {
        Some((
            addresses::host(hook.url.as_deref()?)?,
            HostSource::Hook { event: hook.event.clone(), matcher: hook.matcher.clone() },
        ))
    });
    let servers = inventory.mcp_servers.iter().filter(|server| server.is_remote());
    let servers = servers
        .filter_map(|server| Some((addresses::host(&server.target)?, HostSource::Mcp { name: server.name.clone() })));
    let listed = listed.iter().map(|host| (host.clone(), HostSource::Declared));
    for (host, source) in hooks.chain(servers).chain(listed) {
        sources.entry(host).or_default().push(source);
    }
    sources.into_iter().map(|(host, sources)| NamedHost { host, sources }).collect()
}

/// Why the hosts of a component are not known: it is a program or an instruction, or its URL is only whole at run time.
const PROCESS: &str = "process";
const URL: &str = "url";

fn unread(inventory: &Inventory) -> Vec<Unread> {
    let hidden = |url: &str| addresses::host(url).is_none().then_some(URL);
    let hooks = inventory.hooks.iter().filter_map(|hook| {
        let reason = hook.command.as_ref().map(|_| PROCESS).or_else(|| hidden(hook.url.as_deref()?))?;
        Some(("hooks", &hook.event, reason))
    });
    let servers = inventory.mcp_servers.iter().filter_map(|server| {
        let runs = ["stdio", "mcpb"].contains(&server.kind.as_str());
        let reason = if runs { Some(PROCESS) } else { hidden(&server.target) }?;
        Some(("mcpServers", &server.name, reason))
    });
    let lists = [
        ("lspServers", inventory.lsp_servers.iter().map(|server| &server.name).collect::<Vec<_>>()),
        ("monitors", inventory.monitors.iter().map(|monitor| &monitor.name).collect()),
        ("skills", inventory.skills.iter().map(|skill| &skill.name).collect()),
        ("commands", inventory.commands.iter().map(|command| &command.name).collect()),
        ("bin", inventory.bin.iter().collect()),
    ];
    let lists = lists.into_iter().flat_map(|(kind, names)| names.into_iter().map(move |name| (kind, name, PROCESS)));
    let mut seen = BTreeSet::new();
    let mut once: Vec<_> = hooks.chain(servers).chain(lists).filter(|unread| seen.insert(*unread)).collect();
    once.sort_by_key(|(_, _, reason)| *reason == URL);
    once.into_iter().map(|(kind, name, reason)| Unread { kind, name: name.clone(), reason }).collect()
}
