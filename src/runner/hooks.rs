use super::frame::Question;
use super::json::quoted;
use super::spill::SpillFolder;
use super::workbench::Workbench;
use crate::run_dir::names::DENIED_MARK;
use std::io;

/// Tools that change things. Those that were not asked for are denied: `--allowedTools` alone does not stop them.
const GUARDED: [&str; 4] = ["Bash", "Write", "Edit", "NotebookEdit"];

/// Tools whose long results are put into files.
const SPILLED: &str = "Bash|Read|Grep|Glob|WebFetch|WebSearch";

/// Tools that change the workbench.
const INDEXED: &str = "Write|Edit";

const GUARD_ID: &str = "guard";
const SPILL_ID: &str = "spill";
const INDEX_ID: &str = "index";

/// What the runner does before and after a tool call (spec/runner.md, sections 7 and 15).
#[derive(Debug)]
pub(super) struct Hooks {
    guarded: Vec<&'static str>,
    allowed: Vec<String>,
    workbench: Option<Workbench>,
}

/// What is answered to a question of the CLI, and what went wrong on the way.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reply {
    /// The line for the CLI.
    pub(super) line: String,
    /// For a person.
    pub(super) trouble: Option<String>,
}

impl Hooks {
    /// Guards the tools that are not among `allowed`, and serves a workbench if there is one.
    pub(super) fn new(allowed: &[String], workbench: Option<Workbench>) -> Self {
        // `Bash(git *)` allows some of what the tool can do; the CLI decides which.
        let is_allowed = |tool: &&str| allowed.iter().any(|item| item.split('(').next() == Some(*tool));
        let guarded = GUARDED.iter().filter(|tool| !is_allowed(tool)).copied().collect();
        Self { guarded, allowed: allowed.to_vec(), workbench }
    }

