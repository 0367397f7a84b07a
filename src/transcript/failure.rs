use super::fields::{Slots, fill, fill_each};
use super::label::{Interner, Label};
use super::message::Message;
use super::scalar::{measure, number, text};
use crate::run_dir::limits::{MAX_BLOCKS, MAX_FAILURE_TEXT_BYTES};
use crate::unit::{Span, Tokens};
use std::borrow::Cow;

/// How the result of a subagent begins that an API error killed: of newer CLIs, and of 2.1.197.
const AGENT_FAILURES: [&str; 2] = ["Agent terminated early due to an API error", "API Error:"];

/// The field by which the CLI says that it found no network.
const NETWORK_DOWN: &str = "isNetworkDown";

/// The machine fields of a failure (spec/errors.md, What errors look like in a transcript).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FailureFields {
    /// `error` of an API error, where it is a word such as `rate_limit`.
    pub error: Option<Label>,
    /// `apiErrorStatus`, or `error.status` of an announced retry: the HTTP status.
    pub status: Option<u64>,
    /// `apiErrorType`, the type in `error.error` of an announced retry, or the type in the answer of the API that
    /// `error.message`, `errorDetails` or the text quotes.
    pub error_type: Option<Label>,
    /// `error.connection.code` of an announced retry, `isNetworkDown` where that is said, or `apiError`: there was no answer
    /// at all.
    pub connection: Option<Label>,
    /// What is said to a person, cut at [`MAX_FAILURE_TEXT_BYTES`].
    pub text: Box<str>,
    /// `errorDetails`: the answer of the API behind a short text.
    pub details: Option<Box<str>>,
    /// Which retry of how many is announced.
    pub retry: Option<Retry>,
    /// `toolUseResult.totalTokens` of a subagent's result.
    pub agent_tokens: Option<Tokens>,
}

/// A retry that the CLI announces before it waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retry {
    /// `retryAttempt`, from 1.
    pub attempt: Option<u64>,
    /// `maxRetries`.
    pub max: Option<u64>,
    /// `retryInMs`: how long it is going to wait.
    pub wait: Option<Span>,
}

/// A tool result that reads like the end of a subagent. Which tool was called is not known yet.
pub(super) fn tells_of_agent_failure(message: &Message) -> bool {
    message.results().any(|result| begins_like_agent_failure(result.excerpt()))
}

fn begins_like_agent_failure(text: &str) -> bool {
    AGENT_FAILURES.iter().any(|begin| text.starts_with(begin))
}

/// The raw fields of an entry that tell of a failure.
#[derive(Default)]
pub(super) struct RawFailure<'a> {
    error: Option<&'a str>,
    status: Option<&'a str>,
    error_type: Option<&'a str>,
    api_error: Option<&'a str>,
    details: Option<&'a str>,
    attempt: Option<&'a str>,
    max: Option<&'a str>,
    wait: Option<&'a str>,
    tool_use_result: Option<&'a str>,
}

impl<'a> Slots<'a> for RawFailure<'a> {
    fn slot(&mut self, name: &str) -> Option<&mut Option<&'a str>> {
        Some(match name {
            "error" => &mut self.error,
            "apiErrorStatus" => &mut self.status,
            "apiErrorType" => &mut self.error_type,
            "apiError" => &mut self.api_error,
            "errorDetails" => &mut self.details,
            "retryAttempt" => &mut self.attempt,
            "maxRetries" => &mut self.max,
            "retryInMs" => &mut self.wait,
            "toolUseResult" => &mut self.tool_use_result,
            _ => return None,
        })
    }
}

