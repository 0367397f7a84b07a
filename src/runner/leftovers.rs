use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::path::Path;

/// Ends what a CLI or a runner left running: it would go on working in the workspace beside the next attempt. It is known by
/// the private configuration folder in its environment. How many processes there were; none where the system does not tell
/// (it does on Linux).
pub(super) fn end_leftovers(variable: &str, folder: &Path, signal: Signal) -> usize {
    let wanted = [variable.as_bytes(), b"=", folder.as_os_str().as_encoded_bytes()].concat();
    let Ok(processes) = fs::read_dir("/proc") else { return 0 };
    let pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let is_leftover = |pid: &i32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|setting| setting == wanted)
    };
    let leftovers = pids.filter(is_leftover).filter_map(Pid::from_raw);
    leftovers.filter(|pid| kill_process(*pid, signal).is_ok()).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "processes to be ended")]
    fn only_what_has_the_folder_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let start = |path: &Path| Command::new("sleep").arg("30").env("F_TEST", path).spawn().unwrap();
        let (mut one, mut other) = (start(folder.path()), start(&folder.path().join("x")));
        assert_eq!(end_leftovers("F_TEST", folder.path(), Signal::TERM), 1);
        assert!(!one.wait().unwrap().success());
        assert!(other.try_wait().unwrap().is_none());
        other.kill().unwrap();
        other.wait().unwrap();
    }
}
