//! The probe of a credential, against a server that says one thing.

use super::stage::Stage;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// A server that gives one answer and hands out the request. With `None` it never answers.
fn server(answer: Option<(u16, &'static str)>) -> (String, Receiver<String>) {
    server_that_points(answer, None)
}

fn server_that_points(answer: Option<(u16, &'static str)>, location: Option<String>) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/", listener.local_addr().unwrap());
    let (sender, requests) = channel();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            let lower = line.to_lowercase();
            length = lower.strip_prefix("content-length:").map_or(length, |n| n.trim().parse().unwrap());
            head.push_str(&line);
            if line.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        sender.send(head + &String::from_utf8(body).unwrap()).unwrap();
        match answer {
            Some((status, body)) => {
                write!(
                    stream,
                    "HTTP/1.1 {status} X\r\nlocation: {}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                    location.as_deref().unwrap_or("/"),
                    body.len()
                )
                .unwrap();
            }
            None => thread::sleep(Duration::from_secs(5)),
        }
    });
    (base, requests)
}

fn probed(answer: Option<(u16, &'static str)>) -> (Option<i32>, String) {
    let (base, _requests) = server(answer);
    let mut stage = Stage::fake();
    stage.base = Some(base);
    let ended = stage.run(&["probe", "--timeout", "1"]);
    (ended.code, ended.out)
}

#[test]
fn answers_have_their_verdict() {
    for (status, body, code, verdict) in [
        (200, "{}", 0, "ok"),
        (400, "messages: odd", 0, "ok"),
        (400, "model: Not Found", 1, "config"),
        (302, "x", 1, "config"),
        (307, "x", 1, "config"),
        (401, "x", 1, "auth"),
        (403, "x", 1, "auth"),
        (404, "x", 1, "config"),
        (429, "x", 0, "ok"),
        (500, "x", 1, "net"),
    ] {
        let (found, said) = probed(Some((status, body)));
        assert_eq!((found, said.split(':').next()), (Some(code), Some(verdict)), "{status} {body}: {said}");
    }
    assert!(probed(None).1.starts_with("net: "), "a time-out");
    let mut stage = Stage::fake();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    stage.base = Some(format!("http://{}", listener.local_addr().unwrap()));
    drop(listener);
    assert!(stage.run(&["probe"]).out.starts_with("net: "), "refused");
}

#[test]
fn the_credential_follows_no_redirection() {
    for status in [301, 302, 303, 307, 308] {
        let (elsewhere, stolen) = server(Some((200, "{}")));
        let (base, requests) = server_that_points(Some((status, "")), Some(elsewhere));
        let mut stage = Stage::fake();
        stage.base = Some(base);
        let ended = stage.run(&["probe"]);
        assert!(requests.recv().unwrap().starts_with("POST "));
        assert!(ended.out.starts_with("config: ") && stolen.try_recv().is_err(), "{status}: {ended:?}");
    }
}

#[test]
fn what_is_no_address_is_not_waited_for() {
    for base in ["ftp://x", "not a url", "http://127.0.0.1:99999", "http://"] {
        let mut stage = Stage::fake();
        stage.base = Some(base.to_owned());
        let ended = stage.run(&["once", "P"]);
        assert!(ended.code == Some(1) && ended.err.contains("(config)"), "{base}: {ended:?}");
        assert_eq!(stage.starts(), 0, "{base}");
    }
}

#[test]
fn both_credentials_are_sent_and_the_mark_of_the_model_is_not() {
    let (base, requests) = server(Some((200, "{}")));
    let mut stage = Stage::fake();
    stage.base = Some(base);
    let mut command = stage.command(&["probe"]);
    command.env("ANTHROPIC_AUTH_TOKEN", "token-of-gateway").env("ANTHROPIC_MODEL", "my-model[1m]");
    assert!(command.output().unwrap().status.success());
    let request = requests.recv().unwrap();
    assert!(request.starts_with("POST /v1/messages HTTP/1.1\r\n"), "{request}");
    let lower = request.to_lowercase();
    for part in
        ["x-api-key: sk-ant-fake-0000", "authorization: bearer token-of-gateway", "anthropic-version: 2023-06-01"]
    {
        assert!(lower.contains(part), "{request}");
    }
    assert!(
        request.ends_with(r#"{"model":"my-model","max_tokens":16,"messages":[{"role":"user","content":"hi"}]}"#),
        "{request}"
    );
}

#[test]
fn a_refused_credential_stops_a_run_and_a_dead_network_does_not() {
    let (base, _requests) = server(Some((401, "no")));
    let mut stage = Stage::fake();
    stage.base = Some(base);
    let refused = stage.run(&["once", "P"]);
    assert_eq!((refused.code, stage.starts()), (Some(1), 0), "{refused:?}");
    stage.base = Some("http://127.0.0.1:9".to_owned());
    stage.script(1, &super::stage::script(&[&super::stage::hello(), &[super::stage::result(&serde_json::json!({}))]]));
    let dead = stage.run(&["once", "P"]);
    assert_eq!((dead.code, stage.starts()), (Some(0), 1), "{dead:?}");
    assert!(dead.err.contains("the API cannot be reached"), "{}", dead.err);
}
