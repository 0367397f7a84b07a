use super::words::answer_name;
use crate::analysis::layers::{KeyLoad, LayerSize, Layers};
use crate::report::{Cell, Column, Table};

/// One row per policy, session and layer.
pub(super) fn data(result: &Layers) -> Table {
    let columns = [
        "policy",
        "store_key",
        "layer",
        "changes",
        "entries_before",
        "entries_after",
        "blocks_before",
        "blocks_after",
        "characters_before",
        "characters_after",
        "estimated_tokens_before",
        "estimated_tokens_after",
        "verdict_live",
        "verdict_whole",
        "first_change_seq",
        "cache_estimated_tokens",
        "cache_low_usd",
        "cache_high_usd",
    ];
    let mut table = Table::new(columns.map(Column::text));
    for load in std::iter::once(&result.load).chain(&result.other) {
        for (key, of_key) in &load.keys {
            for layer in &of_key.layers {
                table.push(data_row(&load.name, key, of_key, layer));
            }
        }
    }
    table
}

fn data_row(policy: &str, key: &str, of_key: &KeyLoad, layer: &LayerSize) -> [Cell; 18] {
    let (b, a) = (layer.before.size, layer.after.size);
    [
        policy.into(),
        key.into(),
        layer.layer.name().into(),
        layer.changes.into(),
        b.entries.into(),
        a.entries.into(),
        b.blocks.into(),
        a.blocks.into(),
        b.characters.into(),
        a.characters.into(),
        layer.before.estimated_tokens.0.into(),
        layer.after.estimated_tokens.0.into(),
        answer_name(of_key.verdict.live).into(),
        answer_name(of_key.verdict.whole).into(),
        of_key.cache.first_seq.into(),
        of_key.cache.estimated_tokens.0.into(),
        of_key.cache.low_usd.into(),
        of_key.cache.high_usd.into(),
    ]
}

/// One row per policy, session and change.
pub(super) fn change_data(result: &Layers) -> Table {
    let columns = ["policy", "store_key", "seq", "layer", "what", "reason", "tool_use_ids", "before", "after", "cut"];
    let mut table = Table::new(columns.map(Column::text));
    for load in std::iter::once(&result.load).chain(&result.other) {
        for (key, of_key) in &load.keys {
            for change in of_key.changes.iter().flatten() {
                table.push([
                    load.name.as_str().into(),
                    key.as_str().into(),
                    change.seq.into(),
                    change.layer.name().into(),
                    change.what.into(),
                    change.reason.code().into(),
                    change.tool_use_ids.join(" ").into(),
                    change.before.as_deref().into(),
                    change.after.as_deref().into(),
                    if change.cut { "yes" } else { "no" }.into(),
                ]);
            }
        }
    }
    table
}
