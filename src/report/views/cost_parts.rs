use super::cost_chart::cache_picture;
use super::evidence::Opening;
use super::tools::shortened;
use crate::analysis::cost::{CacheMiss, Cost, ExpensiveTurn, MissCause, Spend, TurnSpend};
use crate::report::{Cell, Column, Facts, Page, Table};
use crate::run_dir::ShortNames;
use crate::unit::counted;

/// Rows of a list that people see at most.
const SHOWN_ROWS: usize = 10;
/// Models without a price that people see at most.
const SHOWN_MODELS: usize = 40;

/// What the cost page shows beside groups and steps: threads, cache, waste, the dearest turns, models without a price.
pub(super) fn parts(page: Page, result: &Cost, turns: &[TurnSpend], opening: &Opening) -> Page {
    let names = &opening.names;
    let mut page = page.section("Threads and waste", threads(result)).section("Cache", cache(result));
    if !result.cache.misses.is_empty() {
        page = page.part(shortened(misses(&result.cache.misses, opening), SHOWN_ROWS));
    }
    page = cache_picture(turns).onto(page);
    if !result.unpriced.is_empty() {
        page = page.section("Without a price: not in the sums", shortened(unpriced(result), SHOWN_MODELS));
    }
    if result.expensive_turns.is_empty() {
        return page;
    }
    page.section("The most expensive model turns", expensive(&result.expensive_turns, opening, names))
}

fn threads(result: &Cost) -> Table {
    let columns = [
        Column::text("spend of"),
        Column::number("turns").named("model_turns"),
        Column::number("measured"),
        Column::number("share"),
    ];
    let all = nanos(&result.spend);
    let mut rows = vec![("main threads", result.threads.main), ("subagents", result.threads.subagents)];
    rows.extend(result.outside_steps.map(|spend| ("outside of every step", spend)));
    rows.push(("abandoned branches (waste)", result.waste.abandoned_branches));
    rows.push(("subagents without a usable result (waste)", result.waste.killed_subagents));
    rows.push(("attempts that failed", result.waste.failed_attempts));
    rows.push(("of them, not gone on with (waste)", result.waste.lost_attempts));
    rows.push(("done again after a restart (waste)", result.waste.redone_after_restart));
    let row = |(what, spend): (&str, Spend)| {
        [what.into(), spend.totals.model_turns.into(), spend.measured_usd.into(), Cell::share(nanos(&spend), all)]
    };
    Table::new(columns).rows(rows.into_iter().map(row))
}

fn nanos(spend: &Spend) -> u64 {
    u64::try_from(spend.measured_usd.nanos()).unwrap_or(0)
}

fn cache(result: &Cost) -> Facts {
    let cache = &result.cache;
    let share = cache.hit_share.map(|share| format!("{:.1}% of the context read from the cache", share * 100.0));
    let trend = result.trend;
    let quarters = trend.first_quarter_usd.zip(trend.last_quarter_usd);
    let shown = trend
        .mean_usd
        .zip(quarters)
        .map(|(mean, (first, last))| format!("{mean} on average, {first} in the first quarter, {last} in the last"));
    let missed = match counted(cache.misses.len(), "model turn") {
        _ if cache.misses.is_empty() => "none".to_owned(),
        turns => format!("{turns} wrote again what had been cached, for {} more than reading it", cache.misses_usd),
    };
    Facts::new()
        .line_if("Hits", share)
        .line(
            "Context",
            format!("paid {}, without a cache {}, saved {}", cache.paid_usd, cache.uncached_usd, cache.saved_usd),
        )
        .line("Misses", missed)
        .line_if("A model turn", shown)
}

fn misses(misses: &[CacheMiss], opening: &Opening) -> Table {
    let columns = [
        Column::word("miss at"),
        Column::number("time").minor(),
        Column::number("tokens"),
        Column::number("cost").named("cost_usd"),
        Column::number("after").named("gap_s"),
        Column::text("cause"),
    ];
    let row = |miss: &CacheMiss| {
        [
            place(&opening.names, &miss.store_key, miss.seq),
            miss.at.map(|at| Cell::moment(at, opening.zone)).into(),
            miss.tokens.into(),
            miss.cost_usd.into(),
            miss.gap.into(),
            cause(miss.cause).into(),
        ]
    };
    Table::new(columns).rows(misses.iter().map(row))
}

fn place(names: &ShortNames, store_key: &str, seq: i64) -> Cell {
    Cell::text(format!("{}:{seq}", names.of(store_key))).exact(format!("{store_key}:{seq}"))
}

fn cause(cause: MissCause) -> &'static str {
    match cause {
        MissCause::ModelSwitch => "another model",
        MissCause::Compaction => "a compaction",
        MissCause::Expired => "the cache had expired",
        MissCause::EditedAfterResume => "likely edited before a resume",
        MissCause::Unknown => "not known",
    }
}

fn unpriced(result: &Cost) -> Table {
    let columns = [
        Column::text("model"),
        Column::text("reason"),
        Column::number("turns").named("model_turns"),
        Column::number("input"),
        Column::number("output"),
        Column::number("cache read"),
        Column::number("cache write"),
    ];
    let row = |of: &crate::analysis::cost::UnpricedModel| {
        let usage = of.totals.usage;
        [
            Cell::from(of.model.as_str()),
            match of.reason {
                crate::analysis::prices::Unpriced::UnknownModel => "not in the price table".into(),
                crate::analysis::prices::Unpriced::NoPriceThatDay => "no price for that day".into(),
            },
            of.totals.model_turns.into(),
            usage.input.into(),
            usage.output.into(),
            usage.cache_read.into(),
            usage.cache_write.into(),
        ]
    };
    Table::new(columns).rows(result.unpriced.iter().map(row))
}

fn expensive(turns: &[ExpensiveTurn], opening: &Opening, names: &ShortNames) -> Table {
    let columns = [
        Column::word("turn"),
        Column::number("time").minor(),
        Column::text("model"),
        Column::number("context").named("context_tokens"),
        Column::number("written").named("cache_write_tokens"),
        Column::number("output").named("output_tokens"),
        Column::number("measured").named("measured_usd"),
    ];
    let row = |turn: &ExpensiveTurn| {
        [
            place(names, &turn.store_key, turn.seq),
            turn.at.map(|at| Cell::moment(at, opening.zone)).into(),
            turn.model.as_str().into(),
            turn.context_tokens.into(),
            turn.cache_write_tokens.into(),
            turn.output_tokens.into(),
            turn.measured_usd.into(),
        ]
    };
    Table::new(columns).rows(turns.iter().map(row))
}
