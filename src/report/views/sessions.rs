use super::evidence::Opening;
use crate::analysis::{SessionRow, Sessions};
use crate::report::{Cell, Column, Page, Table};
use crate::run_dir::Kind;
use crate::unit::counted;

/// One row per session.
pub fn sessions(result: &Sessions, opening: &Opening) -> Page {
    let columns = [
        Column::word("session").named("store_key"),
        Column::word("kind").minor(),
        Column::text("description"),
        Column::word("agent type").minor(),
        Column::word("started by").named("parent_call").minor(),
        Column::number("entries"),
        Column::number("model turns"),
        Column::word("models").minor(),
        Column::word("versions").minor(),
        Column::number("first").minor(),
        Column::number("last").minor(),
        Column::number("context max").named("context_max_tokens"),
        Column::number("tokens"),
        Column::number("errors").named("api_errors"),
        Column::number("tool errors").minor(),
        Column::text("chain"),
    ];
    let rows = result.sessions.iter().map(|session| row(session, opening));
    let table = Table::new(columns).rows(rows).primary().empty("The source has no session.");
    Page::new(opening.title("Sessions")).part(table).section("Evidence", opening.facts())
}

fn row(session: &SessionRow, opening: &Opening) -> [Cell; 16] {
    let zone = opening.zone;
    // Subagents stand below their main thread: keys are in order.
    let below = if session.kind == Kind::Subagent { "· " } else { "" };
    let marked = |n: usize| if n == 0 { Cell::from(n).faint() } else { Cell::from(n).warn() };
    let started = session.parent_call.as_ref().map(|call| {
        let brief = opening.names.of(&call.store_key);
        Cell::text(format!("{} {brief}:{}", call.tool, call.seq))
            .exact(format!("{} {}:{}", call.tool, call.store_key, call.seq))
    });
    [
        Cell::text(format!("{below}{}", opening.names.of(&session.store_key))).exact(&session.store_key),
        kind(session.kind).into(),
        session.description.lines().next().unwrap_or_default().into(),
        session.agent_type.as_deref().into(),
        started.into(),
        session.entries.into(),
        session.totals.model_turns.into(),
        session.models.join(", ").into(),
        session.versions.join(", ").into(),
        session.first.map(|time| Cell::moment(time, zone)).into(),
        session.last.map(|time| Cell::moment(time, zone)).into(),
        session.context_max.into(),
        session.totals.usage.total().into(),
        marked(session.api_errors),
        marked(session.tool_errors),
        health(session),
    ]
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Main => "main",
        Kind::Other => "other",
        Kind::Subagent => "subagent",
    }
}

/// What is to be said about the chain; "whole" if nothing is.
fn health(session: &SessionRow) -> Cell {
    let count = |n: usize, noun: &str| (n > 0).then(|| counted(n, noun));
    let faults = [
        count(session.defects, "defect"),
        count(session.breaks, "break"),
        count(session.orphan_calls, "orphan call"),
        count(session.branches, "branch"),
    ];
    let faults: Vec<String> = faults.into_iter().flatten().collect();
    let compactions = count(session.compactions, "compaction");
    let whole = compactions.as_ref().map_or("whole".to_owned(), |compactions| format!("whole, {compactions}"));
    if faults.is_empty() {
        return Cell::text(whole).good();
    }
    Cell::text(faults.into_iter().chain(compactions).collect::<Vec<_>>().join(", ")).warn()
}
