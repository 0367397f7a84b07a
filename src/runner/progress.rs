use super::frame::Frame;
use super::json::Object;
use super::machine::Attempted;
use super::outcome::{Class, Evidence};
use crate::unit::Usd;
use std::collections::BTreeSet;

/// Kinds of background tasks that may start another turn.
const AGENTS: [&str; 2] = ["local_agent", "local_workflow"];

/// Kind of the entry with the total of a process.
const COST_STATE: &str = "cost-state";

/// How a task may end.
const TERMINAL: [&str; 5] = ["completed", "failed", "killed", "cancelled", "stopped"];

/// What is known of a running attempt, from what the CLI said so far.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// What it will be judged by.
    pub(super) evidence: Evidence,
    /// The session that it writes to.
    pub(super) session: Option<String>,
    /// Answers of the model, main thread only.
    pub(super) answers: u64,
    /// Largest context of the main thread.
    pub(super) context: u64,
    /// The initialize request was answered.
    pub(super) is_initialized: bool,
    cost: Usd,
    turns: u64,
    texts: Vec<String>,
    tasks: BTreeSet<String>,
    /// The CLI tells when it is idle; older versions do not.
    idle: Option<bool>,
    last_answer: Option<String>,
    /// Entries that a transcript of the session must have: messages of the main thread.
    pub(super) said: Vec<String>,
}

impl Progress {
    /// Takes note of a line.
    pub(super) fn take(&mut self, frame: &Frame<'_>) {
        match frame {
            Frame::Init { session, .. } => {
                self.evidence.init_seen = true;
                self.session = Some(session.clone());
            }
            Frame::Answer => self.is_initialized = true,
            Frame::Assistant(message) => {
                if !message.is_subagent() {
                    self.said.extend(message.uuid.clone());
                }
                if message.is_synthetic() || message.error.is_some() {
                    self.evidence.assistant_error.clone_from(&message.error);
                } else if !message.is_subagent() {
                    self.evidence.assistant_error = None;
                    self.context = self.context.max(message.context.unwrap_or(0));
                    self.texts.extend(Some(message.text()).filter(|text| !text.trim().is_empty()));
                    if message.id.is_none() || message.id != self.last_answer {
                        self.answers += 1;
                    }
                    self.last_answer.clone_from(&message.id);
                }
            }
            Frame::Result(ended) => {
                // Within one process each result tells the cost so far, and the turns since the last one.
                self.cost = ended.cost;
                self.turns = self.turns.saturating_add(ended.turns.unwrap_or(0));
                self.session = ended.session.clone().or(self.session.take());
                self.evidence.result = Some(ended.clone());
            }
            Frame::System { subtype, body } => self.take_notice(subtype, body),
            Frame::Mirror { entries, .. } => {
                let left = entries.iter().filter_map(|entry| total_left(entry)).max();
                self.cost = self.cost.max(left.unwrap_or_default());
            }
            Frame::Question(_) | Frame::User(_) | Frame::Unknown { .. } => {}
        }
    }

    /// What tells whether another turn will begin by itself.
    fn take_notice(&mut self, subtype: &str, body: &Object<'_>) {
        let task = || body.text("task_id").unwrap_or_default().into_owned();
        match subtype {
            "session_state_changed" => self.idle = Some(body.text("state").as_deref() == Some("idle")),
            "task_started" if body.text("task_type").is_some_and(|kind| AGENTS.contains(&kind.as_ref())) => {
                self.tasks.insert(task());
            }
            "task_notification" => drop(self.tasks.remove(&task())),
            "task_updated" => {
                let status = body.object("patch").text("status");
                if status.is_some_and(|status| TERMINAL.contains(&status.as_ref())) {
                    self.tasks.remove(&task());
                }
            }
            _ => {}
        }
    }

    /// Whether a turn has ended.
    pub(super) const fn has_result(&self) -> bool {
        self.evidence.result.is_some()
    }

