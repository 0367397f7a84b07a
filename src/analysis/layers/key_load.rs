use super::Outcome;
use super::answer::{self, Verdict};
use super::changes::{ChangeRow, changes};
use super::context::{CacheLoss, Context, LayerSize, cache_loss, context, layer_sizes};
use super::fed::Fed;
use super::spills::{SpillCheck, check};
use crate::analysis::prices::PriceTable;
use crate::layers::{Layer, Loaded, Payload, Policy, Ruling, load_through};
use crate::run_dir::{Kind, Workbench};
use crate::session::{ModelTurn, SessionModel};
use crate::unit::Finding;
use serde::Serialize;

/// What becomes of one session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KeyLoad {
    /// What is fed against what is stored.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Main thread, subagent or other.
    pub kind: Kind,
    /// Whether it can be resumed from what is fed.
    pub verdict: Verdict,
    /// Layer after layer, over the whole session.
    pub layers: Vec<LayerSize>,
    /// What the model sees.
    pub context: Context,
    /// What it costs in cache.
    pub cache: CacheLoss,
    /// Files that the model is told to read.
    pub spills: Vec<SpillCheck>,
    /// Every change, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<ChangeRow>>,
}

/// What is asked of every session.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// What the layers do.
    pub policy: &'a Policy,
    /// The last layer that does anything.
    pub last: Layer,
    /// The prices.
    pub prices: &'a PriceTable,
    /// The workbench of the run.
    pub workbench: Option<&'a Workbench>,
    /// Whether every change is listed.
    pub changes: bool,
    /// Whether their texts are shown whole.
    pub full: bool,
}

impl Question<'_> {
    /// Puts a session through the layers.
    pub fn load<'p>(&self, payloads: &[Payload<'p>]) -> Loaded<'p> {
        load_through(payloads, self.policy, self.last)
    }
}

/// Looks at what became of a session; `turn` is its last model turn.
pub fn key_load(
    session: &SessionModel,
    payloads: &[Payload<'_>],
    loaded: &Loaded<'_>,
    turn: Option<&ModelTurn>,
    question: &Question<'_>,
) -> (KeyLoad, Vec<Finding>) {
    let fed = Fed::new(session, loaded);
    let observed = answer::observe(&fed);
    let payload = |seq: i64| {
        let at = payloads.binary_search_by_key(&seq, |payload| payload.seq).ok()?;
        payloads.get(at).map(|payload| payload.json)
    };
    let load = KeyLoad {
        outcome: Outcome::of(loaded),
        kind: session.kind(),
        verdict: Verdict::of(&observed),
        layers: layer_sizes(&fed, question.last),
        context: context(&fed),
        cache: cache_loss(&fed, turn, question.prices),
        spills: check(loaded, question.workbench),
        changes: question.changes.then(|| changes(&fed, question.full, payload)),
    };
    (load, answer::findings(session.store_key(), &observed))
}

/// Whether a command only looks, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explained {
    /// The command.
    pub command: String,
    /// The answer.
    pub ephemeral: bool,
    /// Why.
    #[serde(flatten)]
    pub ruling: Ruling,
}

impl Explained {
    /// Looks at a command.
    pub fn of(command: &str) -> Self {
        let ruling = Ruling::on(command);
        Self { command: command.to_owned(), ephemeral: ruling.is_ephemeral(), ruling }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::layers::Answer;
    use crate::run_dir::{Position, Row};
    use crate::session::Model;
    use crate::transcript::Collector;

    const ROWS: [&str; 4] = [
        r#"{"type":"user","uuid":"a","parentUuid":null,"message":{"role":"user","content":"Begin."}}"#,
        r#"{"type":"assistant","uuid":"b","parentUuid":"a","message":{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}"#,
        r#"{"type":"user","uuid":"c","parentUuid":"b","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"[Request interrupted"}]}}"#,
        r#"{"type":"user","uuid":"d","parentUuid":"c","message":{"role":"user","content":"On."}}"#,
    ];

    fn looked_at(fed: &[&str]) -> (KeyLoad, Vec<Finding>) {
        let mut collector = Collector::default();
        for (seq, json) in (0..).zip(ROWS) {
            let position = Position::Database { rowid: seq + 1, seq: Some(seq) };
            collector.push(&Row { store_key: "p/s", position, uid: None, payload: Ok(json.as_bytes()) });
        }
        let model = Model::build(Collector::finish([collector]));
        let (policy, prices) = (Policy::flower(), PriceTable::built_in().unwrap());
        let question = Question {
            policy: &policy,
            last: Layer::Heal,
            prices: &prices,
            workbench: None,
            changes: false,
            full: false,
        };
        let payloads: Vec<_> = (0..).zip(fed).map(|(seq, json)| Payload { seq, json }).collect();
        key_load(&model.sessions[0], &payloads, &question.load(&payloads), None, &question)
    }

    #[test]
    fn a_chain_that_is_whole_stays_whole() {
        let (load, findings) = looked_at(&ROWS);
        assert_eq!((load.verdict.live, findings), (Answer::Resumable, Vec::new()));
        assert_eq!((load.cache.first_seq, load.cache.model), (Some(2), None));
        assert_eq!(load.context.before.size.entries, 4);
    }

    /// No layer is known to do that; a red line is checked all the same.
    #[test]
    fn entries_that_the_leaf_does_not_reach_any_more_are_an_error() {
        let torn = ROWS[2].replace(r#""parentUuid":"b""#, r#""parentUuid":"gone""#);
        let (load, findings) = looked_at(&[ROWS[0], ROWS[1], &torn, ROWS[3]]);
        let codes: Vec<_> = findings.iter().map(|found| (found.code, found.place.seq)).collect();
        assert_eq!(codes, [("pairing-broken", Some(2)), ("history-lost", Some(0))]);
        let reasons: Vec<_> = load.verdict.reasons.iter().map(|reason| (reason.code, reason.answer)).collect();
        assert_eq!(reasons, [("pairing-broken", Answer::Refused), ("history-lost", Answer::ResumableWithLoss)]);
        assert_eq!((load.verdict.live, load.verdict.whole), (Answer::Refused, Answer::Refused));
    }
}
