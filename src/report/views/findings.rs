use crate::report::{Table, findings_table};
use crate::run_dir::ShortNames;
use crate::unit::Finding;
use std::collections::BTreeMap;

/// Findings that are shown of each kind: all of them.
pub(super) const ALL: usize = usize::MAX;
/// As many as a person reads one by one.
pub(super) const MANY: usize = 20;
/// Some, where they are not what was asked for.
pub(super) const FEW: usize = 2;

/// The findings, the worst first; of one kind only the first `shown`. Nothing is left out silently: the last finding of a
/// shortened kind says how many more there are, and the option that lists them.
pub(super) fn findings(findings: &[Finding], shown: usize, option: &str, names: &ShortNames) -> Table {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in findings {
        *counts.entry(finding.code).or_default() += 1;
    }
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut told = Vec::new();
    for finding in findings {
        let nth = seen.entry(finding.code).or_default();
        *nth += 1;
        let more = counts.get(finding.code).copied().unwrap_or_default().saturating_sub(shown);
        if *nth < shown || (*nth == shown && more == 0) {
            told.push(finding.clone());
        } else if *nth == shown {
            let message = format!("and {more} more ({option} lists them): {}", finding.message);
            told.push(Finding { message, ..finding.clone() });
        }
    }
    findings_table(&told, names)
}
