use super::machine::Order;
use super::step::{Start, Step};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Names the folder of the CLI's settings and transcripts.
pub(super) const CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";

/// Everything that the CLI is started with (spec/runner.md, section 6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SpawnLine {
    /// The program.
    pub(super) program: PathBuf,
    /// Its arguments.
    pub(super) args: Vec<OsString>,
    /// Variables that are set.
    pub(super) set: BTreeMap<OsString, OsString>,
    /// Variables that are taken away.
    pub(super) unset: Vec<&'static str>,
    /// Where it runs: the workspace.
    pub(super) folder: PathBuf,
}

/// What is the same for every attempt of a run.
#[derive(Debug, Clone, Default)]
pub(super) struct Surroundings {
    /// The program.
    pub(super) claude: PathBuf,
    /// Real path of the workspace.
    pub(super) workspace: PathBuf,
    /// Settings from files and the environment.
    pub(super) variables: BTreeMap<String, String>,
    /// How often the CLI itself tries again.
    pub(super) cli_retries: Option<u32>,
    /// Plugin folders, passed on as they are.
    pub(super) plugin_dirs: Vec<PathBuf>,
    /// A folder beside the workspace that may be read.
    pub(super) added_folder: Option<PathBuf>,
}

/// Variables that would change what the CLI is, or what it writes.
const UNSET: [&str; 2] = ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"];

impl SpawnLine {
    /// The line of one attempt. `appended` is added to the system prompt.
    pub(super) fn new(
        around: &Surroundings,
        step: &Step,
        order: &Order,
        appended: Option<&str>,
        config: &Path,
    ) -> Self {
        let mut args = Arguments(Vec::new());
        args.flag("--output-format");
        args.flag("stream-json");
        args.flag("--verbose");
        args.value("--append-system-prompt", appended);
        args.value("--allowedTools", Some(step.tools.join(",")).filter(|tools| !tools.is_empty()));
        args.value("--max-turns", step.max_turns.map(|turns| turns.to_string()));
        args.value("--max-budget-usd", order.budget.map(|budget| budget.dollars().to_string()));
        args.value("--model", step.model.as_deref());
        args.value("--permission-mode", Some(step.permission_mode.as_deref().unwrap_or("default")));
        args.start(&order.start);
        args.value("--add-dir", around.added_folder.as_deref());
        args.flag("--session-mirror");
        args.flag("--setting-sources=");
        around.plugin_dirs.iter().for_each(|folder| args.value("--plugin-dir", Some(folder)));
        args.value("--effort", step.effort.as_deref());
        args.flag("--input-format");
        args.flag("stream-json");
        Self {
            program: around.claude.clone(),
            args: args.0,
            set: variables(around, config),
            unset: UNSET.to_vec(),
            folder: around.workspace.clone(),
        }
    }
}

fn variables(around: &Surroundings, config: &Path) -> BTreeMap<OsString, OsString> {
    let given = around.variables.iter().filter(|(name, _)| !UNSET.contains(&name.as_str()));
    let mut set: BTreeMap<OsString, OsString> = given.map(|(name, value)| (name.into(), value.into())).collect();
    set.insert(CONFIG_DIR.into(), config.into());
    set.insert("CLAUDE_CODE_SDK_READS_SESSION_STATE".into(), "1".into());
    set.insert("PWD".into(), around.workspace.clone().into());
    if let Some(retries) = around.cli_retries {
        set.insert("CLAUDE_CODE_MAX_RETRIES".into(), retries.to_string().into());
    }
    set
}

struct Arguments(Vec<OsString>);

impl Arguments {
    fn flag(&mut self, flag: &str) {
        self.0.push(flag.into());
    }

    /// `--name=value`: a value may begin with a dash, and several options would take what follows them too.
    fn value(&mut self, name: &str, value: Option<impl AsRef<OsStr>>) {
        if let Some(value) = value {
            let mut argument = OsString::from(name);
            argument.push("=");
            argument.push(value);
            self.0.push(argument);
        }
    }

