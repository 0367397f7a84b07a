//! Laws of failures: each is told once, counts and money add up, and neither the order of the rows nor the files that they
//! stand in change anything.

use flower_analyze::analysis::cost::{Spend, TurnCost, turn_costs};
use flower_analyze::analysis::layers::Answer;
use flower_analyze::analysis::prices::PriceTable;
use flower_analyze::analysis::{
    Attempts, Errors, FailureKind, Failures, LeftOut, Outages, Resumable, Retries, Selection, Source, TimeRange,
    WaitVerdict, attempts, errors, failures, outages, retries,
};
use flower_analyze::run_dir::{Manifest, Position, Row};
use flower_analyze::session::Model;
use flower_analyze::transcript::Collector;
use flower_analyze::unit::{Timestamp, Usd};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const KEYS: [&str; 4] = ["-w/one", "-w/two", "-w/three", "-w/one/subagents/agent-a"];

/// 14:00 of the day on which all begins.
const BEGIN: i64 = 1_796_047_200_000;

#[derive(Debug, Clone, Copy)]
enum What {
    Prompt,
    Answer,
    Retry(&'static str),
    Final(u64, &'static str),
}

/// One entry of a session, so many seconds after the one before it.
#[derive(Debug, Clone)]
struct Step {
    key: usize,
    what: What,
    later: i64,
    has_time: bool,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let what = prop_oneof![
        2 => Just(What::Prompt),
        3 => Just(What::Answer),
        2 => select(&["ECONNRESET", "", "ENOTFOUND"][..]).prop_map(What::Retry),
        2 => select(&[(529, "overloaded_error"), (401, "authentication_error"), (400, "invalid_request_error"), (500, "api_error")][..])
            .prop_map(|(status, kind)| What::Final(status, kind)),
    ];
    let later = prop_oneof![0..20_i64, 60..400_i64, -30..0_i64];
    let step = (0..KEYS.len(), what, later, proptest::bool::weighted(0.9));
    let step = step.prop_map(|(key, what, later, has_time)| Step { key, what, later, has_time });
    vec(step, 0..40)
}

/// A row of the store: its key and its payload.
type Stored = (&'static str, Value);

/// The rows in the order of writing. Every session begins with a prompt.
fn rows(steps: &[Step]) -> Vec<Stored> {
    let mut rows: Vec<Stored> = Vec::new();
    let mut last: BTreeMap<usize, String> = BTreeMap::new();
    let mut at = BEGIN;
    let mut push = |key: usize, what: What, at: i64, has_time: bool| {
        let uuid = format!("u{}", rows.len());
        let mut entry = json!({"uuid": uuid, "parentUuid": last.get(&key), "sessionId": "s", "version": "2.1.332",
            "isSidechain": KEYS[key].contains("agent")});
        if has_time {
            entry["timestamp"] = json!(Timestamp::from_millis(at).unwrap().to_string());
        }
        let answer = |id: &str, model: &str, text: &str| {
            json!({"role": "assistant", "id": id, "model": model, "stop_reason": "end_turn",
                "content": [{"type": "text", "text": text}], "usage": {"input_tokens": 1000, "output_tokens": 7}})
        };
        let (kind, message) = match what {
            What::Prompt => ("user", json!({"role": "user", "content": "go on"})),
            What::Answer => ("assistant", answer(&format!("m-{uuid}"), "claude-opus-5-5", "done")),
            What::Retry(code) => {
                entry["subtype"] = json!("api_error");
                entry["retryAttempt"] = json!(1);
                let connection = json!({"connection": {"code": code}});
                entry["error"] = if code.is_empty() { json!({}) } else { connection };
                ("system", Value::Null)
            }
            What::Final(status, error) => {
                entry["isApiErrorMessage"] = json!(true);
                entry["apiErrorStatus"] = json!(status);
                entry["apiErrorType"] = json!(error);
                ("assistant", answer(&format!("e-{uuid}"), "<synthetic>", &format!("API Error: {status}")))
            }
        };
        entry["type"] = json!(kind);
        if !message.is_null() {
            entry["message"] = message;
        }
        last.insert(key, uuid);
        rows.push((KEYS[key], entry));
    };
    for key in 0..KEYS.len() {
        push(key, What::Prompt, BEGIN, true);
    }
    for step in steps {
        at += step.later * 1000;
        // The attempt of a subagent is told by its time.
        push(step.key, step.what, at, step.has_time || KEYS[step.key].contains("agent"));
    }
    rows
}

fn manifest() -> Manifest {
    let row = |(n, id): (usize, &str)| {
        json!({"step": format!("step {n}"), "session_id": id, "ok": true, "cost_usd": 0.1,
        "started_at": 1_796_047_190 + n, "ended_at": 1_796_147_200})
    };
    let rows: Vec<Value> = ["one", "two"].into_iter().enumerate().map(row).collect();
    Manifest::parse(Value::from(rows).to_string().as_bytes())
}

/// Everything that is told of one store.
struct Told {
    model: Model,
    failures: Failures,
    attempts: Attempts,
    costs: Vec<TurnCost>,
    spends: Vec<Spend>,
    errors: Errors,
    retries: Retries,
    outages: Outages,
}

/// Reads rows in an order, each in the file that `file` says; the place of a row in the store stays the same.
fn told(rows: &[Stored], order: &[usize], file: impl Fn(usize) -> usize, range: TimeRange) -> Told {
    let mut collectors = [Collector::default(), Collector::default()];
    for at in order {
        let (store_key, entry) = &rows[*at];
        let payload = entry.to_string().into_bytes();
        let rowid = i64::try_from(*at).unwrap();
        let position = Position::Database { rowid, seq: Some(rowid) };
        collectors[file(*at)].push(&Row { store_key, position, uid: entry["uuid"].as_str(), payload: Ok(&payload) });
    }
    let model = Model::build(Collector::finish(collectors));
    let (manifest, all) = (manifest(), Selection::all(&model));
    let failures = failures(&model);
    let attempts = attempts(&model, Some(&manifest), &failures);
    let costs = turn_costs(&model, Some(&manifest), &PriceTable::built_in().unwrap());
    let spends = attempts.spends(&model, &costs);
    let (errors, _) = errors(&model, &all, Some(&manifest), &failures, &attempts, range);
    let (retries, _) = retries(&model, &all, Some(&manifest), &failures, &attempts, &spends, range);
    let judged = Resumable { verdict: Answer::Resumable, healed_calls: 0, reasons: Vec::new() };
    let outages = outages(&model, &all, &failures, &attempts, &costs, &|_| Ok(judged.clone()), range).unwrap();
    Told { model, failures, attempts, costs, spends, errors, retries, outages }
}

fn straight(rows: &[Stored]) -> Told {
    told(rows, &(0..rows.len()).collect::<Vec<_>>(), |_| 0, TimeRange::default())
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_entry_with_an_error_is_told_once(steps in steps()) {
        let rows = rows(&steps);
        let errors = straight(&rows).errors.errors;
        let own = errors.iter().filter(|row| matches!(row.source, Source::Final | Source::CliRetry));
        let mut found: Vec<(&str, i64)> = own.map(|row| (row.store_key.as_deref().unwrap(), row.seq.unwrap())).collect();
        let is_error = |entry: &Value| entry["isApiErrorMessage"] == true || entry["subtype"] == "api_error";
        let written = rows.iter().enumerate().filter(|(_, (_, entry))| is_error(entry));
        let mut written: Vec<(&str, i64)> = written.map(|(at, (key, _))| (*key, i64::try_from(at).unwrap())).collect();
        found.sort_unstable();
        written.sort_unstable();
        prop_assert_eq!(found, written);
    }

    #[test]
    fn counts_by_kind_and_by_hour_add_up(steps in steps()) {
        let errors = straight(&rows(&steps)).errors;
        let once = errors.errors.iter().filter(|row| row.repeats.is_none()).count();
        prop_assert_eq!(errors.by_kind.iter().map(|kind| kind.errors).sum::<usize>(), once);
        prop_assert_eq!(errors.by_hour.iter().map(|hour| hour.errors).sum::<usize>(), once);
        for kind in &errors.by_kind {
            let of_hours = errors.by_hour.iter().filter(|hour| hour.kind == kind.kind).map(|hour| hour.errors);
            prop_assert_eq!(of_hours.sum::<usize>(), kind.errors);
            prop_assert_eq!(kind.recovered + kind.final_errors, kind.errors);
        }
    }

    #[test]
    fn neither_the_order_nor_the_files_of_rows_matter(steps in steps(), seed in any::<u64>()) {
        let rows = rows(&steps);
        let whole = straight(&rows);
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(|at| u64::try_from(*at).unwrap().wrapping_add(seed).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let split = told(&rows, &order, |at| usize::from(seed >> (at % 64) & 1 == 1), TimeRange::default());
        prop_assert_eq!(whole.errors, split.errors);
        prop_assert_eq!(whole.retries, split.retries);
        prop_assert_eq!(whole.outages, split.outages);
    }

    #[test]
    fn each_wait_lies_between_its_two_attempts(steps in steps()) {
        let told = straight(&rows(&steps));
        for (at, attempt) in told.attempts.all.iter().enumerate() {
            let Some(wait) = attempt.wait else { continue };
            let next = told.attempts.next(at).unwrap();
            let (end, start) = (attempt.end.unwrap(), next.start.unwrap());
            prop_assert_eq!(wait.observed_s, start.since(end));
            prop_assert_eq!(wait.verdict == WaitVerdict::Impossible, start < end);
        }
    }

    #[test]
    fn the_money_of_attempts_is_that_of_the_run(steps in steps()) {
        let told = straight(&rows(&steps));
        let run: Spend = told.model.usage.turns.iter().zip(&told.costs).sum();
        prop_assert_eq!(told.spends.iter().copied().sum::<Spend>(), run);
        let rows: Usd = told.retries.attempts.iter().map(|attempt| attempt.spend.measured_usd).sum();
        prop_assert_eq!(rows, run.measured_usd);
    }

    #[test]
    fn outages_are_apart_and_cover_their_errors(steps in steps()) {
        let told = straight(&rows(&steps));
        for pair in told.outages.outages.windows(2) {
            prop_assert!(pair[0].last_failure < pair[1].first_failure || pair[0].last_failure == pair[0].first_failure);
            prop_assert!(pair[0].last_failure <= pair[1].first_failure);
        }
        let of_outage = |kind: FailureKind, source: Source| {
            kind.is_of_the_service() || source == Source::CliRetry && kind == FailureKind::Unknown
        };
        let all = || told.errors.errors.iter().filter(|row| {
            row.repeats.is_none() && row.source != Source::CutStream && row.source != Source::Manifest
                && of_outage(row.kind, row.source)
        });
        for outage in &told.outages.outages {
            let within = |at: Timestamp| outage.first_failure <= at && at <= outage.last_failure;
            prop_assert_eq!(all().filter(|row| row.at.is_some_and(within)).count(), outage.failures);
        }
        let timed: usize = told.outages.outages.iter().map(|outage| outage.failures).sum();
        prop_assert_eq!((timed, told.outages.without_time), (
            all().filter(|row| row.at.is_some()).count(), all().filter(|row| row.at.is_none()).count()));
    }

    /// What a range shows and what it leaves out are together all.
    #[test]
    fn a_range_leaves_nothing_out_silently(steps in steps(), from in 0..4000_i64, length in 1..4000_i64) {
        let rows = rows(&steps);
        let order: Vec<usize> = (0..rows.len()).collect();
        let at = |seconds: i64| Timestamp::from_millis(BEGIN + seconds * 1000);
        let range = TimeRange { since: at(from), until: at(from + length) };
        let (all, part) = (straight(&rows), told(&rows, &order, |_| 0, range));
        let sum = |left: LeftOut, shown: usize| left.outside + left.without_time + shown;
        prop_assert_eq!(sum(part.errors.errors_left_out, part.errors.errors.len()), all.errors.errors.len());
        prop_assert_eq!(sum(part.retries.attempts_left_out, part.retries.attempts.len()), all.retries.attempts.len());
        prop_assert_eq!(sum(part.retries.ladders_left_out, part.retries.ladders.len()), all.retries.ladders.len());
        prop_assert_eq!(sum(part.outages.outages_left_out, part.outages.outages.len()), all.outages.outages.len());
        prop_assert!(part.errors.errors.iter().all(|row| all.errors.errors.contains(row)), "another row than without a range");
        prop_assert!(part.failures == all.failures, "the input was cut, not the result");
    }
}
