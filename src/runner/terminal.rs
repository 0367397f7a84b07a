use super::event::{Event, EventKind};
use super::redact::Redactor;
use crate::masking::Mode;
use crate::unit::{Span, Usd, counted, short_count};
use std::io::Write;
use unicode_width::UnicodeWidthChar;

/// What the status line tells.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Status {
    /// The step, with its place in the flow.
    pub(super) step: String,
    pub(super) attempt: u32,
    /// Answers of the model so far.
    pub(super) answers: u64,
    pub(super) context: u64,
    pub(super) cost: Usd,
    /// When the step began, in seconds since the epoch.
    pub(super) started_at: f64,
    /// What is waited for, and until when.
    pub(super) waiting: Option<(String, f64)>,
}

/// What is drawn where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Look {
    /// Columns of a terminal; `None` for a pipe or file, which has no status line.
    pub(super) columns: Option<usize>,
    /// With colours.
    pub(super) color: bool,
    /// Also what subagents say, all results, and prompts.
    pub(super) verbose: bool,
}

/// Shows what happens, as it happens, and one line below it that tells where the run is.
pub(super) struct Terminal {
    out: Box<dyn Write>,
    look: Look,
    drawn: String,
    /// Nobody reads any more.
    gone: bool,
}

impl Terminal {
    pub(super) fn new(out: Box<dyn Write>, look: Look) -> Self {
        Self { out, look, drawn: String::new(), gone: false }
    }

    /// Prints nothing from now on: the terminal is gone.
    pub(super) const fn close(&mut self) {
        self.gone = true;
    }

    /// Shows an event.
    pub(super) fn show(&mut self, event: &Event, redactor: &Redactor) {
        if let Some((mark, text, tone)) = self.wanted(event) {
            let text = redactor.printable(&text, Mode::Block);
            for (at, line) in text.lines().enumerate() {
                let lead = if at == 0 { mark.to_owned() } else { " ".repeat(mark.chars().count()) };
                self.print(&format!("{lead}{line}"), tone);
            }
        }
    }

    /// What is shown of an event: a mark, a text and its colour.
    fn wanted(&self, event: &Event) -> Option<(&'static str, String, Tone)> {
        let Event { kind, text, tool, .. } = event;
        let is_main = !event.is("subagent");
        let shown = self.look.verbose || is_main;
        let one_line = || text.lines().next().unwrap_or_default().to_owned();
        match kind {
            EventKind::Text if shown => Some((if is_main { "" } else { "  ┆ " }, text.clone(), Tone::Plain)),
            EventKind::Thinking if shown => Some(("∴ ", text.clone(), Tone::Faint)),
            EventKind::ToolCall => {
                let lead = if is_main { "→ " } else { "  → " };
                Some((lead, format!("{} {}", tool.as_deref().unwrap_or_default(), one_line()), Tone::Faint))
            }
            EventKind::ToolResult if event.is("is_error") => Some(("✗ ", text.clone(), Tone::Bad)),
            EventKind::ToolResult if self.look.verbose => Some(("← ", text.clone(), Tone::Faint)),
            EventKind::Prompt if self.look.verbose => Some(("› ", text.clone(), Tone::Faint)),
            EventKind::Task if self.look.verbose => Some(("… ", text.clone(), Tone::Faint)),
            EventKind::Error => Some(("✗ ", text.clone(), Tone::Bad)),
            EventKind::Retry => Some(("↻ ", text.clone(), Tone::Bad)),
            EventKind::Reset | EventKind::Step => Some(("· ", text.clone(), Tone::Faint)),
            EventKind::Text
            | EventKind::Thinking
            | EventKind::ToolResult
            | EventKind::Prompt
            | EventKind::Task
            | EventKind::System
            | EventKind::Result
            | EventKind::Unknown => None,
        }
    }

    /// Prints a line above the status line.
    pub(super) fn line(&mut self, text: &str, redactor: &Redactor) {
        self.print(&redactor.printable(text, Mode::Line), Tone::Plain);
    }

    /// Draws the status line again.
    pub(super) fn status(&mut self, status: &Status, now: f64, redactor: &Redactor) {
        let Some(columns) = self.look.columns else { return };
        let text = fit(&redactor.printable(&status.text(now), Mode::Line), columns.saturating_sub(1));
        if text != self.drawn {
            self.write(&format!("\r\x1b[K{}", self.colored(&text, Tone::Faint)));
            self.drawn = text;
        }
    }

    /// Takes the status line away.
    pub(super) fn clear(&mut self) {
        if !std::mem::take(&mut self.drawn).is_empty() {
            self.write("\r\x1b[K");
        }
    }

