use crate::run_dir::{Kind, StoreKey};
use crate::session::{Ix, Model, SessionModel};
use crate::unit::Finding;
use std::collections::BTreeSet;
use thiserror::Error;

/// How many candidates an error lists.
const MAX_LISTED: usize = 8;

/// The sessions that a command looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    chosen: Vec<bool>,
    prefix: Option<String>,
}

/// A name that does not name one thing.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum SelectionError {
    /// No session has it.
    #[error(
        "no session begins with {prefix:?}: expected the beginning of a session id, agent id or store key; {known}"
    )]
    UnknownSession {
        /// As given.
        prefix: String,
        /// What there is.
        known: String,
    },
    /// Several sessions have it.
    #[error("{prefix:?} names {count} sessions: {candidates}; give more characters")]
    AmbiguousSession {
        /// As given.
        prefix: String,
        /// How many.
        count: usize,
        /// The first of them.
        candidates: String,
    },
    /// No entry has it.
    #[error("no entry of {store_key} has the sequence number or a uuid that begins with {name:?}: {known}")]
    UnknownEntry {
        /// The session.
        store_key: String,
        /// As given.
        name: String,
        /// What there is.
        known: String,
    },
    /// Several entries have it.
    #[error(
        "{name:?} names {count} entries of {store_key}, at {candidates}; give more characters or the sequence number"
    )]
    AmbiguousEntry {
        /// The session.
        store_key: String,
        /// As given.
        name: String,
        /// How many.
        count: usize,
        /// The first of them.
        candidates: String,
    },
}

impl Selection {
    /// Every session.
    pub fn all(model: &Model) -> Self {
        Self { chosen: vec![true; model.sessions.len()], prefix: None }
    }

    /// Only the session at this index.
    pub fn only(model: &Model, at: usize) -> Self {
        let chosen = (0..model.sessions.len()).map(|other| other == at).collect();
        Self { chosen, prefix: model.sessions.get(at).map(|session| session.store_key().to_owned()) }
    }

    /// The session that `prefix` names; a main thread brings its subagents.
    pub fn with_subagents(model: &Model, prefix: &str) -> Result<Self, SelectionError> {
        let at = Self::one(model, prefix)?;
        let key_of = |session: &SessionModel| StoreKey::parse(session.store_key()).session.to_owned();
        let main = model.sessions.get(at).filter(|session| session.kind() == Kind::Main).map(key_of);
        let chosen = |(i, session): (usize, &SessionModel)| i == at || main.as_ref() == Some(&key_of(session));
        Ok(Self { chosen: model.sessions.iter().enumerate().map(chosen).collect(), prefix: Some(prefix.to_owned()) })
    }

    /// The index of the one session that `prefix` names. A whole name wins over longer ones that begin with it.
    pub fn one(model: &Model, prefix: &str) -> Result<usize, SelectionError> {
        let names = |session: &SessionModel| {
            let key = StoreKey::parse(session.store_key());
            [Some(session.store_key().to_owned()), Some(key.short().to_owned()), key.agent().map(ToOwned::to_owned)]
        };
        let find = |fits: &dyn Fn(&str) -> bool| -> Vec<usize> {
            let fitting = |session: &SessionModel| names(session).into_iter().flatten().any(|name| fits(&name));
            model.sessions.iter().enumerate().filter(|(_, session)| fitting(session)).map(|(at, _)| at).collect()
        };
        let whole = find(&|name| name == prefix);
        let found = if whole.len() == 1 { whole } else { find(&|name| !prefix.is_empty() && name.starts_with(prefix)) };
        let listed = |all: &[usize]| {
            let keys = all.iter().filter_map(|at| model.sessions.get(*at)).map(SessionModel::store_key);
            keys.take(MAX_LISTED).collect::<Vec<_>>().join(", ")
        };
        match found.as_slice() {
            [one] => Ok(*one),
            [] => {
                let all: Vec<usize> = (0..model.sessions.len()).collect();
                let known = match all.len() {
                    0 => "the source has no session".to_owned(),
                    n if n > MAX_LISTED => format!("the source has {n} sessions, such as {}", listed(&all)),
                    _ => format!("the source has {}", listed(&all)),
                };
                Err(SelectionError::UnknownSession { prefix: prefix.to_owned(), known })
            }
            several => Err(SelectionError::AmbiguousSession {
                prefix: prefix.to_owned(),
                count: several.len(),
                candidates: listed(several),
            }),
        }
    }

