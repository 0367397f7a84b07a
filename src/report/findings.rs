use super::cell::Cell;
use super::page_table::{Column, Table};
use crate::run_dir::ShortNames;
use crate::unit::{Finding, Place};

/// Findings as a table, the gravest first; in CSV with the full place.
pub fn findings_table(findings: &[Finding], names: &ShortNames) -> Table {
    let mut sorted: Vec<&Finding> = findings.iter().collect();
    sorted.sort_by_key(|f| std::cmp::Reverse(f.level));
    let columns = [Column::word("level"), Column::word("code"), Column::word("place"), Column::prose("finding")];
    Table::new(columns)
        .rows(
            sorted.into_iter().map(|f| [f.level.into(), f.code.into(), place(&f.place, names), Cell::text(&f.message)]),
        )
        .empty("No findings.")
}

fn place(place: &Place, names: &ShortNames) -> Cell {
    let join = |key: &Option<String>, short: bool| {
        let key = key.as_deref().map(|key| if short { names.of(key).to_owned() } else { key.to_owned() });
        let file = place.file.as_ref().map(|file| place.line.map_or(file.clone(), |line| format!("{file}:{line}")));
        let seq = place.seq.map(|seq| format!("#{seq}"));
        let line = place.line.filter(|_| place.file.is_none() && place.seq.is_none());
        let seq = seq.or_else(|| line.map(|line| format!("line {line}")));
        [file, key, seq].into_iter().flatten().collect::<Vec<_>>().join(" ")
    };
    let full = join(&place.store_key, false);
    if full.is_empty() { Cell::absent() } else { Cell::text(join(&place.store_key, true)).exact(full) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::Level;

    #[test]
    fn the_gravest_comes_first() {
        let finding = |level, place| Finding { code: "some-code", level, place, message: "Said.".to_owned() };
        let table = findings_table(
            &[
                finding(Level::Info, Place::default()),
                finding(Level::Error, Place::entry("-w/82f57757/subagents/agent-a1", 7)),
                finding(Level::Warning, Place { line: Some(3), ..Place::file("manifest.json") }),
            ],
            &ShortNames::default(),
        );
        let seen: Vec<_> =
            table.rows.iter().map(|r| (r[0].shown.as_str(), r[2].shown.as_str(), r[2].carried())).collect();
        assert_eq!(
            seen,
            [
                ("error", "agent-a1 #7", "-w/82f57757/subagents/agent-a1 #7"),
                ("warning", "manifest.json:3", "manifest.json:3"),
                ("info", "", ""),
            ]
        );
    }
}
