use super::network::{USUAL, proxy};
use crate::environment::{API_KEY, AUTH_TOKEN, BASE_URL, Environment, HAIKU_MODEL, MODEL};
use std::io::Read;
use std::time::Duration;
use ureq::Agent;
use ureq::Proxy;
use ureq::http::Uri;
use ureq::http::uri::Authority;

/// The model that is asked where none is set.
const USUAL_MODEL: &str = "claude-3-5-haiku-20241022";

/// Bytes of an answer that are read.
const MAX_BODY: u64 = 4096;

/// Characters of an answer that are shown.
const MAX_SHOWN: usize = 200;

/// What a refusal of the model says.
const NO_MODEL: [&str; 6] =
    ["not_found", "not found", "does not exist", "unknown model", "no such model", "invalid model"];

/// What a small request tells about the credential (spec/runner.md, section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum Verdict {
    /// It works, or nothing can be told: a run may begin.
    Ok,
    /// The credential is refused.
    Auth,
    /// The address or the model is wrong.
    Config,
    /// The server cannot be reached, or fails.
    Net,
}

/// Sends one small request.
pub(super) fn probe(environment: &Environment, timeout: Duration) -> (Verdict, String) {
    let (key, token) = (environment.value(API_KEY), environment.value(AUTH_TOKEN));
    if key.is_none() && token.is_none() {
        return (Verdict::Auth, "there is no credential".to_owned());
    }
    let base = environment.value(BASE_URL).unwrap_or(USUAL).trim_end_matches('/');
    let base = if base.contains("://") { base.to_owned() } else { format!("https://{base}") };
    if !is_address(&base) {
        let text = format!("{BASE_URL} is {base}; expected http:// or https:// with a host, and a port up to 65535");
        return (Verdict::Config, text);
    }
    let mut request = agent(environment, &base, timeout).post(format!("{base}/v1/messages"));
    request = request.header("anthropic-version", "2023-06-01").header("content-type", "application/json");
    // The CLI sends both where both are set.
    if let Some(key) = key {
        request = request.header("x-api-key", key);
    }
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let body = format!(
        r#"{{"model":{},"max_tokens":16,"messages":[{{"role":"user","content":"hi"}}]}}"#,
        super::json::quoted(model(environment))
    );
    match request.send(body.as_bytes()) {
        Ok(mut answer) => {
            let mut body = Vec::new();
            // What could not be read cannot be judged; the status can.
            let _ = answer.body_mut().as_reader().take(MAX_BODY).read_to_end(&mut body);
            judge(answer.status().as_u16(), &String::from_utf8_lossy(&body))
        }
        // What cannot be sent, such as a credential with a line break, cannot be sent later either.
        Err(error @ (ureq::Error::BadUri(_) | ureq::Error::Http(_))) => (Verdict::Config, error.to_string()),
        Err(error) => (Verdict::Net, error.to_string()),
    }
}

/// Whether a request can be sent to it at all.
fn is_address(base: &str) -> bool {
    let Ok(uri) = base.parse::<Uri>() else { return false };
    let is_web = matches!(uri.scheme_str(), Some("http" | "https"));
    let is_port = |authority: &Authority| {
        let after_host = authority.as_str().rsplit_once('@').map_or(authority.as_str(), |(_, host)| host);
        after_host.len() == authority.host().len() || authority.port_u16().is_some()
    };
    is_web && uri.authority().is_some_and(|authority| !authority.host().is_empty() && is_port(authority))
}

/// The model without the mark of a long context, which the CLI turns into a header.
fn model(environment: &Environment) -> &str {
    let model = environment.value(HAIKU_MODEL).or_else(|| environment.value(MODEL)).unwrap_or(USUAL_MODEL);
    model.strip_suffix("[1m]").unwrap_or(model)
}

fn agent(environment: &Environment, base: &str, timeout: Duration) -> Agent {
    let host = base.split_once("://").map_or(base, |(_, rest)| rest).split(['/', ':']).next().unwrap_or_default();
    let proxy = proxy(environment, base.starts_with("http://"), host).and_then(|proxy| Proxy::new(&proxy).ok());
    // A redirection is an answer: following it would hand the credential to whatever host it names.
    let config = Agent::config_builder().timeout_global(Some(timeout)).http_status_as_error(false).max_redirects(0);
    config.proxy(proxy).build().into()
}

fn judge(status: u16, body: &str) -> (Verdict, String) {
    let lower = body.to_lowercase();
    let verdict = match status {
        401 | 403 => Verdict::Auth,
        300..400 | 404 => Verdict::Config,
        400 if NO_MODEL.iter().any(|text| lower.contains(text)) => Verdict::Config,
        500.. => Verdict::Net,
        _ => Verdict::Ok,
    };
    let shown: String = body.chars().take(MAX_SHOWN).collect();
    (verdict, if verdict == Verdict::Ok { format!("status {status}") } else { format!("status {status}: {shown}") })
}
