use super::errors::outcome;
use super::evidence::Opening;
use super::findings::{FEW, findings};
use super::layers::answer;
use super::range::range;
use super::retries::spend;
use super::tools::shortened;
use crate::analysis::{HitThread, InFlight, Outage, Outages, Resumable};
use crate::report::{Cell, Column, Facts, Page, Table};
use crate::unit::{Finding, counted};

/// Why two failures are one outage or two.
const RULE: &str = "Two failures are one outage if no session got an answer in between, or if they are no more than 5 s apart \
    (network) or 60 s apart (the API refuses).";

/// Rows of a table that people see; JSON has all.
const SHOWN: usize = 20;

/// Outages that people see in full; the table has all.
const SHOWN_OUTAGES: usize = 20;

/// Each episode in which the service or the way to it failed.
pub fn outages(result: &Outages, found: &[Finding], opening: &Opening) -> Page {
    let table = all(result, opening);
    let mut page = Page::new(opening.title("Outages")).data(table.clone()).part(shortened(table, SHOWN_OUTAGES));
    if let Some(time) = range(result.range, &[(result.outages_left_out, "outage")], opening) {
        page = page.part(Facts::new().line("time", time));
    }
    for (number, outage) in (1..).zip(&result.outages).take(SHOWN_OUTAGES) {
        let heading = format!("Outage {number}, {}", opening.zone.date_time(outage.first_failure));
        page = page.section(heading, facts(outage, opening)).part(shortened(threads(outage, opening), SHOWN));
        if !outage.calls_in_flight.is_empty() {
            page = page.part(shortened(calls(outage, opening), SHOWN));
        }
    }
    if result.without_time > 0 {
        let n = counted(result.without_time, "failure");
        page = page.note(format!(
            "{n} of the service without a time that can be believed: in no outage; `errors` lists them."
        ));
    }
    if result.outages.len() > 1 {
        page = page.note(RULE);
    }
    page.section("Findings", findings(found, FEW, "--format json", &opening.names)).section("Evidence", opening.facts())
}

fn all(result: &Outages, opening: &Opening) -> Table {
    let columns = [
        Column::number("first failure"),
        Column::number("last failure").minor(),
        Column::number("first success").minor(),
        Column::number("lasted").named("lasted_s"),
        Column::number("failures"),
        Column::text("kinds"),
        Column::text("steps"),
        Column::number("threads").minor(),
        Column::word("ended"),
        Column::word("resumable"),
        Column::number("spent on failed").named("failed_measured_usd").minor(),
        Column::number("lost").named("lost_measured_usd").minor(),
    ];
    let row = |outage: &Outage| -> [Cell; 12] {
        let moment = |at| Cell::moment(at, opening.zone);
        [
            moment(outage.first_failure),
            moment(outage.last_failure),
            outage.first_success.map(moment).into(),
            outage.lasted_s.into(),
            outage.failures.into(),
            kinds(outage).into(),
            outage.steps.join(", ").into(),
            outage.threads.len().into(),
            outcome(outage.ended),
            outage.resumable.map(answer).into(),
            outage.failed_spend.measured_usd.into(),
            outage.lost_spend.measured_usd.into(),
        ]
    };
    Table::new(columns)
        .rows(result.outages.iter().map(row))
        .empty("No outages: no failure of the service or the network.")
}

fn kinds(outage: &Outage) -> String {
    outage.kinds.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// What speaks against a plain yes, and what healing does for it.
fn why(judged: &Resumable) -> String {
    let healed = usize::try_from(judged.healed_calls).unwrap_or(usize::MAX);
    let healed = (healed > 0).then(|| format!("healing answers {}", counted(healed, "call")));
    judged.reasons.iter().cloned().chain(healed).collect::<Vec<_>>().join("; ")
}

fn facts(outage: &Outage, opening: &Opening) -> Facts {
    let time = |at| opening.zone.time(at);
    let success = outage.first_success.map_or("no answer came after it".to_owned(), |at| {
        format!("first answer after it at {}, {} after the first failure", time(at), outage.lasted_s)
    });
    let failed = format!(
        "{} of them announced retries of the CLI; {} ended by it",
        outage.cli_retries,
        counted(outage.failed_attempts, "attempt")
    );
    let probes = match outage.probes_likely {
        0 => String::new(),
        n => format!(", likely {n} probes of the network"),
    };
    let lost: Vec<&str> = outage.lost_subagents.iter().map(|key| opening.names.of(key)).collect();
    let subagents = if lost.is_empty() {
        "no subagent".to_owned()
    } else {
        format!("{} ({})", counted(lost.len(), "subagent"), lost.join(", "))
    };
    let work = format!("{subagents}, {}, {}", counted(outage.orphan_calls, "orphan call"), spend(outage.lost_spend));
    Facts::new()
        .line(
            "failures",
            format!(
                "{} from {} to {}: {}",
                outage.failures,
                time(outage.first_failure),
                time(outage.last_failure),
                kinds(outage)
            ),
        )
        .line("retries", failed)
        .line("ended", success)
        .line("waited", format!("{} between attempts{probes}", outage.waited_s))
        .line("failed attempts", spend(outage.failed_spend))
        .line("lost", work)
        .line("resumable now", outage.resumable.map(answer))
}

fn threads(outage: &Outage, opening: &Opening) -> Table {
    let columns = [
        Column::word("thread"),
        Column::word("kind"),
        Column::word("went on"),
        Column::word("resumable"),
        Column::text("why"),
    ];
    let row = |thread: &HitThread| -> [Cell; 5] {
        [
            Cell::text(opening.names.of(&thread.store_key)).exact(&thread.store_key),
            if thread.is_subagent { "subagent" } else { "main" }.into(),
            outcome(thread.outcome),
            thread.resumable.as_ref().map(|judged| answer(judged.verdict)).into(),
            thread.resumable.as_ref().map(why).unwrap_or_default().into(),
        ]
    };
    Table::new(columns).rows(outage.threads.iter().map(row))
}

fn calls(outage: &Outage, opening: &Opening) -> Table {
    let columns = [
        Column::word("in flight"),
        Column::number("at"),
        Column::word("tool"),
        Column::word("result"),
        Column::text("input"),
    ];
    let row = |call: &InFlight| -> [Cell; 5] {
        let result = if call.answered { Cell::text("later").good() } else { Cell::text("never").bad() };
        let key = Cell::text(opening.names.of(&call.store_key)).exact(&call.store_key);
        [key, call.seq.into(), call.tool.as_str().into(), result, call.input.as_str().into()]
    };
    Table::new(columns).rows(outage.calls_in_flight.iter().map(row))
}
