use crate::environment::{BASE_URL, Environment};
use std::fmt;
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

/// How long a connection may take. Source: spec/runner.md, section 9.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Where the API usually is.
pub(super) const USUAL: &str = "https://api.anthropic.com";

/// What has to be reachable before another attempt makes sense.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Endpoint {
    host: String,
    port: u16,
}

impl Endpoint {
    /// The host of the API, or the proxy that stands before it.
    pub(super) fn of(environment: &Environment) -> Self {
        let base = environment.value(BASE_URL).unwrap_or(USUAL);
        let is_plain = base.starts_with("http://");
        let api = Self::parse(base);
        proxy(environment, is_plain, &api.host).map_or(api, |proxy| Self::parse(&proxy))
    }

    /// Host and port of a URL; without a scheme it is https.
    fn parse(url: &str) -> Self {
        let (scheme, rest) = url.split_once("://").unwrap_or(("https", url));
        let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
        let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let usual = if scheme == "http" { 80 } else { 443 };
        let bracketed = authority.strip_prefix('[').and_then(|inner| inner.split_once(']'));
        let (host, port) = match bracketed {
            Some((host, after)) => (host, after.strip_prefix(':')),
            None => authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port))),
        };
        Self { host: host.to_owned(), port: port.and_then(|port| port.parse().ok()).unwrap_or(usual) }
    }

    /// Whether a connection can be made. Takes up to some seconds; resolving a name may take longer.
    pub(super) fn is_reachable(&self) -> bool {
        let addresses = (self.host.as_str(), self.port).to_socket_addrs();
        addresses
            .is_ok_and(|mut addresses| addresses.any(|address| TcpStream::connect_timeout(&address, TIMEOUT).is_ok()))
    }
}

/// The proxy for the scheme, unless the host is exempt.
pub(super) fn proxy(environment: &Environment, is_plain: bool, host: &str) -> Option<String> {
    let value = |name: &str| environment.value(name).or_else(|| environment.value(&name.to_lowercase()));
    let exempt = value("NO_PROXY").unwrap_or_default().split(',').map(str::trim).any(|item| {
        let item = item.trim_start_matches('.');
        item == "*" || !item.is_empty() && (host == item || host.ends_with(&format!(".{item}")))
    });
    let name = if is_plain { "HTTP_PROXY" } else { "HTTPS_PROXY" };
    value(name).filter(|_| !exempt).map(str::to_owned)
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::net::TcpListener;

    fn endpoint(variables: &[(&str, &str)]) -> String {
        let process: BTreeMap<_, _> = variables.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Endpoint::of(&Environment::gather(&process, &[], |_| Err(std::io::ErrorKind::NotFound.into()))).to_string()
    }

    #[test]
    fn hosts_and_ports_of_urls() {
        for (url, shown) in [
            ("https://a.b", "a.b:443"),
            ("http://a.b/x", "a.b:80"),
            ("a.b:8443/x", "a.b:8443"),
            ("https://u:p@a.b:1?x", "a.b:1"),
            ("http://[::1]:81/", "[::1]:81"),
            ("https://[::1]", "[::1]:443"),
        ] {
            assert_eq!(endpoint(&[(BASE_URL, url)]), shown, "{url}");
        }
        assert_eq!(endpoint(&[]), "api.anthropic.com:443");
    }

    #[test]
    fn a_proxy_stands_before_the_host() {
        let proxy = ("https_proxy", "http://p:3128");
        assert_eq!(endpoint(&[proxy]), "p:3128");
        assert_eq!(endpoint(&[proxy, ("NO_PROXY", "x, .anthropic.com")]), "api.anthropic.com:443");
        assert_eq!(endpoint(&[proxy, (BASE_URL, "http://127.0.0.1:9")]), "127.0.0.1:9", "another scheme");
    }

    #[test]
    fn a_listener_is_reachable_until_it_is_closed() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = Endpoint { host: "127.0.0.1".to_owned(), port: listener.local_addr().unwrap().port() };
        assert!(endpoint.is_reachable());
        drop(listener);
        assert!(!endpoint.is_reachable());
    }
}
