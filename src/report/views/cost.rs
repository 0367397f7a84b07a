use super::context::ESTIMATE_NOTE;
use super::cost_chart::spend_picture;
use super::evidence::Opening;
use super::findings::{FEW, findings};
use super::range::range;
use super::steps::name_column;
use super::tools::shortened;
use crate::analysis::cost::{By, Cost, GroupRow, Spend, StepCost, ToolSpend, TurnSpend};
use crate::report::{Cell, Column, Facts, Page, Table};
use crate::run_dir::ShortNames;
use crate::unit::{Finding, Usd, counted};

/// Rows of a table that people see at most.
const SHOWN_ROWS: usize = 60;

/// Where the money went.
pub fn cost(result: &Cost, turns: &[TurnSpend], found: &[Finding], opening: &Opening) -> Page {
    let names = &opening.names;
    let mut page = Page::new(opening.title("Cost")).part(overview(result, opening));
    if result.by == By::Tool {
        let table = tools(&result.tools);
        page = page
            .data(table.clone())
            .section("By tool (estimated from the characters of results)", shortened(table, SHOWN_ROWS))
            .note(ESTIMATE_NOTE);
    } else {
        let table = groups(result, names);
        page = page.data(table.clone()).section(heading(result.by), shortened(table, SHOWN_ROWS));
    }
    page = spend_picture(result, turns, opening).onto(page);
    if !result.steps.is_empty() {
        page =
            page.section("Reported against measured, by step", shortened(reconciled(&result.steps, names), SHOWN_ROWS));
        page = page.part(shortened(causes(&result.steps), SHOWN_ROWS));
    }
    page = super::cost_parts::parts(page, result, turns, opening);
    if !found.is_empty() {
        page = page.section("Findings", findings(found, FEW, "--format json", names));
    }
    page.section("Evidence", opening.facts())
}

fn heading(by: By) -> String {
    let what = match by {
        By::Step => "step",
        By::Session => "session",
        By::Subagent => "subagent",
        By::Model => "model",
        By::Thread => "thread",
        By::Tool => "tool",
        By::Day => "day",
        By::Hour => "hour",
        By::Run => "run",
    };
    format!("Measured, by {what}")
}

fn overview(result: &Cost, opening: &Opening) -> Facts {
    let spend = &result.spend;
    let missing = || counted(result.steps_without_cost, "step");
    let reported = match (result.reported_usd, result.steps_without_cost) {
        (None, 0) => None,
        (None, _) => Some(Cell::text(format!("not known: {} without a readable cost", missing()))),
        (Some(reported), without) => {
            let missing =
                if without == 0 { String::new() } else { format!("; at least: {} without a readable cost", missing()) };
            let text = format!("{reported} (what the client estimated, step by step{missing})");
            Some(Cell::text(text).exact(exact(reported)))
        }
    };
    let source = |table: &crate::analysis::cost::PriceSource| match &table.checked {
        Some(day) => format!("{} (checked on {day})", table.name),
        None => format!("{} (no date)", table.name),
    };
    Facts::new()
        .line_if("Reported", reported)
        .line(
            "Measured",
            Cell::text(format!(
                "{} in {}, a lower bound on the bill",
                spend.measured_usd,
                count(spend.totals.model_turns, "model turn")
            )),
        )
        .line("Bounds", bounds(spend))
        .line_if("Time", range(result.range, &[(result.turns_left_out, "model turn")], opening))
        .line_if("Dated by others", dated(result))
        .line("Prices", result.prices.iter().map(source).collect::<Vec<_>>().join(", before "))
}

fn bounds(spend: &Spend) -> String {
    let low = spend.low_usd;
    match spend.high.0 {
        Some(high) if high == low => "the data leaves nothing open".to_owned(),
        // Figures that differ are shown so that it is seen.
        Some(high) if high.to_string() == low.to_string() => {
            format!("{} to {} by what the data leaves open", low.in_full(), high.in_full())
        }
        Some(high) => format!("{low} to {high} by what the data leaves open"),
        None => {
            let of = |turns, why: &str| (turns > 0).then(|| format!("{} {why}", count(turns, "model turn")));
            let unpriced = of(spend.unpriced_turns, "without a price");
            let unreadable = of(spend.unreadable_turns, "with a count of tokens that cannot be read");
            let mut whys: Vec<String> = unpriced.into_iter().chain(unreadable).collect();
            if whys.is_empty() {
                whys.push("more than can be reckoned with".to_owned());
            }
            format!("at least {low}: {}", whys.join(", "))
        }
    }
}

