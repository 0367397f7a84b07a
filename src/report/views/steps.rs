use crate::analysis::{StepRow, Steps};
use crate::report::{Cell, Column, Table};
use crate::run_dir::ShortNames;
use crate::unit::{Zone, counted};

/// A name up to this length is never broken.
const SHORT_NAME: usize = 24;

/// The column of names, which are shown whole if all of them are short.
pub(super) fn name_column<'a>(header: &str, mut names: impl Iterator<Item = &'a str>) -> Column {
    let short = names.all(|name| name.chars().count() <= SHORT_NAME);
    if short { Column::word(header) } else { Column::text(header) }
}

pub(super) fn steps_line(steps: &Steps) -> String {
    let ok = steps.steps.iter().filter(|step| step.ok == Some(true)).count();
    let retried = steps.steps.iter().filter(|step| step.attempts.is_some_and(|attempts| attempts > 1)).count();
    let retried = if retried > 0 { format!(", {retried} retried") } else { String::new() };
    let runs = steps.runs.len();
    let runs = if runs > 1 { format!(", in {runs} runs") } else { String::new() };
    format!("{} executed, {ok} ok{retried}{runs}", steps.steps.len())
}

pub(super) fn reported(steps: &Steps) -> String {
    let resumed = steps.steps.iter().filter(|step| step.resumed == Some(true)).count();
    let twice = match resumed {
        0 => String::new(),
        n => format!("; {} may hold the cost of earlier ones again", counted(n, "resumed step")),
    };
    match steps.steps_without_cost {
        0 => format!("{} (as the client estimated it, not the bill{twice})", steps.reported_usd),
        n => format!("at least {}: {} without a readable cost{twice}", steps.reported_usd, counted(n, "step")),
    }
}

pub(super) fn steps_table(steps: &Steps, names: &ShortNames) -> Table {
    let columns = [
        name_column("step", steps.steps.iter().map(|step| step.step.as_str())),
        Column::word("run").minor(),
        Column::word("result"),
        Column::number("cost").named("cost_usd"),
        Column::number("turns").named("num_turns"),
        Column::number("attempts"),
        Column::word("resumed").minor(),
        Column::number("handoffs").minor(),
        Column::number("context").named("context_tokens").minor(),
        Column::number("duration").named("duration_s"),
        Column::word("session"),
        Column::id("error"),
    ];
    let ok = steps.steps.iter().filter(|step| step.ok == Some(true)).count();
    let counted = format!("{ok}/{} ok", steps.steps.len());
    Table::new(columns)
        .rows(steps.steps.iter().map(|step| step_row(step, names)))
        .footer([Cell::text("all"), Cell::text(""), counted.into(), steps.reported_usd.into()])
        .primary()
        .empty("The manifest has no step.")
}

/// The processes that ran the steps, where there were several.
pub(super) fn runs_table(steps: &Steps, zone: Zone) -> Table {
    let columns = [
        Column::word("run"),
        Column::number("steps"),
        Column::number("ok"),
        Column::number("cost").named("cost_usd"),
        Column::number("started"),
        Column::number("lasted").named("duration_s"),
    ];
    let rows = steps.runs.iter().map(|run| {
        let span = run.started_at.zip(run.ended_at).map(|(start, end)| end.since(start));
        let started = run.started_at.map(|time| Cell::moment(time, zone));
        let name = run.run.as_deref().unwrap_or("(no run id)");
        [name.into(), run.steps.into(), run.ok.into(), run.reported_usd.into(), started.into(), span.into()]
    });
    Table::new(columns).rows(rows)
}

/// The last part of a run's name, which differs between the runs of one minute.
fn short_run(run: &str) -> Cell {
    Cell::text(run.rsplit('-').next().unwrap_or(run)).exact(run)
}

fn step_row(step: &StepRow, names: &ShortNames) -> [Cell; 12] {
    let result = match step.ok {
        Some(true) => Cell::text("ok").good(),
        Some(false) => Cell::text("failed").bad(),
        None => Cell::text("unknown").warn(),
    };
    let attempts = Cell::from(step.attempts);
    let session = step.session_id.as_deref().map(|id| Cell::text(names.of_main(id)).exact(id));
    let session = session.map(|cell| if step.session_in_store { cell } else { cell.bad() });
    [
        step.step.as_str().into(),
        step.run.as_deref().map(short_run).into(),
        result,
        step.cost_usd.into(),
        step.num_turns.into(),
        if step.attempts.is_some_and(|attempts| attempts > 1) { attempts.warn() } else { attempts },
        step.resumed.into(),
        step.handoffs.into(),
        step.context.into(),
        step.duration_s.into(),
        session.into(),
        step.error.as_deref().or(step.errors.first().map(String::as_str)).into(),
    ]
}
