use serde::Serialize;

/// A setting: who gave it, and who else would have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The key.
    pub key: String,
    /// The value that counts.
    pub value: String,
    /// Index of the source that gave it.
    pub source: usize,
    /// Line in that source, counted from 1.
    pub line: Option<u64>,
    /// Sources further down that have the key too, in their order.
    pub shadowed: Vec<Shadowed>,
}

/// A value that does not count, because a source before it claims the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shadowed {
    /// Index of the source.
    pub source: usize,
    /// Line in that source, counted from 1.
    pub line: Option<u64>,
    /// Its value.
    pub value: String,
}

/// A value as it may be shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Masked(String);

impl Masked {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Names of keys whose values are secrets hold one of these.
const SECRET: [&str; 4] = ["TOKEN", "KEY", "SECRET", "PASSWORD"];

/// Shorter secrets are hidden whole: four characters would be half of them.
const SHORTEST_WITH_HEAD: usize = 12;

/// `value` as it may be shown: of a secret the first four characters and how long it is (spec/runner.md, section 4), of a
/// URL everything but a user's name and password.
pub fn masked(key: &str, value: &str) -> Masked {
    let upper = key.to_ascii_uppercase();
    let count = value.chars().count();
    Masked(match count {
        _ if !SECRET.iter().any(|word| upper.contains(word)) => without_user(value),
        0 => String::new(),
        1..SHORTEST_WITH_HEAD => format!("***(共 {count} 位)"),
        _ => format!("{}***(共 {count} 位)", value.chars().take(4).collect::<String>()),
    })
}

fn without_user(value: &str) -> String {
    let parts = value.split_once("://").and_then(|(scheme, rest)| {
        let host = rest.split(['/', '?', '#']).next()?;
        let (_, host_alone) = host.rsplit_once('@')?;
        Some(format!("{scheme}://***@{host_alone}{}", rest.strip_prefix(host)?))
    });
    parts.unwrap_or_else(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_show_four_characters() {
        let shown = |key, value| masked(key, value).as_str().to_owned();
        assert_eq!(shown("ANTHROPIC_API_KEY", "sk-ant-fake-0000"), "sk-a***(共 16 位)");
        assert_eq!(shown("my_password", "密码密码密码密码密码密码"), "密码密码***(共 12 位)");
        assert_eq!(shown("TOKEN", "short"), "***(共 5 位)");
        assert_eq!(shown("TOKEN", ""), "");
        assert_eq!(shown("ANTHROPIC_MODEL", "m[1m]"), "m[1m]");
        assert_eq!(shown("ANTHROPIC_BASE_URL", "https://a:b@c:1/d@e"), "https://***@c:1/d@e");
        assert_eq!(shown("ANTHROPIC_BASE_URL", "https://c/d@e"), "https://c/d@e");
    }
}
