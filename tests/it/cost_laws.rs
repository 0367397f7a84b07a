//! Laws of money: every way of adding up gives the same, whatever the rows and their order.

use flower_analyze::analysis::cost::{By, Cost, CostQuery, cost, turn_costs};
use flower_analyze::analysis::prices::PriceTable;
use flower_analyze::analysis::{Selection, TimeRange};
use flower_analyze::run_dir::{Manifest, Position, Row};
use flower_analyze::session::Model;
use flower_analyze::transcript::Collector;
use flower_analyze::unit::{Usd, Zone};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

const KEYS: [&str; 4] = ["-w/one", "-w/one/subagents/agent-a", "-w/two", "-w/three"];
const MODELS: [&str; 5] =
    ["claude-opus-5-5", "claude-haiku-5-5", "claude-sonnet-5-5", "made-up-model", "claude-opus-4-6[1m]"];

/// One block of an answer.
#[derive(Debug, Clone)]
struct Block {
    key: usize,
    message: u8,
    model: &'static str,
    /// Minutes since the beginning; `None` without a time.
    minute: Option<i64>,
    tokens: [u64; 5],
    split: bool,
    service: u8,
    ended: bool,
}

fn blocks() -> impl Strategy<Value = Vec<Block>> {
    let block = (
        0..KEYS.len(),
        0..12_u8,
        select(&MODELS[..]),
        proptest::option::weighted(0.9, 0..3000_i64),
        proptest::array::uniform5(0..250_000_u64),
        any::<bool>(),
        0..8_u8,
        any::<bool>(),
    );
    let block = block.prop_map(|(key, message, model, minute, tokens, split, service, ended)| Block {
        key,
        message,
        model,
        minute,
        tokens,
        split,
        service,
        ended,
    });
    vec(block, 0..40)
}

impl Block {
    fn payload(&self, at: usize) -> Vec<u8> {
        let [input, output, read, write, hour] = self.tokens;
        let mut usage = json!({"input_tokens": input, "output_tokens": output, "cache_read_input_tokens": read,
            "cache_creation_input_tokens": write + hour});
        if self.split {
            usage["cache_creation"] = json!({"ephemeral_5m_input_tokens": write, "ephemeral_1h_input_tokens": hour});
        }
        match self.service {
            0 => usage["speed"] = json!("fast"),
            1 => usage["inference_geo"] = json!("us"),
            2 => usage["server_tool_use"] = json!({"web_search_requests": input % 5}),
            3 => usage["iterations"] = json!([usage.clone(), {"input_tokens": output, "output_tokens": 1}]),
            _ => {}
        }
        let stop = if self.ended { json!("end_turn") } else { json!(null) };
        let mut entry = json!({"type": "assistant", "uuid": format!("u{at}"), "parentUuid": null, "message": {
            "id": format!("m{}", self.message), "model": self.model, "stop_reason": stop, "usage": usage,
            "content": [{"type": "text", "text": "said"}]}});
        if let Some(minute) = self.minute {
            // From the afternoon before the end of summer time in Berlin on.
            let moment = chrono::DateTime::from_timestamp(1_792_846_800 + minute * 60, 0).unwrap();
            entry["timestamp"] = json!(moment.to_rfc3339());
        }
        entry.to_string().into_bytes()
    }
}

