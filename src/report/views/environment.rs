use crate::environment::{ExplainedSetting, ExplainedSource, Explanation};
use crate::report::{Cell, Column, Page, Table, findings_table};
use crate::run_dir::ShortNames;
use crate::unit::Finding;

/// Where every setting comes from, the places that were looked at, and the traps.
pub fn environment(result: &Explanation, findings: &[Finding]) -> Page {
    let columns = [
        Column::word("key"),
        Column::text("value"),
        Column::text("from"),
        Column::number("line").minor(),
        Column::text("shadowed"),
    ];
    let settings =
        Table::new(columns).rows(result.settings.iter().map(setting)).primary().empty("No source has a setting.");
    let columns = [Column::word("source"), Column::text("file"), Column::word("reading")];
    let sources = Table::new(columns).rows(result.sources.iter().map(source));
    Page::new("Settings of a run: the first source that claims a key wins, also with an empty value")
        .part(settings)
        .section("Sources, in their order", sources)
        .section("Findings", findings_table(findings, &ShortNames::default()))
}

fn setting(setting: &ExplainedSetting) -> [Cell; 5] {
    let winner = &setting.winner;
    let others = setting.shadowed.iter().map(|other| format!("{} ({})", other.value.as_str(), other.place()));
    [
        Cell::text(&setting.key),
        Cell::text(winner.value.as_str()),
        winner.file.as_deref().unwrap_or("the environment").into(),
        winner.line.map(|line| Cell::text(line.to_string())).into(),
        Cell::text(others.collect::<Vec<_>>().join(", ")),
    ]
}

fn source(source: &ExplainedSource) -> [Cell; 3] {
    [Cell::text(source.origin.to_string()), source.file.as_deref().into(), Cell::text(source.reading.to_string())]
}
