use super::TurnCost;
use super::spend::Spend;
use super::windows::StepBasis;
use crate::analysis::sessions::description;
use crate::analysis::steps::step_name;
use crate::run_dir::{Kind, Manifest};
use crate::session::{Model, ModelTurn, SessionModel};
use crate::unit::{Timestamp, Usd, Zone};
use serde::Serialize;
use std::collections::BTreeMap;
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// By what spend is grouped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Display, EnumIter, EnumString, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum By {
    /// The step of the manifest.
    #[default]
    Step,
    /// The session, subagents apart.
    Session,
    /// The subagent.
    Subagent,
    /// The model that answered.
    Model,
    /// Main threads against subagents.
    Thread,
    /// The tool whose results filled the context: an estimate.
    Tool,
    /// The calendar day in the zone of the report.
    Day,
    /// The hour.
    Hour,
    /// The process that ran the steps.
    Run,
}

impl Serialize for By {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.into())
    }
}

/// The spend of one group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupRow {
    /// The step, store key, model, day and so on.
    pub name: String,
    /// What a session or subagent was for.
    pub description: Option<String>,
    /// Where a subagent was started: tool, store key and sequence number.
    pub started_by: Option<String>,
    /// Turns, tokens and money.
    #[serde(flatten)]
    pub spend: Spend,
    /// The part of the measured cost whose step is a guess by time: no step names the session.
    pub by_time_usd: Usd,
}

/// What has no step, run or time.
const OUTSIDE: &str = "outside-steps";
const NO_MANIFEST: &str = "(no manifest)";
const NO_TIME: &str = "(no time)";

/// What a group adds up to.
#[derive(Default)]
struct Group {
    first: Option<Timestamp>,
    spend: Spend,
    by_time_usd: Usd,
}

/// Groups the turns. Money ranks the rows, but for days and hours, which stand in the order of time.
pub(super) fn group<'a>(
    by: By,
    model: &Model,
    manifest: Option<&Manifest>,
    turns: impl Iterator<Item = (&'a ModelTurn, &'a TurnCost)>,
    zone: Zone,
) -> Vec<GroupRow> {
    let names = StepNames::new(manifest);
    let mut groups: BTreeMap<(Option<usize>, String), Group> = BTreeMap::new();
    for (turn, cost) in turns {
        let home = model.sessions.get(turn.home);
        let is_subagent = home.is_some_and(|home| home.kind() == Kind::Subagent);
        let time = |show: fn(Zone, Timestamp) -> String| {
            (None, cost.at.map_or_else(|| NO_TIME.to_owned(), |at| show(zone, at)))
        };
        let key = match by {
            By::Step => (Some(cost.step.unwrap_or(usize::MAX)), names.step(cost.step).to_owned()),
            By::Run => (None, names.run(cost.step).to_owned()),
            By::Subagent if !is_subagent => continue,
            By::Session | By::Subagent => {
                (Some(turn.home), home.map(SessionModel::store_key).unwrap_or_default().to_owned())
            }
            By::Model => (None, turn.model.to_string()),
            By::Thread => (None, if is_subagent { "subagents" } else { "main" }.to_owned()),
            By::Day => time(Zone::day),
            By::Hour => time(Zone::hour),
            By::Tool => return Vec::new(),
        };
        let group = groups.entry(key).or_insert_with(|| Group { first: cost.at, ..Group::default() });
        group.first = group.first.min(cost.at);
        group.spend.add(turn, cost);
        if cost.step_basis == StepBasis::ByTime {
            group.by_time_usd += cost.bill.measured();
        }
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    if matches!(by, By::Day | By::Hour) {
        // Not by name: where clocks go back, the later hour has the smaller offset.
        groups.sort_by_key(|(_, group)| group.first);
    }
    let mut rows: Vec<GroupRow> =
        groups.into_iter().map(|((at, name), group)| row(by, model, at, name, &group)).collect();
    if !matches!(by, By::Day | By::Hour | By::Step) {
        rows.sort_by_key(|row| std::cmp::Reverse(row.spend.measured_usd));
    }
    rows
}

fn row(by: By, model: &Model, at: Option<usize>, name: String, group: &Group) -> GroupRow {
    let session = at.filter(|_| matches!(by, By::Session | By::Subagent)).and_then(|at| model.sessions.get(at));
    let spawn = session.and_then(|session| session.agent.as_ref()?.spawn.as_ref());
    GroupRow {
        name,
        description: session.map(description),
        started_by: spawn.map(|spawn| format!("{} {}:{}", spawn.tool, spawn.store_key, spawn.seq)),
        spend: group.spend,
        by_time_usd: group.by_time_usd,
    }
}

/// Names of steps and runs by their place in the manifest.
struct StepNames {
    steps: Vec<(String, String)>,
    /// What turns of no step are called.
    rest: &'static str,
}

impl StepNames {
    fn new(manifest: Option<&Manifest>) -> Self {
        let rows = manifest.map(|manifest| manifest.rows.as_slice()).unwrap_or_default();
        let name = |row| (step_name(row), row.run.clone().unwrap_or_else(|| "(no run id)".to_owned()));
        Self { steps: rows.iter().map(name).collect(), rest: if manifest.is_some() { OUTSIDE } else { NO_MANIFEST } }
    }

    fn step(&self, at: Option<usize>) -> &str {
        at.and_then(|at| self.steps.get(at)).map_or(self.rest, |(step, _)| step)
    }

    fn run(&self, at: Option<usize>) -> &str {
        at.and_then(|at| self.steps.get(at)).map_or(self.rest, |(_, run)| run)
    }
}
