use super::frame::Ended;
use crate::session::{Verdict, classify};
use regex::{Regex, RegexBuilder};
use std::sync::LazyLock;

/// How an attempt ended, which decides what is done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum Class {
    /// It did what was asked.
    Ok,
    /// Trying again cannot help.
    Fatal,
    /// Trying again may help.
    Transient,
    /// The conversation does not fit into the model's window.
    Overflow,
    /// A person stopped it.
    Interrupted,
    /// Nothing tells; it is tried again.
    Unknown,
}

/// How the process of the CLI ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

/// What an attempt left to judge it by.
#[derive(Debug, Clone, Default)]
pub(super) struct Evidence {
    /// The last result.
    pub(super) result: Option<Ended>,
    /// The kind of the last API error that stood in the place of an answer.
    pub(super) assistant_error: Option<String>,
    /// The session began.
    pub(super) init_seen: bool,
    /// How the process ended; `None` if it never started.
    pub(super) exit: Option<Exit>,
    /// Why it could not be started.
    pub(super) spawn_error: Option<String>,
    /// The end of its standard error.
    pub(super) stderr: String,
    /// A person asked it to stop.
    pub(super) interrupted: bool,
    /// Why it was ended by force.
    pub(super) stuck: Option<&'static str>,
}

const OVERFLOW: &str = concat!(
    r"prompt is too long|context[ _-]?length[ _-]?exceeded|maximum context length|exceeds? (the )?context (window|limit)",
    r"|too many total text bytes|input length and `?max_tokens`? exceed",
);

/// What is noted of an answer that broke off and was passed off as a success.
const CUT: &str = "Connection lost: the answer broke off in the middle, and the CLI took it for whole";

/// Texts of network failures that flower's patterns do not know.
const NETWORK: &str = "Unable to connect|ConnectionRefused|Connection lost";

static PATTERNS: LazyLock<Option<(Regex, Regex)>> = LazyLock::new(|| {
    let build = |pattern| RegexBuilder::new(pattern).case_insensitive(true).build().ok();
    Some((build(OVERFLOW)?, build(NETWORK)?))
});

impl Ended {
    /// A stream that is cut in the middle of an answer passes as a success in 2.1.197: without a reason to stop, or with
    /// that of the answer before, which called a tool.
    fn is_cut(&self) -> bool {
        match self.stop_reason.as_deref() {
            None => self.turns != Some(0),
            Some(reason) => reason == "tool_use",
        }
    }
}

impl Evidence {
    /// A person stopped it, and it had to be ended by force.
    fn is_forced(&self) -> bool {
        self.interrupted && self.stuck.is_some()
    }

    /// The CLI ended by itself and said why. A signal, or a shell's word for one, is no reason.
    fn is_refusal(&self) -> bool {
        let is_own = !matches!(self.exit, Some(Exit::Signal(_) | Exit::Code(0 | 129..)));
        is_own && !self.stderr.trim().is_empty()
    }

    /// The class: from structured fields first, from text last (spec/runner.md, section 8).
    pub(super) fn class(&self) -> Class {
        match &self.result {
            _ if self.is_forced() => Class::Interrupted,
            Some(result) => self.of_result(result).unwrap_or_else(|| of_text(&self.text())),
            // Without a session there is nothing to resume, and the CLI has said why: a flag, a mode, the user.
            None if self.spawn_error.is_some() => Class::Fatal,
            None if !self.init_seen && self.is_refusal() => Class::Fatal,
            None if self.interrupted => Class::Interrupted,
            None => Class::Unknown,
        }
    }

    fn of_result(&self, result: &Ended) -> Option<Class> {
        match result.is_error {
            None => return Some(Class::Unknown),
            Some(false) => return Some(if result.is_cut() { Class::Transient } else { Class::Ok }),
            Some(true) => {}
        }
        let is_lost = |error: &String| {
            error.contains("No conversation found") || error.contains("No message found with message.uuid")
        };
        let terminal = result.terminal_reason.as_deref().unwrap_or_default();
        if matches!(result.subtype.as_str(), "error_max_budget_usd" | "error_max_turns")
            || result.errors.iter().any(is_lost)
        {
            return Some(Class::Fatal);
        }
        if terminal == "prompt_too_long" || is_overflow(&self.text()) {
            return Some(Class::Overflow);
        }
        if self.interrupted && terminal.starts_with("aborted") {
            return Some(Class::Interrupted);
        }
        let kinds = [&self.assistant_error, &result.error_type, &result.error];
        of_status(result.status).or_else(|| kinds.into_iter().flatten().find_map(|kind| of_kind(kind)))
    }

