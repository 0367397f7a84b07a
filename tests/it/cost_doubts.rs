//! Money where the data contradicts itself or cannot be read: no cause explains more than it can, no figure is lost silently.

use flower_analyze::analysis::cost::{By, Cost, CostQuery, cost, turn_costs};
use flower_analyze::analysis::prices::PriceTable;
use flower_analyze::analysis::{Selection, TimeRange};
use flower_analyze::run_dir::{Manifest, Position, Row};
use flower_analyze::session::Model;
use flower_analyze::transcript::Collector;
use flower_analyze::unit::{Usd, Zone};
use serde_json::{Value, json};

/// One step in the session `s`, from 13:56:40 to 14:13:20.
fn step(reported: f64) -> Value {
    json!({"step": "a", "session_id": "s", "ok": true, "cost_usd": reported, "started_at": 1_796_047_000, "ended_at": 1_796_048_000, "attempts": 1})
}

/// An answer that used a million tokens of input: $4.
fn answer(at: u32, changes: &Value) -> Value {
    let parent = at.checked_sub(1).map(|before| format!("a{before}"));
    let mut entry = json!({"type": "assistant", "uuid": format!("a{at}"), "parentUuid": parent, "sessionId": "s", "version": "2.1.332",
        "timestamp": format!("2026-11-30T14:00:{at:02}.000Z"), "message": {"role": "assistant", "id": format!("m{at}"),
        "model": "claude-opus-5-5", "stop_reason": "end_turn", "content": [{"type": "text", "text": "x"}],
        "usage": {"input_tokens": 1_000_000, "output_tokens": 0}}});
    merge(&mut entry, changes);
    entry
}

fn merge(into: &mut Value, changes: &Value) {
    match (into, changes) {
        (Value::Object(into), Value::Object(changes)) => {
            changes.iter().for_each(|(name, value)| merge(into.entry(name).or_insert(Value::Null), value));
        }
        (into, changes) => *into = changes.clone(),
    }
}

fn client_total(total: f64) -> Value {
    json!({"type": "cost-state", "sessionId": "s", "totalCostUSD": total, "startTime": 1})
}

fn reckoned(entries: &[Value], steps: &[Value], by: By, zone: &str) -> (Cost, Vec<(String, Option<i64>)>) {
    let mut collector = Collector::default();
    for (rowid, entry) in (0..).zip(entries) {
        let payload = entry.to_string().into_bytes();
        let position = Position::Database { rowid, seq: Some(rowid) };
        let uid = entry["uuid"].as_str();
        collector.push(&Row { store_key: "-w/s", position, uid, payload: Ok(&payload) });
    }
    let model = Model::build(Collector::finish(vec![collector]));
    let manifest = Manifest::parse(Value::from(steps).to_string().as_bytes());
    let query = CostQuery { by, range: TimeRange::default(), zone: Zone::named(zone).unwrap() };
    let prices = PriceTable::built_in().unwrap();
    let costs = turn_costs(&model, Some(&manifest), &prices);
    let (cost, findings) = cost(&model, &Selection::all(&model), Some(&manifest), &costs, &prices, query);
    (cost, findings.into_iter().map(|finding| (finding.code.to_owned(), finding.place.seq)).collect())
}

/// The causes of the only step, with their parts in nano-dollars.
fn causes(entries: &[Value], step: &Value) -> Vec<(&'static str, Option<i64>)> {
    let (cost, findings) = reckoned(entries, std::slice::from_ref(step), By::Step, "UTC");
    let [step] = cost.steps.as_slice() else { panic!("one step") };
    let causes: Vec<_> =
        step.causes.iter().map(|cause| (cause.code.code(), cause.amount_usd.map(Usd::nanos))).collect();
    let names = |code: &str, wanted: &str| code == wanted;
    let said = findings.iter().any(|(code, _)| names(code, "unexplained-cost"));
    assert_eq!(said, causes.iter().any(|(code, _)| names(code, "unexplained")), "the finding goes with the cause");
    causes
}

const DOLLAR: i64 = 1_000_000_000;

#[test]
fn a_placeholder_explains_only_what_it_can_hide() {
    let cut =
        |text: &str| answer(0, &json!({"message": {"stop_reason": null, "content": [{"type": "text", "text": text}]}}));
    assert_eq!(causes(&[cut("x")], &step(1.0)), [("cut-stream", Some(-3 * DOLLAR))], "the client does not count it");
    assert_eq!(causes(&[cut("x")], &step(-5.0)), [("cut-stream", None), ("unexplained", Some(-5 * DOLLAR))]);
    // A hundred thousand characters are at most as many tokens: $2.
    let long = "x".repeat(100_000);
    assert_eq!(causes(&[cut(&long)], &step(5.5)), [("placeholder-usage", Some(DOLLAR * 3 / 2))]);
    assert_eq!(causes(&[cut(&long)], &step(50.0)), [("placeholder-usage", None), ("unexplained", Some(44 * DOLLAR))]);
}

