use super::attempt_folder::{AttemptFolder, AttemptFolders};
use super::backlog::Backlog;
use super::clock;
use super::conversation::Conversation;
use super::inbox::{Event, Inbox};
use super::lineage::LineageFile;
use super::machine::{Attempted, Order, Stopped, World};
use super::network::Endpoint;
use super::outcome::Class;
use super::progress::Progress;
use super::reporter::Reporter;
use super::spawn_line::Surroundings;
use super::step::Step;
use super::store::Store;
use super::workbench::Workbench;
use crate::layers::Policy;
use crate::unit::Span;
use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

/// How often the status line is drawn while nothing happens.
pub(super) const TICK: Duration = Duration::from_millis(200);

/// How long a probe of the network may take before its answer is taken to be no.
const PROBE: Duration = Duration::from_secs(10);

/// What an attempt said that could not be stored when it ended.
#[derive(Debug)]
pub(super) struct Unstored {
    pub(super) session: Option<String>,
    /// Messages of the main thread, by uuid.
    pub(super) said: Vec<String>,
    /// Where the CLI's own files are.
    pub(super) folder: AttemptFolder,
}

/// Runs attempts, and is the machine's world.
pub(super) struct Driver {
    pub(super) inbox: Inbox,
    pub(super) reporter: Reporter,
    pub(super) store: Store,
    /// Entries that could not be stored yet.
    pub(super) backlog: Backlog,
    /// Attempts with entries that the store did not have when they ended.
    pub(super) unstored: Vec<Unstored>,
    /// Some answers of the model are nowhere.
    pub(super) has_lost: bool,
    pub(super) folders: AttemptFolders,
    pub(super) around: Surroundings,
    pub(super) workbench: Option<Workbench>,
    /// Where sessions are noted for the next run; a single step has none.
    pub(super) lineage: Option<LineageFile>,
    pub(super) policy: Policy,
    pub(super) endpoint: Endpoint,
    /// The projects in which a session of this workspace may be stored; the CLI's own name of it comes first.
    pub(super) project_keys: Vec<String>,
    /// A person sits at the terminal and can be asked.
    pub(super) is_interactive: bool,
    /// Attempts of this process so far.
    pub(super) attempts: u32,
    /// Probes of the network so far.
    pub(super) probes: u32,
    /// The attempt that was running when a signal came.
    pub(super) live: Option<Conversation>,
}

impl Driver {
    /// The store key of a session of this workspace.
    pub(super) fn stored_key(&self, session: &str) -> Option<String> {
        let keys = self.project_keys.iter().map(|project| format!("{project}/{session}"));
        keys.into_iter().find(|key| self.store.has_session(key).unwrap_or(false))
    }

    /// The CLI's own name of the workspace.
    pub(super) fn project_key(&self) -> &str {
        self.project_keys.first().map_or("", String::as_str)
    }

    /// Messages of an attempt that the store does not have.
    pub(super) fn not_stored<'a>(&self, attempt: &'a Unstored) -> BTreeSet<&'a str> {
        let key = attempt.session.as_ref().map(|session| format!("{}/{session}", self.project_key()));
        let key = key.and_then(|key| self.store.key_of_same_session(&key).ok());
        let is_stored = |uuid: &&str| key.as_ref().is_some_and(|key| self.store.has_uid(key, uuid).unwrap_or(true));
        attempt.said.iter().map(String::as_str).filter(|uuid| !is_stored(uuid)).collect()
    }

    /// How many messages neither the store nor the CLI's own files have.
    pub(super) fn lost_for_good(&self) -> usize {
        let lost = |attempt: &Unstored| {
            let mut missing = self.not_stored(attempt);
            attempt.folder.strike_out(&mut missing);
            missing.len()
        };
        self.unstored.iter().map(lost).sum()
    }

    /// Notes the session of a step, so that the next run finds it even if this one dies.
    pub(super) fn remember(&mut self, step: &Step, session: &str) {
        let noted = self.lineage.as_ref().map(|lineage| lineage.remember(&step.name, session));
        if let Some(Err(error)) = noted {
            self.reporter.trouble("lineage_error", &format!("the lineage cannot be written: {error}"));
        }
    }

    /// Waits for a signal or until `until` holds; what else happens meanwhile is over.
    fn idle(&mut self, span: Duration, mut until: impl FnMut(&Event) -> bool) -> Result<bool, Stopped> {
        let end = clock::instant() + span;
        loop {
            let left = end.saturating_duration_since(clock::instant());
            if left.is_zero() {
                return Ok(false);
            }
            match self.inbox.next(left.min(TICK)) {
                Some(Event::Signal(signal)) => return Err(Stopped(signal)),
                Some(event) if until(&event) => return Ok(true),
                Some(_) => {}
                None => self.reporter.tick(clock::seconds()),
            }
        }
    }
}