impl RawFailure<'_> {
    /// Of an API error in the place of an answer, with its `content`.
    pub(super) fn stand_in(&self, content: Option<&str>, interner: &mut Interner) -> FailureFields {
        let label =
            |value: Option<&str>, interner: &mut Interner| value.and_then(text).map(|text| interner.label(&text));
        let details = self.details.and_then(short);
        let said = content.and_then(|content| first_text(content, |_| true)).unwrap_or_default();
        let quoted = [details.as_deref(), Some(&*said)].into_iter().flatten();
        let error_type = label(self.error_type, interner);
        FailureFields {
            error: label(self.error, interner),
            status: self.status.and_then(status),
            error_type: error_type.or_else(|| quoted.into_iter().find_map(|text| quoted_type(text, interner))),
            connection: label(self.api_error, interner),
            text: said,
            details,
            ..FailureFields::default()
        }
    }

    /// Of a retry that the CLI announces: everything is in the object `error`, which may be empty.
    pub(super) fn notice(&self, interner: &mut Interner) -> FailureFields {
        let error: RawError<'_> = self.error.and_then(fill).unwrap_or_default();
        let message = error.message.and_then(short);
        let answer: RawRetryAnswer<'_> = error.answer.and_then(fill).unwrap_or_default();
        let told = answer.kind().map(|kind| interner.label(&kind));
        let wait = self.wait.and_then(number).and_then(|millis| i64::try_from(millis).ok()).map(Span::from_millis);
        FailureFields {
            status: error.status.and_then(status),
            error_type: told.or_else(|| message.as_deref().and_then(|message| quoted_type(message, interner))),
            connection: error.cut_off().map(|code| interner.label(&code)),
            text: error.formatted.and_then(short).or(message).unwrap_or_default(),
            retry: Some(Retry { attempt: self.attempt.and_then(number), max: self.max.and_then(number), wait }),
            ..FailureFields::default()
        }
    }

    /// Of a subagent's result that reads like an error.
    pub(super) fn agent_result(&self, content: Option<&str>) -> FailureFields {
        let result: RawAgentResult<'_> = self.tool_use_result.and_then(fill).unwrap_or_default();
        FailureFields {
            text: content.and_then(|content| first_text(content, begins_like_agent_failure)).unwrap_or_default(),
            agent_tokens: result.total_tokens.and_then(number).map(Tokens),
            ..FailureFields::default()
        }
    }
}

/// An HTTP status, also where it was written as a text.
fn status(json: &str) -> Option<u64> {
    number(json).or_else(|| text(json)?.trim().parse().ok())
}

/// The raw fields of `error` of an announced retry.
#[derive(Default)]
struct RawError<'a> {
    message: Option<&'a str>,
    formatted: Option<&'a str>,
    status: Option<&'a str>,
    connection: RawConnection<'a>,
    network_down: Option<&'a str>,
    answer: Option<&'a str>,
}

impl<'a> RawError<'a> {
    /// Why there was no answer: the code of the connection, or that the CLI found the network down.
    fn cut_off(&self) -> Option<Cow<'a, str>> {
        let is_down = self.network_down == Some("true");
        self.connection.code.and_then(text).or_else(|| is_down.then_some(Cow::Borrowed(NETWORK_DOWN)))
    }
}

impl<'a> Slots<'a> for RawError<'a> {
    fn slot(&mut self, name: &str) -> Option<&mut Option<&'a str>> {
        Some(match name {
            "message" => &mut self.message,
            "formatted" => &mut self.formatted,
            "status" => &mut self.status,
            "error" => &mut self.answer,
            NETWORK_DOWN => &mut self.network_down,
            _ => return None,
        })
    }

    fn inner(&mut self, name: &str) -> Option<&mut dyn Slots<'a>> {
        (name == "connection").then_some(&mut self.connection)
    }
}

/// The raw fields of `error.error`: the answer of the API, or only the error in it.
#[derive(Default)]
struct RawRetryAnswer<'a> {
    kind: Option<&'a str>,
    error: Option<&'a str>,
}

impl<'a> RawRetryAnswer<'a> {
    /// The type of the error; of a whole answer `type` says only that it is one.
    fn kind(&self) -> Option<Cow<'a, str>> {
        let inner = self.error.and_then(fill::<RawAnswerError<'_>>).and_then(|error| text(error.kind?));
        inner.or_else(|| self.kind.and_then(text).filter(|kind| kind != "error"))
    }
}

impl<'a> Slots<'a> for RawRetryAnswer<'a> {
    fn slot(&mut self, name: &str) -> Option<&mut Option<&'a str>> {
        match name {
            "type" => Some(&mut self.kind),
            "error" => Some(&mut self.error),
            _ => None,
        }
    }
}

/// The raw fields of `error.connection`.
#[derive(Default)]
struct RawConnection<'a> {
    code: Option<&'a str>,
}

impl<'a> Slots<'a> for RawConnection<'a> {
    fn slot(&mut self, name: &str) -> Option<&mut Option<&'a str>> {
        (name == "code").then_some(&mut self.code)
    }
}

/// The raw fields of `toolUseResult` of a subagent.
#[derive(Default)]
struct RawAgentResult<'a> {
    total_tokens: Option<&'a str>,
}

