use super::candidates::{Candidate, Origin};
use super::claim::{Claim, Shadowed};
use super::trap::{Trap, Warning};
use super::{API_KEY, AUTH_TOKEN, KNOWN, dotenv, settings_json};
use crate::unit::Finding;
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::Path;
use thiserror::Error;

/// How reading a source went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Reading {
    /// It was read.
    Read,
    /// There is none.
    Absent,
    /// It is there and could not be read, or not understood.
    Skipped,
}

/// A place that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// What kind of source it is.
    pub origin: Origin,
    /// Its file; empty for the environment of the process.
    pub file: String,
    /// How reading it went.
    pub reading: Reading,
}

/// The settings of a run: who claims each key, in the order of the sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    sources: Vec<Source>,
    claims: BTreeMap<String, Claim>,
    warnings: Vec<Warning>,
}

/// There is nothing to sign in with.
#[derive(Debug, Error, PartialEq, Eq)]
#[error(
    "no credentials: neither ANTHROPIC_API_KEY nor ANTHROPIC_AUTH_TOKEN has a value\n  \
     - set one of them, or run `flower-run setup`\n  \
     - `flower-run env-explain` shows where they were looked for, and why a line did not count"
)]
pub struct NoCredentials;

impl Environment {
    /// Asks every source in its order. `process` is the environment of the process, `read` reads a file.
    ///
    /// A source that cannot be read is skipped with a warning: the others still count.
    pub fn gather(
        process: &BTreeMap<String, String>,
        candidates: &[Candidate],
        read: impl Fn(&Path) -> io::Result<Vec<u8>>,
    ) -> Self {
        let start = Source { origin: Origin::Process, file: String::new(), reading: Reading::Read };
        let mut environment = Self { sources: vec![start], claims: BTreeMap::new(), warnings: Vec::new() };
        for (key, value) in process {
            environment.claim(key, value, 0, None);
        }
        for candidate in candidates {
            let file = candidate.path.display().to_string();
            let reading = environment.take(candidate, &file, read(&candidate.path));
            environment.sources.push(Source { origin: candidate.origin, file, reading });
        }
        environment.judge();
        environment
    }

