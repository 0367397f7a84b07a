use super::inventory::Inventory;
use serde::Serialize;
use std::collections::BTreeSet;

/// A `${…}` in what a plugin declares.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Placeholder {
    /// What stands between the braces.
    pub name: String,
    /// Where: the kind of component and its name.
    pub component: String,
    /// It is replaced there; otherwise the component does not load, or the text stays as it is.
    pub resolves: bool,
}

/// The names in `${user_config.NAME}` of a text, in order.
pub(super) fn user_config_keys(text: &str) -> impl Iterator<Item = &str> {
    names(text).filter_map(|name| name.strip_prefix("user_config.")).filter(|key| !key.is_empty())
}

/// What stands between `${` and `}`, in order.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split("${").skip(1).filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
}

/// Every placeholder of the programs that a plugin starts, each once for a component (spec/plugins.md, Placeholders).
pub(super) fn of_inventory(inventory: &Inventory) -> Vec<Placeholder> {
    let mut found = BTreeSet::new();
    let mut add = |component: String, options: bool, text: &str| {
        found.extend(names(text).map(|name| Placeholder {
            name: name.to_owned(),
            component: component.clone(),
            resolves: options || !name.starts_with("user_config."),
        }));
    };
    for hook in &inventory.hooks {
        let texts = [&hook.command, &hook.url, &hook.prompt].into_iter().flatten().chain(hook.args.iter().flatten());
        let by_shell = hook.command.is_some() && hook.args.is_none();
        texts.for_each(|text| add(format!("hook {}", hook.event), !by_shell, text));
    }
    for server in &inventory.mcp_servers {
        let texts = [&server.target].into_iter().chain(server.args.iter().flatten());
        texts.for_each(|text| add(format!("MCP server {}", server.name), true, text));
    }
    for server in &inventory.lsp_servers {
        let texts = [&server.command].into_iter().chain(server.args.iter().flatten());
        texts.for_each(|text| add(format!("LSP server {}", server.name), true, text));
    }
    for monitor in &inventory.monitors {
        add(format!("monitor {}", monitor.name), false, &monitor.command);
    }
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_closed() {
        let found: Vec<_> = user_config_keys("${user_config.a}/${HOME}/${user_config.b} ${user_config.c").collect();
        assert_eq!(found, ["a", "b"]);
    }
}
