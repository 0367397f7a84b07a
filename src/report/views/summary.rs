use super::evidence::Opening;
use super::findings::{ALL, FEW, findings};
use super::steps::{reported, runs_table, steps_line, steps_table};
use super::tools::{shortened, tools};
use crate::analysis::{Economics, NextStep, Summary, Thread, WorkbenchSummary};
use crate::report::{Body, Cell, Column, Curve, Facts, Page, Table};
use crate::run_dir::ShortNames;
use crate::unit::{Finding, Level, Zone, counted};

/// What happened, on one screen.
pub fn summary(result: &Summary, found: &[Finding], opening: &Opening, all_findings: bool) -> Page {
    let zone = opening.zone;
    let mut page = Page::new(opening.title("Summary")).part(overview(result, found, zone));
    page = match &result.steps {
        Some(steps) => {
            let table = steps_table(steps, &opening.names);
            let page = page.data(table.clone());
            let page = page.section("Steps (figures as the manifest reports them)", shortened(table, 40));
            if steps.runs.len() > 1 { page.part(runs_table(steps, zone)) } else { page }
        }
        None => page.note("No manifest.json that can be read: steps, reported cost and attempts are not known."),
    };
    page = page.section("Context economics", economics_table(&result.economics)).part(cache_facts(&result.economics));
    page = curve(page, result, &opening.names);
    page = tools(page, &result.tools, &opening.names);
    if let Some(workbench) = &result.workbench {
        page = page.section("Workbench", workbench_facts(workbench));
    }
    let shown = if all_findings { ALL } else { FEW };
    page = page
        .section("Findings", findings(found, shown, "--all-findings", &opening.names))
        .section("Evidence", opening.facts());
    let line = |next: &NextStep| format!("{}  # {}", command(next, opening), next.why);
    page.section("Look next", Body::Text(result.next.iter().map(line).collect::<Vec<_>>().join("\n")))
}

/// The command line that a person can paste.
fn command(next: &NextStep, opening: &Opening) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | ',' | '@' | '%' | ':' | '=');
    let source = &opening.path;
    let quoted =
        if source.chars().all(plain) { source.clone() } else { format!("'{}'", source.replace('\'', r"'\''")) };
    let seq = next.seq.map(|seq| format!(":{seq}")).unwrap_or_default();
    let entry = next.session.as_ref().map(|key| format!("{}{seq}", opening.names.of(key)));
    let words = [Some("flower-analyze"), Some(next.command), Some(&quoted), entry.as_deref(), next.option];
    words.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn overview(result: &Summary, found: &[Finding], zone: Zone) -> Facts {
    let count = |level| found.iter().filter(|finding| finding.level == level).count();
    let (errors, warnings, infos) = (count(Level::Error), count(Level::Warning), count(Level::Info));
    let told = Cell::text(
        [(errors, "error"), (warnings, "warning"), (infos, "note")].map(|(n, noun)| counted(n, noun)).join(", "),
    );
    let sessions =
        format!("{}, {}", counted(result.main_threads, "main thread"), counted(result.subagents, "subagent"));
    let rows = &result.rows;
    let balance = match (rows.defects, rows.split_off) {
        (0, _) => format!("{} read, all decoded", rows.rows),
        (defects, 0) => format!("{} read = {} entries + {defects} defects", rows.rows, rows.entries),
        (defects, more) => {
            format!("{} read + {more} more on shared lines = {} entries + {defects} defects", rows.rows, rows.entries)
        }
    };
    let facts = Facts::new().line_if("time", times(result, zone)).line("sessions", sessions).line("rows", balance);
    let facts = match &result.steps {
        Some(steps) => facts.line("steps", steps_line(steps)).line("reported cost", reported(steps)),
        None => facts,
    };
    let usage = &result.usage;
    let shared = match usage.shared_turns {
        0 => String::new(),
        n => format!(", {n} of them found in several sessions and counted once"),
    };
    facts
        .line("model turns", format!("{}{shared}", usage.total.model_turns))
        .line("versions", if result.versions.is_empty() { "none recorded".to_owned() } else { join(&result.versions) })
        .line(
            "findings",
            if errors > 0 {
                told.bad()
            } else if warnings > 0 {
                told.warn()
            } else {
                told.good()
            },
        )
}

