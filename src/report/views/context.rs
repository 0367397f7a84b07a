use super::evidence::Opening;
use super::range::range;
use super::tools::shortened;
use crate::analysis::{ContextDrop, ContextReport, Fill, FillPart, Known, ThreadContext, WindowSource};
use crate::report::{Bar, Cell, Column, Curve, Facts, Page, Table};
use crate::unit::{Tokens, counted};

/// Falls, threads and parts that people see; JSON has all.
const MAX_SHOWN: usize = 40;
/// Parts of a context that have a bar.
const MAX_PARTS: usize = 16;

/// The curve, its falls, the threads, and what fills them.
pub fn context(result: &ContextReport, opening: &Opening) -> Page {
    let page = Page::new(opening.title("Context")).data(points(result)).part(overview(result, opening));
    let page = if result.points.is_empty() {
        page.note("No model turn with a usage in this time: there is no context to show.")
    } else {
        let points = result.points.iter().map(|point| point.context.0).collect();
        let falls = result.drops.iter().map(|drop| drop.point).collect();
        let curve = Curve::new(points, "model turn", "tokens").falls(falls);
        let page = page.section("Context of each model turn, in the order of writing", curve);
        let page = page.section("Falls", shortened(drops(&result.drops, opening), MAX_SHOWN));
        page.section("Threads", shortened(threads(&result.threads, opening), MAX_SHOWN)).note(projection_note(result))
    };
    let page = if result.fill.parts.is_empty() {
        page
    } else {
        page.section("What fills the contexts now (loaded view, before load layers)", fill(&result.fill))
            .note(beyond_note(&result.fill))
            .note(ESTIMATE_NOTE)
    };
    page.section("Evidence", opening.facts())
}

fn overview(result: &ContextReport, opening: &Opening) -> Facts {
    let largest = result.points.iter().map(|point| point.context).max();
    Facts::new()
        .line("threads", result.threads.len())
        .line("model turns", result.points.len())
        .line("largest context", Cell::from(largest))
        .line("falls", result.drops.len())
        .line_if("time", range(result.range, &[(result.points_left_out, "model turn")], opening))
}

/// The data of the curve, for spreadsheets.
fn points(result: &ContextReport) -> Table {
    let columns =
        ["model_turn", "store_key", "seq", "timestamp", "context_tokens", "drop_cause", "drop_known"].map(Column::text);
    let mut drops = result.drops.iter().peekable();
    let rows = result.points.iter().enumerate().map(|(at, point)| {
        let drop = drops.next_if(|drop| drop.point == at);
        [
            Cell::from(at + 1),
            Cell::text(&point.store_key),
            point.seq.into(),
            point.timestamp.map(|time| time.to_string()).into(),
            point.context.into(),
            drop.map(|drop| drop.cause.to_string()).into(),
            drop.map(|drop| drop.known.to_string()).into(),
        ]
    });
    Table::new(columns).rows(rows)
}

fn drops(drops: &[ContextDrop], opening: &Opening) -> Table {
    let columns = [
        Column::number("model turn"),
        Column::number("from"),
        Column::number("to"),
        Column::text("what lies between"),
        Column::word("known"),
        Column::number("time").minor(),
        Column::word("entry").minor(),
    ];
    let rows = drops.iter().map(|drop| {
        let known = Cell::text(drop.known.to_string());
        [
            (drop.point + 1).into(),
            drop.from.into(),
            drop.to.into(),
            drop.cause.to_string().into(),
            if drop.known == Known::Guessed { known.warn() } else { known },
            drop.timestamp.map(|time| Cell::moment(time, opening.zone)).into(),
            format!("{}:{}", opening.names.of(&drop.store_key), drop.seq).into(),
        ]
    });
    Table::new(columns).rows(rows).empty(NO_FALL)
}

fn threads(threads: &[ThreadContext], opening: &Opening) -> Table {
    let columns = [
        Column::word("thread"),
        Column::text("steps").minor(),
        Column::word("model").minor(),
        Column::number("model turns"),
        Column::number("starts at"),
        Column::number("now at"),
        Column::number("largest"),
        Column::number("per turn"),
        Column::number("window").minor(),
        Column::number("turns to window"),
        Column::number("compacts at").minor(),
        Column::number("turns to compaction").minor(),
    ];
    Table::new(columns).rows(threads.iter().map(|thread| thread_row(thread, opening)))
}