    /// Whether nothing will be asked any more: a turn has ended, and no other one is under way.
    pub(super) fn is_over(&self) -> bool {
        self.has_result() && self.idle.unwrap_or(self.tasks.is_empty())
    }

    /// What the attempt did so far. `said` is what a person said when they stopped it.
    pub(super) fn attempted(&self, said: Option<String>) -> Attempted {
        let class = self.evidence.class();
        Attempted {
            class,
            session_id: self.session.clone(),
            cost: self.cost,
            turns: self.turns,
            text: self.texts.join("\n").trim().to_owned(),
            error: if class == Class::Ok { String::new() } else { self.evidence.text() },
            context: self.context,
            said,
            lost: 0,
        }
    }
}

/// The total that a process leaves when it ends, also when it is told to: then no result tells it.
fn total_left(entry: &str) -> Option<Usd> {
    // Entries are long, and hardly one is this one.
    let state = Some(entry).filter(|entry| entry.contains(COST_STATE)).and_then(Object::parse)?;
    let is_state = state.text("type").is_some_and(|kind| kind == COST_STATE);
    is_state.then(|| state.raw("totalCostUSD")?.parse().ok().and_then(Usd::from_dollars)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_without_a_result_leaves_its_total() {
        let state = r#"{"type":"cost-state","totalCostUSD":0.0608}"#;
        let mirror = format!(r#"{{"type":"transcript_mirror","filePath":"f","entries":[{{"type":"x"}},{state}]}}"#);
        assert_eq!(progress(&[&mirror]).attempted(None).cost, Usd::from_dollars(0.0608).unwrap());
        assert_eq!(progress(&[&mirror.replace("cost-state", "x cost-state")]).attempted(None).cost, Usd::ZERO);
    }

    fn progress(lines: &[&str]) -> Progress {
        let mut progress = Progress::default();
        for line in lines {
            progress.take(&Frame::parse(line).unwrap());
        }
        progress
    }

    const RESULT: &str = r#"{"type":"result","stop_reason":"end_turn","num_turns":2,"total_cost_usd":0.0402}"#;

    #[test]
    fn cost_is_cumulative_and_turns_are_not() {
        let second = r#"{"num_turns":3,"total_cost_usd":0.0804,"stop_reason":"end_turn","type":"result"}"#;
        let attempted = progress(&[RESULT, second]).attempted(None);
        assert_eq!((attempted.cost, attempted.turns), (Usd::from_dollars(0.0804).unwrap(), 5));
    }

    #[test]
    fn the_end_is_idle_or_without_tasks() {
        assert!(progress(&[RESULT]).is_over());
        let state = |state: &str| format!(r#"{{"type":"system","subtype":"session_state_changed","state":"{state}"}}"#);
        assert!(!progress(&[&state("running"), RESULT]).is_over());
        assert!(progress(&[&state("running"), RESULT, &state("idle")]).is_over());
        let started = r#"{"type":"system","subtype":"task_started","task_id":"t","task_type":"local_agent"}"#;
        let updated = r#"{"type":"system","subtype":"task_updated","task_id":"t","patch":{"status":"completed"}}"#;
        let running = updated.replace("completed", "running");
        assert!(!progress(&[started, RESULT, &running]).is_over());
        assert!(progress(&[started, RESULT, updated]).is_over());
        assert!(progress(&[&started.replace("local_agent", "local_bash"), RESULT]).is_over());
    }

    #[test]
    fn only_the_main_thread_speaks() {
        let said = |text: &str, more: &str| {
            format!(
                r#"{{"type":"assistant"{more},"message":{{"model":"m","usage":{{"input_tokens":5}},"content":[{{"type":"text","text":"{text}"}}]}}}}"#
            )
        };
        let synthetic = said("API Error", r#","error":"server_error""#).replace("\"m\"", "\"<synthetic>\"");
        let attempted =
            progress(&[&said("a", ""), &said("sub", r#","parent_tool_use_id":"p""#), &said("b", ""), &synthetic])
                .attempted(None);
        assert_eq!((attempted.text.as_str(), attempted.context), ("a\nb", 5));
    }
}
