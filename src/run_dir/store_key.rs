use super::names::SUBAGENTS;

/// What a store key belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// `<project>/<session>`: a main thread.
    Main,
    /// `<project>/<session>/subagents/…`: a subagent.
    Subagent,
    /// Any other shape.
    Other,
}

/// A view of a store key's parts. The project part is a lossy mapping of a path and is never reversed.
///
/// Source: spec/run-directory.md, `store_key`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreKey<'a> {
    /// The folder the run was started in, with its separators replaced.
    pub project: &'a str,
    /// The session id.
    pub session: &'a str,
    /// What follows the session, such as `subagents/agent-a1b2`.
    pub subpath: Option<&'a str>,
}

impl<'a> StoreKey<'a> {
    /// Splits a key at its first two slashes; missing parts are empty.
    pub fn parse(key: &'a str) -> Self {
        let mut parts = key.splitn(3, '/');
        Self {
            project: parts.next().unwrap_or_default(),
            session: parts.next().unwrap_or_default(),
            subpath: parts.next().filter(|s| !s.is_empty()),
        }
    }

    /// What the key belongs to.
    pub fn kind(self) -> Kind {
        match self.subpath {
            _ if self.session.is_empty() => Kind::Other,
            None => Kind::Main,
            Some(path) if path.split('/').next() == Some(SUBAGENTS) => Kind::Subagent,
            Some(_) => Kind::Other,
        }
    }

    /// The agent id of a subagent, without `agent-`.
    pub fn agent(self) -> Option<&'a str> {
        let last = self.subpath?.rsplit('/').next()?;
        Some(last.strip_prefix("agent-").unwrap_or(last))
    }

    /// The shortest text that names the key among its siblings: the session id, or `agent-<id>` for a subagent.
    pub fn short(self) -> &'a str {
        match self.subpath {
            Some(path) => path.rsplit('/').next().unwrap_or(path),
            None if self.session.is_empty() => self.project,
            None => self.session,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tell_main_threads_from_subagents() {
        let main = StoreKey::parse("-w-demo/82f57757");
        assert_eq!((main.kind(), main.short(), main.agent()), (Kind::Main, "82f57757", None));
        let sub = StoreKey::parse("-w-demo/82f57757/subagents/agent-a53b");
        assert_eq!((sub.kind(), sub.short(), sub.agent()), (Kind::Subagent, "agent-a53b", Some("a53b")));
        for odd in ["", "alone", "a/b/else/c", "/"] {
            assert_eq!(StoreKey::parse(odd).kind(), Kind::Other, "{odd}");
        }
    }
}
