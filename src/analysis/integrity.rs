use super::steps::{sessions_of, step_name};
use crate::run_dir::names::{LINEAGE, MANIFEST};
use crate::run_dir::{Kind, Lineage, Manifest, MetaRow, StoreKey, SummaryRow, Workbench};
use crate::session::{Model, SessionModel};
use crate::unit::{Diagnosis, Finding, Level, Place};
use std::collections::{BTreeMap, BTreeSet};
use strum::IntoStaticStr;
use thiserror::Error;

/// The tables beside `entries`; `None` where the source has no such table.
#[derive(Debug, Clone, Default)]
pub struct StoreTables {
    /// `meta`.
    pub meta: Option<Vec<MetaRow>>,
    /// `summaries`.
    pub summaries: Option<Vec<SummaryRow>>,
}

/// Where the parts of a run directory contradict each other (spec/run-directory.md, integrity expectations).
#[derive(Debug, Clone, PartialEq, Eq, Error, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum IntegrityFinding {
    /// Sequence numbers are missing.
    #[error("{missing} sequence numbers are missing, the first after {after}: rows were lost or removed")]
    SeqGap {
        /// How many.
        missing: i64,
        /// The number before the first gap.
        after: i64,
    },
    /// `meta.next_seq` is not the next number.
    #[error("meta says that the next sequence number is {next_seq}, but the last entry has {last}")]
    NextSeqWrong {
        /// As recorded.
        next_seq: i64,
        /// The last one.
        last: i64,
    },
    /// A session without a row in `meta`.
    #[error("the table meta has no row for this session")]
    NoMetaRow,
    /// A row in `meta` without a session.
    #[error("the table meta has a row for this session, but there is no entry of it")]
    MetaWithoutEntries,
    /// A main thread without a row in `summaries`.
    #[error("the table summaries has no row for this main thread")]
    NoSummaryRow,
    /// A row in `summaries` without a main thread.
    #[error("the table summaries has a row for this session, but there is no main thread of it")]
    SummaryWithoutSession,
    /// A step whose session is not in the store.
    #[error("step {step} names session {session_id}, which is not in the store: its transcript is missing")]
    StepSessionMissing {
        /// Step.
        step: String,
        /// Session.
        session_id: String,
    },
    /// A session that no step names.
    #[error("no step of the manifest names this session: its process was killed, or it ran outside of the steps")]
    SessionWithoutStep,
    /// A lineage session that is not in the store.
    #[error("step {step} would start a new session: its session {session_id} is not in the store")]
    LineageSessionMissing {
        /// Step.
        step: String,
        /// Session.
        session_id: String,
    },
    /// A session that lineage.json does not name.
    #[error("lineage.json does not name this session: the next run will not continue it")]
    SessionNotInLineage,
    /// A step that failed.
    #[error("step {step} failed: {error}")]
    StepFailed {
        /// Step.
        step: String,
        /// Reason.
        error: String,
    },
    /// A step that was retried.
    #[error("step {step} took {attempts} attempts: {errors}")]
    StepRetried {
        /// Step.
        step: String,
        /// How many.
        attempts: u64,
        /// Reasons.
        errors: String,
    },
    /// The workbench could not be listed as a whole.
    #[error("the workbench {folder} is not counted whole: a folder cannot be read, is a link, or holds too many files")]
    WorkbenchIncomplete {
        /// Where it is.
        folder: String,
    },
    /// A spill file whose name is not the hash of its content.
    #[error("the spill file {name} does not hold what its name says: it was changed or cut")]
    SpillChanged {
        /// Its name.
        name: String,
    },
    /// A transcript points to a spill file that is not there.
    #[error("a transcript points to the spill file {name}, which is not in the workbench")]
    SpillMissing {
        /// Its name.
        name: String,
    },
    /// A spill file that no transcript points to.
    #[error("no transcript of this store points to the spill file {name}")]
    SpillUnused {
        /// Its name.
        name: String,
    },
}

