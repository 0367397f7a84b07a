use super::args::{Globals, Once, tools};
use super::clock;
use super::outcome::Class;
use super::run::Exit;
use super::runtime::Runtime;
use super::step::{Start, Step, StepResult};
use crate::environment::Environment;
use crate::unit::counted;
use anyhow::{Context, Result, bail};
use std::io::Read;

/// Name of a single step in the manifest.
const AD_HOC: &str = "ad-hoc";

/// Runs one step.
pub(super) fn once(globals: &Globals, once: &Once, environment: &Environment) -> Result<Exit> {
    let prompt = match once.prompt.as_str() {
        "-" => {
            let mut prompt = String::new();
            std::io::stdin().read_to_string(&mut prompt).context("cannot read the prompt from standard input")?;
            prompt
        }
        given => given.to_owned(),
    };
    if prompt.trim().is_empty() {
        bail!("the prompt is empty: say what to do");
    }
    let mut runtime = Runtime::open(globals, environment, &once.plugin_dir, false)?;
    if let Some(session) = &once.resume
        && runtime.driver.stored_key(session).is_none()
    {
        bail!(
            "the store has no session {session} of this workspace: `flower-analyze sessions {}` lists those it has",
            globals.run_dir.display()
        );
    }
    let step = Step {
        name: AD_HOC.to_owned(),
        label: AD_HOC.to_owned(),
        prompt,
        instructions: once.instructions.clone(),
        tools: tools(once.tools.split(',')),
        permission_mode: once.permission_mode.map(|mode| mode.name().to_owned()),
        budget: once.budget,
        model: once.model.clone(),
        effort: once.effort.clone(),
        max_turns: once.max_turns,
        start: start(once),
    };
    let result = match runtime.step(&step, AD_HOC) {
        Ok(result) => result,
        Err(ended) => {
            runtime.end(ended);
            return Ok(Exit::Interrupted);
        }
    };
    told(&result, runtime)
}

/// The exit code, or why the step or its books are not whole.
fn told(result: &StepResult, mut runtime: Runtime) -> Result<Exit> {
    let books = runtime.total();
    let Some(error) = &result.error else { return books.map(|()| Exit::Done) };
    if let Err(books) = books {
        runtime.driver.reporter.trouble("books_error", &format!("{books:#}"));
    }
    let attempts = counted(usize::try_from(result.attempts).unwrap_or(usize::MAX), "attempt");
    bail!("the step failed after {attempts}: {}", hint(error))
}

fn start(once: &Once) -> Start {
    let at = once.resume_at.clone();
    match (&once.resume, once.fork) {
        (None, _) => Start::Fresh { id: clock::session_id() },
        (Some(id), false) => Start::Resume { id: id.clone(), at },
        (Some(from), true) => Start::Fork { from: from.clone(), at, id: clock::session_id() },
    }
}

/// The error, with what can be done where that is known.
pub(super) fn hint(error: &str) -> String {
    let overflow = format!("{}:", Class::Overflow);
    if error.starts_with(&overflow) {
        return format!(
            "{error}; the conversation does not fit any more: begin a new session, or use -T to shorten it"
        );
    }
    error.to_owned()
}