fn join<'a>(names: impl IntoIterator<Item = &'a String>) -> String {
    names.into_iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

fn times(result: &Summary, zone: Zone) -> Option<String> {
    let (first, last) = (result.first?, result.last?);
    let end = if zone.day(first) == zone.day(last) { zone.time(last) } else { zone.date_time(last) };
    Some(format!("{} to {end} ({}), {}", zone.date_time(first), zone.name(), last.since(first)))
}

fn economics_table(economics: &Economics) -> Table {
    let (main, sub) = (&economics.main, &economics.subagents);
    let columns = [
        Column::text(""),
        Column::number("sessions"),
        Column::number("entries"),
        Column::number("model turns"),
        Column::number("characters"),
        Column::number("tokens"),
        Column::number("share of tokens").named("token_share"),
        Column::number("output").named("output_tokens").minor(),
        Column::number("context max").named("context_max_tokens").minor(),
    ];
    let all = main.tokens + sub.tokens;
    let row = |name: &str, side: &Thread| {
        [
            Cell::text(name),
            side.sessions.into(),
            side.entries.into(),
            Cell::count(side.totals.model_turns),
            Cell::count(side.characters),
            side.tokens.into(),
            Cell::share(side.tokens.0, all.0),
            side.totals.usage.output.into(),
            side.context_max.into(),
        ]
    };
    Table::new(columns).row(row("main threads", main)).row(row("subagents", sub))
}

fn cache_facts(economics: &Economics) -> Facts {
    let cache = &economics.cache;
    let input = cache.read + cache.written + cache.uncached;
    let hit = Cell::share(cache.read.0, input.0);
    let hit = if hit.absent { "no input".to_owned() } else { format!("{} of {} input tokens", hit.shown, input) };
    Facts::new().line("cache hits", hit).line("cache written", cache.written).line("uncached input", cache.uncached)
}

fn curve(page: Page, result: &Summary, names: &ShortNames) -> Page {
    let curve = &result.context_curve;
    if curve.points.is_empty() {
        return page;
    }
    let points = curve.points.iter().map(|point| point.context.0).collect();
    let falls = curve.drops.iter().map(|drop| drop.point).collect();
    let page = page.section("Context of the main threads", Curve::new(points, "model turn", "tokens").falls(falls));
    let drops = curve.drops.iter().map(|drop| {
        let at = curve.points.get(drop.point);
        let place = at.map(|point| format!("{}:{}", names.of(&point.store_key), point.seq)).unwrap_or_default();
        let turn = drop.point + 1;
        [turn.into(), drop.from.into(), drop.to.into(), drop.cause.to_string().into(), Cell::text(place)]
    });
    let columns = [
        Column::number("model turn"),
        Column::number("from"),
        Column::number("to"),
        Column::text("drop to under 70 %, after"),
        Column::id("entry").minor(),
    ];
    if curve.drops.is_empty() { page } else { page.part(shortened(Table::new(columns).rows(drops), 8)) }
}

fn workbench_facts(workbench: &WorkbenchSummary) -> Facts {
    let folder = |count: crate::run_dir::FolderCount| match count.files {
        0 => Cell::text("none").faint(),
        1 => Cell::text(format!("1 file, {} bytes", count.bytes)),
        n => Cell::text(format!("{n} files, {} bytes", count.bytes)),
    };
    let state = if workbench.incomplete { " (not counted whole, see findings)" } else { "" };
    Facts::new()
        .line("folder", format!("{}{state}", workbench.path))
        .line("scripts", folder(workbench.scripts))
        .line("artifacts", folder(workbench.artifacts))
        .line("notes", folder(workbench.notes))
        .line("spilled results", folder(workbench.spill))
}
