use super::args::CommonArgs;
use super::exit::Exit;
use super::load::{Loaded, load};
use super::output;
use super::target::Target;
use crate::analysis::{EntryName, Named, Selection, ShownDefect, ShownEntry};
use crate::analysis::{shown_defect, shown_defects, shown_entries, shown_entry};
use crate::report::views::{self, Opening};
use crate::run_dir::Position;
use crate::session::SessionModel;
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

#[derive(Default, Serialize)]
struct Shown {
    entries: Vec<ShownEntry>,
    defects: Vec<ShownDefect>,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit> {
        let target = Target::of(&[&self.first, &self.second])?;
        let Some(name) = target.name.or_else(|| self.common.session.clone()) else {
            bail!(
                "name what to show: SESSION, SESSION:SEQ or SESSION:UUID; `flower-analyze sessions` lists the sessions"
            );
        };
        let (session_name, row_name) = match name.split_once(':') {
            Some((session, row)) => (session, Some(row)),
            None => (name.as_str(), None),
        };
        let loaded = load(&self.common, &target.source)?;
        let at = Selection::one(&loaded.model, session_name)?;
        let session = loaded.model.sessions.get(at).context("the session is gone")?;
        let named = row_name.map(|name| EntryName(name).find(session)).transpose()?;
        if self.raw {
            output::write_bytes(&self.common, &raw(&loaded, session, named)?)?;
            return Ok(Exit::Done);
        }
        let result = shown(&loaded, session, named)?;
        let store_key = session.store_key().to_owned();
        let findings = loaded.findings(&Selection::only(&loaded.model, at));
        let page = |opening: &Opening| match (named, result.entries.as_slice(), result.defects.as_slice()) {
            (Some(_), [entry], []) => views::show_entry(entry, opening),
            (Some(_), [], [defect]) => views::show_defect(defect, opening),
            (_, entries, defects) => views::show_session(entries, defects, &store_key, opening),
        };
        loaded.finish(&self.common, "show", &result, &findings, page)
    }
}

fn shown(loaded: &Loaded, session: &SessionModel, named: Option<Named>) -> Result<Shown> {
    let mut shown = Shown::default();
    match named {
        None => (shown.entries, shown.defects) = (shown_entries(session), shown_defects(session)),
        Some(Named::Entry(ix)) => shown.entries.extend(shown_entry(session, ix, &loaded.payload(session, ix)?)),
        Some(Named::Defect(at)) => {
            let defect = session.session.defects.get(at).context("there is no such row")?;
            let content = loaded.row(session, defect.position)?;
            let content = content.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            shown.defects.push(ShownDefect { content, ..shown_defect(session, defect) });
        }
    }
    Ok(shown)
}

/// The bytes as they are stored; nothing is masked in them. Of a whole session every row once, each with a line end.
fn raw(loaded: &Loaded, session: &SessionModel, named: Option<Named>) -> Result<Vec<u8>> {
    let defects = &session.session.defects;
    let positions: Vec<Position> = match named {
        Some(Named::Entry(ix)) => return loaded.payload(session, ix),
        Some(Named::Defect(at)) => {
            let defect = defects.get(at).context("there is no such row")?;
            let none = || format!("there are no bytes to print: {}", defect.kind);
            return loaded.row(session, defect.position)?.with_context(none);
        }
        None => {
            let entries = session.entries().map(|(_, entry)| entry.row);
            let mut all: Vec<Position> = entries.chain(defects.iter().map(|defect| defect.position)).collect();
            all.sort_by_key(|row| row.within_key());
            all.dedup();
            all
        }
    };
    let mut bytes = Vec::new();
    for position in positions {
        bytes.extend(loaded.row(session, position)?.unwrap_or_default());
        bytes.push(b'\n');
    }
    Ok(bytes)
}
