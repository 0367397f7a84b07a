use url::Url;

/// The URL as the CLI lists it: in its normal form, without user, query and fragment. Placeholders stay; where one is the
/// host of a server, so does the rest.
pub(super) fn listed(url: &str) -> String {
    if names_host(url) {
        return without_secrets(url);
    }
    normal(url).unwrap_or_else(|| without_secrets(url))
}

/// As [`listed`] for a hook, whose URL is one even where a placeholder is its host.
pub(super) fn listed_of_hook(url: &str) -> String {
    normal(url).unwrap_or_else(|| without_secrets(url))
}

/// The host of a URL, with its port if that is not the usual one; `None` where it is only known at run time, or is no host.
pub(super) fn host(url: &str) -> Option<String> {
    let parsed = Url::parse(url).ok().filter(|_| !names_host(url))?;
    let host = parsed.host_str().filter(|_| is_web(&parsed))?;
    let host = host.strip_suffix('.').unwrap_or(host);
    let is_host = !host.split('.').any(str::is_empty);
    let port = parsed.port().map(|port| format!(":{port}")).unwrap_or_default();
    is_host.then(|| format!("{host}{port}"))
}

/// Whether a URL sends what it carries in the clear to another machine; the scheme that it has, and the one that it should.
pub(super) fn in_the_clear(url: &str) -> Option<(&'static str, &'static str)> {
    let parsed = Url::parse(url).ok().filter(|_| !names_host(url))?;
    let schemes = match parsed.scheme() {
        "http" => ("http", "https"),
        "ws" => ("ws", "wss"),
        _ => return None,
    };
    let host = parsed.host_str()?;
    let is_near = ["localhost", "127.0.0.1", "[::1]"].contains(&host) || host.ends_with(".localhost");
    (!is_near).then_some(schemes)
}

/// Whether the host of a URL is, or begins or ends with, a placeholder.
fn names_host(url: &str) -> bool {
    let authority = url.split_once("//").map_or(url, |(_, rest)| rest);
    authority.split(['/', '?', '#']).next().is_some_and(|authority| authority.contains("${"))
}

fn is_web(url: &Url) -> bool {
    ["http", "https", "ws", "wss"].contains(&url.scheme())
}

fn normal(url: &str) -> Option<String> {
    let mut url = Url::parse(url).ok().filter(is_web)?;
    // Neither fails where there is a host; where there is none, there is no user either.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    Some(url.to_string().replace("$%7B", "${").replace("%7D", "}"))
}

fn without_secrets(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = url.split_once("//") else { return url.to_owned() };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}//{host}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_listed_without_what_could_be_a_secret() {
        for (url, shown, of) in [
            ("https://x.example", "https://x.example/", Some("x.example")),
            ("https://a?x#y", "https://a/", Some("a")),
            ("https://user:pw@h.com:443/p?k=v", "https://h.com/p", Some("h.com")),
            ("https://A.B.:8080/x y", "https://a.b.:8080/x%20y", Some("a.b:8080")),
            ("https://user:pw@${X}/A?b", "https://${X}/A", None),
            ("HTTPS://H.com/${X}", "https://h.com/${X}", Some("h.com")),
            ("${Z}", "${Z}", None),
            ("ftp://a/x?y", "ftp://a/x", None),
            ("https://a..b", "https://a..b/", None),
        ] {
            assert_eq!((listed(url).as_str(), host(url).as_deref()), (shown, of), "{url}");
        }
        assert_eq!(listed_of_hook("https://u:p@${HOST}:8/A"), "https://${host}:8/A");
    }

    #[test]
    fn only_the_machine_itself_is_near() {
        for url in [
            "http://localhost/x",
            "http://127.0.0.1:80",
            "http://[::1]",
            "http://x.localhost",
            "https://x.y",
            "http://${X}/",
        ] {
            assert_eq!(in_the_clear(url), None, "{url}");
        }
        for url in ["http://127.1.2.3", "http://0.0.0.0", "http://localhost.", "HTTP://x.y/${Z}", "ws://x.y"] {
            assert!(in_the_clear(url).is_some(), "{url}");
        }
    }
}
