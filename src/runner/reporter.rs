use super::event::{Event, EventKind};
use super::redact::Redactor;
use super::terminal::{Status, Terminal};
use crate::unit::Usd;
use std::io::Write;

/// Tells programs and people what happens.
pub(super) struct Reporter {
    redactor: Redactor,
    terminal: Terminal,
    events: Option<Box<dyn Write>>,
    status: Status,
}

impl Reporter {
    pub(super) fn new(redactor: Redactor, terminal: Terminal, events: Option<Box<dyn Write>>) -> Self {
        Self { redactor, terminal, events, status: Status::default() }
    }

    /// Tells an event.
    pub(super) fn event(&mut self, event: &Event) {
        if let Some(events) = &mut self.events
            && events.write_all(event.line(&self.redactor).as_bytes()).and_then(|()| events.flush()).is_err()
        {
            self.events = None;
            self.terminal.line("warning: the events cannot be written any more; the run goes on", &self.redactor);
        }
        self.terminal.show(event, &self.redactor);
    }

    /// Something is tried again, or waited for.
    pub(super) fn retry(&mut self, text: &str) {
        self.event(&Event::new(EventKind::Retry, text));
    }

    /// Something went wrong that does not stop the run.
    pub(super) fn trouble(&mut self, kind: &str, text: &str) {
        self.event(&Event::new(EventKind::System, kind).with("error", super::json::quoted(&self.redactor.text(text))));
        self.line(&format!("warning: {text}"));
    }

    /// A line for a person.
    pub(super) fn line(&mut self, text: &str) {
        self.terminal.line(text, &self.redactor);
    }

    /// Changes what the status line tells.
    pub(super) fn status(&mut self, now: f64, change: impl FnOnce(&mut Status)) {
        change(&mut self.status);
        self.tick(now);
    }

    /// Draws the status line again.
    pub(super) fn tick(&mut self, now: f64) {
        self.terminal.status(&self.status, now, &self.redactor);
    }

    /// Takes the status line away.
    pub(super) fn clear(&mut self) {
        self.terminal.clear();
    }

    /// The terminal is gone: nothing is printed from now on.
    pub(super) const fn hang_up(&mut self) {
        self.terminal.close();
    }

    /// The last line of a run.
    pub(super) fn total(&mut self, cost: Usd, manifest: &str) {
        self.clear();
        self.line(&format!("总花费 ${:.4} · 清单 {manifest}", cost.dollars()));
    }

    /// A text without secrets.
    pub(super) fn clean(&self, text: &str) -> String {
        self.redactor.text(text).into_owned()
    }
}
