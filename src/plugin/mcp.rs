use super::issue::{Faults, Field, Issue, expected, fields, string, string_record, strings};
use super::json::{self, BYTE_ORDER_MARK};
use super::manifest::Said;
use super::placeholders::user_config_keys;
use serde::Serialize;
use serde_json::{Map, Value};
use url::Url;

const DROPPED: &str = " The plugin loader silently drops this server at load.";

const NO_SERVERS: &str = " The plugin loader logs this at debug level and loads no servers from the file.";

/// An MCP server as it is declared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct McpServer {
    /// Name.
    pub name: String,
    /// `stdio`, `http`, `sse`, `ws`, or `mcpb` for a bundle.
    #[serde(rename = "type")]
    pub kind: String,
    /// Command, URL or path.
    pub target: String,
    /// Arguments of a command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<Vec<String>>,
}

impl McpServer {
    /// A bundle, by its path or URL.
    pub(super) fn bundle(target: &str) -> Self {
        Self { name: target.to_owned(), kind: "mcpb".to_owned(), target: target.to_owned(), args: None }
    }

    pub(super) fn of(name: &str, value: &Value) -> Self {
        let text = |field: &str| value.get(field).and_then(Value::as_str).map(ToOwned::to_owned);
        let args = value.get("args").and_then(Value::as_array).into_iter().flatten();
        let args = args.filter_map(Value::as_str).map(ToOwned::to_owned).collect();
        match text("type").filter(|kind| kind != "stdio") {
            Some(kind) => {
                let url = text("url").unwrap_or_default();
                Self { name: name.to_owned(), kind, target: normal_url(&url), args: None }
            }
            None => Self {
                name: name.to_owned(),
                kind: "stdio".to_owned(),
                target: text("command").unwrap_or_default(),
                args: Some(args),
            },
        }
    }

    /// The host that a remote server names, unless it is only known at run time.
    pub(super) fn host(&self) -> Option<String> {
        let is_remote = !["stdio", "mcpb"].contains(&self.kind.as_str());
        host(&self.target).filter(|_| is_remote)
    }
}

/// The host of a URL without placeholders.
pub(super) fn host(url: &str) -> Option<String> {
    Url::parse(url).ok().filter(|_| !url.contains("${"))?.host_str().map(ToOwned::to_owned)
}

/// The normal form of a URL; one with placeholders stays as it is.
fn normal_url(url: &str) -> String {
    if url.contains("${") {
        return url.to_owned();
    }
    Url::parse(url).map_or_else(|_| url.to_owned(), |parsed| parsed.to_string())
}

/// The servers of a file, by name: below `mcpServers` or as they are.
pub(super) fn in_file(text: &str) -> Result<Map<String, Value>, Issue> {
    if text.starts_with(BYTE_ORDER_MARK) {
        let said = "Invalid JSON syntax: the file starts with a UTF-8 byte-order mark (BOM), which this file (unlike \
                    plugin.json) must not have — re-save it as UTF-8 without BOM.";
        return Err(Issue::new("json", format!("{said}{NO_SERVERS}")));
    }
    let value = json::parse(text)
        .map_err(|message| Issue::new("json", format!("Invalid JSON syntax: {message}.{NO_SERVERS}")))?;
    let Value::Object(mut object) = value else { return Ok(Map::new()) };
    Ok(match object.shift_remove("mcpServers") {
        Some(Value::Object(servers)) => servers,
        Some(_) => Map::new(),
        None => object.into_iter().filter(|(_, value)| value.is_object()).collect(),
    })
}

/// Whether the server would load.
pub(super) fn is_well_formed(server: &Value) -> bool {
    schema("", server).is_empty() && !is_remote_without_type(server)
}

fn is_remote_without_type(server: &Value) -> bool {
    server.get("type").is_none() && server.get("url").is_some() && server.get("command").is_none()
}

fn schema(path: &str, server: &Value) -> Faults {
    const STDIO: [Field; 3] = [("command", true, command), ("args", false, strings), ("env", false, string_record)];
    const REMOTE: [Field; 3] =
        [("url", true, string), ("headers", false, string_record), ("headersHelper", false, string)];
    let Value::Object(object) = server else { return expected(path, "object", Some(server)) };
    match object.get("type") {
        None => fields(path, object, &STDIO),
        Some(kind) => match kind.as_str() {
            Some("stdio") => fields(path, object, &STDIO),
            Some("http" | "sse" | "ws") => fields(path, object, &REMOTE),
            Some(other) => Faults::wrong_kind(
                &format!("{path}.type"),
                format!(
                    "unknown server type \"{other}\" — expected \"stdio\" (or no type) for a local command, or \"http\", \
                     \"sse\", \"ws\" for a remote server."
                ),
            ),
            None => expected(&format!("{path}.type"), "string", Some(kind)),
        },
    }
}

fn command(path: &str, value: &Value) -> Faults {
    if value.as_str() == Some("") { Faults::broken_rule(path, "Command cannot be empty") } else { string(path, value) }
}

/// What the CLI says of a server, at `mcpServers.<name>`. `is_declared` knows the options that the plugin asks for.
pub(super) fn check(name: &str, server: &Value, is_declared: &dyn Fn(&str) -> bool) -> Said {
    let path = format!("mcpServers.{name}");
    if is_remote_without_type(server) {
        let said = "server has a \"url\" but no \"type\". Remote servers must set \"type\" to \"http\" (or \"sse\" / \
                    \"ws\"); without it the entry is parsed as a stdio server, fails for lacking \"command\", and is \
                    silently dropped at load.";
        return Said::error(Issue::new(format!("{path}.type"), said));
    }
    let mut errors = schema(&path, server).issues;
    for issue in &mut errors {
        let point = if issue.message.ends_with('.') { "" } else { "." };
        issue.message = format!("{}{point}{DROPPED}", issue.message);
    }
    if errors.is_empty() {
        errors.extend(bad_url(&path, server));
        errors.extend(options(&path, server, is_declared));
    }
    Said { errors, ..Said::default() }
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

/// The warning for a file that is not read, by what stands there.
pub(super) const NOT_READ: &str = "The file is not a regular file (a symlink, a FIFO, a directory) and was not read — MCP \
     server files are read without following symlinks and are capped at 1048576 bytes. The plugin loader has neither limit, \
     so validate the real file separately.";

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn servers_are_listed_with_their_normal_url() {
        let server = McpServer::of("a", &json!({"type": "http", "url": "https://x.example"}));
        assert_eq!((server.target.as_str(), server.host().as_deref()), ("https://x.example/", Some("x.example")));
        let server = McpServer::of("a", &json!({"type": "ws", "url": "wss://${HOST}/x"}));
        assert_eq!((server.target.as_str(), server.host()), ("wss://${HOST}/x", None));
    }

    #[test]
    fn what_is_no_list_of_servers_has_none() {
        for text in ["[]", "{\"mcpServers\": []}", "{\"$schema\": \"x\"}"] {
            assert!(in_file(text).unwrap().is_empty(), "{text}");
        }
        assert_eq!(in_file("{\"a\": {}}").unwrap().len(), 1);
    }
}
