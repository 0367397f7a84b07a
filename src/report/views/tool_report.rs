use super::context::ESTIMATE_NOTE;
use super::evidence::Opening;
use super::range::range;
use super::tools::shortened;
use crate::analysis::{Durations, ScriptLine, ScriptState, ThreadTools, ToolLine, ToolReport};
use crate::report::{Body, Cell, Column, Facts, Page, Table};
use crate::unit::counted;

/// Rows that people see of each table; JSON has all.
const MAX_SHOWN: usize = 20;

/// Tools, threads, repeats, the largest results, denials, scripts.
pub fn tool_report(result: &ToolReport, opening: &Opening) -> Page {
    let page = Page::new(opening.title("Tools")).data(by_thread(result)).part(overview(result, opening));
    let page = page.section("By tool", shortened(by_side(result), MAX_SHOWN)).note(duration_note(result));
    let page = page.section("By thread", shortened(threads(result, opening), MAX_SHOWN));
    let page = page.section("Files read again", shortened(repeated_reads(result, opening), MAX_SHOWN));
    let page = page.section("Commands run again", shortened(repeated_commands(result), MAX_SHOWN));
    let page = page
        .section("Largest results still in a context (loaded view, before load layers)", largest(result, opening))
        .note(ESTIMATE_NOTE);
    let page = page.section("Denied", shortened(denied(result), MAX_SHOWN));
    let page = page.section("Workbench scripts, written against run", shortened(scripts(&result.scripts), MAX_SHOWN));
    page.section("Evidence", opening.facts())
}

fn overview(result: &ToolReport, opening: &Opening) -> Facts {
    let total = result.total;
    let denied = Cell::text(format!("{} marked, {} likely", total.denied, total.likely_denied));
    let denied = if total.denied + total.likely_denied > 0 { denied.warn() } else { denied.faint() };
    Facts::new()
        .line("calls", total.calls)
        .line("errors", marked(total.errors))
        .line("denied", denied)
        .line("without a result", marked(total.orphans))
        .line("result characters", Cell::count(total.result_characters))
        .line_if("time", range(result.range, &[(result.calls_left_out, "call")], opening))
}

fn marked(n: usize) -> Cell {
    if n == 0 { Cell::from(n).faint() } else { Cell::from(n).warn() }
}

fn tool_columns(first: Column) -> Vec<Column> {
    vec![
        first,
        Column::text("tool"),
        Column::number("calls"),
        Column::number("errors"),
        Column::number("denied"),
        Column::number("likely denied").minor(),
        Column::number("no result").named("without_result"),
        Column::number("p50").named("p50_s"),
        Column::number("p90").named("p90_s").minor(),
        Column::number("longest").named("max_s"),
        Column::number("characters").named("result_characters"),
        Column::number("largest").named("result_characters_max").minor(),
    ]
}

fn tool_row(thread: Cell, line: &ToolLine) -> [Cell; 12] {
    let (counts, time) = (line.counts, line.time);
    [
        thread,
        line.tool.as_str().into(),
        counts.calls.into(),
        marked(counts.errors),
        marked(counts.denied),
        marked(counts.likely_denied),
        marked(counts.orphans),
        time.p50_s.into(),
        time.p90_s.into(),
        time.max_s.into(),
        Cell::count(counts.result_characters),
        Cell::count(line.result_characters_max),
    ]
}

fn by_side(result: &ToolReport) -> Table {
    let rows = result.tools.iter().flat_map(|side| side.tools.iter().map(|line| tool_row((&side.thread).into(), line)));
    Table::new(tool_columns(Column::word("thread"))).rows(rows).empty("No tool calls.")
}

/// Every tool of every session, for spreadsheets.
fn by_thread(result: &ToolReport) -> Table {
    let rows = result.threads.iter();
    let rows = rows.flat_map(|thread| thread.tools.iter().map(|line| tool_row((&thread.thread).into(), line)));
    Table::new(tool_columns(Column::word("store_key"))).rows(rows)
}

fn duration_note(result: &ToolReport) -> String {
    let times = || result.tools.iter().flat_map(|side| &side.tools).map(|line| line.time);
    let sum = |of: fn(&Durations) -> usize| times().map(|time| of(&time)).sum::<usize>();
    let left_out = [(sum(|t| t.untimed), "without a time stamp"), (sum(|t| t.backwards), "whose clock went back")];
    let left_out = left_out.iter().filter(|(calls, _)| *calls > 0);
    let left_out: Vec<String> = left_out.map(|(calls, why)| format!("{} {why}", counted(*calls, "call"))).collect();
    let left_out =
        if left_out.is_empty() { String::new() } else { format!(" Left out of them: {}.", left_out.join(", ")) };
    format!(
        "Times go from the entry of the call to that of its result: waits for a permission and for calls of the same turn \
         are in them.{left_out}"
    )
}