    /// The first line that the CLI is sent.
    pub(super) fn initialize(&self, request_id: &str) -> String {
        let matcher = |tools: &str, hook: &str, more: &str| {
            format!(r#"{{"matcher":{},"hookCallbackIds":[{}]{more}}}"#, quoted(tools), quoted(hook))
        };
        let mut events = Vec::new();
        if !self.guarded.is_empty() {
            // Where the answer does not arrive the call must not pass. Older versions ignore the field.
            let guard = matcher(&self.guarded.join("|"), GUARD_ID, r#","onFailure":"block""#);
            events.push(format!(r#""PreToolUse":[{guard}]"#));
        }
        if self.workbench.is_some() {
            let (spill, index) = (matcher(SPILLED, SPILL_ID, ""), matcher(INDEXED, INDEX_ID, ""));
            events.push(format!(r#""PostToolUse":[{spill},{index}]"#));
        }
        let hooks = if events.is_empty() { "null".to_owned() } else { format!("{{{}}}", events.join(",")) };
        request(request_id, &format!(r#"{{"subtype":"initialize","hooks":{hooks}}}"#))
    }

    /// The answer to a question: always one, and at once.
    pub(super) fn answer(&self, question: &Question<'_>) -> Reply {
        if question.subtype != "hook_callback" {
            let error = format!("the runner does not answer `{}`", question.subtype);
            return Reply { line: refusal(&question.id, &error), trouble: Some(error) };
        }
        let (response, trouble) = match question.body.text("callback_id").as_deref() {
            Some(GUARD_ID) => (self.guard(question), None),
            Some(SPILL_ID) => told(self.spill(question)),
            Some(INDEX_ID) => told(self.index(question)),
            other => (deny("unknown hook"), Some(format!("the CLI called an unknown hook {other:?}; it was denied"))),
        };
        Reply { line: success(&question.id, &response), trouble }
    }

    fn guard(&self, question: &Question<'_>) -> String {
        let input = question.body.object("input");
        let tool = input.text("tool_name").unwrap_or_default();
        // Subagents have lists of their own.
        if input.raw("agent_id").is_some() || !self.guarded.contains(&tool.as_ref()) {
            return PASS.to_owned();
        }
        deny(&format!("{tool} 不在这一步允许的工具里(允许的是:{})", self.allowed.join(",")))
    }

    fn spill(&self, question: &Question<'_>) -> io::Result<String> {
        let input = question.body.object("input");
        let (Some(bench), Some(response)) = (&self.workbench, input.raw("tool_response")) else {
            return Ok(PASS.to_owned());
        };
        let shortened = SpillFolder::new(bench.spill()).shorten(&input.object("tool_input"), response)?;
        Ok(shortened.map_or_else(
            || PASS.to_owned(),
            |new| format!(r#"{{"hookSpecificOutput":{{"hookEventName":"PostToolUse","updatedToolOutput":{new}}}}}"#),
        ))
    }

    fn index(&self, question: &Question<'_>) -> io::Result<String> {
        let path = question.body.object("input").object("tool_input").text("file_path").unwrap_or_default();
        if let Some(bench) =
            self.workbench.as_ref().filter(|bench| std::path::Path::new(path.as_ref()).starts_with(bench.root()))
        {
            bench.index()?;
        }
        Ok(PASS.to_owned())
    }
}

const PASS: &str = "{}";

/// A result that cannot be shortened passes as it is.
fn told(done: io::Result<String>) -> (String, Option<String>) {
    done.map_or_else(
        |error| (PASS.to_owned(), Some(format!("the workbench cannot be written: {error}"))),
        |r| (r, None),
    )
}

fn deny(reason: &str) -> String {
    let reason = quoted(&format!("{reason}{DENIED_MARK}"));
    format!(
        r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":{reason}}}}}"#
    )
}

/// A question to the CLI.
pub(super) fn request(id: &str, body: &str) -> String {
    format!(r#"{{"type":"control_request","request_id":{},"request":{body}}}"#, quoted(id))
}

/// The prompt. What begins with a slash would be taken for a command of the CLI, and never reach the model.
pub(super) fn prompt(text: &str) -> String {
    let lead = if text.starts_with('/') { "\n" } else { "" };
    let content = quoted(&format!("{lead}{text}"));
    format!(
        r#"{{"type":"user","session_id":"","message":{{"role":"user","content":{content}}},"parent_tool_use_id":null}}"#
    )
}

fn success(id: &str, response: &str) -> String {
    format!(
        r#"{{"type":"control_response","response":{{"subtype":"success","request_id":{},"response":{response}}}}}"#,
        quoted(id)
    )
}

fn refusal(id: &str, error: &str) -> String {
    let (id, error) = (quoted(id), quoted(error));
    format!(r#"{{"type":"control_response","response":{{"subtype":"error","request_id":{id},"error":{error}}}}}"#)
}

#[cfg(test)]
mod tests {
    use super::super::frame::Frame;
    use super::*;

    fn ask(hooks: &Hooks, callback: &str, input: &str) -> String {
        let line = format!(
            r#"{{"type":"control_request","request_id":"q","request":{{"subtype":"hook_callback","callback_id":"{callback}","input":{input}}}}}"#
        );
        let Some(Frame::Question(question)) = Frame::parse(&line) else { panic!("{line}") };
        hooks.answer(&question).line
    }

    fn own(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn tools_that_were_not_asked_for_are_guarded() {
        let hooks = Hooks::new(&own(&["Read", "Bash(git *)"]), None);
        insta::assert_snapshot!(hooks.initialize("i"), @r#"{"type":"control_request","request_id":"i","request":{"subtype":"initialize","hooks":{"PreToolUse":[{"matcher":"Write|Edit|NotebookEdit","hookCallbackIds":["guard"],"onFailure":"block"}]}}}"#);
        insta::assert_snapshot!(ask(&hooks, "guard", r#"{"tool_name":"Write"}"#), @r#"{"type":"control_response","response":{"subtype":"success","request_id":"q","response":{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Write 不在这一步允许的工具里(允许的是:Read,Bash(git *)) [flower-run:denied]"}}}}"#);
        assert!(
            ask(&hooks, "guard", r#"{"tool_name":"Write","agent_id":"a"}"#).contains("\"response\":{}"),
            "subagents pass"
        );
        assert!(ask(&hooks, "guard", r#"{"tool_name":"Bash"}"#).contains("\"response\":{}"));
        assert!(Hooks::new(&own(&GUARDED), None).initialize("i").contains("\"hooks\":null"));
    }

    #[test]
    fn every_question_is_answered() {
        let hooks = Hooks::new(&[], None);
        assert!(ask(&hooks, "other", "{}").contains("\"permissionDecision\":\"deny\""));
        let line = r#"{"type":"control_request","request_id":"q","request":{"subtype":"can_use_tool"}}"#;
        let Some(Frame::Question(question)) = Frame::parse(line) else { panic!() };
        assert!(hooks.answer(&question).line.contains("\"subtype\":\"error\""));
    }

    #[test]
    fn long_results_are_replaced_on_a_workbench() {
        let folder = tempfile::tempdir().unwrap();
        let hooks = Hooks::new(&[], Some(Workbench::open(folder.path()).unwrap()));
        assert!(hooks.initialize("i").contains("PostToolUse"));
        let input = |n: usize| {
            format!(
                r#"{{"tool_input":{{"command":"x"}},"tool_response":{{"stdout":"{}","stderr":""}}}}"#,
                "a".repeat(n)
            )
        };
        assert!(ask(&hooks, "spill", &input(3999)).contains("\"response\":{}"));
        let answer = ask(&hooks, "spill", &input(4000));
        assert!(
            answer.contains(r#""updatedToolOutput":{"stdout":"[输出 4000 字符"#) && answer.contains(r#""stderr":"""#),
            "{answer}"
        );
        let write =
            format!(r#"{{"tool_input":{{"file_path":"{}/notes/n.md"}}}}"#, folder.path().join("workbench").display());
        ask(&hooks, "index", &write);
        assert!(folder.path().join("workbench/INDEX.md").exists());
    }

    #[test]
    fn a_slash_does_not_make_a_command() {
        assert!(prompt("/help").contains(r#""content":"\n/help""#));
        assert!(prompt("-x").contains(r#""content":"-x""#));
    }
}
