//! Ctrl-C ends the reading, so that private copies are removed; a second one ends the process at once.

use super::exit::Exit;
use std::sync::atomic::{AtomicBool, Ordering};
use thiserror::Error;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The work was interrupted.
#[derive(Debug, Error)]
#[error("interrupted")]
pub(super) struct Interrupted;

/// Watches for SIGINT, SIGTERM and SIGHUP from now on.
pub(super) fn watch() {
    // Without a handler a signal still ends the process; only a private copy may stay in the temporary folder.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            #[expect(
                clippy::exit,
                clippy::disallowed_methods,
                reason = "asked for twice: nothing is left to wait for"
            )]
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
    });
}

/// Whether the work was interrupted.
pub(super) fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Fails once the work was interrupted.
pub(super) fn check() -> Result<(), Interrupted> {
    if is_interrupted() { Err(Interrupted) } else { Ok(()) }
}