    fn start(&mut self, start: &Start) {
        match start {
            Start::Fresh { id } => self.value("--session-id", Some(id)),
            Start::Resume { id, at } => {
                self.value("--resume", Some(id));
                self.value("--resume-session-at", at.as_deref());
            }
            Start::Fork { from, at, id } => {
                self.value("--resume", Some(from));
                self.flag("--fork-session");
                self.value("--session-id", Some(id));
                self.value("--resume-session-at", at.as_deref());
            }
            Start::Unset => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::Usd;

    fn line(step: &Step, start: Start, around: &Surroundings) -> String {
        let order = Order { number: 1, prompt: String::new(), start, budget: step.budget };
        let line = SpawnLine::new(around, step, &order, step.instructions.as_deref(), Path::new("/r/.cc/x-1"));
        line.args.iter().map(|arg| arg.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_fresh_session_has_its_id_beforehand() {
        let step = Step { tools: vec!["Read".to_owned(), "Glob".to_owned()], ..Step::default() };
        insta::assert_snapshot!(
            line(&step, Start::Fresh { id: "I".to_owned() }, &Surroundings::default()),
            @"--output-format stream-json --verbose --allowedTools=Read,Glob --permission-mode=default --session-id=I --session-mirror --setting-sources= --input-format stream-json"
        );
    }

    #[test]
    fn everything_that_can_be_asked_for() {
        let step = Step {
            instructions: Some("-x".to_owned()),
            tools: vec!["Bash".to_owned()],
            permission_mode: Some("plan".to_owned()),
            budget: Usd::from_dollars(0.25),
            model: Some("m".to_owned()),
            effort: Some("high".to_owned()),
            max_turns: Some(3),
            ..Step::default()
        };
        let around = Surroundings {
            plugin_dirs: vec!["/p".into(), "/q".into()],
            added_folder: Some("/bench".into()),
            ..Surroundings::default()
        };
        let start = Start::Fork { from: "A".to_owned(), at: Some("U".to_owned()), id: "B".to_owned() };
        insta::assert_snapshot!(
            line(&step, start, &around),
            @"--output-format stream-json --verbose --append-system-prompt=-x --allowedTools=Bash --max-turns=3 --max-budget-usd=0.25 --model=m --permission-mode=plan --resume=A --fork-session --session-id=B --resume-session-at=U --add-dir=/bench --session-mirror --setting-sources= --plugin-dir=/p --plugin-dir=/q --effort=high --input-format stream-json"
        );
        let plain = line(&Step::default(), Start::Resume { id: "A".to_owned(), at: None }, &Surroundings::default());
        assert!(plain.contains("--resume=A --session-mirror") && !plain.contains("--session-id"), "{plain}");
    }

    #[test]
    fn the_environment_says_who_starts_it() {
        let variables = [("ANTHROPIC_API_KEY", "k"), ("CLAUDECODE", "1"), ("CLAUDE_CODE_ENTRYPOINT", "x")];
        let around = Surroundings {
            workspace: "/w".into(),
            variables: variables.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
            cli_retries: Some(1),
            ..Surroundings::default()
        };
        let order = Order { number: 1, prompt: String::new(), start: Start::Unset, budget: None };
        let line = SpawnLine::new(&around, &Step::default(), &order, None, Path::new("/r/.cc/x-1"));
        let set: Vec<String> = line.set.iter().map(|(k, v)| format!("{}={}", k.display(), v.display())).collect();
        assert_eq!(
            set,
            [
                "ANTHROPIC_API_KEY=k",
                "CLAUDE_CODE_MAX_RETRIES=1",
                "CLAUDE_CODE_SDK_READS_SESSION_STATE=1",
                "CLAUDE_CONFIG_DIR=/r/.cc/x-1",
                "PWD=/w",
            ]
        );
        assert_eq!(line.unset, UNSET);
        assert!(!line.args.iter().any(|arg| arg.to_string_lossy().contains("=k")), "no credential in argv");
    }
}