impl World for Driver {
    fn attempt(&mut self, step: &Step, order: &Order) -> (Attempted, Option<Stopped>) {
        let answers = order.number;
        self.reporter.status(clock::seconds(), |status| status.attempt = answers);
        match Conversation::begin(self, step, order) {
            Ok(conversation) => self.converse(conversation, step),
            Err(error) => {
                // Nothing was sent: what stops this attempt stops the next one too.
                let mut progress = Progress::default();
                progress.evidence.spawn_error = Some(format!("{error:#}"));
                progress.session = order.start.source().map(str::to_owned);
                (progress.attempted(None), None)
            }
        }
    }

    fn now(&self) -> f64 {
        clock::seconds()
    }

    fn wait(&mut self, span: Span, reason: &str) -> Result<(), Stopped> {
        let duration = Duration::from_millis(u64::try_from(span.millis()).unwrap_or(0));
        let until = clock::seconds() + span.seconds();
        let shown =
            if reason == "offline" { format!("waiting for {}", self.endpoint) } else { "then another try".to_owned() };
        self.reporter.status(clock::seconds(), |status| status.waiting = Some((shown, until)));
        let waited = self.idle(duration, |_| false);
        self.reporter.status(clock::seconds(), |status| status.waiting = None);
        waited.map(drop)
    }

    fn chance(&mut self) -> u16 {
        clock::chance()
    }

    fn is_online(&mut self) -> Result<bool, Stopped> {
        self.probes += 1;
        let (number, endpoint, sender) = (self.probes, self.endpoint.clone(), self.inbox.sender());
        // Resolving a name cannot be interrupted; a signal must not wait for it.
        thread::spawn(move || sender.send(Event::Online(number, endpoint.is_reachable())));
        let mut answer = false;
        self.idle(PROBE, |event| {
            if let Event::Online(probe, online) = event
                && *probe == number
            {
                answer = *online;
                return true;
            }
            false
        })?;
        Ok(answer)
    }

    fn host(&self) -> String {
        self.endpoint.to_string()
    }

    fn has_session(&self, id: &str) -> bool {
        self.stored_key(id).is_some()
    }

    fn tell(&mut self, text: &str) {
        self.reporter.retry(text);
    }
}

impl Driver {
    /// Talks to the CLI until it has ended, or a signal ends the runner.
    fn converse(&mut self, mut conversation: Conversation, step: &Step) -> (Attempted, Option<Stopped>) {
        if let Err(stopped) = conversation.follow(self, step) {
            let attempted = conversation.progress.attempted(None);
            self.live = Some(conversation);
            return (attempted, Some(stopped));
        }
        let lost = conversation.close(self);
        let attempted = Attempted { lost, ..conversation.progress.attempted(None) };
        if attempted.class != Class::Interrupted {
            return (attempted, None);
        }
        match self.ask() {
            Ok(said) => (Attempted { said, ..attempted }, None),
            Err(stopped) => (attempted, Some(stopped)),
        }
    }

    /// Asks the person who interrupted what to do; `None` for just going on.
    fn ask(&mut self) -> Result<Option<String>, Stopped> {
        self.reporter.clear();
        self.reporter.line("interrupted. Say what should change (Enter: go on, Ctrl-C: stop):");
        let sender = self.inbox.sender();
        thread::spawn(move || {
            let mut line = String::new();
            let read = std::io::stdin().read_line(&mut line);
            sender.send(Event::Said(read.is_ok_and(|bytes| bytes > 0).then_some(line)))
        });
        loop {
            match self.inbox.next(Duration::from_hours(1)) {
                Some(Event::Signal(signal)) => return Err(Stopped(signal)),
                Some(Event::Said(Some(said))) => {
                    return Ok(Some(said.trim().to_owned()).filter(|said| !said.is_empty()));
                }
                Some(Event::Said(None)) => return Err(Stopped(signal_hook::consts::SIGINT)),
                Some(_) | None => {}
            }
        }
    }

    /// Ends what was running when a signal came, and keeps what it said last.
    pub(super) fn finish_off(&mut self) {
        if let Some(conversation) = self.live.take() {
            conversation.finish_off(self);
        }
    }
}