/// Turns whose time is not their own.
fn dated(result: &Cost) -> Option<String> {
    let turns = |n, what: &str| (n > 0).then(|| format!("{} {what}", counted(n, "model turn")));
    let neighbour = turns(result.turns_dated_by_neighbour, "without a readable time at that of the last entry before");
    let without = turns(result.turns_without_time, "of no known time").filter(|_| result.range.is_all());
    let lines: Vec<String> = neighbour.into_iter().chain(without).collect();
    (!lines.is_empty()).then(|| lines.join(", "))
}

fn count(n: u64, noun: &str) -> String {
    counted(usize::try_from(n).unwrap_or(usize::MAX), noun)
}

fn exact(money: Usd) -> String {
    money.dollars().to_string()
}

/// The columns of money and tokens that every grouping has.
fn spend_columns() -> [Column; 12] {
    [
        Column::number("turns").named("model_turns"),
        Column::number("measured").named("measured_usd"),
        Column::number("share"),
        Column::number("input").named("input_usd").minor(),
        Column::number("output").named("output_usd"),
        Column::number("cache read").named("cache_read_usd"),
        Column::number("cache write").named("cache_write_5m_usd"),
        Column::number("write 1h").named("cache_write_1h_usd").minor(),
        Column::number("searches").named("web_search_usd").minor(),
        Column::number("low").named("low_usd").minor(),
        Column::number("high").named("high_usd").minor(),
        Column::number("tokens").minor(),
    ]
}

fn spend_cells(spend: &Spend, all: Usd) -> [Cell; 12] {
    let classes = spend.classes;
    let measured = Cell::from(spend.measured_usd);
    let nanos = |money: Usd| u64::try_from(money.nanos()).unwrap_or(0);
    [
        Cell::from(spend.totals.model_turns),
        if spend.unpriced_turns > 0 || spend.unreadable_turns > 0 || spend.measured_usd.is_saturated() {
            Cell::text(format!("≥ {}", measured.shown)).exact(exact(spend.measured_usd)).warn()
        } else {
            measured
        },
        Cell::share(nanos(spend.measured_usd), nanos(all)),
        classes.input_usd.into(),
        classes.output_usd.into(),
        classes.cache_read_usd.into(),
        classes.cache_write_5m_usd.into(),
        classes.cache_write_1h_usd.into(),
        classes.web_search_usd.into(),
        spend.low_usd.into(),
        spend.high.0.into(),
        spend.totals.usage.total().into(),
    ]
}

fn groups(result: &Cost, names: &ShortNames) -> Table {
    let described = matches!(result.by, By::Session | By::Subagent);
    let name = match result.by {
        By::Session | By::Subagent => Column::word("session").named("store_key"),
        By::Day | By::Hour | By::Thread => Column::word(<&str>::from(result.by)),
        By::Step | By::Model | By::Tool | By::Run => {
            name_column(<&str>::from(result.by), result.rows.iter().map(|row| row.name.as_str()))
        }
    };
    let mut columns = vec![name];
    if described {
        columns.extend([Column::text("description"), Column::word("started by").named("started_by").minor()]);
    }
    columns.extend(spend_columns());
    let all = result.spend.measured_usd;
    let row = |row: &GroupRow| -> Vec<Cell> {
        let mut cells = if described {
            let started = row.started_by.as_deref();
            let line = row.description.as_deref().and_then(|text| text.lines().next()).unwrap_or_default();
            vec![Cell::text(names.of(&row.name)).exact(&row.name), line.into(), started.into()]
        } else {
            vec![row.name.as_str().into()]
        };
        let [turns, measured, rest @ ..] = spend_cells(&row.spend, all);
        let is_guess = result.by == By::Step && row.by_time_usd > Usd::ZERO;
        cells.extend([turns, if is_guess { by_time(measured) } else { measured }]);
        cells.extend(rest);
        cells
    };
    // Main threads are no rows of this table: its sum is not that of everything.
    let (label, sum) =
        if result.by == By::Subagent { ("all subagents", &result.threads.subagents) } else { ("all", &result.spend) };
    let mut footer = vec![Cell::text(label)];
    footer.resize(columns.len() - 12, Cell::text(""));
    footer.extend(spend_cells(sum, all));
    let table = Table::new(columns).rows(result.rows.iter().map(row)).footer(footer);
    table.empty("No model turn is in view.")
}

