use super::attempt_folder::AttemptFolder;
use super::backlog::Mirrored;
use super::child::Child;
use super::clock;
use super::driver::{Driver, TICK};
use super::event::events;
use super::frame::Frame;
use super::hooks::{self, Hooks};
use super::inbox::Event;
use super::machine::{Order, Stopped};
use super::materialise::materialise;
use super::mirror::store_key;
use super::outcome::Exit;
use super::progress::Progress;
use super::spawn_line::SpawnLine;
use super::step::{Start, Step};
use super::workbench::Workbench;
use crate::unit::counted;
use anyhow::{Context, Result, bail};
use signal_hook::consts::SIGINT;
use std::time::{Duration, Instant};

/// How long the first answer may take.
const INITIALIZE: Duration = Duration::from_mins(1);
/// How long after a turn another one may begin by itself.
const BETWEEN_TURNS: Duration = Duration::from_mins(10);
/// How long an interrupted turn may take to end.
const INTERRUPT: Duration = Duration::from_secs(10);
/// How long the CLI may be silent once nothing more is said to it.
const SILENCE: Duration = Duration::from_secs(30);
/// How long the CLI may take to end after its last word, and again after it was asked to.
const GRACE: Duration = Duration::from_secs(5);
/// How long a child of the CLI may hold its output open after it has ended.
const HELD_OPEN: Duration = Duration::from_secs(2);

const INITIALIZE_ID: &str = "r1-initialize";
/// How often a turn is asked to stop: it may begin only after the first time.
const MAX_INTERRUPTS: u32 = 5;

const INTERRUPT_ID: &str = "r9-interrupt";

/// One attempt: the CLI, and what was said so far.
#[derive(Debug)]
pub(super) struct Conversation {
    pub(super) number: u32,
    pub(super) child: Child,
    pub(super) folder: AttemptFolder,
    projects: String,
    hooks: Hooks,
    prompt: Option<String>,
    pub(super) progress: Progress,
    /// Some entries did not arrive, or could not be stored: the CLI's own files have them.
    pub(super) has_missed: bool,
    /// How often the CLI was asked to interrupt the turn.
    interrupts: u32,
    /// The session as it is noted in the lineage.
    noted: Option<String>,
    pub(super) ended: Option<Instant>,
    started: Instant,
    last_line: Instant,
    pub(super) asked_to_end: Option<Instant>,
    interrupted: Option<Instant>,
    result_at: Option<Instant>,
}

/// Starts the CLI. If that fails, no folder is left behind.
fn start(line: &SpawnLine, number: u32, driver: &Driver, folder: &AttemptFolder) -> Result<Child> {
    let started = Child::start(line, number, driver.inbox.sender());
    if started.is_err() {
        folder.remove()?;
    }
    started.with_context(|| {
        format!("cannot start {}: name the CLI with --claude or $FLOWER_CLAUDE", line.program.display())
    })
}

impl Conversation {
    /// Lays out the session, starts the CLI and says hello.
    pub(super) fn begin(driver: &mut Driver, step: &Step, order: &Order) -> Result<Self> {
        driver.attempts += 1;
        let number = driver.attempts;
        let folder = driver.folders.make(number)?;
        if let Some(session) = order.start.source() {
            let Some(key) = driver.stored_key(session) else {
                bail!("the store has no session {session} of this workspace");
            };
            let (project, workspace) = (driver.project_key(), &driver.around.workspace);
            materialise(&driver.store, &key, session, project, &folder, workspace, &driver.policy)?;
        }
        let index =
            driver.workbench.as_ref().map(Workbench::index).transpose().context("cannot write the workbench")?;
        let appended: Vec<&str> = step.instructions.as_deref().into_iter().chain(index.as_deref()).collect();
        let appended = Some(appended.join("\n\n")).filter(|text| !text.is_empty());
        let line = SpawnLine::new(&driver.around, step, order, appended.as_deref(), folder.path());
        // Before the start: the next run finds the session even if the CLI dies at once.
        let noted = if let Start::Fresh { id } = &order.start { Some(id.clone()) } else { None };
        if let Some(id) = &noted {
            driver.remember(step, id);
        }
        let child = start(&line, number, driver, &folder)?;
        let hooks = Hooks::new(&step.tools, driver.workbench.clone());
        child.send(hooks.initialize(INITIALIZE_ID));
        let now = clock::instant();
        Ok(Self {
            number,
            child,
            projects: folder.projects().to_string_lossy().into_owned(),
            folder,
            hooks,
            prompt: Some(hooks::prompt(&order.prompt)),
            progress: Progress::default(),
            has_missed: false,
            interrupts: 0,
            noted,
            ended: None,
            started: now,
            last_line: now,
            asked_to_end: None,
            interrupted: None,
            result_at: None,
        })
    }

    /// Talks until the CLI has said its last word and is gone.
    pub(super) fn follow(&mut self, driver: &mut Driver, step: &Step) -> Result<(), Stopped> {
        loop {
            match driver.inbox.next(TICK) {
                Some(Event::Lines(number, lines)) if number == self.number => self.hear_all(driver, step, &lines),
                Some(Event::LongLine(number, bytes)) if number == self.number => {
                    let text = format!("a line of {bytes} bytes was skipped: no line may be that long");
                    driver.reporter.trouble("line_too_long", &text);
                    self.has_missed = true;
                }
                Some(Event::End(number)) if number == self.number => self.ended = Some(clock::instant()),
                Some(Event::Signal(SIGINT)) if driver.is_interactive && self.interrupted.is_none() => self.interrupt(),
                Some(Event::Signal(signal)) => return Err(Stopped(signal)),
                Some(_) => {}
                None => driver.reporter.tick(clock::seconds()),
            }
            if let Some(exit) = self.keep_time(clock::instant()) {
                self.progress.evidence.exit = Some(exit);
                self.progress.evidence.stderr = self.child.stderr();
                return Ok(());
            }
        }
    }

