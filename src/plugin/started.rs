//! What a plugin starts: hooks, servers, monitors. Their files are only read where they are regular ones.

use super::hooks::{self, Hook};
use super::inventory::Search;
use super::lsp;
use super::manifest::{declared_paths, experimental, inline_objects};
use super::manifest_file::PLUGIN_JSON;
use super::manifest_schema::is_bundle;
use super::mcp::{self, McpServer};
use super::monitors::{self, Monitor};
use super::paths;
use super::root::Text;
use super::tree::{join, normal};
use super::wanted::HOOKS_JSON;
use serde_json::Value;

impl<'a> Search<'a> {
    /// The text of a file that the CLI only reads if it is a regular one; without it the inventory is not whole.
    fn regular(&mut self, path: &str) -> Option<&'a str> {
        match self.root.text(path) {
            Text::Is(text) => Some(text),
            Text::Missing => None,
            Text::NotRegular | Text::TooLong | Text::Failed(_) => {
                self.found.incomplete = true;
                None
            }
        }
    }

    pub(super) fn hooks(&mut self) {
        for path in &paths::files(self.manifest, "hooks", HOOKS_JSON) {
            self.found.incomplete |= self.root.is_below_link(path);
            let hooks = self.regular(path).map(|text| hooks::file(text).hooks).unwrap_or_default();
            self.take_hooks(hooks, path);
        }
        for events in self.key("hooks").map(inline_objects).unwrap_or_default() {
            self.take_hooks(hooks::read(events).hooks, PLUGIN_JSON);
        }
    }

    /// Adds hooks in their order; one that is there already runs once.
    fn take_hooks(&mut self, hooks: Vec<Hook>, path: &str) {
        let file = join(self.root.base, path);
        let new = hooks.into_iter().filter(|hook| self.seen_hooks.insert(hook.clone()));
        self.found.hooks.extend(new.map(|hook| Hook { file: file.clone(), ..hook }));
    }

    pub(super) fn mcp_servers(&mut self) {
        let mut servers = Vec::new();
        for path in &paths::files(self.manifest, "mcpServers", ".mcp.json") {
            if !is_bundle(&format!("./{path}")) {
                let declared = self.regular(path).and_then(|text| mcp::in_file(text).ok()).unwrap_or_default();
                let named = declared.servers.iter().filter(|(name, _)| *name != mcp::NO_NAME);
                servers.extend(named.map(|(name, server)| McpServer::of(name, server)));
            }
        }
        if let Some(value) = self.key("mcpServers") {
            servers.extend(declared_bundles(value).into_iter().map(McpServer::bundle));
            let inline = inline_objects(value).into_iter().flatten();
            servers.extend(inline.map(|(name, server)| McpServer::of(name, server)));
        }
        servers.sort_by(|a, b| a.name.cmp(&b.name));
        self.found.mcp_servers = servers;
    }

    pub(super) fn lsp_servers(&mut self) {
        let mut servers = Vec::new();
        for path in &paths::files(self.manifest, "lspServers", ".lsp.json") {
            let Some(text) = self.regular(path) else { continue };
            let reading = lsp::file(text);
            self.found.incomplete |= !reading.faults.is_empty();
            servers.extend(reading.servers);
        }
        for inline in self.key("lspServers").map(inline_objects).unwrap_or_default() {
            servers.extend(lsp::read(&Value::Object(inline.clone())).servers);
        }
        servers.sort_by(|a, b| a.name.cmp(&b.name));
        self.found.lsp_servers = servers;
    }

    pub(super) fn monitors(&mut self) {
        let declared = self.manifest.and_then(|manifest| experimental(manifest, "monitors"));
        let (monitors, path) = match declared {
            Some(list @ Value::Array(_)) => (monitors::read(list), PLUGIN_JSON.to_owned()),
            Some(path) => self.monitor_file(path.as_str().and_then(normal)),
            None => self.monitor_file(Some("monitors/monitors.json".to_owned())),
        };
        let file = join(self.root.base, &path);
        self.found.monitors = monitors.into_iter().map(|monitor| Monitor { file: file.clone(), ..monitor }).collect();
    }

    fn monitor_file(&mut self, path: Option<String>) -> (Vec<Monitor>, String) {
        let path = path.unwrap_or_default();
        let monitors = match self.root.text(&path) {
            Text::Is(text) => Some(monitors::file(text)),
            Text::Missing | Text::NotRegular | Text::TooLong | Text::Failed(_) => None,
        };
        let (monitors, faults) = monitors.unwrap_or_default();
        self.found.incomplete |= !faults.is_empty();
        (if faults.is_empty() { monitors } else { Vec::new() }, path)
    }
}

/// Bundles that a manifest names.
fn declared_bundles(value: &Value) -> Vec<&str> {
    if value.is_object() {
        return Vec::new();
    }
    declared_paths(value).into_iter().filter(|path| is_bundle(path)).collect()
}