impl Diagnosis for IntegrityFinding {
    fn code(&self) -> &'static str {
        self.into()
    }

    fn level(&self) -> Level {
        match self {
            Self::SessionNotInLineage | Self::SpillUnused { .. } | Self::MetaWithoutEntries => Level::Info,
            Self::NextSeqWrong { .. }
            | Self::NoMetaRow
            | Self::NoSummaryRow
            | Self::SummaryWithoutSession
            | Self::SessionWithoutStep
            | Self::LineageSessionMissing { .. }
            | Self::StepRetried { .. }
            | Self::WorkbenchIncomplete { .. }
            | Self::SpillMissing { .. } => Level::Warning,
            Self::SeqGap { .. }
            | Self::StepSessionMissing { .. }
            | Self::StepFailed { .. }
            | Self::SpillChanged { .. } => Level::Error,
        }
    }

    fn sentence(&self) -> String {
        self.to_string()
    }
}

/// Holds the parts of a run directory against each other.
pub fn integrity(
    model: &Model,
    tables: &StoreTables,
    manifest: Option<&Manifest>,
    lineage: Option<&Lineage>,
    workbench: Option<&Workbench>,
) -> Vec<Finding> {
    let mut findings: Vec<Finding> = model.sessions.iter().filter_map(seq_gap).collect();
    findings.extend(tables.meta.iter().flat_map(|meta| meta_findings(model, meta)));
    findings.extend(tables.summaries.iter().flat_map(|summaries| summary_findings(model, summaries)));
    findings.extend(manifest.iter().flat_map(|manifest| manifest_findings(model, manifest)));
    findings.extend(lineage.iter().flat_map(|lineage| lineage_findings(model, lineage)));
    findings.extend(workbench.iter().flat_map(|workbench| spill_findings(model, workbench)));
    findings
}

/// The session ids of the main threads.
pub(super) fn main_session_ids(model: &Model) -> BTreeSet<&str> {
    main_threads(model).map(|session| StoreKey::parse(session.store_key()).session).collect()
}

fn main_threads(model: &Model) -> impl Iterator<Item = &SessionModel> {
    model.sessions.iter().filter(|session| session.kind() == Kind::Main)
}

fn seqs(session: &SessionModel) -> Vec<i64> {
    let lost = session.session.defects.iter().filter_map(|defect| defect.seq);
    let mut seqs: Vec<i64> = session.session.entries.iter().map(|entry| entry.seq).chain(lost).collect();
    seqs.sort_unstable();
    seqs
}

fn seq_gap(session: &SessionModel) -> Option<Finding> {
    let (mut missing, mut first, mut before) = (0_i64, None, -1_i64);
    for seq in seqs(session) {
        let gap = seq.saturating_sub(before).saturating_sub(1);
        if gap > 0 {
            missing = missing.saturating_add(gap);
            first.get_or_insert(before);
        }
        before = seq;
    }
    first.map(|after| IntegrityFinding::SeqGap { missing, after }.at(Place::session(session.store_key())))
}

fn meta_findings(model: &Model, meta: &[MetaRow]) -> Vec<Finding> {
    let rows: BTreeMap<&str, &MetaRow> = meta.iter().map(|row| (row.store_key.as_str(), row)).collect();
    let mut findings = Vec::new();
    for session in &model.sessions {
        let place = Place::session(session.store_key());
        match (rows.get(session.store_key()), seqs(session).last()) {
            (None, _) => findings.push(IntegrityFinding::NoMetaRow.at(place)),
            (Some(row), Some(last)) if row.next_seq != last.saturating_add(1) => {
                findings.push(IntegrityFinding::NextSeqWrong { next_seq: row.next_seq, last: *last }.at(place));
            }
            _ => {}
        }
    }
    let unknown = meta.iter().filter(|row| model.session(&row.store_key).is_none());
    findings.extend(unknown.map(|row| IntegrityFinding::MetaWithoutEntries.at(Place::session(&row.store_key))));
    findings
}

fn summary_findings(model: &Model, summaries: &[SummaryRow]) -> Vec<Finding> {
    let key = |row: &SummaryRow| format!("{}/{}", row.project_key, row.session_id);
    let recorded: BTreeSet<String> = summaries.iter().map(key).collect();
    let missing = main_threads(model).filter(|session| !recorded.contains(session.store_key()));
    let mut findings: Vec<Finding> =
        missing.map(|session| IntegrityFinding::NoSummaryRow.at(Place::session(session.store_key()))).collect();
    let unknown = recorded.iter().filter(|key| model.session(key).is_none_or(|session| session.kind() != Kind::Main));
    findings.extend(unknown.map(|key| IntegrityFinding::SummaryWithoutSession.at(Place::session(key))));
    findings
}