/// The cost of the blocks. `order` tells in which order they are read; `key` where each is stored.
fn costs(blocks: &[Block], order: &[usize], key: impl Fn(usize) -> &'static str, by: By, zone: &str) -> Cost {
    let mut collector = Collector::default();
    for at in order.iter().copied() {
        let payload = blocks[at].payload(at);
        let (rowid, uid) = (i64::try_from(at).unwrap(), format!("u{at}"));
        let position = Position::Database { rowid, seq: Some(rowid) };
        collector.push(&Row { store_key: key(at), position, uid: Some(&uid), payload: Ok(&payload) });
    }
    let model = Model::build(Collector::finish(vec![collector]));
    let manifest = Manifest::parse(
        br#"[{"step":"first","session_id":"one","cost_usd":1.0,"started_at":1792846800,"ended_at":1792880000},
        {"step":"second","session_id":"one","cost_usd":1.0,"started_at":1792880000,"ended_at":1792990000},
        {"step":"other","session_id":"two","cost_usd":1.0,"started_at":1792846800,"ended_at":1792900000}]"#,
    );
    let query = CostQuery { by, range: TimeRange::default(), zone: Zone::named(zone).unwrap() };
    let prices = PriceTable::built_in().unwrap();
    let costs = turn_costs(&model, Some(&manifest), &prices);
    cost(&model, &Selection::all(&model), Some(&manifest), &costs, &prices, query).0
}

fn key_of(blocks: &[Block]) -> impl Fn(usize) -> &'static str {
    |at| KEYS[blocks[at].key]
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_grouping_adds_up_to_the_same(blocks in blocks(), zone in select(&["UTC", "Europe/Berlin", "Asia/Kolkata"][..])) {
        let order: Vec<usize> = (0..blocks.len()).collect();
        for by in [By::Step, By::Session, By::Model, By::Thread, By::Day, By::Hour, By::Run] {
            let cost = costs(&blocks, &order, key_of(&blocks), by, zone);
            let spends = || cost.rows.iter().map(|row| row.spend);
            prop_assert_eq!(spends().map(|spend| spend.measured_usd).sum::<Usd>(), cost.spend.measured_usd);
            prop_assert_eq!(spends().map(|spend| spend.low_usd).sum::<Usd>(), cost.spend.low_usd);
            prop_assert_eq!(spends().map(|spend| spend.classes.total()).sum::<Usd>(), cost.spend.measured_usd);
            prop_assert_eq!(spends().map(|spend| spend.totals.model_turns).sum::<u64>(), cost.spend.totals.model_turns);
            prop_assert_eq!(spends().map(|spend| spend.unpriced_turns).sum::<u64>(), cost.spend.unpriced_turns);
            let steps: Usd = cost.steps.iter().map(|step| step.spend.measured_usd).sum();
            prop_assert_eq!(steps + cost.outside_steps.unwrap().measured_usd, cost.spend.measured_usd);
            for spend in spends().chain([cost.spend]) {
                prop_assert!(spend.low_usd <= spend.measured_usd);
                prop_assert!(spend.high.0.is_none_or(|high| spend.measured_usd <= high));
                prop_assert_eq!(spend.high.0.is_none(), spend.unpriced_turns > 0);
            }
        }
    }

    #[test]
    fn the_order_of_reading_changes_nothing(blocks in blocks(), seed in any::<u64>()) {
        let straight: Vec<usize> = (0..blocks.len()).collect();
        let mut shuffled = straight.clone();
        shuffled.sort_by_key(|at| u64::try_from(*at).unwrap().wrapping_add(seed).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let of = |order: &[usize]| costs(&blocks, order, key_of(&blocks), By::Session, "UTC");
        prop_assert_eq!(of(&straight), of(&shuffled));
    }

    #[test]
    fn a_store_that_is_split_in_two_costs_the_same(blocks in blocks(), halves in any::<u64>()) {
        let order: Vec<usize> = (0..blocks.len()).collect();
        let whole = costs(&blocks, &order, |_| "-w/whole", By::Session, "UTC");
        let split = costs(&blocks, &order, |at| if halves >> (at % 64) & 1 == 0 { "-w/half" } else { "-w/other" }, By::Session, "UTC");
        prop_assert_eq!(whole.spend.totals, split.spend.totals);
        if blocks.iter().all(|block| block.minute.is_some()) {
            // Without a time of its own a turn takes that of its neighbour, which the split may move away.
            prop_assert_eq!(whole.spend.measured_usd, split.spend.measured_usd);
        }
    }
}
