use super::args::Globals;
use super::attempt_folder::AttemptFolders;
use super::backlog::Backlog;
use super::clock;
use super::driver::Driver;
use super::inbox::{Inbox, die_by};
use super::lineage::LineageFile;
use super::machine::{self, Resilience, Stopped};
use super::manifest::ManifestFile;
use super::network::Endpoint;
use super::redact::Redactor;
use super::reporter::Reporter;
use super::settings;
use super::spawn_line::Surroundings;
use super::state_file::make_folder;
use super::step::{Step, StepResult};
use super::store::Store;
use super::terminal::{Look, Terminal};
use super::workbench::Workbench;
use crate::environment::Environment;
use crate::layers::Policy;
use crate::plugin::check_for_run;
use crate::run_dir::names::SESSIONS_DB;
use crate::run_dir::project_keys;
use crate::unit::{Usd, Zone, counted};
use anyhow::{Context, Result, bail};
use signal_hook::consts::{SIGHUP, SIGINT};
use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Everything that a run of one or more steps needs.
pub(super) struct Runtime {
    pub(super) driver: Driver,
    manifest: ManifestFile,
    resilience: Resilience,
    spent: Usd,
}

/// The runner ends before its work is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ended {
    /// The signal that ended it.
    pub(super) signal: i32,
}

impl Runtime {
    /// Opens the books: run directory, store, what dead processes left behind.
    pub(super) fn open(
        globals: &Globals,
        environment: &Environment,
        plugin_dirs: &[PathBuf],
        keeps_lineage: bool,
    ) -> Result<Self> {
        check_plugins(plugin_dirs)?;
        let workspace = real_folder(&globals.workspace)?;
        let run_dir = real_folder(&globals.run_dir)?;
        let started = clock::timestamp().context("the clock shows no time")?;
        let run = clock::run_id(&local_zone().date_time(started));
        let workbench = globals.workbench.then(|| Workbench::open(&run_dir)).transpose();
        let workbench = workbench.context("cannot make the workbench")?;
        let around = surroundings(globals, environment, plugin_dirs, &workspace, workbench.as_ref())?;
        let mut policy = Policy::flower_run();
        policy.trim.enabled = globals.trim;
        let name = workspace.to_string_lossy().into_owned();
        let mut driver = Driver {
            inbox: Inbox::open().context("cannot watch for signals")?,
            reporter: reporter(globals, environment)?,
            store: Store::open(&run_dir.join(SESSIONS_DB))?,
            backlog: Backlog::default(),
            unstored: Vec::new(),
            has_lost: false,
            folders: AttemptFolders::open(&run_dir, &run)?,
            around,
            workbench,
            project_keys: project_keys(&name),
            lineage: keeps_lineage.then(|| LineageFile::new(run_dir.clone(), name)),
            policy,
            endpoint: Endpoint::of(environment),
            is_interactive: io::stdin().is_terminal(),
            attempts: 0,
            probes: 0,
            live: None,
        };
        for told in driver.folders.recover(&mut driver.store, clock::millis())? {
            driver.reporter.line(&told);
        }
        let resilience = Resilience { enabled: !globals.no_resilience, ..Resilience::FLOWER };
        Ok(Self { driver, manifest: ManifestFile::new(run_dir, run), resilience, spent: Usd::ZERO })
    }

    /// Runs a step to its end and writes its row.
    pub(super) fn step(&mut self, step: &Step, shown: &str) -> Result<StepResult, Ended> {
        let now = clock::seconds();
        let (spent, shown) = (self.spent, shown.to_owned());
        self.driver.reporter.status(now, |status| {
            (status.step, status.started_at, status.cost, status.answers, status.context) = (shown, now, spent, 0, 0);
        });
        let (mut result, stopped) = machine::run(step, &self.resilience, &mut self.driver);
        if stopped == Some(Stopped(SIGHUP)) {
            self.driver.reporter.hang_up();
        }
        if stopped.is_some() {
            self.driver.reporter.clear();
        }
        self.spent += result.cost;
        let is_held = |session: &String| self.driver.unstored.iter().any(|held| held.session.as_ref() == Some(session));
        let is_stored = |session: &String| is_held(session) || self.driver.stored_key(session).is_some();
        result.session_id = result.session_id.filter(is_stored);
        let reporter = &mut self.driver.reporter;
        if let Err(error) = self.manifest.add(&step.label, &result, |text| reporter.clean(text)) {
            reporter.trouble("manifest_error", &format!("the manifest cannot be written: {error}"));
        }
        match stopped {
            None => Ok(result),
            Some(Stopped(signal)) => {
                self.driver.finish_off();
                Err(Ended { signal })
            }
        }
    }

