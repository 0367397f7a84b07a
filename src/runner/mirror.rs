use crate::run_dir::names::{AGENT_META_ENDING, SUBAGENTS, TRANSCRIPT_EXTENSION};

/// The store key of a transcript file below `projects`, the folder as it was given to the CLI: `<key>/<sid>.jsonl`, or
/// `<key>/<sid>/subagents/…/agent-X.jsonl` (spec/runner.md, section 12). `None` for any other file.
pub(super) fn store_key(projects: &str, file: &str) -> Option<String> {
    let relative = file.strip_prefix(projects)?.strip_prefix('/')?;
    let key = relative.strip_suffix(TRANSCRIPT_EXTENSION)?.strip_suffix('.')?;
    let parts: Vec<&str> = key.split('/').collect();
    let is_safe = parts.iter().all(|part| is_safe(part));
    let is_known = match parts.as_slice() {
        [_, _] => true,
        [_, _, folder, .., agent] => *folder == SUBAGENTS && agent.starts_with("agent-"),
        _ => false,
    };
    (is_safe && is_known).then(|| key.to_owned())
}

/// The files of a subagent below the folder of its main thread: its transcript and what is known about it. `None` for a
/// subpath that would leave the folder.
pub(super) fn subagent_files(subpath: &str) -> Option<(String, String)> {
    subpath
        .split('/')
        .all(is_safe)
        .then(|| (format!("{subpath}.{TRANSCRIPT_EXTENSION}"), format!("{subpath}{AGENT_META_ENDING}")))
}

fn is_safe(part: &str) -> bool {
    !part.is_empty() && part != "." && part != ".." && !part.contains('\0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_transcripts_have_a_key() {
        let key = |file: &str| store_key("/c/projects", file);
        assert_eq!(key("/c/projects/-w/s.jsonl").as_deref(), Some("-w/s"));
        assert_eq!(
            key("/c/projects/-w/s/subagents/workflows/agent-a.jsonl").as_deref(),
            Some("-w/s/subagents/workflows/agent-a")
        );
        for other in [
            "/c/projects/-w/s.meta.json",
            "/c/projects/s.jsonl",
            "/c/projects/-w/../s.jsonl",
            "/c/projects/-w/s/subagents/x.jsonl",
            "/c/projects/-w/s/other/agent-a.jsonl",
            "/c/projectsx/-w/s.jsonl",
            "/d/-w/s.jsonl",
            "/c/projects/-w/s/subagents/../agent-a.jsonl",
        ] {
            assert_eq!(key(other), None, "{other}");
        }
    }

    #[test]
    fn unsafe_subpaths_have_no_files() {
        assert_eq!(
            subagent_files("subagents/agent-a"),
            Some(("subagents/agent-a.jsonl".to_owned(), "subagents/agent-a.meta.json".to_owned()))
        );
        for path in ["", "/etc/x", "a/../../x", "a\0"] {
            assert_eq!(subagent_files(path), None, "{path:?}");
        }
    }
}
