use super::evidence::Opening;
use super::findings::{MANY, findings};
use super::range::range;
use super::retries_chart::retries_chart;
use super::tools::shortened;
use crate::analysis::cost::Spend;
use crate::analysis::{AttemptRow, Begun, Ending, KnownBy, Ladder, LadderEnd, Retries, Wait, WaitVerdict};
use crate::report::{Cell, Column, Facts, Page, Table};
use crate::unit::{Finding, counted};

/// Rows of a table that people see; CSV and JSON have all.
const SHOWN: usize = 60;

/// The attempts of each step, their waits, and the CLI's own retries.
pub fn retries(result: &Retries, found: &[Finding], opening: &Opening) -> Page {
    let table = attempts(result, opening);
    let mut page = Page::new(opening.title("Retries")).part(totals(result, opening)).data(table.clone());
    page = page.section("Attempts of each step", shortened(table, SHOWN));
    page = retries_chart(result, opening).onto(page);
    page = page.section("Retries of the CLI itself", shortened(ladders(result, opening), SHOWN));
    page.section("Findings", findings(found, MANY, "--format json", &opening.names))
        .section("Evidence", opening.facts())
}

fn totals(result: &Retries, opening: &Opening) -> Facts {
    let left_out = [(result.attempts_left_out, "attempt"), (result.ladders_left_out, "ladder")];
    let totals = &result.totals;
    let recovered = result.ladders.iter().filter(|ladder| ladder.end == LadderEnd::Recovered).count();
    let hopeless = format!("{}, {}", counted(totals.hopeless, "attempt"), spend(totals.hopeless_spend));
    let hopeless = if totals.hopeless > 0 { Cell::text(hopeless).bad() } else { Cell::text("none") };
    Facts::new()
        .line("attempts", format!("{}, {} of them failed", totals.attempts, totals.failed))
        .line("could not help", hopeless)
        .line("waited", format!("{} between attempts, {} announced by the CLI", totals.waited_s, totals.cli_waited_s))
        .line("failed attempts", format!("took {}, {}", totals.failed_s, spend(totals.failed_spend)))
        .line("CLI retries", format!("{}, {recovered} recovered", counted(result.ladders.len(), "ladder")))
        .line_if("time", range(result.range, &left_out, opening))
}

/// Money as people read it; a lower bound where a turn has no price.
pub(super) fn spend(spend: Spend) -> String {
    match usize::try_from(spend.unpriced_turns).unwrap_or(usize::MAX) {
        0 => format!("{} measured", spend.measured_usd),
        n => format!("at least {} measured, {} without a price", spend.measured_usd, counted(n, "turn")),
    }
}

fn attempts(result: &Retries, opening: &Opening) -> Table {
    let columns = [
        Column::text("step"),
        Column::number("attempt"),
        Column::word("session").named("store_key"),
        Column::number("started").named("started_at"),
        Column::number("lasted").named("lasted_s").minor(),
        Column::word("begun").minor(),
        Column::word("ended").named("ending"),
        Column::word("kind"),
        Column::number("waited").named("wait_s").minor(),
        Column::number("by the formula").named("window_s").minor(),
        Column::number("start-up").named("start_up_s").minor(),
        Column::word("wait").named("wait_verdict"),
        Column::number("spent").named("measured_usd").minor(),
        Column::word("known by").minor(),
        Column::text("error").minor(),
    ];
    Table::new(columns).rows(result.attempts.iter().map(|row| attempt(row, opening))).empty("No attempts.")
}