    /// The last line of a run; an error if its books are not whole.
    pub(super) fn total(&mut self) -> Result<()> {
        let path = self.manifest.path().display().to_string();
        self.driver.reporter.total(self.spent, &path);
        let missing = self.close_books();
        if missing.is_empty() { Ok(()) } else { bail!("the books of this run are not whole: {}", missing.join("; ")) }
    }

    /// Writes once more what could not be written so far; what is missing for good.
    fn close_books(&mut self) -> Vec<String> {
        let driver = &mut self.driver;
        let mut missing = Vec::new();
        if let Err(error) = driver.backlog.flush(&mut driver.store, clock::millis()) {
            missing.push(format!("{} of the transcript not stored: {error}", counted(driver.backlog.held(), "entry")));
        } else if !driver.unstored.is_empty() {
            missing.push("parts of the transcript are only in the folders that were kept".to_owned());
        }
        let lost = driver.lost_for_good();
        if lost > 0 {
            let said = counted(lost, "message");
            missing.push(format!(
                "{said} of the model lost: neither the store nor the CLI's own files have what was said"
            ));
        }
        if driver.has_lost {
            missing.push("the CLI could not write answers of the model".to_owned());
        }
        if let Err(error) = self.manifest.write_again() {
            missing.push(format!("rows of the manifest not written: {error}"));
        }
        missing
    }

    /// Ends as the signal asks: Ctrl-C is an exit code, the others are died by.
    pub(super) fn end(mut self, ended: Ended) {
        for missing in self.close_books() {
            self.driver.reporter.trouble("books_error", &missing);
        }
        drop(self);
        if ended.signal != SIGINT {
            die_by(ended.signal);
        }
    }
}

/// The real path of a folder, made if it is not there.
fn real_folder(path: &Path) -> Result<PathBuf> {
    make_folder(path).and_then(|()| fs::canonicalize(path)).with_context(|| format!("cannot make {}", path.display()))
}

/// Refuses a plugin that would not load, before anything is paid for.
fn check_plugins(plugin_dirs: &[PathBuf]) -> Result<()> {
    let current = clock::current_folder()?;
    let folders: Vec<PathBuf> = plugin_dirs.iter().map(|folder| current.join(folder)).collect();
    Ok(check_for_run(&folders)?)
}

fn surroundings(
    globals: &Globals,
    environment: &Environment,
    plugin_dirs: &[PathBuf],
    workspace: &Path,
    workbench: Option<&Workbench>,
) -> Result<Surroundings> {
    let current = clock::current_folder()?;
    let outside = workbench.map(Workbench::root).filter(|root| !root.starts_with(workspace));
    Ok(Surroundings {
        claude: settings::claude(globals, environment, &current),
        workspace: workspace.to_owned(),
        variables: environment.variables().map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
        cli_retries: globals.cli_retries,
        plugin_dirs: plugin_dirs.iter().map(|folder| current.join(folder)).collect(),
        added_folder: outside.map(Path::to_owned),
    })
}

/// The zone of the system; UTC where it names none.
fn local_zone() -> Zone {
    iana_time_zone::get_timezone().ok().and_then(|name| Zone::named(&name).ok()).unwrap_or(Zone::UTC)
}

/// Where events and lines go: with `--events -` standard output is for programs, and people read standard error.
fn reporter(globals: &Globals, environment: &Environment) -> Result<Reporter> {
    let to_stdout = globals.events.as_deref() == Some(Path::new("-"));
    let events: Option<Box<dyn Write>> = match &globals.events {
        None => None,
        Some(_) if to_stdout => Some(Box::new(io::stdout())),
        #[expect(clippy::disallowed_methods, reason = "the file that was asked for")]
        Some(path) => Some(Box::new(File::create(path).with_context(|| format!("cannot write {}", path.display()))?)),
    };
    let (out, is_terminal): (Box<dyn Write>, bool) = if to_stdout {
        (Box::new(io::stderr()), io::stderr().is_terminal())
    } else {
        (Box::new(io::stdout()), io::stdout().is_terminal())
    };
    let is_plain = environment.value("NO_COLOR").is_some() || environment.value("TERM") == Some("dumb");
    let width = terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0));
    let look = Look {
        columns: (is_terminal && environment.value("TERM") != Some("dumb")).then_some(width),
        color: is_terminal && !is_plain,
        verbose: globals.verbose,
    };
    Ok(Reporter::new(Redactor::new(environment), Terminal::new(out, look), events))
}
