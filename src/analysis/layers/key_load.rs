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
