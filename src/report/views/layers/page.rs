use super::comparison::comparison;
use super::data::{change_data, data};
use super::files::{files, spills};
use super::tables::{changes, layer_table, reasons, sessions};
use super::words::answer_name;
use crate::analysis::layers::{Layers, LoadTotals, Policy, PolicyLoad};
use crate::report::views::Opening;
use crate::report::views::findings::{MANY, findings};
use crate::report::{Cell, Facts, Page};
use crate::unit::{Finding, short_count};

/// What the load layers do to each session.
pub fn layers(result: &Layers, found: &[Finding], opening: &Opening) -> Page {
    let page = Page::new(opening.title("Load layers"));
    let mut page = match &result.other {
        None => page.part(facts(&result.load)),
        Some(other) => {
            let both = comparison(&result.load, other, opening);
            page.section("A", facts(&result.load)).section("B", facts(other)).section("Comparison", both)
        }
    };
    page =
        page.section("Sessions", sessions(&result.load, opening)).section("Layers", layer_table(&result.load, opening));
    let why = reasons(&result.load, opening);
    if !why.rows.is_empty() {
        page = page.section("Why not simply resumable", why);
    }
    let has_changes = result.load.keys.values().any(|key| key.changes.is_some());
    if has_changes {
        page = page.section("Changes", changes(&result.load, opening));
    }
    let (told, odd) = (result.load.keys.values().any(|key| !key.spills.is_empty()), files(result, opening));
    if told || !odd.rows.is_empty() {
        page = page.section("Files of trimmed results", spills(result)).part(odd);
    }
    if !found.is_empty() {
        page = page.section("Findings", findings(found, MANY, "--format json", &opening.names));
    }
    let data = if has_changes { change_data(result) } else { data(result) };
    page.section("Evidence", opening.facts()).data(data)
}

fn facts(load: &PolicyLoad) -> Facts {
    let LoadTotals { before, after, sessions, changed, .. } = &load.totals;
    let (b, a) = (before.size.characters, after.size.characters);
    let context = format!(
        "{} → {} characters, about {} → {} tokens{}",
        short_count(b),
        short_count(a),
        before.estimated_tokens,
        after.estimated_tokens,
        match (a < b, b < a) {
            (true, _) => format!("; {} saved", Cell::share(b - a, b).shown),
            (_, true) => format!("; {} more", Cell::share(a - b, b).shown),
            _ => String::new(),
        }
    );
    let verdicts = load.totals.verdicts.iter().map(|(answer, n)| format!("{n} {}", answer_name(*answer)));
    Facts::new()
        .line("policy", format!("{}: {}", load.name, describe(&load.policy)))
        .line("up to the layer", load.last_layer.name())
        .line("sessions", format!("{sessions}, {changed} of them fed otherwise than stored"))
        .line("what the models see", context)
        .line("verdicts", verdicts.collect::<Vec<_>>().join(", "))
        .line("in the cache", cache(&load.totals))
}

/// What a policy does, in one line.
fn describe(policy: &Policy) -> String {
    let (expire, trim, prune) = (&policy.expire, &policy.trim, &policy.prune);
    let totals = if prune.drop_cost_state { " and the client's running totals" } else { "" };
    let denials = match prune.keep_denials {
        0 => "all denials".to_owned(),
        kept => format!("denials but the last {kept}"),
    };
    let on = |enabled: bool, text: String, name: &str| if enabled { text } else { format!("no {name}") };
    [
        on(
            expire.enabled,
            format!("expire up to {} characters but the last {}", expire.max_chars, expire.keep_recent),
            "expire",
        ),
        on(
            trim.enabled,
            format!("trim from {} characters on but the last {}", trim.min_chars, trim.keep_recent),
            "trim",
        ),
        on(prune.enabled, format!("prune {denials}{totals}"), "prune"),
        on(policy.heal.enabled, "heal".to_owned(), "heal"),
    ]
    .join(", ")
}

fn cache(totals: &LoadTotals) -> String {
    if totals.estimated_tokens.0 == 0 {
        return "nothing has to be written again".to_owned();
    }
    let unpriced: Vec<&str> = totals.unpriced.iter().map(String::as_str).collect();
    let without =
        if unpriced.is_empty() { String::new() } else { format!("; without a price: {}", unpriced.join(", ")) };
    format!(
        "about {} tokens stand behind a first change; if all were resumed, writing them again costs {} (for five minutes) to {} (for an hour){without}",
        totals.estimated_tokens, totals.low_usd, totals.high_usd
    )
}
