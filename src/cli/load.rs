use super::args::CommonArgs;
use super::exit::Exit;
use super::progress::Progress;
use super::surroundings::{open_options, options, unknown_zone, zone};
use super::{interrupt, output};
use crate::analysis::{Inputs, NotJudged, Resumable, Selection, StoreTables, resumable};
use crate::evidence::{
    Evidence, EvidenceError, FileFacts, Opened, Recovery, SpillHash, WorkbenchFile, WorkbenchListing,
};
use crate::layers::Payload;
use crate::report::views::Opening;
use crate::report::{Mode, Page, Report, render, sanitize};
use crate::run_dir::names::{LINEAGE, MANIFEST};
use crate::run_dir::{
    FolderCount, Lineage, Manifest, Position, RowName, ScriptFile, ShortNames, SpillFile, StateFault, Workbench,
};
use crate::session::{Ix, Model, SessionModel};
use crate::transcript::{BYTE_ORDER_MARK, Collector, Entry, record};
use crate::unit::{Diagnosis, Finding, Place, Zone};
use anyhow::{Context, Result};
use serde::Serialize;
use std::collections::HashMap;
use std::io::Write;
use std::mem::ManuallyDrop;
use std::path::Path;

/// Spilled results are hashed up to this size altogether; beyond it, only on demand: it would take longer than the rest.
const MAX_SPILL_BYTES_HASHED: u64 = 32 << 20;

/// An open source and the model of everything in it.
pub(super) struct Loaded {
    pub(super) evidence: Evidence,
    /// Never dropped: taking a large store apart would cost as much as building it, just before the process ends.
    pub(super) model: ManuallyDrop<Model>,
    pub(super) zone: Zone,
}

/// Opens a source and reads all of it, once it is clear that the report can be shown and where it goes.
pub(super) fn load(common: &CommonArgs, source: &Path) -> Result<Loaded> {
    let zone = zone(common.tz.as_deref())?;
    if let Some(note) = unknown_zone(common.tz.as_deref()) {
        let _ = writeln!(std::io::stderr(), "note: {}", sanitize(&note, Mode::Line));
    }
    output::check(common, source)?;
    let evidence = Evidence::open(source, &open_options(common.hash))?;
    let progress = Progress::start();
    let collectors = evidence.scan(Collector::default, |collector, row| {
        if !interrupt::is_interrupted() {
            progress.row();
            collector.push(&row);
        }
    })?;
    drop(progress);
    interrupt::check()?;
    let model = Model::build(Collector::finish(collectors));
    interrupt::check()?;
    Ok(Loaded { evidence, model: ManuallyDrop::new(model), zone })
}

impl Loaded {
    /// The session that `--session` names, with its subagents, or all.
    pub(super) fn selection(&self, prefix: Option<&str>) -> Result<Selection> {
        Ok(match prefix {
            Some(prefix) => Selection::with_subagents(&self.model, prefix)?,
            None => Selection::all(&self.model),
        })
    }

    /// Findings about the source and about the chosen sessions, the worst first.
    pub(super) fn findings(&self, selection: &Selection) -> Vec<Finding> {
        self.findings_with(selection, [])
    }

    /// These findings with more that a command made, the worst first.
    pub(super) fn findings_with(&self, selection: &Selection, more: impl IntoIterator<Item = Finding>) -> Vec<Finding> {
        let mut findings = self.evidence.findings();
        findings.extend(more);
        findings.extend(self.model.findings());
        selection.sort(&self.model, findings)
    }

    /// Closes the evidence, writes the report, and tells the exit code.
    pub(super) fn finish<T: Serialize>(
        self,
        common: &CommonArgs,
        command: &str,
        result: &T,
        findings: &[Finding],
        page: impl FnOnce(&Opening) -> Page,
    ) -> Result<Exit> {
        self.finish_with(common, command, result, findings, page, |_| Ok(()))
    }

    /// As `finish`, and writes what else the command makes, such as a chart, before the report.
    pub(super) fn finish_with<T: Serialize>(
        self,
        common: &CommonArgs,
        command: &str,
        result: &T,
        findings: &[Finding],
        page: impl FnOnce(&Opening) -> Page,
        beside: impl FnOnce(&dyn Fn() -> Opening) -> Result<()>,
    ) -> Result<Exit> {
        let opened = self.evidence.close();
        let report = Report { command, source: &opened, findings, result };
        let opening = || opening(&opened, &self.model, self.zone);
        beside(&opening)?;
        output::write(common, &render(&report, || page(&opening()), &options(common))?)?;
        Ok(Exit::of(findings, common.fail_on))
    }

    /// The bytes of an entry's payload: of its own record, where several stand on one line.
    pub(super) fn payload(&self, session: &SessionModel, ix: Ix) -> Result<Vec<u8>> {
        let entry = session.entry(ix).context("there is no such entry")?;
        let row = self.row(session, entry.row)?;
        let gone = || format!("the row of {}:{} is gone: the source changed", session.store_key(), entry.seq);
        Ok(record(&row.with_context(gone)?, entry).to_vec())
    }

