//! A terminal with a person at it, made by util-linux's `script`.

use super::stage::Stage;
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

/// `flower-run` on a terminal.
pub(crate) struct Terminal {
    child: Child,
    keys: ChildStdin,
    screen: Arc<Mutex<String>>,
}

impl Terminal {
    pub(crate) fn open(stage: &Stage, args: &[&str]) -> Self {
        let inner = stage.command(args);
        let quoted = |text: &std::ffi::OsStr| format!("'{}'", text.to_str().unwrap().replace('\'', "'\\''"));
        let words = std::iter::once(inner.get_program()).chain(inner.get_args()).map(quoted);
        // Without a shell in between, which would die of Ctrl-C itself.
        let line = format!("exec {}", words.collect::<Vec<_>>().join(" "));
        let mut command = Command::new("script");
        command.args(["-qefc", &line, "/dev/null"]).env_clear().current_dir(stage.root.path());
        command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?)))).env("TERM", "xterm");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let keys = child.stdin.take().unwrap();
        let mut out = child.stdout.take().unwrap();
        let screen = Arc::new(Mutex::new(String::new()));
        let drawn = Arc::clone(&screen);
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = out.read(&mut buffer) {
                drawn.lock().unwrap().push_str(&String::from_utf8_lossy(&buffer[..length]));
            }
        });
        Self { child, keys, screen }
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).and_then(|()| self.keys.flush()).unwrap();
    }

    /// Everything that was drawn so far.
    pub(crate) fn shown(&self) -> String {
        self.screen.lock().unwrap().clone()
    }

    pub(crate) fn wait(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
