use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// Events that may wait to be handled. Few, because a line may hold a picture; the CLI waits meanwhile.
const CAPACITY: usize = 16;

/// Signals that arrive while one is still being handled end the process at once from this number on.
const PATIENCE: u32 = 3;

/// Something that happened outside.
#[derive(Debug)]
pub(super) enum Event {
    /// The CLI of this attempt wrote lines, all that were there to be read.
    Lines(u32, Vec<String>),
    /// The CLI of this attempt wrote a line that is too long to be kept, of so many bytes.
    LongLine(u32, u64),
    /// The CLI of this attempt has nothing more to say.
    End(u32),
    /// A signal arrived.
    Signal(i32),
    /// Whether the host can be reached, as this probe found.
    Online(u32, bool),
    /// What a person said; `None` if they left.
    Said(Option<String>),
}

/// The one place where the main thread waits, so that a signal always reaches it.
#[derive(Debug)]
pub(super) struct Inbox {
    sender: SyncSender<Event>,
    receiver: Receiver<Event>,
    pending: Arc<AtomicU32>,
}

impl Inbox {
    /// An inbox to which SIGHUP, SIGINT and SIGTERM are delivered from now on.
    pub(super) fn open() -> io::Result<Self> {
        let (sender, receiver) = sync_channel(CAPACITY);
        let pending = Arc::new(AtomicU32::new(0));
        // A file that may not grow is an error of that write, as a full disk is, and no reason to die.
        signal_hook::flag::register(SIGXFSZ, Arc::default())?;
        let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
        let (to_main, counted) = (sender.clone(), Arc::clone(&pending));
        thread::Builder::new().name("signals".to_owned()).spawn(move || {
            for signal in signals.forever() {
                if counted.fetch_add(1, Ordering::SeqCst) + 1 >= PATIENCE {
                    die_by(signal);
                }
                if to_main.send(Event::Signal(signal)).is_err() {
                    die_by(signal);
                }
            }
        })?;
        Ok(Self { sender, receiver, pending })
    }

    /// Where others put what happens.
    pub(super) fn sender(&self) -> SyncSender<Event> {
        self.sender.clone()
    }

    /// The next event; `None` after `timeout`.
    pub(super) fn next(&self, timeout: Duration) -> Option<Event> {
        match self.receiver.recv_timeout(timeout) {
            Ok(Event::Signal(signal)) => {
                self.pending.store(0, Ordering::SeqCst);
                Some(Event::Signal(signal))
            }
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }
}

/// Ends the process as the signal would have without a handler.
pub(super) fn die_by(signal: i32) {
    // For the signals that are watched the default always ends the process.
    let _ = emulate_default_handler(signal);
}
