use super::evidence::Opening;
use super::findings::{MANY, findings};
use super::range::range;
use super::tools::shortened;
use crate::analysis::{Basis, Denials, ErrorRow, Errors, Explained, FailureClass, HourRow, KindRow, Outcome};
use crate::report::{Cell, Column, Facts, Page, Table};
use crate::run_dir::names::MANIFEST;
use crate::unit::{Finding, Zone, counted};

/// Errors that people see; CSV and JSON have all.
const SHOWN_ERRORS: usize = 60;

/// Denied commands that people see.
const SHOWN_COMMANDS: usize = 20;

/// Every failure, what it was and what became of it.
pub fn errors(result: &Errors, found: &[Finding], opening: &Opening) -> Page {
    let table = errors_table(result, opening);
    let mut page = Page::new(opening.title("Errors")).part(overview(result, opening)).data(table.clone());
    page = page.section("Errors", shortened(table, SHOWN_ERRORS));
    if !result.by_kind.is_empty() {
        page = page.section("By kind", kinds(&result.by_kind)).section("By hour", hours(&result.by_hour, opening.zone));
    }
    if !result.denials.is_empty() {
        page = page.section("Denied tool calls", denials(&result.denials, opening));
        page = page.part(shortened(commands(&result.denials, opening), SHOWN_COMMANDS));
    }
    page.section("Findings", findings(found, MANY, "--format json", &opening.names))
        .section("Evidence", opening.facts())
}

fn overview(result: &Errors, opening: &Opening) -> Facts {
    let told = result.errors.iter().filter(|row| row.repeats.is_some()).count();
    let (once, recovered) =
        result.by_kind.iter().fold((0, 0), |(all, good), kind| (all + kind.errors, good + kind.recovered));
    let disagreeing = result.errors.iter().filter(|row| row.flower.decides && !row.flower.agrees);
    let denied: usize = result.denials.iter().map(|denials| denials.denied + denials.likely_denied).sum();
    Facts::new()
        .line("errors", format!("{}, told {} more", counted(once, "failure"), counted(told, "time")))
        .line("outcome", format!("{recovered} recovered, {} final", once - recovered))
        .line("verdicts", format!("{} where flower and the record disagree", counted(disagreeing.count(), "text")))
        .line("denied", counted(denied, "tool call"))
        .line_if(
            "time",
            range(result.range, &[(result.errors_left_out, "error"), (result.calls_left_out, "tool call")], opening),
        )
}

fn errors_table(result: &Errors, opening: &Opening) -> Table {
    let columns = [
        Column::number("time").named("at"),
        Column::word("entry"),
        Column::text("step"),
        Column::number("attempt").minor(),
        Column::word("source").minor(),
        Column::word("kind"),
        Column::word("class").minor(),
        Column::word("known by").named("basis").minor(),
        Column::number("status").minor(),
        Column::word("flower").minor(),
        Column::text("matched").minor(),
        Column::word("outcome"),
        Column::word("told before").named("repeats").minor(),
        Column::text("text"),
    ];
    Table::new(columns).rows(result.errors.iter().map(|row| error_row(row, opening))).empty("No errors.")
}

fn error_row(row: &ErrorRow, opening: &Opening) -> [Cell; 14] {
    let place =
        |key: &str, seq: i64| Cell::text(format!("{}:{seq}", opening.names.of(key))).exact(format!("{key}:{seq}"));
    let line = row.line.map(|line| Cell::text(format!("line {line}")).exact(format!("{MANIFEST}:{line}")));
    let entry = row.store_key.as_ref().zip(row.seq).map(|(key, seq)| place(key, seq)).or(line);
    let flower = &row.flower;
    let verdict = Cell::text(flower.classified.verdict.to_string());
    let matched = flower.classified.matched.as_ref();
    let repeats = row.repeats.as_ref().map(|first| place(&first.store_key, first.seq).faint());
    [
        row.at.map(|at| Cell::moment(at, opening.zone)).into(),
        entry.into(),
        row.step.as_deref().into(),
        row.attempt.into(),
        row.source.to_string().into(),
        kind(row),
        row.class.to_string().into(),
        basis(row.basis).into(),
        row.status.into(),
        if flower.decides && !flower.agrees { verdict.warn() } else { verdict },
        matched.map(|found| format!("{:?} at {}", found.text, found.position)).into(),
        ended(row),
        repeats.into(),
        row.text.as_str().into(),
    ]
}

/// The kind; a guess is shown as one.
fn kind(row: &ErrorRow) -> Cell {
    let name = row.kind.to_string();
    let shown = if row.basis.is_guess() { format!("likely {name}") } else { name.clone() };
    let cell = Cell::text(shown).exact(name);
    if row.class == FailureClass::Fatal { cell.bad() } else { cell }
}

