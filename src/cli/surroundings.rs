use super::args::{Color, CommonArgs};
use crate::evidence::OpenOptions;
use crate::report::{Options, Style};
use crate::unit::{UnknownZone, Zone};
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::num::NonZeroUsize;

/// Threads that read at most; more only wait for the disk.
const MAX_THREADS: usize = 8;

/// Width of tables in pipes and files, in columns.
const WIDTH_WITHOUT_TERMINAL: usize = 120;

/// The zone of `--tz`, else of the variable `TZ`, else that of the system; UTC where the system names none.
pub(super) fn zone(tz: Option<&str>) -> Result<Zone, UnknownZone> {
    let system = || iana_time_zone::get_timezone().ok().and_then(|name| Zone::named(&name).ok()).unwrap_or(Zone::UTC);
    match (tz, variable("TZ")) {
        (Some(name), _) => Zone::named(name),
        (None, Some(name)) => Ok(of_variable(&name).unwrap_or_else(system)),
        (None, None) => Ok(system()),
    }
}

/// What is to be said about a variable `TZ` that names no zone, where no `--tz` makes it pointless.
pub(super) fn unknown_zone(tz: Option<&str>) -> Option<String> {
    let name = variable("TZ").filter(|name| tz.is_none() && of_variable(name).is_none())?;
    let zone = zone(None).map_or("UTC", Zone::name);
    Some(format!("the variable TZ is {name:?}, which is no IANA name of a zone: times are shown in {zone}, see --tz"))
}

/// `TZ` may have a colon before the name.
fn of_variable(name: &str) -> Option<Zone> {
    Zone::named(name.strip_prefix(':').unwrap_or(name)).ok()
}

/// How the report is drawn, by the options and by what standard output is.
pub(super) fn options(common: &CommonArgs) -> Options {
    let terminal = common.output.is_none() && std::io::stdout().is_terminal();
    let width = terminal_size::terminal_size().filter(|_| terminal).map(|(width, _)| usize::from(width.0));
    let columns = variable("COLUMNS").and_then(|columns| columns.parse().ok());
    let color = match common.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => terminal && variable("NO_COLOR").is_none() && variable("TERM").as_deref() != Some("dumb"),
    };
    let style =
        Style { width: columns.or(width).unwrap_or(WIDTH_WITHOUT_TERMINAL).clamp(20, 1000), color, unicode: is_utf8() };
    Options { format: common.format, style, reveal: common.reveal }
}

/// How the source is opened.
pub(super) fn open_options(hash: bool) -> OpenOptions {
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(MAX_THREADS);
    #[expect(clippy::disallowed_methods, reason = "the one place that chooses where private copies go")]
    let temp_dir = std::env::temp_dir();
    OpenOptions { hash, temp_dir, threads: NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN) }
}

/// Locales name their encoding; without any the terminal is taken for a modern one.
fn is_utf8() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable);
    locale.is_none_or(|locale| {
        let lower = locale.to_lowercase();
        lower.contains("utf-8") || lower.contains("utf8")
    })
}

/// The environment of the process, as far as it is text.
pub(super) fn variables() -> BTreeMap<String, String> {
    std::env::vars_os().filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?))).collect()
}

fn variable(name: &str) -> Option<String> {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
