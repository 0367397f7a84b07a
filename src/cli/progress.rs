use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use std::{io, sync::Arc, thread};

/// Work that takes less is not announced.
const QUIET: Duration = Duration::from_millis(500);

/// How often the line is drawn again.
const REDRAW: Duration = Duration::from_millis(200);

/// A line on standard error while rows are read; nothing in pipes, nothing for short work.
pub(super) struct Progress {
    rows: Arc<AtomicU64>,
    drawing: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    pub(super) fn start() -> Self {
        let rows = Arc::new(AtomicU64::new(0));
        let drawing = io::stderr().is_terminal().then(|| {
            let (stop, stopped) = channel::<()>();
            let counted = Arc::clone(&rows);
            let draw = move || {
                let mut wait = QUIET;
                let mut drawn = false;
                while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                    (wait, drawn) = (REDRAW, true);
                    // Losing the line loses nothing.
                    let _ = write!(io::stderr(), "\r\x1b[Kreading: {} rows", counted.load(Ordering::Relaxed));
                }
                if drawn {
                    let _ = write!(io::stderr(), "\r\x1b[K");
                }
            };
            (stop, thread::spawn(draw))
        });
        Self { rows, drawing }
    }

    /// Counts one row.
    pub(super) fn row(&self) {
        self.rows.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((stop, drawing)) = self.drawing.take() {
            drop(stop);
            // A thread that panicked has nothing to clean up.
            let _ = drawing.join();
        }
    }
}