fn reconciled(steps: &[StepCost], names: &ShortNames) -> Table {
    let columns = [
        name_column("step", steps.iter().map(|step| step.step.as_str())),
        Column::word("session").named("session_id").minor(),
        Column::number("attempts").minor(),
        Column::number("reported").named("reported_usd"),
        Column::number("measured").named("measured_usd"),
        Column::number("difference").named("difference_usd"),
        Column::number("client").named("client_usd").minor(),
        Column::text("causes"),
    ];
    let row = |step: &StepCost| {
        let mut causes: Vec<&str> = step.causes.iter().map(|cause| cause.code.code()).collect();
        causes.dedup();
        let session = step.session_id.as_deref().map(|id| Cell::text(names.of_main(id)).exact(id));
        let difference = Cell::from(step.difference_usd);
        [
            Cell::from(step.step.as_str()),
            session.into(),
            step.attempts.into(),
            step.reported_usd.into(),
            if step.by_time_usd > Usd::ZERO {
                by_time(step.spend.measured_usd.into())
            } else {
                step.spend.measured_usd.into()
            },
            if causes.is_empty() { agreeing(step) } else { difference.warn() },
            step.client_usd.into(),
            if causes.is_empty() { Cell::text("none: they agree").good() } else { Cell::text(causes.join(", ")) },
        ]
    };
    Table::new(columns).rows(steps.iter().map(row))
}

/// A figure that is a guess in part: some of it belongs to the step by time alone.
fn by_time(measured: Cell) -> Cell {
    let shown = format!("~ {}", measured.shown);
    Cell { shown, ..measured }.warn()
}

/// Rounding is no difference.
fn agreeing(step: &StepCost) -> Cell {
    let exact = step.difference_usd.map(|difference| Cell::from(Usd::ZERO).exact(exact(difference)).faint());
    exact.unwrap_or_else(Cell::absent)
}

/// What shows each cause.
fn causes(steps: &[StepCost]) -> Table {
    let columns = [
        name_column("step", steps.iter().map(|step| step.step.as_str())),
        Column::word("cause"),
        Column::number("amount").named("amount_usd"),
        Column::prose("evidence"),
    ];
    let rows = steps.iter().flat_map(|step| {
        step.causes.iter().map(|cause| {
            let code = Cell::text(cause.code.code());
            [step.step.as_str().into(), code, cause.amount_usd.into(), cause.evidence.as_str().into()]
        })
    });
    Table::new(columns).rows(rows).empty("Reported and measured cost agree in every step.")
}

fn tools(tools: &[ToolSpend]) -> Table {
    let columns = [
        Column::word("tool"),
        Column::number("calls"),
        Column::number("results"),
        Column::number("characters").named("result_characters"),
        Column::number("tokens").named("estimated_tokens"),
        Column::number("tokens given").named("estimated_carried_tokens"),
        Column::number("estimate").named("estimated_usd"),
    ];
    let row = |tool: &ToolSpend| {
        [
            Cell::from(tool.tool.as_str()),
            tool.calls.into(),
            tool.results.into(),
            Cell::count(tool.result_characters),
            tool.estimated_tokens.into(),
            tool.estimated_carried_tokens.into(),
            tool.estimated_usd.into(),
        ]
    };
    Table::new(columns).rows(tools.iter().map(row)).empty("No tool was called.")
}
