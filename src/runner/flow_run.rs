use super::args::{Globals, tools};
use super::clock;
use super::event::{Event, EventKind};
use super::flow::{Flow, FlowStep, OnFail, fill};
use super::json::quoted;
use super::lineage::LineageFile;
use super::once::hint;
use super::run::Exit;
use super::runtime::{Ended, Runtime};
use super::step::{Start, Step, StepResult};
use crate::environment::Environment;
use crate::unit::Usd;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// What the steps so far left for those after them.
#[derive(Default)]
struct Done {
    texts: BTreeMap<String, String>,
    sessions: BTreeMap<String, String>,
}

/// Longest flow file, in bytes. A flow of a thousand steps with long prompts has a few megabytes.
const MAX_FLOW: u64 = 16 << 20;

/// The text of a flow file, without the mark that editors put before it.
fn read(file: &Path) -> Result<String> {
    let mut text = String::new();
    File::open(file)?.take(MAX_FLOW + 1).read_to_string(&mut text)?;
    if u64::try_from(text.len()).is_ok_and(|length| length > MAX_FLOW) {
        bail!("it is longer than {MAX_FLOW} bytes: expected a flow");
    }
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Runs the steps of a flow file.
pub(super) fn run(globals: &Globals, file: &Path, environment: &Environment) -> Result<Exit> {
    let text = read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let flow = Flow::parse(&text).with_context(|| file.display().to_string())?;
    let mut runtime = Runtime::open(globals, environment, &[], true)?;
    let bumped = runtime.driver.lineage.as_ref().map(LineageFile::bump);
    if let Some(Err(error)) = bumped {
        runtime.driver.reporter.trouble("lineage_error", &format!("the lineage cannot be written: {error}"));
    }
    let outcome = steps(&flow, &mut runtime);
    match outcome {
        Ok(Ok(())) => runtime.total()?,
        Ok(Err(ended)) => {
            runtime.end(ended);
            return Ok(Exit::Interrupted);
        }
        Err(error) => {
            if let Err(books) = runtime.total() {
                runtime.driver.reporter.trouble("books_error", &format!("{books:#}"));
            }
            return Err(error);
        }
    }
    Ok(Exit::Done)
}

fn steps(flow: &Flow, runtime: &mut Runtime) -> Result<Result<(), Ended>> {
    let mut done = Done::default();
    for (at, step) in flow.steps.iter().enumerate() {
        let shown = format!("{}/{} {}", at + 1, flow.steps.len(), step.name);
        let result = match step_with_retries(step, &shown, &done, runtime)? {
            Ok(result) => result,
            Err(ended) => return Ok(Err(ended)),
        };
        if let Some(session) = &result.session_id {
            done.sessions.insert(step.name.clone(), session.clone());
        }
        match step.on_fail {
            _ if result.ok => drop(done.texts.insert(step.name.clone(), result.text)),
            OnFail::Continue => drop(done.texts.insert(step.name.clone(), result.text)),
            OnFail::Skip => drop(done.texts.insert(step.name.clone(), String::new())),
            OnFail::Stop => {
                let error = result.error.unwrap_or_default();
                bail!("在步骤 '{}' 中止: {}", step.name, hint(&error));
            }
        }
    }
    Ok(Ok(()))
}

/// Runs a step, and again if it failed, as often as the flow says: each time the same, under a label of its own.
fn step_with_retries(
    step: &FlowStep,
    shown: &str,
    done: &Done,
    runtime: &mut Runtime,
) -> Result<Result<StepResult, Ended>> {
    let source = match &step.resume_from {
        Some(from) => {
            let session = done.sessions.get(from);
            Some(
                session
                    .with_context(|| format!("step '{}' continues '{from}', which left no session", step.name))?
                    .clone(),
            )
        }
        None => None,
    };
    let woken = continued(step, runtime);
    let mut number = 0;
    loop {
        let start = match (&source, &woken) {
            (Some(from), _) if step.fork => Start::Fork { from: from.clone(), at: None, id: clock::session_id() },
            (Some(id), _) | (None, Some(id)) => Start::Resume { id: id.clone(), at: None },
            (None, None) => Start::Fresh { id: clock::session_id() },
        };
        let label = if number == 0 { step.name.clone() } else { format!("{}#retry{number}", step.name) };
        let event = Event::new(EventKind::Step, shown).with("label", quoted(&label));
        let event = event.with("resumed", source.is_some().to_string()).with("woke", woken.is_some().to_string());
        runtime.driver.reporter.event(&event);
        let result = runtime.step(&asked(step, label, start, &done.texts), shown);
        match result {
            Ok(result) if !result.ok && number < step.retries => number += 1,
            other => return Ok(other),
        }
    }
}

/// The session of the last run that the step goes on with.
fn continued(step: &FlowStep, runtime: &mut Runtime) -> Option<String> {
    if !step.continuous || step.resume_from.is_some() {
        return None;
    }
    let noted = runtime.driver.lineage.as_ref()?.session(&step.name);
    match noted {
        Ok(session) => session.filter(|session| runtime.driver.stored_key(session).is_some()),
        Err(error) => {
            runtime.driver.reporter.trouble("lineage_error", &format!("the lineage cannot be read: {error}"));
            None
        }
    }
}

fn asked(step: &FlowStep, label: String, start: Start, texts: &BTreeMap<String, String>) -> Step {
    Step {
        name: step.name.clone(),
        label,
        prompt: fill(&step.prompt, texts),
        instructions: step.instructions.clone(),
        tools: tools(step.tools.iter().map(String::as_str)),
        permission_mode: step.permission_mode.map(|mode| mode.name().to_owned()),
        budget: step.budget.and_then(Usd::from_dollars),
        model: step.model.clone(),
        effort: None,
        max_turns: None,
        start,
    }
}
