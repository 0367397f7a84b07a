use super::addresses;
use super::issue::{Issue, kind_of};
use super::json::{self, BYTE_ORDER_MARK};
use super::manifest::Said;
use super::manifest_schema::is_web;
use serde::Serialize;
use serde_json::{Map, Value};

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
                Self { name: name.to_owned(), kind, target: addresses::listed(&url), args: None }
            }
            None => Self {
                name: name.to_owned(),
                kind: "stdio".to_owned(),
                target: text("command").unwrap_or_default(),
                args: Some(args),
            },
        }
    }

    /// Its name is a URL that names a host.
    pub(super) fn is_remote(&self) -> bool {
        self.kind != "stdio" && (self.kind != "mcpb" || is_web(&self.target))
    }
}

/// A name under which JavaScript keeps no server.
pub(super) const NO_NAME: &str = "__proto__";

/// The servers of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct McpFile {
    pub(super) servers: Map<String, Value>,
    /// Where they stand: `mcpServers`, or nothing if the file is the map itself.
    pub(super) field: &'static str,
    pub(super) said: Said,
}

/// The field that may hold the servers.
const FIELD: &str = "mcpServers";

/// The servers of a file, by name: below `mcpServers` or as they are.
pub(super) fn in_file(text: &str) -> Result<McpFile, Issue> {
    if text.starts_with(BYTE_ORDER_MARK) {
        let said = "Invalid JSON syntax: the file starts with a UTF-8 byte-order mark (BOM), which this file (unlike \
                    plugin.json) must not have — re-save it as UTF-8 without BOM.";
        return Err(Issue::new("json", format!("{said}{NO_SERVERS}")));
    }
    let value = json::parse(text)
        .map_err(|message| Issue::new("json", format!("Invalid JSON syntax: {message}.{NO_SERVERS}")))?;
    Ok(match value {
        Value::Object(mut object) => match object.shift_remove(FIELD) {
            // What JavaScript takes for false is no field of servers, but one server of that name.
            Some(value) if is_falsy(&value) => {
                object.insert(FIELD.to_owned(), value);
                McpFile { servers: object, ..McpFile::default() }
            }
            Some(servers) => in_field(servers, FIELD),
            None => McpFile { servers: object, ..McpFile::default() },
        },
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            in_field(other, "")
        }
    })
}

fn is_falsy(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Bool(false)) || value.as_f64() == Some(0.0) || value.as_str() == Some("")
}

/// Servers by name; a list has their numbers for names.
fn in_field(value: Value, field: &'static str) -> McpFile {
    let path = if field.is_empty() { "root" } else { field };
    let (servers, said) = match value {
        Value::Object(servers) => (servers, Said::default()),
        Value::Array(items) if items.is_empty() => (Map::new(), Said::default()),
        Value::Array(items) => {
            let said = "is an array; the plugin loader keys its servers by array index (\"0\", \"1\", ...), and review \
                        tooling has misread this shape as 'no servers'. Use an object keyed by server name.";
            let servers = items.into_iter().enumerate().map(|(at, server)| (at.to_string(), server)).collect();
            (servers, Said::warning(Issue::new(path, said)))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            let kind = kind_of(Some(&value));
            let said = format!(
                "must be an object mapping server names to server configs (got {kind}). No servers load from this file."
            );
            (Map::new(), Said::error(Issue::new(path, said)))
        }
    };
    McpFile { servers, field, said }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn servers_are_listed_with_their_normal_url() {
        let server = McpServer::of("a", &json!({"type": "http", "url": "https://x.example"}));
        assert_eq!((server.target.as_str(), server.is_remote()), ("https://x.example/", true));
        let server = McpServer::of("a", &json!({"type": "ws", "url": "wss://${HOST}/x"}));
        assert_eq!(server.target.as_str(), "wss://${HOST}/x");
        assert!(
            McpServer::bundle("https://x.example/a.mcpb").is_remote() && !McpServer::bundle("./a.mcpb").is_remote()
        );
    }

    #[test]
    fn a_file_is_a_map_of_servers_or_holds_one() {
        let read = |text: &str| {
            let file = in_file(text).unwrap();
            (file.servers.len(), file.field, file.said.errors.len(), file.said.warnings.len())
        };
        assert_eq!(read("{\"a\": {}, \"$schema\": \"x\"}"), (2, "", 0, 0));
        assert_eq!(read("{\"mcpServers\": {\"a\": {}}, \"b\": {}}"), (1, "mcpServers", 0, 0));
        assert_eq!(read("{\"mcpServers\": null}"), (1, "", 0, 0));
        assert_eq!(read("{\"mcpServers\": true}"), (0, "mcpServers", 1, 0));
        assert_eq!(read("[]"), (0, "", 0, 0));
        assert_eq!(read("[5]"), (1, "", 0, 1));
        assert_eq!(read("5"), (0, "", 1, 0));
    }
}
