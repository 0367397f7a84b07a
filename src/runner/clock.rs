//! The one place that looks at the clock, at chance and at the environment of the process.

use crate::unit::Timestamp;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Seconds since the epoch.
pub(super) fn seconds() -> f64 {
    #[expect(clippy::disallowed_methods, reason = "the one place that looks at the clock")]
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

/// Milliseconds since the epoch.
pub(super) fn millis() -> i64 {
    #[expect(clippy::disallowed_methods, reason = "the one place that looks at the clock")]
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    i64::try_from(since).unwrap_or(i64::MAX)
}

/// Now, as it is shown.
pub(super) fn timestamp() -> Option<Timestamp> {
    Timestamp::from_millis(millis())
}

/// A moment that deadlines are counted from.
pub(super) fn instant() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "the one place that looks at the clock")]
    Instant::now()
}

/// A place in the window of a wait, by chance.
pub(super) fn chance() -> u16 {
    fastrand::u16(..)
}

/// An id for a new session.
pub(super) fn session_id() -> String {
    uuid::Uuid::new_v4().to_string()
}

/// The name of this process in the manifest, from local time: unique also among processes of the same second.
pub(super) fn run_id(local_time: &str) -> String {
    let digits: String = local_time.chars().filter(char::is_ascii_digit).collect();
    let (day, time) = digits.split_at_checked(8).unwrap_or((&digits, ""));
    format!("{day}-{time}-{:06x}", fastrand::u32(..1 << 24))
}

/// The environment of the process. Variables that are no text stay with the process: the CLI inherits them.
pub(super) fn environment() -> BTreeMap<String, String> {
    std::env::vars_os().filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?))).collect()
}

/// The current folder.
pub(super) fn current_folder() -> std::io::Result<PathBuf> {
    std::env::current_dir()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_named_by_time_and_chance() {
        let name = run_id("2026-11-30 14:21:57");
        assert!(name.starts_with("20261130-142157-") && name.len() == 22, "{name}");
        assert_ne!(run_id("2026-11-30 14:21:57"), name);
    }
}