    /// What is said about the failure.
    pub(super) fn text(&self) -> String {
        let said = self.result.as_ref().and_then(|result| {
            if result.is_error == Some(false) && result.is_cut() {
                return Some(CUT.to_owned());
            }
            let errors = Some(result.errors.join("; ")).filter(|errors| !errors.is_empty());
            let text = result.text.clone().filter(|text| !text.is_empty());
            errors.or(text).or_else(|| Some(result.subtype.clone()).filter(|subtype| !subtype.is_empty()))
        });
        said.or_else(|| self.spawn_error.clone()).unwrap_or_else(|| {
            let (exit, stderr) = (self.exit_text(), self.stderr.trim());
            if let Some(stuck) = self.stuck {
                return format!("{stuck} ({exit})");
            }
            if self.init_seen || !self.is_refusal() { exit } else { format!("{exit}: {stderr}") }
        })
    }

    fn exit_text(&self) -> String {
        match self.exit {
            Some(Exit::Code(code)) => format!("exit {code}"),
            Some(Exit::Signal(signal)) => format!("exit -{signal}"),
            None => "no exit".to_owned(),
        }
    }
}

fn of_status(status: Option<u64>) -> Option<Class> {
    match status? {
        400 | 401 | 403 | 404 | 413 => Some(Class::Fatal),
        408 | 409 | 429 | 500.. => Some(Class::Transient),
        _ => None,
    }
}

fn of_kind(kind: &str) -> Option<Class> {
    match kind {
        "authentication_failed"
        | "authentication_error"
        | "permission_error"
        | "billing_error"
        | "model_not_found"
        | "not_found_error"
        | "invalid_request"
        | "invalid_request_error"
        | "request_too_large"
        | "oauth_org_not_allowed" => Some(Class::Fatal),
        "rate_limit" | "rate_limit_error" | "server_error" | "overloaded" | "overloaded_error" | "api_error"
        | "timeout_error" | "connection_failed" => Some(Class::Transient),
        _ => None,
    }
}

fn is_overflow(text: &str) -> bool {
    PATTERNS.as_ref().is_some_and(|(overflow, _)| overflow.is_match(text))
}

