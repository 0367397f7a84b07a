use super::inbox::Event;
use super::outcome::Exit;
use super::spawn_line::SpawnLine;
use rustix::process::{Pid, Signal, kill_process};
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{self, Command, Stdio};
use std::sync::mpsc::{Sender, SyncSender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Longest line that is taken. Source: spec/runner.md, section 7.
const MAX_LINE: u64 = 256 << 20;

/// Bytes of standard error that are kept: its end.
const MAX_STDERR: usize = 16 << 10;

/// How often, and how long in between, the end of standard error is looked for: a second in all.
const STDERR_TRIES: u32 = 100;
const STDERR_PAUSE: Duration = Duration::from_millis(10);

/// A running CLI. A thread reads what it says, another one keeps the end of its standard error, a third one writes to it,
/// so that neither side waits for the other.
#[derive(Debug)]
pub(super) struct Child {
    process: process::Child,
    input: Option<Sender<String>>,
    stderr: Arc<Mutex<VecDeque<u8>>>,
    draining: Option<thread::JoinHandle<()>>,
}

impl Child {
    /// Starts the CLI in a process group of its own: Ctrl-C on the terminal is for the runner.
    pub(super) fn start(line: &SpawnLine, attempt: u32, events: SyncSender<Event>) -> io::Result<Self> {
        #[expect(clippy::disallowed_methods, reason = "the runner's purpose: the one place that starts the CLI")]
        let mut command = Command::new(&line.program);
        command.args(&line.args).envs(&line.set).current_dir(&line.folder).process_group(0);
        for name in &line.unset {
            command.env_remove(name);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn()?;
        let input = process.stdin.take().map(write_lines);
        if let Some(output) = process.stdout.take() {
            thread::spawn(move || read_lines(BufReader::with_capacity(64 << 10, output), attempt, &events));
        }
        let stderr = Arc::new(Mutex::new(VecDeque::new()));
        let draining = process.stderr.take().map(|mut output| {
            let kept = Arc::clone(&stderr);
            thread::spawn(move || drain(&mut output, &kept))
        });
        Ok(Self { process, input, stderr, draining })
    }

    /// Sends a line. A CLI that is gone shows by the end of its output.
    pub(super) fn send(&self, line: String) {
        if let Some(input) = &self.input {
            let _ = input.send(line);
        }
    }

    /// Says that nothing more will come.
    pub(super) fn close_input(&mut self) {
        self.input = None;
    }

    /// Whether more can be said.
    pub(super) const fn is_input_open(&self) -> bool {
        self.input.is_some()
    }

    /// Asks it to end.
    pub(super) fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// Ends it.
    pub(super) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.process.id()).ok().and_then(Pid::from_raw);
        if let Some(pid) = pid {
            // It was not waited for yet, so the number is still its own; it may have ended.
            let _ = kill_process(pid, signal);
        }
    }

    /// How it ended; `None` while it runs.
    pub(super) fn exit(&mut self) -> Option<Exit> {
        let status = self.process.try_wait().ok()??;
        Some(match (status.code(), status.signal()) {
            (Some(code), _) => Exit::Code(code),
            (None, signal) => Exit::Signal(signal.unwrap_or(0)),
        })
    }

    /// The end of its standard error. What it wrote last may still be on its way: that is waited for, but not for long,
    /// because a child of the CLI may hold the pipe open.
    pub(super) fn stderr(&mut self) -> String {
        for _ in 0..STDERR_TRIES {
            if self.draining.as_ref().is_none_or(thread::JoinHandle::is_finished) {
                break;
            }
            thread::sleep(STDERR_PAUSE);
        }
        let mut kept = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(kept.make_contiguous()).into_owned()
    }
}

/// Nothing that was started stays behind.
impl Drop for Child {
    fn drop(&mut self) {
        if self.exit().is_none() {
            self.kill();
            let _ = self.process.wait();
        }
    }
}

