use super::evidence::Opening;
use crate::analysis::plugins::{PluginUsed, Use, UsedComponent};
use crate::report::{Cell, Column, Facts, Page, Table};

/// What a run made of a plugin: one row per component, what was paid for and never used first.
pub fn plugin_used(result: &PluginUsed, opening: &Opening) -> Page {
    let total = &result.total;
    let offered = if result.listings {
        "as the transcripts list it"
    } else {
        "not recorded: taken to be all of it, in every main thread"
    };
    let unused = Cell::text(format!("{} of {}", total.unused, total.components));
    let facts = Facts::new()
        .line("main threads", result.sessions)
        .line("offered", offered)
        .line("never used", if total.unused > 0 { unused.warn() } else { unused.good() })
        .line("context of its listing", total.listed_tokens)
        .line("for what was never used", total.unused_tokens)
        .line("context of its uses", total.used_tokens);
    Page::new(opening.title(&format!("Use of the plugin {}", result.plugin)))
        .part(facts)
        .part(components(result))
        .note(
            "Tokens are estimates from characters: a quarter of the length. The context of the listing is what a component \
             adds to a turn, times the model turns that had it; most of it is read from the cache. Tools of MCP servers and \
             hooks have no known listing.",
        )
        .section("Evidence", opening.facts())
}

fn components(result: &PluginUsed) -> Table {
    let columns = [
        Column::prose("component"),
        Column::word("kind"),
        Column::number("offered in").named("offered_sessions").minor(),
        Column::number("calls"),
        Column::number("typed").minor(),
        Column::number("denied"),
        Column::number("likely denied").minor(),
        Column::number("errors"),
        Column::number("no result").minor(),
        Column::number("possible").minor(),
        Column::number("turns").minor(),
        Column::number("listing").named("listed_tokens"),
        Column::number("uses").named("used_tokens"),
        Column::word("used").named("use"),
    ];
    Table::new(columns)
        .rows(result.components.iter().map(row))
        .primary()
        .empty("The plugin brings nothing that a run uses.")
}

fn row(component: &UsedComponent) -> [Cell; 14] {
    let counts = component.counts;
    let plain = |n: usize| if n == 0 { Cell::from(n).faint() } else { Cell::from(n) };
    let marked = |n: usize| if n == 0 { Cell::from(n).faint() } else { Cell::from(n).warn() };
    let used = match component.used {
        Use::Unused => Cell::text("no").exact("unused").warn(),
        Use::Failed => Cell::text("failed").bad(),
        Use::Possible => Cell::text("perhaps").exact("possible").faint(),
        Use::Used => Cell::text("yes").exact("used").good(),
    };
    [
        component.name.as_str().into(),
        component.kind.into(),
        component.offered_sessions.into(),
        plain(counts.calls),
        plain(component.typed),
        marked(counts.denied),
        marked(counts.likely_denied),
        marked(counts.errors),
        marked(counts.orphans),
        plain(component.possible),
        Cell::count(component.turns),
        component.listed_tokens.into(),
        component.used_tokens.into(),
        used,
    ]
}