#[test]
fn what_has_no_price_or_cannot_be_read_only_hides_spend() {
    let unpriced = answer(1, &json!({"message": {"model": "zz"}}));
    assert_eq!(causes(&[answer(0, &json!({})), unpriced.clone()], &step(1.0)), [("unexplained", Some(-3 * DOLLAR))]);
    assert_eq!(causes(&[answer(0, &json!({})), unpriced.clone()], &step(9.0)), [("unpriced", Some(5 * DOLLAR))]);
    // No model of the table costs more than $30 for a million tokens of input.
    let beyond = causes(&[answer(0, &json!({})), unpriced], &step(104.0));
    assert!(
        matches!(beyond.as_slice(), [("unpriced", None), ("unexplained", Some(rest))] if *rest >= 70 * DOLLAR),
        "{beyond:?}"
    );
    let unreadable = answer(1, &json!({"message": {"usage": {"input_tokens": "many"}}}));
    assert_eq!(causes(&[answer(0, &json!({})), unreadable], &step(9.0)), [("unreadable-usage", Some(5 * DOLLAR))]);
}

#[test]
fn a_killed_attempt_explains_no_more_than_was_measured() {
    let killed = |reported| {
        let mut step = step(reported);
        merge(&mut step, &json!({"attempts": 2, "errors": ["exit code -9"]}));
        causes(&[answer(0, &json!({})), answer(1, &json!({}))], &step)
    };
    assert_eq!(killed(5.0), [("killed-attempt", Some(-3 * DOLLAR))]);
    // The last answer is of the attempt that ended well.
    assert_eq!(killed(1.0), [("killed-attempt", None), ("unexplained", Some(-3 * DOLLAR))]);
}

#[test]
fn a_compaction_hides_at_most_its_context_and_the_longest_summary() {
    let entries = [
        answer(0, &json!({})),
        json!({"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": null, "logicalParentUuid": "a0",
            "timestamp": "2026-11-30T14:00:01.000Z", "sessionId": "s", "version": "2.1.332", "compactMetadata": {"trigger": "auto"}}),
        json!({"type": "user", "isCompactSummary": true, "uuid": "c", "parentUuid": "b", "timestamp": "2026-11-30T14:00:02.000Z",
            "sessionId": "s", "version": "2.1.332", "message": {"role": "user", "content": "sum"}}),
        answer(3, &json!({"parentUuid": "c"})),
    ];
    assert_eq!(causes(&entries, &step(10.0)), [("hidden-calls", Some(2 * DOLLAR))]);
    // A million tokens for $4 and 20,000 tokens of output for $0.40.
    let beyond = 400 * DOLLAR - 8 * DOLLAR - 4_400_000_000;
    assert_eq!(causes(&entries, &step(400.0)), [("hidden-calls", None), ("unexplained", Some(beyond))]);
}

#[test]
fn the_clients_own_total_is_held_against_the_manifest() {
    let of = |reported: f64| {
        let (cost, findings) =
            reckoned(&[answer(0, &json!({})), client_total(4.0)], &[step(reported)], By::Step, "UTC");
        let said = findings.iter().any(|(code, _)| code == "manifest-contradicts-client");
        let step = cost.steps.first().unwrap();
        let causes: Vec<_> =
            step.causes.iter().map(|cause| (cause.code.code(), cause.amount_usd.map(Usd::nanos))).collect();
        (step.client_usd.map(Usd::nanos), causes, said)
    };
    assert_eq!(of(4.0), (Some(4 * DOLLAR), vec![], false));
    assert_eq!(of(5.0), (Some(4 * DOLLAR), vec![("manifest-contradicts-client", Some(DOLLAR))], true));
    assert_eq!(of(1.0), (Some(4 * DOLLAR), vec![("manifest-contradicts-client", Some(-3 * DOLLAR))], true));
}

