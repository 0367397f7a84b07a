//! A Messages API on loopback that says what it is told to say.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Tokens of every answer, so that a sum tells how many there were.
pub(crate) const INPUT: u64 = 100;
pub(crate) const OUTPUT: u64 = 20;

/// What the API does with one request of the main thread.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// Answers with these blocks.
    Says(Vec<Value>),
    /// Fails with this status and type.
    Fails(u16, &'static str),
    /// Breaks off in the middle of a text.
    Cuts(&'static str),
    /// Resets the connection behind this text.
    Resets(&'static str),
}

pub(crate) fn says(text: &str) -> Answer {
    Answer::Says(vec![json!({"type": "text", "text": text})])
}

/// A text and a call of a tool.
pub(crate) fn calls(tool: &str, input: &Value) -> Answer {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let id = format!("toolu_{:020}", NUMBER.fetch_add(1, Ordering::Relaxed));
    Answer::Says(vec![
        json!({"type": "text", "text": format!("calling {tool}")}),
        json!({"type": "tool_use", "id": id, "name": tool, "input": input}),
    ])
}

pub(crate) fn bash(command: &str) -> Answer {
    calls("Bash", &json!({"command": command, "description": "d"}))
}

#[derive(Default)]
struct Script {
    answers: VecDeque<Answer>,
    requests: Vec<Value>,
}

/// The running API.
pub(crate) struct Api {
    address: SocketAddr,
    script: Arc<Mutex<Script>>,
    open: Mutex<Option<Arc<()>>>,
}

impl Api {
    pub(crate) fn start(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let script = Arc::new(Mutex::new(Script { answers: answers.into(), requests: Vec::new() }));
        let api = Self { address: listener.local_addr().unwrap(), script, open: Mutex::new(None) };
        api.serve(listener);
        api
    }

    pub(crate) fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    /// More answers, behind those that are left.
    pub(crate) fn then(&self, answers: Vec<Answer>) {
        self.script.lock().unwrap().answers.extend(answers);
    }

    /// The messages of every request of the main thread so far.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.script.lock().unwrap().requests.clone()
    }

    /// The last request as text, without what the harness adds.
    pub(crate) fn last(&self) -> String {
        self.requests().last().unwrap()["messages"].to_string()
    }

    /// Refuses connections from now on.
    pub(crate) fn close(&self) {
        *self.open.lock().unwrap() = None;
        thread::sleep(Duration::from_millis(100));
    }

    /// Takes connections again.
    pub(crate) fn reopen(&self) {
        self.serve(TcpListener::bind(self.address).unwrap());
    }

    fn serve(&self, listener: TcpListener) {
        listener.set_nonblocking(true).unwrap();
        let token = Arc::new(());
        let alive = Arc::downgrade(&token);
        *self.open.lock().unwrap() = Some(token);
        let script = Arc::clone(&self.script);
        thread::spawn(move || {
            while alive.upgrade().is_some() {
                match listener.accept() {
                    Ok((stream, _)) => {
                        let script = Arc::clone(&script);
                        // A client that went away is no failure of the API.
                        thread::spawn(move || drop(answer(&stream, &script)));
                    }
                    Err(_) => thread::sleep(Duration::from_millis(10)),
                }
            }
        });
    }
}

fn answer(mut stream: &TcpStream, script: &Mutex<Script>) -> std::io::Result<()> {
    stream.set_nonblocking(false)?;
    let mut reader = BufReader::new(stream);
    let (mut first, mut length) = (String::new(), 0_usize);
    reader.read_line(&mut first)?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        if line.trim().is_empty() {
            break;
        }
    }
    // The last byte stays unread for now: closing a connection with something unread resets it.
    let mut body = reader.buffer().to_vec();
    let mut rest = vec![0; length.saturating_sub(body.len() + 1)];
    stream.read_exact(&mut rest)?;
    body.extend(rest);
    let has_more = body.len() < length;
    if has_more {
        body.push(b'}');
    }
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let path = first.split(' ').nth(1).unwrap_or_default();
    if first.starts_with("HEAD") || !path.starts_with("/v1/messages") || path.contains("count_tokens") {
        return send(stream, 200, &json!({"input_tokens": 100, "data": []}));
    }
    // Titles and topics are asked for without tools.
    if body["tools"].as_array().is_none_or(Vec::is_empty) {
        return speak(stream, &body, &[json!({"type": "text", "text": "{\"title\": \"t\"}"})], None);
    }
    let next = {
        let mut script = script.lock().unwrap();
        script.requests.push(body.clone());
        script.answers.pop_front().unwrap_or_else(|| says("nothing more to say"))
    };
    if let Answer::Resets(text) = next {
        let spoken = speak(stream, &body, &[json!({"type": "text", "text": text})], Some(Cut::BehindBlocks));
        // A reset takes with it what was not read yet.
        thread::sleep(Duration::from_millis(300));
        return spoken;
    }
    if has_more {
        stream.read_exact(&mut [0])?;
    }
    match next {
        Answer::Resets(_) => Ok(()),
        Answer::Says(blocks) => speak(stream, &body, &blocks, None),
        Answer::Cuts(text) => speak(stream, &body, &[], Some(Cut::InText(text))),
        Answer::Fails(status, kind) => send(
            stream,
            status,
            &json!({"type": "error", "error": {"type": kind, "message": kind}, "request_id": "req_1"}),
        ),
    }
}

fn send(mut stream: &TcpStream, status: u16, body: &Value) -> std::io::Result<()> {
    let body = body.to_string();
    write!(
        stream,
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Where an answer breaks off.
#[derive(Clone, Copy)]
enum Cut<'a> {
    InText(&'a str),
    BehindBlocks,
}

/// Streams an answer as far as `cut` lets it.
fn speak(mut stream: &TcpStream, body: &Value, blocks: &[Value], cut: Option<Cut<'_>>) -> std::io::Result<()> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let id = format!("msg_{:020}", NUMBER.fetch_add(1, Ordering::Relaxed));
    let usage = json!({"input_tokens": INPUT, "output_tokens": OUTPUT, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0});
    let is_call = blocks.iter().any(|block| block["type"] == "tool_use");
    let stop = if is_call { "tool_use" } else { "end_turn" };
    if body["stream"] != true {
        let whole = json!({"id": id, "type": "message", "role": "assistant", "model": body["model"], "content": blocks,
            "stop_reason": stop, "stop_sequence": null, "usage": usage});
        return send(stream, 200, &whole);
    }
    write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")?;
    let mut event =
        |value: Value| write!(stream, "event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap_or_default());
    event(
        json!({"type": "message_start", "message": {"id": id, "type": "message", "role": "assistant", "model": body["model"],
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage}}),
    )?;
    if let Some(Cut::InText(text)) = cut {
        event(json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}))?;
        return event(
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
        );
    }
    for (index, block) in blocks.iter().enumerate() {
        let (empty, delta) = match block["type"].as_str() {
            Some("text") => (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": block["text"]})),
            _ => (
                json!({"type": "tool_use", "id": block["id"], "name": block["name"], "input": {}}),
                json!({"type": "input_json_delta", "partial_json": block["input"].to_string()}),
            ),
        };
        event(json!({"type": "content_block_start", "index": index, "content_block": empty}))?;
        event(json!({"type": "content_block_delta", "index": index, "delta": delta}))?;
        event(json!({"type": "content_block_stop", "index": index}))?;
    }
    if cut.is_some() {
        return Ok(());
    }
    event(
        json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null}, "usage": {"output_tokens": OUTPUT}}),
    )?;
    event(json!({"type": "message_stop"}))
}
