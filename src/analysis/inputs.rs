use super::StoreTables;
use crate::run_dir::{Lineage, Manifest, StateProblem, Workbench};
use crate::unit::Finding;

/// Everything beside the transcripts that a command looks at.
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    /// manifest.json.
    pub manifest: Option<Manifest>,
    /// lineage.json.
    pub lineage: Option<Lineage>,
    /// State files that are there but cannot be read.
    pub unreadable: Vec<Finding>,
    /// The other tables of the store.
    pub tables: StoreTables,
    /// The workbench.
    pub workbench: Option<Workbench>,
}

impl Inputs {
    /// The manifest, unless nothing of it could be read: then its figures are not known, and not zero.
    pub fn readable_manifest(&self) -> Option<&Manifest> {
        self.manifest.as_ref().filter(|manifest| !manifest.rows.is_empty() || manifest.problems.is_empty())
    }

    /// What is wrong with the state files.
    pub fn state_findings(&self) -> impl Iterator<Item = Finding> {
        let manifest = self.manifest.iter().flat_map(|manifest| &manifest.problems);
        let lineage = self.lineage.iter().flat_map(|lineage| &lineage.problems);
        self.unreadable.iter().cloned().chain(manifest.chain(lineage).map(StateProblem::finding))
    }
}