fn thread_row(thread: &ThreadContext, opening: &Opening) -> [Cell; 12] {
    let projection = &thread.projection;
    let window = projection.window.map(|window| window.tokens);
    [
        Cell::text(opening.names.of(&thread.store_key)).exact(&thread.store_key),
        thread.steps.join(", ").into(),
        thread.model.as_str().into(),
        thread.model_turns.into(),
        thread.floor.into(),
        match window {
            Some(window) if thread.last > window => Cell::from(thread.last).bad(),
            _ => thread.last.into(),
        },
        thread.max.into(),
        projection.growth.map(signed).into(),
        window.into(),
        projection.turns_to_window.map(Cell::count).into(),
        projection.compacts_at.into(),
        projection.turns_to_compaction.map(Cell::count).into(),
    ]
}

fn signed(tokens: i64) -> Cell {
    let size = Tokens(tokens.unsigned_abs());
    Cell::text(format!("{}{size}", if tokens < 0 { "-" } else { "+" })).exact(tokens.to_string())
}

fn projection_note(result: &ContextReport) -> String {
    let windows = || result.threads.iter().filter_map(|thread| thread.projection.window);
    let said = match (windows().any(|w| w.source == WindowSource::Given), windows().count() < result.threads.len()) {
        (true, _) => "the window is the one given on the command line",
        (false, false) => "windows are those that the API documents, see --window",
        (false, true) => {
            "windows are those that the API documents; where there is none the model is not known: give --window"
        }
    };
    format!(
        "Turns to the window and to the compaction are estimates: as if the context grew on by the average since the last \
         fall. \"compacts at\" is where the client compacted a thread of this model by itself in this source; {said}."
    )
}

fn fill(fill: &Fill) -> Vec<Bar> {
    let mut bars: Vec<Bar> = fill.parts.iter().take(MAX_PARTS).map(|part| bar(part, fill)).collect();
    let rest = fill.parts.get(MAX_PARTS..).unwrap_or_default();
    if !rest.is_empty() {
        let characters = rest.iter().map(|part| part.characters).fold(0, u64::saturating_add);
        let tokens = rest.iter().map(|part| part.estimated_tokens).sum();
        let blocks = rest.iter().map(|part| part.blocks).sum();
        bars.push(drawn(&counted(rest.len(), "smaller part"), characters, blocks, tokens, fill));
    }
    bars
}

/// What the shares leave out.
fn beyond_note(fill: &Fill) -> String {
    let Fill { measured_tokens, estimated_tokens, beyond_tokens, .. } = fill;
    let rest = if *beyond_tokens > Tokens(0) {
        format!(": about {beyond_tokens} are none of these parts, or are missed by the estimate")
    } else {
        String::new()
    };
    format!(
        "Not in the transcript, and so not in the shares: the system prompt, the definitions of the tools. Tokens in the \
         last model turns: {measured_tokens} by the API, about {estimated_tokens} by the parts{rest}."
    )
}

fn bar(part: &FillPart, fill: &Fill) -> Bar {
    let name = part.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
    drawn(&format!("{}{name}", part.kind), part.characters, part.blocks, part.estimated_tokens, fill)
}

fn drawn(label: &str, characters: u64, blocks: usize, tokens: Tokens, fill: &Fill) -> Bar {
    let length = characters.to_string().parse().unwrap_or(0.0);
    let share = Cell::share(characters, fill.characters);
    let note = match characters {
        0 => counted(blocks, "block"),
        _ => format!("{}, about {tokens} tokens, {}", share.shown, counted(blocks, "block")),
    };
    Bar::new(label, length, Cell::count(characters)).note(note)
}

/// What is told as a fall, where there is none.
const NO_FALL: &str =
    "The context of no model turn fell to under nine tenths of the one before, nor at a compaction or a handoff.";

/// What people are told of every estimate of tokens.
pub(super) const ESTIMATE_NOTE: &str = "Characters are counted, tokens are an estimate: a quarter of the characters, which \
                                        fits English. Chinese takes up to four times as many tokens.";
