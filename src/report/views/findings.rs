use crate::report::{Table, findings_table};
use crate::run_dir::ShortNames;
use crate::unit::Finding;
use std::collections::BTreeMap;

/// How many findings of one kind are shown before the rest is only counted.
const SHOWN_OF_A_KIND: usize = 2;

/// The findings, the worst first; of one kind only the first few, unless `all` are wanted. Nothing is left out silently:
/// the last finding of a shortened kind says how many more there are.
pub(super) fn findings(findings: &[Finding], all: bool, names: &ShortNames) -> Table {
    if all {
        return findings_table(findings, names);
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in findings {
        *counts.entry(finding.code).or_default() += 1;
    }
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut shown = Vec::new();
    for finding in findings {
        let nth = seen.entry(finding.code).or_default();
        *nth += 1;
        let more = counts.get(finding.code).copied().unwrap_or_default().saturating_sub(SHOWN_OF_A_KIND);
        if *nth < SHOWN_OF_A_KIND || (*nth == SHOWN_OF_A_KIND && more == 0) {
            shown.push(finding.clone());
        } else if *nth == SHOWN_OF_A_KIND {
            let message = format!("and {more} more (--all-findings lists them): {}", finding.message);
            shown.push(Finding { message, ..finding.clone() });
        }
    }
    findings_table(&shown, names)
}
