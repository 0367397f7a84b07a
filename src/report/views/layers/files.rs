use super::words::name;
use crate::analysis::layers::{Layers, SpillState};
use crate::report::views::Opening;
use crate::report::{Cell, Column, Facts, Table};
use crate::unit::counted;
use std::collections::BTreeMap;

/// Files that are listed one by one; more are only counted.
const MAX_FILES: usize = 10;

pub(super) fn spills(result: &Layers) -> Facts {
    let mut states: BTreeMap<SpillState, usize> = BTreeMap::new();
    for check in result.load.keys.values().flat_map(|key| &key.spills) {
        *states.entry(check.state).or_default() += 1;
    }
    let said = |state: SpillState| match state {
        SpillState::Matches => "there, and as their names say",
        SpillState::Differs => "there, but not as their names say",
        SpillState::NotRead => "there, not read",
        SpillState::Missing => "not there: flower writes them at the load",
        SpillState::NoWorkbench => "not looked for: no workbench was found",
    };
    let counted_states: Vec<String> = states.iter().map(|(state, n)| format!("{n} {}", said(*state))).collect();
    let pointers = if counted_states.is_empty() { "none".to_owned() } else { counted_states.join("; ") };
    let folder = &result.spill_folder;
    let files = |n: usize| format!("{}, {} that nothing points to", counted(folder.files, "file"), n);
    Facts::new()
        .line("the model is told of", pointers)
        .line_if("workbench", folder.workbench.as_deref())
        .line_if("in its folder", folder.workbench.is_some().then(|| files(folder.unused.len())))
}

/// Files that are not as they should be.
pub(super) fn files(result: &Layers, opening: &Opening) -> Table {
    let columns = [Column::word("file"), Column::word("state"), Column::word("session"), Column::number("entry")];
    let mut table = Table::new(columns).empty("Each of these files is as it should be.");
    let odd = result.load.keys.iter().flat_map(|(key, load)| load.spills.iter().map(move |spill| (key, spill)));
    let odd: Vec<_> =
        odd.filter(|(_, spill)| spill.state == SpillState::Differs || spill.state == SpillState::Missing).collect();
    for (key, spill) in odd.iter().take(MAX_FILES) {
        let state = Cell::text(spill.state.name()).warn();
        table.push([spill.file.as_str().into(), state, name(opening, key), format!("#{}", spill.seq).into()]);
    }
    let unused = &result.spill_folder.unused;
    for file in unused.iter().take(MAX_FILES) {
        table.push([file.as_str().into(), Cell::text("unused").faint(), Cell::absent(), Cell::absent()]);
    }
    let more = odd.len().saturating_sub(MAX_FILES) + unused.len().saturating_sub(MAX_FILES);
    if more > 0 {
        table.push([Cell::text(format!("and {more} more; --format json lists them"))]);
    }
    table
}