fn attempt(row: &AttemptRow, opening: &Opening) -> [Cell; 15] {
    let session = row.store_key.as_ref().map(|key| Cell::text(opening.names.of(key)).exact(key));
    let kind = row.kind.map(|kind| {
        let name = kind.to_string();
        let shown = if row.basis.is_guess() { format!("likely {name}") } else { name.clone() };
        Cell::text(shown).exact(name)
    });
    let number = Cell::from(row.attempt);
    [
        row.step.as_deref().into(),
        if row.hopeless { number.bad() } else { number },
        session.into(),
        row.started_at.map(|at| Cell::moment(at, opening.zone)).into(),
        row.lasted_s.into(),
        begun(row.begun),
        ending(row.ending),
        kind.into(),
        row.wait.map(|wait| wait.observed_s).into(),
        row.wait.and_then(window).into(),
        row.wait.and_then(start_up).into(),
        row.wait.map(verdict).into(),
        row.spend.measured_usd.into(),
        known_by(row.known_by),
        row.error.as_deref().into(),
    ]
}

fn begun(begun: Begun) -> Cell {
    let cell = Cell::text(begun.to_string());
    if begun == Begun::Restarted { cell.warn() } else { cell }
}

fn ending(ending: Ending) -> Cell {
    let cell = Cell::text(ending.to_string());
    match ending {
        Ending::Answered => cell.good(),
        Ending::Failed => cell.bad(),
        Ending::Interrupted | Ending::Unfinished => cell.warn(),
    }
}

fn window(wait: Wait) -> Option<Cell> {
    let (shortest, longest) = wait.shortest_s.zip(wait.longest_s)?;
    Some(Cell::text(format!("{shortest} to {longest}")).exact(format!("{}..{}", shortest.seconds(), longest.seconds())))
}

/// What the start of the CLI took of a wait; shown where the formula alone does not explain it.
fn start_up(wait: Wait) -> Option<Cell> {
    let start_up = wait.start_up_s?;
    let used = wait.verdict == WaitVerdict::InWindow && wait.longest_s.is_some_and(|longest| wait.observed_s > longest);
    let shown = if used { format!("+ {start_up}") } else { String::new() };
    Some(Cell::text(shown).exact(start_up.seconds().to_string()))
}

fn verdict(wait: Wait) -> Cell {
    let cell = Cell::text(wait.verdict.to_string());
    match wait.verdict {
        WaitVerdict::InWindow | WaitVerdict::NoBackoff => cell,
        WaitVerdict::Longer | WaitVerdict::Shorter => cell.warn(),
        WaitVerdict::Impossible => cell.bad(),
    }
}

fn known_by(known_by: KnownBy) -> Cell {
    match known_by {
        KnownBy::Both => Cell::text("both"),
        KnownBy::Manifest => Cell::text("manifest").warn(),
        KnownBy::Transcript => Cell::text("transcript"),
        KnownBy::Guess => Cell::text("guess").warn(),
    }
}

fn ladders(result: &Retries, opening: &Opening) -> Table {
    let columns = [
        Column::word("session").named("store_key"),
        Column::number("from").named("seq"),
        Column::text("step"),
        Column::number("attempt").minor(),
        Column::number("started").named("started_at"),
        Column::number("retries"),
        Column::number("of").named("max"),
        Column::number("announced wait").named("announced_wait_s").minor(),
        Column::text("kinds"),
        Column::word("end"),
    ];
    let rows = result.ladders.iter().map(|ladder| ladder_row(ladder, opening));
    Table::new(columns).rows(rows).empty("The CLI announced no retries; older versions do not write them down.")
}

fn ladder_row(ladder: &Ladder, opening: &Opening) -> [Cell; 10] {
    let end = Cell::text(ladder.end.to_string());
    [
        Cell::text(opening.names.of(&ladder.store_key)).exact(&ladder.store_key),
        ladder.seq.into(),
        ladder.step.as_deref().into(),
        ladder.attempt.into(),
        ladder.started_at.map(|at| Cell::moment(at, opening.zone)).into(),
        ladder.retries.into(),
        ladder.max.into(),
        ladder.announced_wait_s.into(),
        ladder.kinds.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ").into(),
        match ladder.end {
            LadderEnd::Recovered => end.good(),
            LadderEnd::GaveUp => end.bad(),
            LadderEnd::Broken => end.warn(),
        },
    ]
}