fn threads(result: &ToolReport, opening: &Opening) -> Table {
    let columns = [
        Column::word("thread"),
        Column::number("calls"),
        Column::number("errors"),
        Column::number("denied"),
        Column::number("likely denied").minor(),
        Column::number("rate"),
        Column::number("no result"),
        Column::number("characters"),
        Column::text("tools").minor(),
    ];
    let row = |thread: &ThreadTools| {
        let counts = thread.counts;
        let number = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        let tools: Vec<String> =
            thread.tools.iter().map(|line| format!("{} {}", line.tool, line.counts.calls)).collect();
        [
            Cell::text(opening.names.of(&thread.thread)).exact(&thread.thread),
            counts.calls.into(),
            marked(counts.errors),
            marked(counts.denied),
            marked(counts.likely_denied),
            Cell::share(number(counts.denied + counts.likely_denied), number(counts.calls)),
            marked(counts.orphans),
            Cell::count(counts.result_characters),
            tools.join(", ").into(),
        ]
    };
    Table::new(columns).rows(result.threads.iter().map(row)).empty("No tool calls.")
}

fn repeated_reads(result: &ToolReport, opening: &Opening) -> Table {
    let columns = [
        Column::word("thread"),
        Column::text("file"),
        Column::number("reads"),
        Column::number("unchanged again"),
        Column::number("characters"),
        Column::number("of these again").minor(),
        Column::number("first").minor(),
        Column::number("last").minor(),
    ];
    let rows = result.repeated_reads.iter().map(|read| {
        [
            opening.names.of(&read.store_key).into(),
            read.file.as_str().into(),
            read.reads.into(),
            marked(read.again),
            Cell::count(read.characters),
            Cell::count(read.characters_again),
            read.first_seq.into(),
            read.last_seq.into(),
        ]
    });
    Table::new(columns).rows(rows).empty("No thread read a file twice.")
}

fn repeated_commands(result: &ToolReport) -> Table {
    let columns = [
        Column::text("command"),
        Column::number("calls"),
        Column::number("threads"),
        Column::number("most in one"),
        Column::number("errors"),
        Column::number("characters").minor(),
    ];
    let rows = result.repeated_commands.iter().map(|row| {
        [
            row.command.as_str().into(),
            row.calls.into(),
            row.threads.into(),
            row.most_in_one_thread.into(),
            marked(row.errors),
            Cell::count(row.characters),
        ]
    });
    Table::new(columns).rows(rows).empty("No command was run twice.")
}

fn largest(result: &ToolReport, opening: &Opening) -> Body {
    let columns = [
        Column::word("result"),
        Column::text("tool"),
        Column::text("input"),
        Column::number("characters"),
        Column::number("about tokens"),
    ];
    let rows = result.largest_results.iter().map(|row| {
        [
            format!("{}:{}", opening.names.of(&row.store_key), row.seq).into(),
            row.tool.as_str().into(),
            row.input.as_str().into(),
            Cell::count(row.characters),
            Cell::from(row.estimated_tokens),
        ]
    });
    Table::new(columns).rows(rows).empty("No result is in a context.").into()
}

fn denied(result: &ToolReport) -> Table {
    let columns = [
        Column::text("tool"),
        Column::text("input"),
        Column::number("denied"),
        Column::number("likely denied"),
        Column::number("threads"),
        Column::number("most in one"),
        Column::text("kinds").minor(),
    ];
    let rows = result.denied_commands.iter().map(|row| {
        let kinds: Vec<&str> = row.kinds.iter().map(String::as_str).collect();
        let again = Cell::from(row.most_in_one_thread);
        [
            row.tool.as_str().into(),
            row.input.as_str().into(),
            row.denied.into(),
            row.likely_denied.into(),
            row.threads.into(),
            if row.most_in_one_thread > 1 { again.warn() } else { again },
            kinds.join(", ").into(),
        ]
    });
    Table::new(columns).rows(rows).empty("Nothing was denied.")
}

fn scripts(scripts: &[ScriptLine]) -> Table {
    let columns = [
        Column::text("script"),
        Column::number("bytes"),
        Column::number("written"),
        Column::number("run"),
        Column::number("failed"),
        Column::number("denied").minor(),
        Column::number("named").minor(),
        Column::text("state"),
    ];
    let rows = scripts.iter().map(|line| {
        let state = Cell::text(line.state.to_string());
        [
            line.name.as_str().into(),
            line.bytes.into(),
            line.written.into(),
            line.run.into(),
            marked(line.failed),
            marked(line.denied),
            line.named.into(),
            if line.state == ScriptState::WrittenAndRun { state.good() } else { state.warn() },
        ]
    });
    Table::new(columns).rows(rows).empty("No script of a workbench is in it or named by a call.")
}