    /// Hears lines in their order; the entries in them are stored at once, and together.
    fn hear_all(&mut self, driver: &mut Driver, step: &Step, lines: &[String]) {
        let mut mirrored = Vec::new();
        for line in lines {
            self.hear(driver, step, line, &mut mirrored);
        }
        self.store(driver, &mirrored);
    }

    fn hear<'a>(&mut self, driver: &mut Driver, step: &Step, line: &'a str, mirrored: &mut Vec<Mirrored<'a>>) {
        self.last_line = clock::instant();
        let Some(frame) = Frame::parse(line) else { return };
        self.progress.take(&frame);
        self.interrupt_again(&frame);
        match &frame {
            Frame::Mirror { path, entries } => mirrored.extend(self.mirrored(driver, path, entries)),
            Frame::Question(question) => {
                let reply = self.hooks.answer(question);
                self.child.send(reply.line);
                if let Some(trouble) = reply.trouble {
                    driver.reporter.trouble("hook_error", &trouble);
                }
            }
            Frame::Answer => {
                if let Some(prompt) = self.prompt.take() {
                    self.child.send(prompt);
                }
            }
            Frame::Result(_) => self.result_at = Some(self.last_line),
            Frame::Init { .. }
            | Frame::Assistant(_)
            | Frame::User(_)
            | Frame::System { .. }
            | Frame::Unknown { .. } => {}
        }
        if let Some(session) = self.progress.session.as_ref().filter(|session| self.noted.as_ref() != Some(*session)) {
            driver.remember(step, session);
            self.noted = Some(session.clone());
        }
        for event in events(&frame) {
            driver.reporter.event(&event);
        }
        let (answers, context) = (self.progress.answers, self.progress.context);
        driver.reporter.status(clock::seconds(), |status| (status.answers, status.context) = (answers, context));
    }

    /// The entries of a frame with their store key.
    pub(super) fn mirrored<'a>(
        &mut self,
        driver: &mut Driver,
        path: &str,
        entries: &[&'a str],
    ) -> Option<Mirrored<'a>> {
        let Some(key) = store_key(&self.projects, path) else {
            driver.reporter.trouble(
                "mirror_error",
                &format!("{} of the file {path:?} left out: it is no transcript", counted(entries.len(), "entry")),
            );
            return None;
        };
        if self.progress.session.is_none() {
            let session = key.split('/').nth(1);
            self.progress.session = session.map(str::to_owned);
        }
        Some(Mirrored { key, entries: entries.to_vec() })
    }

    /// A store that cannot be written does not stop the run: the CLI's own files are kept, and are taken over later.
    pub(super) fn store(&mut self, driver: &mut Driver, mirrored: &[Mirrored<'_>]) {
        if let Err(error) = driver.backlog.store(&mut driver.store, mirrored, clock::millis()) {
            driver.reporter.trouble("mirror_error", &error.to_string());
            self.has_missed = true;
        }
    }

    /// Stops the turn. Before the prompt is sent there is none, and it is not sent any more.
    fn interrupt(&mut self) {
        self.interrupted = Some(clock::instant());
        self.progress.evidence.interrupted = true;
        if self.prompt.take().is_some() {
            self.child.close_input();
        } else {
            self.send_interrupt();
        }
    }

    /// A turn that had not begun yet did not hear of the interruption.
    fn interrupt_again(&mut self, frame: &Frame<'_>) {
        let is_turn = matches!(frame, Frame::Init { .. } | Frame::Assistant(_) | Frame::User(_));
        if is_turn && self.interrupted.is_some() && !self.progress.has_result() && self.interrupts < MAX_INTERRUPTS {
            self.send_interrupt();
        }
    }

    fn send_interrupt(&mut self) {
        self.interrupts += 1;
        self.child.send(hooks::request(INTERRUPT_ID, r#"{"subtype":"interrupt"}"#));
    }

    /// Does what is due; how the CLI ended, once it has.
    fn keep_time(&mut self, now: Instant) -> Option<Exit> {
        let passed =
            |since: Option<Instant>, limit: Duration| since.is_some_and(|since| now.duration_since(since) >= limit);
        let exit = self.child.exit();
        // A child of the CLI may hold its output open.
        if exit.is_some() && passed(Some(self.last_line), HELD_OPEN) {
            self.ended.get_or_insert(now);
        }
        if self.ended.is_some() && exit.is_some() {
            return exit;
        }
        let is_over = self.progress.is_over() || passed(self.result_at, BETWEEN_TURNS);
        if self.child.is_input_open() && (is_over || self.ended.is_some()) {
            self.child.close_input();
            self.last_line = now;
        }
        let is_silent = !self.child.is_input_open() && passed(Some(self.last_line), SILENCE);
        let is_late = !self.progress.has_result() && passed(self.interrupted, INTERRUPT);
        let is_mute = !self.progress.is_initialized && passed(Some(self.started), INITIALIZE);
        let reasons = [
            (is_late, "it did not stop the turn within 10 seconds"),
            (is_mute, "the CLI did not answer for a minute after its start"),
            (passed(self.ended, GRACE), "the CLI closed its output and did not end"),
            (is_silent, "the CLI was asked for nothing more, and did not end for 30 seconds"),
        ];
        if passed(self.asked_to_end, GRACE) {
            self.child.kill();
        } else if let Some((_, reason)) = reasons.into_iter().find(|(is_so, _)| *is_so)
            && self.asked_to_end.is_none()
        {
            self.child.terminate();
            self.asked_to_end = Some(now);
            self.progress.evidence.stuck = Some(reason);
        }
        None
    }
}