    /// The findings about chosen sessions and about the source as a whole: the worst first, then by place.
    pub fn sort(&self, model: &Model, mut findings: Vec<Finding>) -> Vec<Finding> {
        if self.prefix.is_some() {
            let keys: BTreeSet<&str> = self.sessions(model).map(|(_, session)| session.store_key()).collect();
            findings.retain(|finding| finding.place.store_key.as_deref().is_none_or(|key| keys.contains(key)));
        }
        findings
            .sort_by(|a, b| b.level.cmp(&a.level).then_with(|| a.place.cmp(&b.place)).then_with(|| a.code.cmp(b.code)));
        findings
    }

    /// Whether the session at this index is chosen.
    pub fn has(&self, at: usize) -> bool {
        self.chosen.get(at).copied().unwrap_or(false)
    }

    /// Whether something was left out, and by which prefix.
    pub fn prefix(&self) -> Option<&str> {
        self.prefix.as_deref()
    }

    /// The chosen sessions with their indices.
    pub fn sessions<'a>(&self, model: &'a Model) -> impl Iterator<Item = (usize, &'a SessionModel)> {
        model.sessions.iter().enumerate().filter(|(at, _)| self.has(*at))
    }
}

/// Names an entry inside of a session: by sequence number or by the beginning of its uuid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryName<'a>(pub &'a str);

/// What a name inside of a session names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// An entry.
    Entry(Ix),
    /// A row that is no entry, by its place among the session's defects.
    Defect(usize),
}

impl EntryName<'_> {
    /// The row of `session` with this name. A number is a sequence number, anything else the beginning of a uuid.
    pub fn find(self, session: &SessionModel) -> Result<Named, SelectionError> {
        let name = self.0;
        let unknown = || SelectionError::UnknownEntry {
            store_key: session.store_key().to_owned(),
            name: name.to_owned(),
            known: known_entries(session),
        };
        if let Ok(seq) = name.parse::<i64>() {
            let entry = session.entries().find(|(_, entry)| entry.seq == seq).map(|(ix, _)| Named::Entry(ix));
            let defect =
                || session.session.defects.iter().position(|defect| defect.seq == Some(seq)).map(Named::Defect);
            return entry.or_else(defect).ok_or_else(unknown);
        }
        let begins = |uid: &crate::transcript::Uid| !name.is_empty() && uid.to_string().starts_with(name);
        let found: Vec<Ix> =
            session.entries().filter(|(_, entry)| entry.uuid.as_ref().is_some_and(begins)).map(|(ix, _)| ix).collect();
        match found.as_slice() {
            [one] => Ok(Named::Entry(*one)),
            [] => Err(unknown()),
            several => Err(SelectionError::AmbiguousEntry {
                store_key: session.store_key().to_owned(),
                name: name.to_owned(),
                count: several.len(),
                candidates: several
                    .iter()
                    .take(MAX_LISTED)
                    .map(|ix| session.seq(*ix).to_string())
                    .collect::<Vec<_>>()
                    .join(", "),
            }),
        }
    }
}

fn known_entries(session: &SessionModel) -> String {
    match (session.session.entries.first(), session.session.entries.last()) {
        (Some(first), Some(last)) => format!("its sequence numbers go from {} to {}", first.seq, last.seq),
        _ => "it has no entry".to_owned(),
    }
}
