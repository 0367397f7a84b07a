//! Fields of the configuration of an MCP server, as the CLI's schemas have them.

use super::issue::{
    Faults, Field, above_zero, boolean, list_of, number, object, one_of, record_of, some_text, string, string_record,
    strings, whole,
};
use serde_json::Value;
use url::Url;

/// A program that is started.
pub(super) const STDIO: [Field; 6] = [
    ("command", true, command),
    ("args", false, strings),
    ("env", false, string_record),
    ("timeout", false, number),
    ("alwaysLoad", false, boolean),
    ("bareElicitationCapability", false, boolean),
];

/// An address, over a web socket.
pub(super) const SOCKET: [Field; 6] = [
    ("url", true, address),
    ("headers", false, string_record),
    ("headersHelper", false, string),
    ("timeout", false, number),
    ("alwaysLoad", false, boolean),
    ("bareElicitationCapability", false, boolean),
];

/// An address, over HTTP.
pub(super) const REMOTE: [Field; 10] = [
    ("url", true, address),
    ("headers", false, string_record),
    ("headersHelper", false, string),
    ("oauth", false, |path, value| object(path, value, &OAUTH)),
    ("timeout", false, number),
    ("tools", false, |path, value| list_of(path, value, |path, tool| object(path, tool, &TOOL))),
    ("alwaysLoad", false, boolean),
    ("bareElicitationCapability", false, boolean),
    ("discoveryCache", false, boolean),
    ("toolPermissions", false, |path, value| {
        record_of(path, value, |path, _, value| one_of(path, value, &["allow", "ask", "blocked"]))
    }),
];

const OAUTH: [Field; 5] = [
    ("clientId", false, string),
    ("callbackPort", false, port),
    ("authServerMetadataUrl", false, metadata),
    ("scopes", false, some_text),
    ("xaa", false, boolean),
];

const TOOL: [Field; 2] = [
    ("name", true, string),
    ("permission_policy", false, |path, value| one_of(path, value, &["always_allow", "always_ask", "always_deny"])),
];

/// Longest addresses, in UTF-16 units.
const MAX_URL: usize = 65_536;
const MAX_METADATA: usize = 4_096;

fn command(path: &str, value: &Value) -> Faults {
    if value.as_str() == Some("") { Faults::broken_rule(path, "Command cannot be empty") } else { string(path, value) }
}

fn is_longer(value: &Value, limit: usize) -> bool {
    value.as_str().is_some_and(|text| text.encode_utf16().count() > limit)
}

fn address(path: &str, value: &Value) -> Faults {
    if is_longer(value, MAX_URL) { Faults::broken_rule(path, "url is too long") } else { string(path, value) }
}

fn port(path: &str, value: &Value) -> Faults {
    let faults = whole(path, value);
    if faults.is_empty() { above_zero(path, value) } else { faults }
}

fn metadata(path: &str, value: &Value) -> Faults {
    let Some(text) = value.as_str() else { return string(path, value) };
    if is_longer(value, MAX_METADATA) {
        return Faults::broken_rule(path, "authServerMetadataUrl is too long");
    }
    let mut faults = Faults::none();
    if Url::parse(text).is_err() {
        faults.add(Faults::broken_rule(path, "Invalid URL"));
    }
    if !text.starts_with("https://") {
        faults.add(Faults::broken_rule(path, "authServerMetadataUrl must use https://"));
    }
    faults
}
