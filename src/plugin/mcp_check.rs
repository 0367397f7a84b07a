use super::addresses::in_the_clear;
use super::issue::{Faults, Issue, fields, kind_of};
use super::manifest::Said;
use super::mcp_fields;
use super::names::visible;
use super::placeholders::user_config_keys;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use url::Url;

const DROPPED: &str = " The plugin loader silently drops this server at load.";

/// The options that a manifest asks of its user, for all of its servers and for those of a channel.
pub(super) struct Options<'a> {
    manifest: Option<&'a Value>,
    of_channels: BTreeSet<(&'a str, &'a str)>,
}

impl<'a> Options<'a> {
    pub(super) fn of(manifest: Option<&'a Value>) -> Self {
        let mut of_channels = BTreeSet::new();
        let channels = manifest.and_then(|manifest| manifest.get("channels")?.as_array()).into_iter().flatten();
        for channel in channels {
            let Some(server) = channel.get("server").and_then(Value::as_str) else { continue };
            let options = channel.get("userConfig").and_then(Value::as_object).into_iter().flatten();
            of_channels.extend(options.map(|(key, _)| (server, key.as_str())));
        }
        Self { manifest, of_channels }
    }

    fn is_declared(&self, server: &str, key: &str) -> bool {
        let options = self.manifest.and_then(|manifest| manifest.get("userConfig"));
        options.is_some_and(|options| options.get(key).is_some()) || self.of_channels.contains(&(server, key))
    }

    /// What is said of servers that stand in a field, or are a whole file.
    pub(super) fn check(&self, servers: &Map<String, Value>, field: &str) -> Said {
        let mut said = Said::default();
        for (name, server) in servers {
            let path = if field.is_empty() { name.clone() } else { format!("{field}.{name}") };
            said.add(check(&path, server, &|key| self.is_declared(name, key)));
        }
        said
    }

    /// What is said of the servers that stand in the manifest itself, where its schema fits.
    pub(super) fn check_inline(&self) -> Said {
        let mut said = Said::default();
        let value = self.manifest.and_then(|manifest| manifest.get("mcpServers"));
        let listed = value.and_then(Value::as_array).into_iter().flatten().enumerate();
        let listed = listed.filter_map(|(at, one)| Some((format!("mcpServers[{at}]"), one.as_object()?)));
        let single = value.and_then(Value::as_object).map(|servers| ("mcpServers".to_owned(), servers));
        for (field, servers) in listed.chain(single).filter(|(_, servers)| servers.values().all(is_well_formed)) {
            said.add(self.check(servers, &field));
        }
        said
    }
}

/// Whether the server would load.
pub(super) fn is_well_formed(server: &Value) -> bool {
    schema("", server).is_empty() && !is_remote_without_type(server)
}

fn is_remote_without_type(server: &Value) -> bool {
    server.get("type").is_none() && server.get("url").is_some() && server.get("command").is_none()
}

fn schema(path: &str, server: &Value) -> Faults {
    let Value::Object(object) = server else {
        let got = kind_of(Some(server));
        return Faults::wrong_kind(path, format!("server config must be an object (got {got})"));
    };
    let kind = match object.get("type") {
        None => return fields(path, object, &mcp_fields::STDIO),
        Some(Value::String(kind)) => kind.as_str(),
        Some(other) => return unknown_type(path, kind_of(Some(other))),
    };
    match kind {
        "stdio" => fields(path, object, &mcp_fields::STDIO),
        "ws" => fields(path, object, &mcp_fields::SOCKET),
        "http" | "sse" | "streamable-http" => fields(path, object, &mcp_fields::REMOTE),
        // Types that only the CLI itself sets.
        "sdk" | "sse-ide" | "ws-ide" | "claudeai-proxy" => {
            Faults::wrong_kind(path, format!("is not a valid \"{kind}\" server config (Invalid input)"))
        }
        other => unknown_type(path, &format!("\"{}\"", visible(other).trim())),
    }
}

fn unknown_type(path: &str, shown: &str) -> Faults {
    let said = format!(
        "unknown server type {shown} — expected \"stdio\" (or no type) for a local command, or \"http\", \"sse\", \"ws\" \
         for a remote server."
    );
    Faults::wrong_kind(&format!("{path}.type"), said)
}