impl<'a> Slots<'a> for RawAgentResult<'a> {
    fn slot(&mut self, name: &str) -> Option<&mut Option<&'a str>> {
        (name == "totalTokens").then_some(&mut self.total_tokens)
    }
}

/// The type in an answer of the API that a text quotes, `529 {"type":"error","error":{"type":"overloaded_error",…}}`.
fn quoted_type(message: &str, interner: &mut Interner) -> Option<Label> {
    let (_, json) = message.split_at_checked(message.find('{')?)?;
    let answer: RawAnswer<'_> = fill(json)?;
    answer.error.kind.and_then(text).map(|kind| interner.label(&kind))
}

/// The raw fields of an error answer of the API.
#[derive(Default)]
struct RawAnswer<'a> {
    error: RawAnswerError<'a>,
}

impl<'a> Slots<'a> for RawAnswer<'a> {
    fn slot(&mut self, _name: &str) -> Option<&mut Option<&'a str>> {
        None
    }

    fn inner(&mut self, name: &str) -> Option<&mut dyn Slots<'a>> {
        (name == "error").then_some(&mut self.error)
    }
}

#[derive(Default)]
struct RawAnswerError<'a> {
    kind: Option<&'a str>,
}

impl<'a> Slots<'a> for RawAnswerError<'a> {
    fn slot(&mut self, name: &str) -> Option<&mut Option<&'a str>> {
        (name == "type").then_some(&mut self.kind)
    }
}

/// The first text in `content` that is `wanted`: a string, a text block, or the first text of a tool result.
fn first_text(content: &str, wanted: impl Fn(&str) -> bool) -> Option<Box<str>> {
    let inner = |json: &str| {
        short(json).or_else(|| {
            fill_each::<RawText<'_>>(json, MAX_BLOCKS).into_iter().find_map(|block| block.text.and_then(short))
        })
    };
    let text = |part: RawText<'_>| part.text.and_then(short).or_else(|| part.content.and_then(inner));
    short(content).or_else(|| {
        fill_each::<RawText<'_>>(content, MAX_BLOCKS).into_iter().filter_map(text).find(|text| wanted(text))
    })
}

#[derive(Default)]
struct RawText<'a> {
    text: Option<&'a str>,
    content: Option<&'a str>,
}

impl<'a> Slots<'a> for RawText<'a> {
    fn slot(&mut self, name: &str) -> Option<&mut Option<&'a str>> {
        match name {
            "text" => Some(&mut self.text),
            "content" => Some(&mut self.content),
            _ => None,
        }
    }
}

