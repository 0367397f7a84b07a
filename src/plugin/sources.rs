use super::issue::{Faults, Field, Issue, fields, some_text, string, union};
use super::manifest_schema::{is_web, url};
use super::names::is_id_part;
use serde_json::{Map, Value};
use std::net::IpAddr;
use url::{Host, Url};

const COMMIT_DIGITS: usize = 40;
const DIGEST_DIGITS: usize = 64;

/// Where an entry of a marketplace says that its plugin is (spec/plugins.md, marketplace.json).
pub(super) fn source(path: &str, value: &Value) -> Faults {
    const GITHUB: [Field; 3] = [("repo", true, string), ("sha", false, commit), ("ref", false, string)];
    const GIT: [Field; 3] = [("url", true, string), ("sha", false, commit), ("ref", false, string)];
    const FOLDER: [Field; 4] =
        [("url", true, string), ("path", true, some_text), ("sha", false, commit), ("ref", false, string)];
    const NPM: [Field; 3] = [("package", true, package), ("version", false, string), ("registry", false, registry)];
    const ARCHIVE: [Field; 2] = [("url", true, archive_url), ("sha256", false, digest)];
    const COMMAND: [Field; 1] = [("command", true, some_text)];
    let faults = match value {
        Value::String(text) if text == "." || text.starts_with("./") || is_bare(text) => Faults::none(),
        Value::String(_) => Faults::broken_rule(path, NOT_RELATIVE),
        Value::Object(object) => {
            let table: &[Field] = match object.get("source").and_then(Value::as_str) {
                Some("github") => &GITHUB,
                Some("url") => &GIT,
                Some("git-subdir") => &FOLDER,
                Some("npm") => &NPM,
                Some("archive") => &ARCHIVE,
                Some("command") => &COMMAND,
                _ => return Faults::wrong_kind(path, "Invalid input"),
            };
            fields(path, object, table)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => Faults::wrong_kind(path, "Invalid input"),
    };
    union(path, [faults])
}

const NOT_RELATIVE: &str = "Invalid string: must start with \"./\"";

/// A name of a folder without a path, which is looked for in the `pluginRoot` of the marketplace.
fn is_bare(source: &str) -> bool {
    is_id_part(source)
}

/// A bare name where there is no `pluginRoot`.
pub(super) fn bare(at: usize, entry: &Map<String, Value>, has_root: bool) -> Vec<Issue> {
    let source = entry.get("source").and_then(Value::as_str);
    let Some(name) = source.filter(|source| !has_root && is_bare(source)) else { return Vec::new() };
    let said = format!(
        "Bare source name \"{name}\" requires metadata.pluginRoot. Use \"./relative/path\", or set metadata.pluginRoot (e.g. \
         \"./plugins\") to allow bare names."
    );
    vec![Issue::new(format!("plugins[{at}].source"), said), Issue::new(format!("plugins.{at}.source"), NOT_RELATIVE)]
}

/// A path that leads up and out.
pub(super) fn leading_up(path: &str, entry: &Map<String, Value>) -> Option<Issue> {
    let source = entry.get("source")?;
    let leads_up = |text: &str| text.split('/').any(|part| part == "..");
    if let Some(text) = source.as_str() {
        let inside = text.trim_start_matches("../");
        let better = if inside == text || leads_up(inside) { "plugins/my-plugin" } else { inside };
        let said = format!(
            "Path contains \"..\": {text}. Plugin source paths are resolved relative to the marketplace root (the directory \
             containing .claude-plugin/), not relative to marketplace.json. Use \"./{better}\" instead of \"{text}\"."
        );
        return leads_up(text).then(|| Issue::new(format!("{path}.source"), said));
    }
    let text = source.get("path")?.as_str()?;
    let said = || format!("Path contains \"..\" which could be a path traversal attempt: {text}");
    leads_up(text).then(|| Issue::new(format!("{path}.source.path"), said()))
}

fn package(path: &str, value: &Value) -> Faults {
    let leads_up = value.as_str().is_some_and(|text| text.contains(".."));
    if leads_up { Faults::wrong_kind(path, "Invalid input") } else { string(path, value) }
}

fn registry(path: &str, value: &Value) -> Faults {
    let mut faults = url(path, value);
    if value.as_str().is_some_and(|text| !is_web(text)) {
        faults.add(Faults::broken_rule(path, "Registry must be an http(s) URL"));
    }
    faults
}

fn commit(path: &str, value: &Value) -> Faults {
    let Some(text) = value.as_str() else { return string(path, value) };
    let mut faults = Faults::none();
    let length = text.chars().count();
    if length != COMMIT_DIGITS {
        let how = if length < COMMIT_DIGITS { "small" } else { "big" };
        let said = format!("Too {how}: expected string to have exactly {COMMIT_DIGITS} characters");
        faults.add(Faults::broken_rule(path, said));
    }
    let is_commit = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if length != COMMIT_DIGITS || !is_commit {
        faults.add(Faults::broken_rule(path, "Must be a full 40-character lowercase git commit SHA"));
    }
    faults
}

fn digest(path: &str, value: &Value) -> Faults {
    let Some(text) = value.as_str() else { return string(path, value) };
    let is_digest = text.len() == DIGEST_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_digest { Faults::none() } else { Faults::broken_rule(path, "Must be a 64-character hex SHA-256 digest") }
}

fn archive_url(path: &str, value: &Value) -> Faults {
    let Some(text) = value.as_str() else { return string(path, value) };
    let is_public =
        Url::parse(text).is_ok_and(|url| url.scheme() == "https" && url.host().is_some_and(|h| is_public(&h)));
    let said = "Archive URLs must use https:// and must not point at a loopback, link-local, or cloud-metadata host";
    let mut faults = url(path, value);
    if !is_public {
        faults.add(Faults::broken_rule(path, said));
    }
    faults
}

fn is_public(host: &Host<&str>) -> bool {
    let is_far = |address: IpAddr| match address {
        IpAddr::V4(v4) => !v4.is_loopback() && !v4.is_link_local() && !v4.is_unspecified(),
        IpAddr::V6(v6) => {
            let own = v6.to_ipv4_mapped().is_some_and(|v4| v4.is_loopback() || v4.is_link_local());
            !v6.is_loopback() && !v6.is_unspecified() && !v6.is_unicast_link_local() && !own
        }
    };
    match host {
        Host::Domain(name) => {
            let name = name.trim_end_matches('.').to_lowercase();
            name != "localhost" && !name.ends_with(".localhost") && name != "metadata.google.internal"
        }
        Host::Ipv4(address) => is_far(IpAddr::V4(*address)),
        Host::Ipv6(address) => is_far(IpAddr::V6(*address)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn archives_come_from_public_hosts_over_https() {
        let said = |url: &str| source("s", &json!({"source": "archive", "url": url})).issues.len();
        assert_eq!(said("https://x.example/z.zip"), 0);
        let near = ["localhost", "127.0.0.1", "[::1]", "169.254.169.254", "[fe80::1]", "metadata.google.internal"];
        for url in near.map(|host| format!("https://{host}/z.zip")).iter().chain(&["http://x.example/z".to_owned()]) {
            assert_eq!(said(url), 1, "{url}");
        }
    }

    #[test]
    fn paths_do_not_lead_up() {
        let issue = |source: Value| leading_up("plugins[0]", json!({ "source": source }).as_object().unwrap());
        assert_eq!(issue(json!("./../x")).unwrap().path, "plugins[0].source");
        assert_eq!(issue(json!({"source": "git-subdir", "path": "a/../b"})).unwrap().path, "plugins[0].source.path");
        assert!(issue(json!("./a..b")).is_none());
        let better = ["../x/y", "../../x", "a/../../b", ".."].map(|source| {
            let message = issue(json!(source)).unwrap().message;
            message.split("Use \"").nth(1).unwrap().split('"').next().unwrap().to_owned()
        });
        assert_eq!(better, ["./x/y", "./x", "./plugins/my-plugin", "./plugins/my-plugin"]);
        let bare = |source: &str, root| bare(0, json!({ "source": source }).as_object().unwrap(), root).len();
        assert_eq!([bare("demo", false), bare("demo", true), bare("./demo", false)], [2, 0, 0]);
    }
}