fn write_lines(mut to: process::ChildStdin) -> Sender<String> {
    let (sender, lines) = channel::<String>();
    thread::spawn(move || {
        for mut line in lines {
            line.push('\n');
            if to.write_all(line.as_bytes()).and_then(|()| to.flush()).is_err() {
                break;
            }
        }
    });
    sender
}

/// Tells what is read, line by line; lines that were read at once are told at once.
fn read_lines(mut from: BufReader<impl Read>, attempt: u32, events: &SyncSender<Event>) {
    loop {
        let mut lines = Vec::new();
        let after = loop {
            match read_line(&mut from) {
                Some(Ok(line)) => lines.push(line),
                Some(Err(bytes)) => break Some(Event::LongLine(attempt, bytes)),
                None => break Some(Event::End(attempt)),
            }
            if memchr::memchr(b'\n', from.buffer()).is_none() {
                break None;
            }
        };
        let is_end = matches!(after, Some(Event::End(_)));
        let lines = (!lines.is_empty()).then_some(Event::Lines(attempt, lines));
        if lines.into_iter().chain(after).any(|event| events.send(event).is_err()) || is_end {
            return;
        }
    }
}

/// The next line, or how many bytes one has that is too long; `None` at the end.
fn read_line(from: &mut impl BufRead) -> Option<Result<String, u64>> {
    let mut line = Vec::new();
    match from.by_ref().take(MAX_LINE).read_until(b'\n', &mut line) {
        Ok(0) | Err(_) => None,
        Ok(length) if u64::try_from(length) == Ok(MAX_LINE) && line.last() != Some(&b'\n') => {
            Some(Err(MAX_LINE + skip_line(from)))
        }
        Ok(_) => Some(Ok(text(line))),
    }
}

/// Reads to the end of a line without keeping it; how many bytes that were.
fn skip_line(from: &mut impl BufRead) -> u64 {
    let mut skipped = 0;
    loop {
        let Ok(buffer) = from.fill_buf() else { return skipped };
        let (length, is_end) = match memchr::memchr(b'\n', buffer) {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        from.consume(length);
        skipped += u64::try_from(length).unwrap_or(u64::MAX);
        if is_end {
            return skipped;
        }
    }
}

/// The CLI writes UTF-8; what is none becomes U+FFFD.
fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn drain(from: &mut impl Read, kept: &Mutex<VecDeque<u8>>) {
    let mut buffer = [0; 4096];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(buffer.iter().take(length));
        let over = kept.len().saturating_sub(MAX_STDERR);
        kept.drain(..over);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::sync_channel;

    #[test]
    fn lines_come_in_order_and_end() {
        let (sender, events) = sync_channel(9);
        read_lines(BufReader::with_capacity(8, &b"one\n\xff\nlonger than that\nlast"[..]), 3, &sender);
        drop(sender);
        let shown: Vec<String> = events.iter().map(|event| format!("{event:?}")).collect();
        let lines = [r#"["one\n", "�\n"]"#, r#"["longer than that\n"]"#, r#"["last"]"#];
        let expected = lines.map(|lines| format!("Lines(3, {lines})"));
        assert_eq!(shown, [&expected[..], &["End(3)".to_owned()]].concat());
    }

    #[test]
    fn a_long_line_is_skipped_to_its_end() {
        let mut from = &b"rest\nnext"[..];
        assert_eq!((skip_line(&mut from), from), (5, &b"next"[..]));
        assert_eq!((skip_line(&mut from), from), (4, &b""[..]));
    }

    #[test]
    fn only_the_end_of_standard_error_is_kept() {
        let kept = Mutex::new(VecDeque::new());
        let text = vec![b'a'; MAX_STDERR].into_iter().chain(*b"the end").collect::<Vec<u8>>();
        drain(&mut text.as_slice(), &kept);
        let kept: Vec<u8> = kept.into_inner().unwrap().into_iter().collect();
        assert!(kept.len() == MAX_STDERR && kept.ends_with(b"the end"));
    }
}