/// What the CLI says of a server at a path. `is_declared` knows the options that the plugin asks for.
fn check(path: &str, server: &Value, is_declared: &dyn Fn(&str) -> bool) -> Said {
    if is_remote_without_type(server) {
        let said = "server has a \"url\" but no \"type\". Remote servers must set \"type\" to \"http\" (or \"sse\" / \
                    \"ws\"); without it the entry is parsed as a stdio server, fails for lacking \"command\", and is \
                    silently dropped at load.";
        return Said::error(Issue::new(format!("{path}.type"), said));
    }
    let mut errors = schema(path, server).issues;
    for issue in &mut errors {
        let point = if issue.message.ends_with('.') { "" } else { "." };
        issue.message = format!("{}{point}{DROPPED}", issue.message);
    }
    let mut warnings = Vec::new();
    if errors.is_empty() {
        errors.extend(bad_url(path, server));
        errors.extend(options(path, server, is_declared));
        warnings.extend(clear_text(path, server));
    }
    Said { errors, warnings, ..Said::default() }
}

fn bad_url(path: &str, server: &Value) -> Option<Issue> {
    server.get("type").filter(|kind| *kind != "stdio")?;
    let url = server.get("url")?.as_str()?;
    (!url.contains("${") && Url::parse(url).is_err()).then(|| {
        let said = "url is not a valid absolute URL (for example \"https://host/path\"). The plugin loader marks this \
                    server as invalid config and it never connects.";
        Issue::new(format!("{path}.url"), said)
    })
}

fn clear_text(path: &str, server: &Value) -> Option<Issue> {
    server.get("type").filter(|kind| *kind != "stdio")?;
    let (scheme, better) = in_the_clear(server.get("url")?.as_str()?)?;
    let said = format!(
        "url uses {scheme}:// to a non-loopback host — requests, headers and any credentials travel in cleartext. Use \
         {better}://; plugin directories may reject insecure remote server urls."
    );
    Some(Issue::new(format!("{path}.url"), said))
}

/// References to the options of the user.
fn options(path: &str, server: &Value, is_declared: &dyn Fn(&str) -> bool) -> Vec<Issue> {
    let mut issues = Vec::new();
    for (field, text) in texts(server) {
        if field == "headersHelper" {
            if user_config_keys(text).next().is_some() {
                issues.push(Issue::new(format!("{path}.{field}"), HEADERS_HELPER));
            }
            continue;
        }
        for key in user_config_keys(text).filter(|key| !is_declared(key)) {
            let said = format!(
                "references ${{user_config.{key}}}, which plugin.json does not declare under \"userConfig\" (or in this \
                 server's \"channels\" entry), so on a fresh install it cannot resolve: the loader drops the server or \
                 passes the literal text through. Declare the option or fix the key."
            );
            issues.push(Issue::new(format!("{path}.{field}"), said));
        }
    }
    issues
}

const HEADERS_HELPER: &str = "headersHelper references ${user_config.*}. Options are never substituted into \
     headersHelper: the plugin loader refuses the server when the plugin declares any options (the value would be spliced \
     into a shell command), and otherwise the literal text reaches the shell. Read the value inside the helper script \
     instead (for example from a variable set in the server's \"env\" block).";

/// The texts of a server in which placeholders are looked for, by the field that they stand in.
fn texts(server: &Value) -> Vec<(String, &str)> {
    let mut texts = Vec::new();
    for field in ["command", "args", "env", "url", "headers", "headersHelper"] {
        match server.get(field) {
            Some(Value::String(text)) => texts.push((field.to_owned(), text.as_str())),
            Some(Value::Array(items)) => {
                let items = items.iter().enumerate().filter_map(|(at, item)| Some((at, item.as_str()?)));
                texts.extend(items.map(|(at, text)| (format!("{field}[{at}]"), text)));
            }
            Some(Value::Object(named)) => {
                let named = named.iter().filter_map(|(name, value)| Some((name, value.as_str()?)));
                texts.extend(named.map(|(name, text)| (format!("{field}.{name}"), text)));
            }
            _ => {}
        }
    }
    texts
}