fn of_text(text: &str) -> Class {
    let is_network = || PATTERNS.as_ref().is_some_and(|(_, network)| network.is_match(text));
    match classify(text).verdict {
        Verdict::Fatal => Class::Fatal,
        Verdict::Transient => Class::Transient,
        Verdict::Unknown if is_network() => Class::Transient,
        Verdict::Unknown => Class::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::super::frame::Frame;
    use super::super::json::{Object, text};
    use super::*;
    use std::borrow::Cow;

    fn ended(line: &str) -> Ended {
        let Some(Frame::Result(ended)) = Frame::parse(line) else { panic!("{line}") };
        ended
    }

    #[test]
    fn recorded_failures_have_their_class() {
        let rows = include_str!("../../fixtures/protocol/failures.json");
        let rows: Vec<&serde_json::value::RawValue> = serde_json::from_str(rows).unwrap();
        assert_eq!(rows.len(), 40);
        for row in rows {
            let row = Object::parse(row.get()).unwrap();
            let result = row.raw("result").filter(|raw| *raw != "null");
            let line = result.map(|result| result.replacen('{', "{\"type\":\"result\",", 1));
            let exit: i32 = row.raw("exit").unwrap().parse().unwrap();
            let evidence = Evidence {
                result: line.map(|line| ended(&line)),
                assistant_error: row.list("assistant_error").last().and_then(|raw| text(raw)).map(Cow::into_owned),
                init_seen: row.is_true("init_seen"),
                exit: Some(if exit < 0 { Exit::Signal(-exit) } else { Exit::Code(exit) }),
                ..Evidence::default()
            };
            let name = format!("{} {}", row.text("cli").unwrap(), row.text("case").unwrap());
            assert_eq!(evidence.class().to_string(), row.text("expected_class").unwrap(), "{name}");
        }
    }

    fn failed(text: &str) -> Evidence {
        let result = Ended { is_error: Some(true), text: Some(text.to_owned()), ..Ended::default() };
        Evidence { result: Some(result), init_seen: true, ..Evidence::default() }
    }

    #[test]
    fn text_decides_where_no_field_does() {
        for (text, class) in [
            ("Prompt is too long: 400", Class::Overflow),
            ("invalid api key", Class::Fatal),
            ("Connection lost", Class::Transient),
            ("socket hang up", Class::Transient),
            ("who knows", Class::Unknown),
        ] {
            assert_eq!(failed(text).class(), class, "{text}");
        }
    }

    #[test]
    fn only_a_whole_answer_is_a_success() {
        let judged = |fields: &str| {
            let result = Some(ended(&format!(r#"{{"type":"result"{fields}}}"#)));
            let evidence = Evidence { result, init_seen: true, exit: Some(Exit::Code(1)), ..Evidence::default() };
            (evidence.class(), evidence.text())
        };
        let class = |fields: &str| judged(fields).0;
        assert_eq!(class(r#","is_error":false,"num_turns":2,"stop_reason":"end_turn""#), Class::Ok);
        assert_eq!(class(r#","is_error":false,"num_turns":0,"stop_reason":null"#), Class::Ok);
        for cut in [
            r#""num_turns":2,"stop_reason":"tool_use""#,
            r#""num_turns":1,"stop_reason":null"#,
            r#""stop_reason":null"#,
        ] {
            let (class, text) = judged(&format!(r#","is_error":false,"result":"half an ans",{cut}"#));
            assert_eq!((class, text.as_str()), (Class::Transient, CUT), "{cut}");
        }
        assert_eq!((class(""), class(r#","is_error":"no""#)), (Class::Unknown, Class::Unknown));
    }

    #[test]
    fn what_was_ended_by_force_says_why() {
        let stuck = Some("the CLI did not answer");
        let mut evidence = Evidence { stuck, exit: Some(Exit::Signal(15)), ..Evidence::default() };
        assert_eq!((evidence.class(), evidence.text().as_str()), (Class::Unknown, "the CLI did not answer (exit -15)"));
        evidence.result = Some(ended(r#"{"type":"result","is_error":false,"num_turns":1,"stop_reason":"end_turn"}"#));
        evidence.interrupted = true;
        assert_eq!(evidence.class(), Class::Interrupted, "the person is asked, whatever the CLI made of it");
    }

    #[test]
    fn an_abort_is_an_interrupt_only_if_asked_for() {
        let mut evidence = failed("x");
        evidence.result.as_mut().unwrap().terminal_reason = Some("aborted_tools".to_owned());
        assert_eq!(evidence.class(), Class::Unknown);
        evidence.interrupted = true;
        assert_eq!(evidence.class(), Class::Interrupted);
    }

    #[test]
    fn a_cli_that_never_began_says_why() {
        let stderr =
            Evidence { exit: Some(Exit::Code(1)), stderr: "unknown option\n".to_owned(), ..Evidence::default() };
        assert_eq!((stderr.class(), stderr.text()), (Class::Fatal, "exit 1: unknown option".to_owned()));
        let silent = Evidence { exit: Some(Exit::Signal(9)), ..Evidence::default() };
        assert_eq!((silent.class(), silent.text()), (Class::Unknown, "exit -9".to_owned()));
        let crash = "=====\nBun has crashed".to_owned();
        let crashed = Evidence { exit: Some(Exit::Signal(11)), stderr: crash, ..Evidence::default() };
        assert_eq!((crashed.class(), crashed.text()), (Class::Unknown, "exit -11".to_owned()));
        let missing = Evidence { spawn_error: Some("not found".to_owned()), ..Evidence::default() };
        assert_eq!((missing.class(), missing.text()), (Class::Fatal, "not found".to_owned()));
    }
}