    fn take(&mut self, candidate: &Candidate, file: &str, read: io::Result<Vec<u8>>) -> Reading {
        let bytes = match read {
            Ok(bytes) => bytes,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Reading::Absent;
            }
            Err(error) => {
                self.warn(Trap::Unreadable { reason: error.to_string() }, file, None);
                return Reading::Skipped;
            }
        };
        let source = self.sources.len();
        if candidate.origin.is_settings() {
            return match settings_json::parse(&bytes) {
                Ok(found) => {
                    for (key, value) in &found {
                        self.claim(key, value, source, None);
                    }
                    Reading::Read
                }
                Err(reason) => {
                    self.warn(Trap::BrokenSettings { reason }, file, None);
                    Reading::Skipped
                }
            };
        }
        let (assignments, traps) = dotenv::parse(&bytes);
        let is_skipped = traps.iter().any(|(_, trap)| *trap == Trap::NotUtf8);
        for (line, trap) in traps {
            self.warn(trap, file, line);
        }
        for a in &assignments {
            self.claim(&a.key, &a.value, source, Some(a.line));
        }
        if is_skipped { Reading::Skipped } else { Reading::Read }
    }

    /// The first claim of a key wins, also an empty one.
    fn claim(&mut self, key: &str, value: &str, source: usize, line: Option<u64>) {
        if let Some(claim) = self.claims.get_mut(key) {
            claim.shadowed.push(Shadowed { source, line, value: value.to_owned() });
            return;
        }
        let (key, value) = (key.to_owned(), value.to_owned());
        self.claims.insert(key.clone(), Claim { key, value, source, line, shadowed: Vec::new() });
    }

    fn warn(&mut self, trap: Trap, file: &str, line: Option<u64>) {
        self.warnings.push(Warning { trap, file: Some(file.to_owned()), line });
    }

    /// What only shows when all sources are known.
    fn judge(&mut self) {
        let exported_empty =
            KNOWN.into_iter().filter(|key| self.claims.get(*key).is_some_and(|claim| claim.source == 0));
        let empty: Vec<_> = exported_empty.filter(|key| self.value(key).is_none()).collect();
        let whole = |trap| Warning { trap, file: None, line: None };
        self.warnings.extend(empty.into_iter().map(|key| whole(Trap::EmptyClaim { key: key.to_owned() })));
        match (self.value(API_KEY), self.value(AUTH_TOKEN)) {
            (None, None) => self.warnings.push(whole(Trap::NoCredentials)),
            (Some(_), Some(_)) => self.warnings.push(whole(Trap::TwoCredentials)),
            (Some(_), None) | (None, Some(_)) => {}
        }
    }

    /// The value of a key, if it is not empty.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.claims.get(key).map(|claim| claim.value.as_str()).filter(|value| !value.is_empty())
    }

    /// Every key with its value, empty ones too.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        self.claims.values().map(|claim| (claim.key.as_str(), claim.value.as_str()))
    }

    /// Claims by key: of the process only those that any file claims too, or that are known; the rest of a process's
    /// environment has nothing to do with the run.
    pub fn claims(&self) -> impl Iterator<Item = &Claim> {
        let matters =
            |claim: &&Claim| claim.source > 0 || !claim.shadowed.is_empty() || KNOWN.contains(&claim.key.as_str());
        self.claims.values().filter(matters)
    }

    /// The places that were looked at, in their order.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The traps that were hit, in the order of the sources.
    pub fn findings(&self) -> Vec<Finding> {
        self.warnings.iter().map(Warning::finding).collect()
    }

    /// Fails if there is nothing to sign in with.
    pub fn credentials(&self) -> Result<(), NoCredentials> {
        self.value(API_KEY).or(self.value(AUTH_TOKEN)).map(drop).ok_or(NoCredentials)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{candidates, only};
    use super::*;

    const HOME: (&str, &str) = ("HOME", "/h");

    fn gather(process: &[(&str, &str)], files: &[(&str, &str)]) -> Environment {
        let process = process.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        gather_from(&process, &candidates(&process, Path::new("/w")), files)
    }

    fn gather_from(process: &BTreeMap<String, String>, from: &[Candidate], files: &[(&str, &str)]) -> Environment {
        let files: BTreeMap<_, _> = files.iter().copied().collect();
        Environment::gather(process, from, |path| match files.get(path.to_str().unwrap()) {
            Some(&"DENIED") => Err(ErrorKind::PermissionDenied.into()),
            Some(text) => Ok(text.as_bytes().to_vec()),
            None => Err(ErrorKind::NotFound.into()),
        })
    }

    fn winner<'a>(environment: &'a Environment, key: &str) -> (&'a str, Origin) {
        let claim = environment.claims.get(key).unwrap();
        (claim.value.as_str(), environment.sources.get(claim.source).unwrap().origin)
    }

    #[test]
    fn the_first_claim_wins_per_key_and_not_per_file() {
        let settings = r#"{"env": {"ANTHROPIC_API_KEY": "settings", "ANTHROPIC_BASE_URL": "settings", "OTHER": "x"}}"#;
        let local = r#"{"env": {"ANTHROPIC_BASE_URL": "local", "CLAUDE_CODE_EFFORT_LEVEL": "local"}}"#;
        let files = [
            ("/named", "B=named\nC=named"),
            ("/w/.env", "C=folder\nD=folder\nFLOWER_ENV=/elsewhere"),
            ("/h/.config/flower/.env", "D=user\nE=user"),
            ("/h/.claude/settings.json", settings),
            ("/h/.claude/settings.local.json", local),
        ];
        let all = gather(&[HOME, ("FLOWER_ENV", "/named"), ("A", "process"), ("B", "process")], &files);
        for (key, value, origin) in [
            ("A", "process", Origin::Process),
            ("B", "process", Origin::Process),
            ("C", "named", Origin::NamedFile),
            ("D", "folder", Origin::CurrentFolder),
            ("E", "user", Origin::User),
            ("ANTHROPIC_API_KEY", "settings", Origin::Settings),
            ("ANTHROPIC_BASE_URL", "settings", Origin::Settings),
            ("CLAUDE_CODE_EFFORT_LEVEL", "local", Origin::LocalSettings),
        ] {
            assert_eq!(winner(&all, key), (value, origin), "{key}");
        }
        assert_eq!(all.value("OTHER"), None);
        let shown: Vec<_> = all.claims().map(|claim| claim.key.as_str()).collect();
        assert!(!shown.contains(&"A") && shown.contains(&"B"), "{shown:?}");
    }

    #[test]
    fn an_empty_claim_stops_the_sources_below() {
        let below = [("/h/.config/flower/.env", "ANTHROPIC_API_KEY=sk-ant-fake-0000")];
        let codes = |e: &Environment| e.findings().iter().map(|f| f.code).collect::<Vec<_>>();
        let exported = gather(&[HOME, (API_KEY, "")], &below);
        assert_eq!(
            (exported.credentials(), codes(&exported)),
            (Err(NoCredentials), vec!["env-empty-claim", "env-no-credentials"])
        );
        let written = gather(&[HOME], &[below[0], ("/w/.env", "ANTHROPIC_API_KEY=")]);
        assert_eq!(
            (written.credentials(), codes(&written)),
            (Err(NoCredentials), vec!["env-empty-claim", "env-no-credentials"])
        );
        assert_eq!(gather(&[HOME], &below).credentials(), Ok(()));
    }

    #[test]
    fn a_named_file_has_no_fallback() {
        let process = BTreeMap::from([("HOME".to_owned(), "/h".to_owned())]);
        let files = [
            ("/w/a.env", "A=1"),
            ("/w/.env", "B=1"),
            ("/h/.claude/settings.json", r#"{"env": {"ANTHROPIC_API_KEY": "k"}}"#),
        ];
        let found = gather_from(&process, &only(Path::new("a.env"), Path::new("/w")), &files);
        assert_eq!((found.value("A"), found.value("B"), found.credentials()), (Some("1"), None, Err(NoCredentials)));
    }

    #[test]
    fn what_cannot_be_read_is_told_and_skipped() {
        let files = [
            ("/w/.env", "DENIED"),
            ("/h/.claude/settings.json", "{"),
            ("/h/.config/flower/.env", "ANTHROPIC_AUTH_TOKEN=t"),
        ];
        let found = gather(&[HOME], &files);
        let codes: Vec<_> = found.findings().iter().map(|f| f.code).collect();
        assert_eq!(codes, ["env-unreadable", "env-broken-settings"]);
        let readings: Vec<_> = found.sources().iter().map(|s| s.reading).collect();
        assert_eq!(readings, [Reading::Read, Reading::Skipped, Reading::Read, Reading::Skipped, Reading::Absent]);
    }

    #[test]
    fn both_credentials_are_told() {
        let both = gather(&[(API_KEY, "a"), (AUTH_TOKEN, "b")], &[]);
        assert_eq!(both.findings()[0].code, "env-two-credentials");
    }
}