fn manifest_findings(model: &Model, manifest: &Manifest) -> Vec<Finding> {
    let ids = main_session_ids(model);
    let keys: BTreeMap<&str, &str> = main_threads(model)
        .map(|session| (StoreKey::parse(session.store_key()).session, session.store_key()))
        .collect();
    let mut findings = Vec::new();
    let mut named: BTreeSet<&str> = BTreeSet::new();
    for row in &manifest.rows {
        let step = || step_name(row);
        // A step is told with its session, so that one can go on to look at it.
        let session = row.session_id.as_deref().and_then(|id| keys.get(id)).map(|key| (*key).to_owned());
        let file = || Place { line: Some(row.line), store_key: session.clone(), ..Place::file(MANIFEST) };
        if row.ok == Some(false) || row.error.is_some() {
            let error = row.error.clone().unwrap_or_else(|| "no reason recorded".to_owned());
            findings.push(IntegrityFinding::StepFailed { step: step(), error }.at(file()));
        } else if let Some(attempts) = row.attempts.filter(|attempts| *attempts > 1) {
            findings.push(
                IntegrityFinding::StepRetried { step: step(), attempts, errors: row.errors.join("; ") }.at(file()),
            );
        }
        for id in sessions_of(row) {
            named.insert(id);
            if !ids.contains(id.as_str()) {
                findings.push(IntegrityFinding::StepSessionMissing { step: step(), session_id: id.clone() }.at(file()));
            }
        }
    }
    let unnamed = main_threads(model).filter(|session| !named.contains(StoreKey::parse(session.store_key()).session));
    findings
        .extend(unnamed.map(|session| IntegrityFinding::SessionWithoutStep.at(Place::session(session.store_key()))));
    findings
}

fn lineage_findings(model: &Model, lineage: &Lineage) -> Vec<Finding> {
    let ids = main_session_ids(model);
    let missing = |(step, id): &(String, String)| {
        let finding = IntegrityFinding::LineageSessionMissing { step: step.clone(), session_id: id.clone() };
        (!ids.contains(id.as_str())).then(|| finding.at(Place::file(LINEAGE)))
    };
    let mut findings: Vec<Finding> = lineage.steps.iter().filter_map(missing).collect();
    let named: BTreeSet<&str> = lineage.steps.iter().map(|(_, id)| id.as_str()).collect();
    let unnamed = main_threads(model).filter(|session| !named.contains(StoreKey::parse(session.store_key()).session));
    findings
        .extend(unnamed.map(|session| IntegrityFinding::SessionNotInLineage.at(Place::session(session.store_key()))));
    findings
}

fn spill_findings(model: &Model, workbench: &Workbench) -> Vec<Finding> {
    let place = || Place::file(format!("{}/spill", workbench.path));
    let files: BTreeSet<&str> = workbench.spills.iter().map(|file| file.name.as_str()).collect();
    let mut pointed: BTreeMap<&str, Place> = BTreeMap::new();
    for session in &model.sessions {
        for (_, entry) in session.entries() {
            for name in entry.extra.iter().flat_map(|extra| &extra.spills) {
                pointed.entry(name).or_insert_with(|| Place::entry(session.store_key(), entry.seq));
            }
        }
    }
    let changed = workbench.spills.iter().filter(|file| file.name_fits == Some(false));
    let mut findings: Vec<Finding> =
        changed.map(|file| IntegrityFinding::SpillChanged { name: file.name.clone() }.at(place())).collect();
    // What was not listed may be there.
    if workbench.incomplete {
        let folder = workbench.path.clone();
        findings.push(IntegrityFinding::WorkbenchIncomplete { folder }.at(place()));
        return findings;
    }
    let missing = pointed.iter().filter(|(name, _)| !files.contains(*name));
    findings
        .extend(missing.map(|(name, at)| IntegrityFinding::SpillMissing { name: (*name).to_owned() }.at(at.clone())));
    let unused = files.iter().filter(|name| !pointed.contains_key(*name));
    findings.extend(unused.map(|name| IntegrityFinding::SpillUnused { name: (*name).to_owned() }.at(place())));
    findings
}