/// What became of it. A row that only tells another again is marked here, since this column is there at every width: it
/// ended as the other did.
fn ended(row: &ErrorRow) -> Cell {
    match &row.repeats {
        Some(_) => Cell::text("(again)").exact(row.outcome.to_string()).faint(),
        None => outcome(row.outcome),
    }
}

fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Fields => "fields",
        Basis::Text => "text",
        Basis::Absence => "absence",
        Basis::Nothing => "nothing",
    }
}

/// What became of a failure.
pub(super) fn outcome(outcome: Outcome) -> Cell {
    let shown = if outcome == Outcome::RecoveredByCli { "recovered".to_owned() } else { outcome.to_string() };
    let cell = Cell::text(shown).exact(outcome.to_string());
    match outcome {
        Outcome::RecoveredByCli | Outcome::Resumed => cell.good(),
        Outcome::Restarted => cell.warn(),
        Outcome::Final => cell.bad(),
    }
}

fn kinds(rows: &[KindRow]) -> Table {
    let columns = [
        Column::word("kind"),
        Column::word("class"),
        Column::number("errors"),
        Column::number("CLI retries"),
        Column::number("recovered"),
        Column::number("final"),
        Column::number("likely"),
    ];
    let row = |row: &KindRow| -> [Cell; 7] {
        [
            row.kind.to_string().into(),
            row.class.to_string().into(),
            row.errors.into(),
            row.cli_retries.into(),
            row.recovered.into(),
            row.final_errors.into(),
            row.likely.into(),
        ]
    };
    Table::new(columns).rows(rows.iter().map(row))
}

fn hours(rows: &[HourRow], zone: Zone) -> Table {
    let columns = [Column::number("hour from"), Column::word("kind"), Column::number("errors")];
    let row = |row: &HourRow| -> [Cell; 3] {
        [row.hour.map(|hour| Cell::moment(hour, zone)).into(), row.kind.to_string().into(), row.errors.into()]
    };
    Table::new(columns).rows(rows.iter().map(row))
}

fn denials(rows: &[Denials], opening: &Opening) -> Table {
    let columns = [
        Column::word("thread"),
        Column::number("calls"),
        Column::number("denied"),
        Column::number("likely denied"),
        Column::number("rate"),
    ];
    let row = |row: &Denials| -> [Cell; 5] {
        let n = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        let thread = Cell::text(opening.names.of(&row.store_key)).exact(&row.store_key);
        let share = Cell::share(n(row.denied + row.likely_denied), n(row.calls));
        [thread, row.calls.into(), row.denied.into(), row.likely_denied.into(), share]
    };
    Table::new(columns).rows(rows.iter().map(row))
}

fn commands(rows: &[Denials], opening: &Opening) -> Table {
    let columns = [
        Column::word("denied in"),
        Column::number("first at"),
        Column::word("tool"),
        Column::word("why"),
        Column::number("times"),
        Column::text("command"),
    ];
    let mut table = Table::new(columns);
    for denials in rows {
        for command in &denials.commands {
            let times = Cell::from(command.times);
            table.push([
                Cell::text(opening.names.of(&denials.store_key)).exact(&denials.store_key),
                command.first_seq.into(),
                command.tool.as_str().into(),
                command.kind.as_deref().unwrap_or("likely denied").into(),
                if command.times > 1 { times.warn() } else { times },
                command.command.as_str().into(),
            ]);
        }
    }
    table
}

/// One text, explained.
pub fn explained(result: &Explained) -> Page {
    let matched = result.flower.matched.as_ref();
    let found =
        matched.map(|found| format!("{:?} at character {}, by `{}`", found.text, found.position, found.pattern));
    let kind = result.kind.to_string();
    let kind = if result.basis.is_guess() { format!("likely {kind}, by its words") } else { kind };
    let agrees = if result.agrees { Cell::text("yes").good() } else { Cell::text("no").warn() };
    let facts = Facts::new()
        .line("text", result.text.as_str())
        .line("kind", kind)
        .line("class", result.class.to_string())
        .line_if("opens again", result.reset.as_ref().map(|reset| reset.text.as_str()))
        .line("flower reads", result.flower.verdict.to_string())
        .line("matched", found.unwrap_or_else(|| "no pattern".to_owned()))
        .line("then", result.consequence)
        .line("both agree", agrees);
    let facts = result.remarks.iter().fold(facts, |facts, remark| facts.line("remark", remark.as_str()));
    let columns = ["kind", "class", "basis", "verdict", "pattern", "position", "matched", "agrees", "text"];
    let data = Table::new(columns.map(Column::text)).row([
        result.kind.to_string().into(),
        result.class.to_string().into(),
        basis(result.basis).into(),
        result.flower.verdict.to_string().into(),
        matched.map(|found| found.pattern).into(),
        matched.map(|found| found.position).into(),
        matched.map(|found| found.text.as_str()).into(),
        result.agrees.into(),
        result.text.as_str().into(),
    ]);
    Page::new("One text, explained").part(facts).data(data)
}