    /// The bytes of a row; `None` if it holds no text.
    pub(super) fn row(&self, session: &SessionModel, position: Position) -> Result<Option<Vec<u8>>> {
        Ok(self.evidence.payload(session.store_key(), position)?)
    }

    /// The entries of a session as text, each with its sequence number, in order. No other session is in memory.
    pub(super) fn payloads(&self, session: &SessionModel) -> Result<Vec<(i64, String)>> {
        let mut rows: HashMap<RowName, Vec<u8>> = self.evidence.session(session.store_key())?.into_iter().collect();
        let payload = |(ix, entry): (Ix, &Entry)| {
            let name = entry.row.row_name();
            let bytes = match (entry.row, name.and_then(|name| rows.get(&name))) {
                // Of a table, a row is one entry: it is not copied.
                (Position::Database { .. }, Some(_)) => name.and_then(|name| rows.remove(&name)).unwrap_or_default(),
                (Position::Line { .. }, Some(line)) => record(line, entry).to_vec(),
                (_, None) => self.payload(session, ix)?,
            };
            Ok((entry.seq, text(bytes)))
        };
        session.entries().map(payload).collect()
    }

    /// Whether a main thread can be resumed; reads its rows again.
    pub(super) fn resumable(&self, session: &SessionModel) -> Result<Resumable, NotJudged> {
        let rows = self
            .payloads(session)
            .map_err(|error| NotJudged { store_key: session.store_key().to_owned(), reason: format!("{error:#}") })?;
        Ok(resumable(session, &payloads(&rows)))
    }

    /// The workbench of the run, if one is found.
    pub(super) fn workbench(&self) -> Option<Workbench> {
        self.evidence.workbench().map(|listing| workbench(&listing))
    }

    /// What the summary looks at beside the transcripts.
    pub(super) fn inputs(&self) -> Result<Inputs> {
        let mut unreadable = Vec::new();
        let mut state = |name: &str, bytes: Option<Result<Vec<u8>, EvidenceError>>| match bytes? {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                unreadable.push(StateFault::Unreadable { reason: error.to_string() }.at(Place::file(name)));
                None
            }
        };
        let manifest = state(MANIFEST, self.evidence.manifest()).map(|bytes| Manifest::parse(&bytes));
        let lineage = state(LINEAGE, self.evidence.lineage()).map(|bytes| Lineage::parse(&bytes));
        Ok(Inputs {
            manifest,
            lineage,
            unreadable,
            tables: StoreTables { meta: self.evidence.meta()?, summaries: self.evidence.summaries()? },
            workbench: self.workbench(),
        })
    }
}

/// Rows as the load layers take them.
pub(super) fn payloads(rows: &[(i64, String)]) -> Vec<Payload<'_>> {
    rows.iter().map(|(seq, json)| Payload { seq: *seq, json }).collect()
}

/// A payload as the decoder reads it.
fn text(bytes: Vec<u8>) -> String {
    let text = String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    text.strip_prefix(BYTE_ORDER_MARK).map(ToOwned::to_owned).unwrap_or(text)
}

fn workbench(listing: &WorkbenchListing) -> Workbench {
    let count = |files: &[WorkbenchFile]| FolderCount {
        files: files.len(),
        bytes: files.iter().map(|file| file.bytes).fold(0, u64::saturating_add),
    };
    let hashes =
        if count(&listing.spill).bytes <= MAX_SPILL_BYTES_HASHED { listing.spill_hashes() } else { Vec::new() };
    let fits = |at: usize| hashes.get(at).and_then(SpillHash::matches);
    let spill = |(at, file): (usize, &WorkbenchFile)| SpillFile {
        name: file.name.clone(),
        bytes: file.bytes,
        name_fits: fits(at),
    };
    let script = |file: &WorkbenchFile| ScriptFile { name: file.name.clone(), bytes: file.bytes };
    Workbench {
        path: listing.folder.display().to_string(),
        scripts: count(&listing.scripts),
        script_files: listing.scripts.iter().map(script).collect(),
        artifacts: count(&listing.artifacts),
        notes: count(&listing.notes),
        incomplete: listing.incomplete,
        spills: listing.spill.iter().enumerate().map(spill).collect(),
    }
}

/// How the source was read, in words.
fn opening(opened: &Opened, model: &Model, zone: Zone) -> Opening {
    let file = |file: &FileFacts| {
        let hash = file.sha256.as_ref().map(|hash| format!(", sha256 {hash}")).unwrap_or_default();
        format!("{}, {} bytes{hash}", file.name, file.bytes)
    };
    Opening {
        path: opened.path.display().to_string(),
        kind: opened.kind.to_string(),
        method: opened.explanation.to_owned(),
        recovery: opened.recovery.as_ref().map(Recovery::sentences).unwrap_or_default(),
        files: opened.files.iter().map(file).collect(),
        bytes: opened.files.iter().map(|file| file.bytes).fold(0, u64::saturating_add),
        hashed: opened.files.iter().any(|file| file.sha256.is_some()),
        unchanged: opened.unchanged,
        changes: opened.changes.clone(),
        names: ShortNames::of_all(model.sessions.iter().map(SessionModel::store_key)),
        zone,
    }
}
