use crate::run_dir::names::DEFAULT_SOURCE;
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};

/// A source and what is looked at in it, from the arguments of a command that takes both.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) source: PathBuf,
    pub(super) name: Option<String>,
}

impl Target {
    /// `[SOURCE] [NAME]`: of a single argument, something that exists is a source and anything else a name in the default
    /// source. Two arguments may come in either order.
    ///
    /// Store keys begin with the `-` of an absolute path, so words that are no known option arrive here too.
    pub(super) fn of(words: &[&Option<String>]) -> Result<Self> {
        let words: Vec<String> = words.iter().filter_map(|word| (*word).clone()).collect();
        if let Some(option) = words.iter().find(|word| word.starts_with("--") && !word.contains('/')) {
            bail!("there is no option {option}; --help lists all of them");
        }
        let exists = |word: &String| Path::new(word).exists();
        let default = || PathBuf::from(DEFAULT_SOURCE);
        match words.as_slice() {
            [] => Ok(Self { source: default(), name: None }),
            [one] if exists(one) || looks_like_path(one) => Ok(Self { source: one.into(), name: None }),
            [one] => Ok(Self { source: default(), name: Some(one.clone()) }),
            [name, source] if !exists(name) && exists(source) => {
                Ok(Self { source: source.into(), name: Some(name.clone()) })
            }
            [source, name] => Ok(Self { source: source.into(), name: Some(name.clone()) }),
            _ => bail!("too many arguments: expected a source and a name"),
        }
    }
}

/// Session ids and uuids hold no dots or slashes; store keys hold slashes, but begin with the `-` of an absolute path.
fn looks_like_path(word: &str) -> bool {
    let has_extension = Path::new(word).extension().is_some_and(|extension| extension == "db" || extension == "jsonl");
    has_extension || word.starts_with('.') || (word.contains('/') && !word.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(words: &[&str]) -> (String, Option<String>) {
        let words: Vec<_> = words.iter().map(|word| Some((*word).to_owned())).collect();
        let target = Target::of(&words.iter().collect::<Vec<_>>()).unwrap();
        (target.source.display().to_string(), target.name)
    }

    #[test]
    fn a_source_is_told_from_a_name() {
        let name = |name: &str| Some(name.to_owned());
        assert_eq!(target(&[]), ("runs".to_owned(), None));
        assert_eq!(target(&["82f5"]), ("runs".to_owned(), name("82f5")));
        assert_eq!(target(&["no/such/runs"]), ("no/such/runs".to_owned(), None));
        assert_eq!(target(&["src", "82f5"]), ("src".to_owned(), name("82f5")));
        assert_eq!(target(&["src", "-opt-w/82f5"]), ("src".to_owned(), name("-opt-w/82f5")));
        assert!(Target::of(&[&Some("--chekc".to_owned())]).is_err());
        assert_eq!(target(&["82f5:3", "src"]), ("src".to_owned(), name("82f5:3")));
    }
}