#[test]
fn unreadable_and_endless_figures_are_findings() {
    let of = |usage: Value| {
        let whole = answer(1, &json!({"message": {"usage": null}}));
        let mut second = whole;
        second["message"]["usage"] = usage;
        let (cost, findings) = reckoned(&[answer(0, &json!({})), second], &[], By::Step, "UTC");
        let found = findings.into_iter().find(|(code, _)| code != "detached-entries");
        (cost.spend.measured_usd.nanos() / DOLLAR, cost.spend.high.0.is_some(), found)
    };
    let unreadable = Some(("unreadable-usage".to_owned(), Some(1)));
    assert_eq!(of(json!({"input_tokens": 1_000_000, "iterations": ["x", 5, {}]})), (8, false, unreadable.clone()));
    for usage in [json!({"input_tokens": "5"}), json!({"output_tokens": -5}), json!({"input_tokens": 1e30}), json!([1])]
    {
        assert_eq!(of(usage.clone()), (4, false, unreadable.clone()), "{usage}");
    }
    let endless = Some(("cost-too-large".to_owned(), Some(1)));
    assert_eq!(of(json!({"output_tokens": u64::MAX})), (i64::MAX / DOLLAR, false, endless));
    let large = Some(("sum-too-large".to_owned(), None));
    assert_eq!(of(json!({"output_tokens": 461_168_601_842_738_u64})), (i64::MAX / DOLLAR, false, large));
    assert_eq!(of(json!({"input_tokens": 1_000_000})), (8, true, None));
}

#[test]
fn a_miss_needs_something_that_was_cached() {
    let usage = |read: u64, write: u64| json!({"message": {"usage": {"input_tokens": 50_000, "cache_read_input_tokens": read, "cache_creation_input_tokens": write}}});
    let misses = |first: &Value| {
        let (cost, _) = reckoned(&[answer(0, first), answer(1, &usage(0, 0))], &[], By::Step, "UTC");
        cost.cache.misses.iter().map(|miss| miss.tokens.0).collect::<Vec<_>>()
    };
    assert_eq!(misses(&usage(0, 0)), [0; 0]);
    assert_eq!(misses(&usage(10_000, 20_000)), [30_000]);
}

#[test]
fn the_hour_that_is_there_twice_stands_in_the_order_of_time() {
    let at = |at, time: &str| answer(at, &json!({ "timestamp": time }));
    let entries = [at(0, "2026-10-25T01:10:00Z"), at(1, "2026-10-25T00:10:00Z"), at(2, "2026-10-25T02:10:00Z")];
    let (cost, _) = reckoned(&entries, &[], By::Hour, "Europe/Berlin");
    let hours: Vec<&str> = cost.rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(hours, ["2026-10-25 02:00 +02:00", "2026-10-25 02:00 +01:00", "2026-10-25 03:00 +01:00"]);
}

#[test]
fn turns_without_a_time_of_their_own_are_counted() {
    let times = [json!("soon"), json!("2026-11-30T10:00:00Z"), json!("99999-01-01T00:00:00Z")];
    let entries: Vec<Value> = (0..).zip(times).map(|(at, time)| answer(at, &json!({ "timestamp": time }))).collect();
    let (cost, _) = reckoned(&entries, &[], By::Step, "UTC");
    assert_eq!((cost.turns_without_time, cost.turns_dated_by_neighbour), (1, 1));
}

#[test]
fn failed_attempts_and_what_was_done_again_are_waste() {
    let in_step = |attempts: u32, errors: Value| {
        let mut step = step(8.0);
        merge(&mut step, &json!({"attempts": attempts, "errors": errors}));
        step
    };
    let prompt = |at: u32, parent: Option<&str>| {
        json!({"type": "user", "uuid": format!("p{at}"), "parentUuid": parent, "sessionId": "s", "version": "2.1.332",
            "timestamp": format!("2026-11-30T14:00:{at:02}.000Z"), "message": {"role": "user", "content": "Work."}})
    };
    let entries = [
        prompt(0, None),
        answer(
            1,
            &json!({"parentUuid": "p0", "message": {"stop_reason": "tool_use", "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]}}),
        ),
        prompt(2, Some("a1")),
        answer(3, &json!({"parentUuid": "p2"})),
    ];
    let (cost, _) = reckoned(&entries, &[in_step(2, json!(["exit code -9"]))], By::Step, "UTC");
    assert_eq!(cost.waste.failed_attempts.measured_usd.nanos(), 4 * DOLLAR, "the first of two");
    assert_eq!(cost.waste.lost_attempts.measured_usd, Usd::ZERO, "its work went on");
    assert_eq!(cost.waste.redone_after_restart.measured_usd, Usd::ZERO, "it was resumed");
}

#[test]
fn a_sum_without_any_readable_part_is_not_known() {
    let mut unreadable = step(1.0);
    unreadable["cost_usd"] = json!("4.0");
    let reported =
        |steps: &[Value]| reckoned(&[answer(0, &json!({}))], steps, By::Step, "UTC").0.reported_usd.map(Usd::nanos);
    assert_eq!([reported(&[unreadable.clone()]), reported(&[unreadable, step(1.0)])], [None, Some(DOLLAR)]);
}