    fn print(&mut self, line: &str, tone: Tone) {
        self.clear();
        let line = self.colored(line, tone);
        self.write(&format!("{line}\n"));
    }

    fn colored(&self, text: &str, tone: Tone) -> String {
        let code = match tone {
            Tone::Faint if self.look.color => "2",
            Tone::Bad if self.look.color => "31",
            Tone::Faint | Tone::Bad | Tone::Plain => return text.to_owned(),
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }

    fn write(&mut self, text: &str) {
        if !self.gone {
            // The run goes on without a reader.
            self.gone = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush()).is_err();
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tone {
    Plain,
    Faint,
    Bad,
}

impl Status {
    fn text(&self, now: f64) -> String {
        let since = Span::from_seconds(now - self.started_at).unwrap_or_default();
        let mut parts = Vec::new();
        // First, so that it is seen on a narrow terminal too.
        if let Some((reason, until)) = &self.waiting {
            let left = Span::from_seconds((until - now).max(0.0)).unwrap_or_default();
            parts.push(format!("{left} left, {reason}"));
        }
        parts.extend([self.step.clone(), format!("attempt {}", self.attempt)]);
        parts.push(counted(usize::try_from(self.answers).unwrap_or(usize::MAX), "answer"));
        parts.push(format!("context {}", short_count(self.context)));
        parts.push(self.cost.to_string());
        parts.push(since.to_string());
        parts.join(" · ")
    }
}

/// The beginning of a line that fits into the columns.
fn fit(text: &str, columns: usize) -> String {
    let mut used = 0;
    text.chars()
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used <= columns
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;
    use std::cell::RefCell;
    use std::collections::BTreeMap;
    use std::rc::Rc;

    #[derive(Clone, Default)]
    struct Screen(Rc<RefCell<Vec<u8>>>);

    impl Write for Screen {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.borrow_mut().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn shown(look: Look, draw: impl Fn(&mut Terminal, &Redactor)) -> String {
        let screen = Screen::default();
        let environment = Environment::gather(&BTreeMap::new(), &[], |_| Err(std::io::ErrorKind::NotFound.into()));
        draw(&mut Terminal::new(Box::new(screen.clone()), look), &Redactor::new(&environment));
        let bytes = screen.0.borrow().clone();
        String::from_utf8(bytes).unwrap()
    }

    const PIPE: Look = Look { columns: None, color: false, verbose: false };

    fn some_events(terminal: &mut Terminal, redactor: &Redactor) {
        let subagent = |event: Event| event.with("subagent", "true");
        for event in [
            Event::new(EventKind::Text, "hello\n\u{1b}[2Jworld"),
            Event { tool: Some("Bash".to_owned()), ..Event::new(EventKind::ToolCall, "ls\n-la") },
            Event::new(EventKind::ToolResult, "fine").with("is_error", "false"),
            Event::new(EventKind::ToolResult, "bad").with("is_error", "true"),
            subagent(Event::new(EventKind::Text, "aside")),
            Event::new(EventKind::Retry, "again"),
        ] {
            terminal.show(&event, redactor);
        }
        terminal.status(&Status { step: "1/2 写".to_owned(), ..Status::default() }, 3.0, redactor);
    }

    #[test]
    fn a_pipe_gets_plain_lines() {
        insta::assert_snapshot!(shown(PIPE, some_events), @r"
        hello
        \u{1b}[2Jworld
        → Bash ls
        ✗ bad
        ↻ again
        ");
        let verbose = shown(Look { verbose: true, ..PIPE }, some_events);
        assert!(verbose.contains("← fine\n") && verbose.contains("  ┆ aside\n"), "{verbose}");
    }

    #[test]
    fn a_terminal_has_one_status_line() {
        let look = Look { columns: Some(40), color: false, verbose: false };
        let status = Status {
            step: "写".to_owned(),
            attempt: 2,
            waiting: Some(("api:443".to_owned(), 90.0)),
            ..Status::default()
        };
        let text = shown(look, |terminal, redactor| {
            terminal.status(&status, 30.0, redactor);
            terminal.status(&status, 30.0, redactor);
            terminal.line("above", redactor);
        });
        assert_eq!(text, "\r\x1b[K1m 00s left, api:443 · 写 · attempt 2 ·\r\x1b[Kabove\n");
        let wide =
            shown(Look { columns: Some(100), ..look }, |terminal, redactor| terminal.status(&status, 30.0, redactor));
        assert!(wide.ends_with("· 0 answers · context 0 · $0.00 · 30.0s"), "{wide}");
    }
}
