use super::Origin;
use super::claim::{Masked, masked};
use super::gather::{Environment, Reading};
use serde::Serialize;

/// Where every setting comes from: who claims it, and who else would have. Secrets are masked, always.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The places that were looked at, in their order.
    pub sources: Vec<ExplainedSource>,
    /// The settings by key.
    pub settings: Vec<ExplainedSetting>,
}

/// A place that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExplainedSource {
    /// What kind of source it is.
    pub origin: Origin,
    /// Its file; `None` for the environment of the process.
    pub file: Option<String>,
    /// How reading it went.
    pub reading: Reading,
}

/// A setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExplainedSetting {
    /// The key.
    pub key: String,
    /// What counts.
    #[serde(flatten)]
    pub winner: ExplainedValue,
    /// What does not count, because a source before it claims the key.
    pub shadowed: Vec<ExplainedValue>,
}

/// A value and its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExplainedValue {
    /// The value, masked if it is a secret.
    pub value: Masked,
    /// What kind of source gives it.
    pub origin: Origin,
    /// Its file; `None` for the environment of the process.
    pub file: Option<String>,
    /// Line, counted from 1.
    pub line: Option<u64>,
}

impl ExplainedValue {
    /// Its place in words.
    pub fn place(&self) -> String {
        match (&self.file, self.line) {
            (None, _) => "the environment".to_owned(),
            (Some(file), None) => file.clone(),
            (Some(file), Some(line)) => format!("{file}:{line}"),
        }
    }
}

impl Environment {
    /// Where every setting comes from.
    pub fn explanation(&self) -> Explanation {
        let file = |file: &String| Some(file.clone()).filter(|file| !file.is_empty());
        let value = |key: &str, value: &str, source: usize, line| {
            let source = self.sources().get(source);
            let origin = source.map_or(Origin::Process, |source| source.origin);
            ExplainedValue {
                value: masked(key, value),
                origin,
                file: source.and_then(|source| file(&source.file)),
                line,
            }
        };
        let sources = self.sources().iter().map(|source| ExplainedSource {
            origin: source.origin,
            file: file(&source.file),
            reading: source.reading,
        });
        let settings = self.claims().map(|claim| ExplainedSetting {
            key: claim.key.clone(),
            winner: value(&claim.key, &claim.value, claim.source, claim.line),
            shadowed: claim
                .shadowed
                .iter()
                .map(|other| value(&claim.key, &other.value, other.source, other.line))
                .collect(),
        });
        Explanation { sources: sources.collect(), settings: settings.collect() }
    }
}
