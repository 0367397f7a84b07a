use super::args::CommonArgs;
use super::exit::Exit;
use super::load::{Loaded, load};
use super::output;
use super::target::Target;
use crate::analysis::{EntryName, Selection, ShownEntry, shown_entries, shown_entry};
use crate::report::views::{self, Opening};
use crate::session::{Ix, SessionModel};
use anyhow::{Context, Result, bail};
use serde::Serialize;

/// Show an entry in full with its links and neighbours, or all entries of a session in one line each
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Run directory, sessions.db, .jsonl transcript or folder of transcripts [default: runs]
    #[arg(value_name = "SOURCE", allow_hyphen_values = true)]
    first: Option<String>,
    /// What to show, by any unique beginning
    #[arg(value_name = "SESSION[:SEQ|:UUID]", allow_hyphen_values = true)]
    second: Option<String>,
    /// Print the payload as it is stored, byte for byte; the payloads of a whole session one a line
    #[arg(long, conflicts_with = "format")]
    raw: bool,
    #[command(flatten)]
    common: CommonArgs,
}

#[derive(Serialize)]
struct Shown {
    entries: Vec<ShownEntry>,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit> {
        let target = Target::of(&[&self.first, &self.second])?;
        let Some(name) = target.name.or_else(|| self.common.session.clone()) else {
            bail!(
                "name what to show: SESSION, SESSION:SEQ or SESSION:UUID; `flower-analyze sessions` lists the sessions"
            );
        };
        let (session_name, entry_name) = match name.split_once(':') {
            Some((session, entry)) => (session, Some(entry)),
            None => (name.as_str(), None),
        };
        let loaded = load(&self.common, &target.source)?;
        let at = Selection::one(&loaded.model, session_name)?;
        let session = loaded.model.sessions.get(at).context("the session is gone")?;
        let entry = entry_name.map(|name| EntryName(name).find(session)).transpose()?;
        if self.raw {
            return self.print_raw(&loaded, session, entry);
        }
        let entries = match entry {
            Some(ix) => shown_entry(session, ix, &loaded.payload(session, ix)?).into_iter().collect(),
            None => shown_entries(session),
        };
        let store_key = session.store_key().to_owned();
        let findings = loaded.findings(&Selection::only(&loaded.model, at));
        let result = Shown { entries };
        let page = |opening: &Opening| match (entry, result.entries.as_slice()) {
            (Some(_), [entry]) => views::show_entry(entry, opening),
            (_, entries) => views::show_session(entries, &store_key, opening),
        };
        loaded.finish(&self.common, "show", &result, &findings, page)
    }

    /// The bytes of the payloads, untouched: `--reveal` makes no difference, since nothing is masked in raw bytes.
    fn print_raw(&self, loaded: &Loaded, session: &SessionModel, entry: Option<Ix>) -> Result<Exit> {
        let mut bytes = Vec::new();
        match entry {
            Some(ix) => bytes = loaded.payload(session, ix)?,
            None => {
                for (ix, _) in session.entries() {
                    bytes.extend(loaded.payload(session, ix)?);
                    bytes.push(b'\n');
                }
            }
        }
        output::write_bytes(&self.common, &bytes)?;
        Ok(Exit::Done)
    }
}