/// A JSON string, cut at the limit; `None` for an empty one and for anything else.
fn short(json: &str) -> Option<Box<str>> {
    let (_, text) = measure(json, MAX_FAILURE_TEXT_BYTES)?;
    (!text.is_empty()).then(|| text.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_dir::{Position, Row};
    use crate::transcript::{Outcome, decode_row};

    fn decoded(json: &str) -> Option<FailureFields> {
        let position = Position::Database { rowid: 1, seq: Some(0) };
        let row = Row { store_key: "w/s", position, uid: None, payload: Ok(json.as_bytes()) };
        let mut found = None;
        decode_row(&row, &mut Interner::default(), &mut |outcome| {
            if let Outcome::Entry(entry) = outcome {
                found = entry.failure().cloned();
            }
        });
        found
    }

    #[test]
    fn an_announced_retry_tells_status_type_code_and_wait() {
        let fields = decoded(
            r#"{"type":"system","subtype":"api_error","retryAttempt":2,"maxRetries":10,"retryInMs":1033,
            "error":{"message":"529 {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}","status":529,
            "formatted":"529 Overloaded","connection":null}}"#,
        )
        .unwrap();
        assert_eq!((fields.status, fields.error_type.as_deref()), (Some(529), Some("overloaded_error")));
        assert_eq!((&*fields.text, fields.connection), ("529 Overloaded", None));
        let wait = Some(Span::from_millis(1033));
        assert_eq!(fields.retry, Some(Retry { attempt: Some(2), max: Some(10), wait }));
        let fields = decoded(
            r#"{"type":"system","subtype":"api_error","error":{"message":"Connection error.","connection":{"code":"ECONNRESET"}}}"#,
        )
        .unwrap();
        assert_eq!((fields.connection.as_deref(), &*fields.text), (Some("ECONNRESET"), "Connection error."));
        let typed = decoded(
            r#"{"type":"system","subtype":"api_error",
            "error":{"status":529,"connection":null,"error":{"type":"error","error":{"type":"rate_limit_error"}}}}"#,
        );
        assert_eq!(typed.unwrap().error_type.as_deref(), Some("rate_limit_error"));
        let typed = decoded(r#"{"type":"system","subtype":"api_error","error":{"error":{"type":"api_error"}}}"#);
        assert_eq!(typed.unwrap().error_type.as_deref(), Some("api_error"));
        for empty in [r#""error":{}"#, r#""error":null"#, r#""x":1"#] {
            let fields = decoded(&format!(r#"{{"type":"system","subtype":"api_error",{empty}}}"#)).unwrap();
            assert_eq!(fields, FailureFields { retry: Some(Retry::default()), ..FailureFields::default() });
        }
    }

    #[test]
    fn an_error_in_the_place_of_an_answer_tells_its_fields_and_its_whole_text() {
        let long = "API Error: ".to_owned() + &"x".repeat(300);
        let entry = |content: &str| {
            format!(
                r#"{{"type":"assistant","isApiErrorMessage":true,"error":"rate_limit","apiErrorStatus":429,
                "apiErrorType":"rate_limit_error","message":{{"model":"<synthetic>","content":{content}}}}}"#
            )
        };
        let fields = decoded(&entry(&format!(r#"[{{"type":"text","text":"{long}"}}]"#))).unwrap();
        assert_eq!((&*fields.text, fields.error.as_deref(), fields.status), (&*long, Some("rate_limit"), Some(429)));
        assert_eq!(&*decoded(&entry(r#""plain""#)).unwrap().text, "plain");
        assert_eq!(&*decoded(&entry("[5,{}]")).unwrap().text, "");
        let huge = "界".repeat(MAX_FAILURE_TEXT_BYTES);
        assert!(decoded(&entry(&format!("\"{huge}\""))).unwrap().text.len() <= MAX_FAILURE_TEXT_BYTES);
        let details = r#"{"type":"assistant","isApiErrorMessage":true,"message":{"content":"Prompt is too long"},
            "errorDetails":"400 {\"error\":{\"type\":\"invalid_request_error\"}}"}"#;
        assert_eq!(decoded(details).unwrap().error_type.as_deref(), Some("invalid_request_error"));
        let quoting = entry(r#""API Error: 500 {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\"}}""#);
        let quoting = quoting.replace(r#""apiErrorType":"rate_limit_error","#, "");
        assert_eq!(decoded(&quoting).unwrap().error_type.as_deref(), Some("rate_limit_error"));
    }

    #[test]
    fn what_is_no_failure_has_no_fields() {
        for json in [
            r#"{"type":"assistant","isApiErrorMessage":false,"message":{"model":"<synthetic>","content":"No response requested."}}"#,
            r#"{"type":"assistant","error":"rate_limit","message":{"content":"API Error: 429 in the logs"}}"#,
            r#"{"type":"user","message":{"content":"API Error: what does it mean?"}}"#,
        ] {
            assert_eq!(decoded(json), None, "{json}");
        }
    }

    #[test]
    fn a_dead_subagent_tells_its_tokens() {
        let result = |begin: &str, rest: &str| {
            let content = format!(r#"[{{"type":"tool_result","tool_use_id":"t","content":{begin}}}]"#);
            decoded(&format!(r#"{{"type":"user","message":{{"content":{content}}}{rest}}}"#))
        };
        let fields = result(r#""Agent terminated early due to an API error: x""#, "").unwrap();
        assert_eq!((&*fields.text, fields.agent_tokens), ("Agent terminated early due to an API error: x", None));
        let blocks = r#"[{"type":"text","text":"API Error: Unable to connect"},{"type":"text","text":"agentId: a"}]"#;
        let fields = result(blocks, r#","toolUseResult":{"totalTokens":0}"#).unwrap();
        assert_eq!((&*fields.text, fields.agent_tokens), ("API Error: Unable to connect", Some(Tokens(0))));
        let second = r#""fine"},{"type":"tool_result","tool_use_id":"u","content":"API Error: late""#;
        assert_eq!(&*result(second, "").unwrap().text, "API Error: late");
        assert_eq!(result(r#""all fine""#, ""), None);
    }
}
