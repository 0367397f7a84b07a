//! A folder with a workspace, a run directory and a CLI, in which `flower-run` is started.

use super::super::program::Ended;
use super::fake_claude;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// The credential of all tests. It must show up nowhere.
pub(crate) const KEY: &str = "sk-ant-fake-0000";

/// The session of the scripts.
pub(crate) const SESSION: &str = "11111111-1111-4111-8111-111111111111";

/// Where `flower-run` is started.
pub(crate) struct Stage {
    pub(crate) root: TempDir,
    pub(crate) claude: PathBuf,
    /// Of the API, where there is one.
    pub(crate) base: Option<String>,
    pub(crate) workspace: String,
    /// What the network is probed by, where there is no API.
    _reachable: Option<TcpListener>,
}

/// A program that does not outlive its test.
pub(crate) struct Running(pub(crate) Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Stage {
    /// With the stand-in for the CLI.
    pub(crate) fn fake() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("fake")).unwrap();
        let claude = fake_claude::make(&root.path().join("fake"));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = Some(format!("http://{}", listener.local_addr().unwrap()));
        Self { root, claude, base, workspace: "ws".to_owned(), _reachable: Some(listener) }
    }

    /// With a real CLI and an API on loopback.
    pub(crate) fn real(claude: &Path, base: &str) -> Self {
        let root = tempfile::tempdir().unwrap();
        Self {
            root,
            claude: claude.to_owned(),
            base: Some(base.to_owned()),
            workspace: "ws".to_owned(),
            _reachable: None,
        }
    }

    /// What the n-th start of the stand-in does.
    pub(crate) fn script(&self, number: u32, lines: &[Value]) {
        let text = lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
        self.raw_script(number, &text);
    }

    pub(crate) fn raw_script(&self, number: u32, text: &str) {
        let workspace = fs::canonicalize(self.root.path()).unwrap().join(&self.workspace);
        let key = workspace.to_str().unwrap().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        fs::write(self.in_fake(&format!("{number}.ndjson")), text.replace("/PROJECT/", &format!("/{key}/"))).unwrap();
    }

    /// What the n-th start of the stand-in recorded, by ending.
    pub(crate) fn recorded(&self, number: u32, ending: &str) -> Vec<String> {
        let text = fs::read_to_string(self.in_fake(&format!("{number}.{ending}"))).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    /// How often the stand-in was started.
    pub(crate) fn starts(&self) -> usize {
        (1..99).take_while(|number| self.in_fake(&format!("{number}.argv")).exists()).count()
    }

    fn in_fake(&self, name: &str) -> PathBuf {
        self.root.path().join("fake").join(name)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// `flower-run` with nothing of the surroundings.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flower-run"));
        command.env_clear().current_dir(self.root.path()).stdin(Stdio::null());
        command.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", self.root.path().join("home"));
        command.env("LANG", "C.UTF-8").env("TZ", "UTC").env("ANTHROPIC_API_KEY", KEY);
        // The CLI shall speak to nobody but the API.
        command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").env("DISABLE_AUTOUPDATER", "1");
        if let Some(base) = &self.base {
            command.env("ANTHROPIC_BASE_URL", base);
        }
        command.args(["-w", &self.workspace, "--claude"]).arg(&self.claude).args(args);
        command
    }

    /// Starts `flower-run`.
    pub(crate) fn start(&self, args: &[&str]) -> Running {
        Running(self.command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    /// Runs `flower-run` to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Ended {
        let output = self.command(args).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ended { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Runs one step without the probe.
    pub(crate) fn once(&self, args: &[&str]) -> Ended {
        self.run(&[&["--no-probe", "once"], args].concat())
    }

    pub(crate) fn manifest(&self) -> Vec<Value> {
        serde_json::from_slice(&fs::read(self.path("runs/manifest.json")).unwrap()).unwrap()
    }

    /// One column of a query on the store.
    pub(crate) fn column(&self, sql: &str) -> Vec<String> {
        self.try_column(sql).unwrap()
    }

    /// The same of a store that may not be there yet.
    pub(crate) fn try_column(&self, sql: &str) -> rusqlite::Result<Vec<String>> {
        let path = self.path("runs/sessions.db");
        let connection = Connection::open_with_flags(path, rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let mut statement = connection.prepare(sql)?;
        statement.query_map([], |row| row.get(0))?.collect()
    }

    /// The payloads of the store, by key and number.
    pub(crate) fn payloads(&self) -> Vec<String> {
        self.column("SELECT payload FROM entries ORDER BY store_key, seq")
    }

    /// The summary of `flower-analyze` on the run directory.
    pub(crate) fn summary(&self) -> Value {
        super::super::program::json(self.root.path(), &["summary", "runs"])
    }

    /// The findings of `flower-analyze`, by code.
    pub(crate) fn findings(&self) -> Vec<String> {
        let summary = self.summary();
        let mut codes: Vec<String> = summary["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|finding| finding["code"].as_str().unwrap().to_owned())
            .collect();
        codes.sort();
        codes
    }

    /// Fails if the credential stands in any file of the run directory, or in what was printed.
    pub(crate) fn holds_no_secret(&self, ended: &Ended) {
        assert!(!ended.out.contains(KEY) && !ended.err.contains(KEY), "{ended:?}");
        for entry in fs::read_dir(self.path("runs")).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() && path.file_name().is_some_and(|name| !name.to_string_lossy().starts_with("sessions.db"))
            {
                let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
                assert!(!text.contains(KEY), "{}: {text}", path.display());
            }
        }
    }
}

/// Frames of a conversation, as a script.
pub(crate) fn hello() -> Vec<Value> {
    let answer =
        json!({"type": "control_response", "response": {"subtype": "success", "request_id": "i", "response": {}}});
    let init =
        json!({"type": "system", "subtype": "init", "session_id": SESSION, "model": "m", "claude_code_version": "0"});
    vec![json!({"dir": "to_cli"}), says(&answer), json!({"dir": "to_cli"}), says(&init)]
}

pub(crate) fn says(frame: &Value) -> Value {
    json!({"dir": "from_cli", "frame": frame})
}

/// Entries that are mirrored, of the session itself.
pub(crate) fn mirrors(entries: &[Value]) -> Value {
    let path = format!("/CFG/projects/PROJECT/{SESSION}.jsonl");
    says(&json!({"type": "transcript_mirror", "filePath": path, "entries": entries}))
}

/// A prompt of the session, as it is stored.
pub(crate) fn entry(uuid: &str) -> Value {
    json!({"type": "user", "uuid": uuid, "parentUuid": null, "sessionId": SESSION, "timestamp": "2026-11-30T14:00:00.000Z",
        "cwd": "/ws", "message": {"role": "user", "content": "P"}})
}

pub(crate) fn text(text: &str) -> Value {
    says(&json!({"type": "assistant", "session_id": SESSION, "message": {"id": text, "model": "m",
        "usage": {"input_tokens": 100, "output_tokens": 20}, "content": [{"type": "text", "text": text}]}}))
}

/// The end of a turn; `more` beats what a success has.
pub(crate) fn result(more: &Value) -> Value {
    let mut result = json!({"type": "result", "subtype": "success", "is_error": false, "stop_reason": "end_turn",
        "num_turns": 1, "total_cost_usd": 0.01, "session_id": SESSION});
    result.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
    says(&result)
}

pub(crate) fn exit(code: i32) -> Value {
    json!({"dir": "exit", "code": code})
}

/// Several parts of a script.
pub(crate) fn script(parts: &[&[Value]]) -> Vec<Value> {
    parts.concat()
}
