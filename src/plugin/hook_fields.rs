use super::issue::{Faults, Field, above_zero, boolean, one_of, record_of, string, string_record, strings};
use super::manifest_schema::url;

/// The events to which hooks can be bound (spec/plugins.md, hooks).
pub(super) const EVENTS: [&str; 33] = [
    "SessionStart",
    "Setup",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "PreToolUse",
    "PermissionRequest",
    "PermissionDenied",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Notification",
    "MessageDisplay",
    "SubagentStart",
    "SubagentStop",
    "TaskCreated",
    "TaskCompleted",
    "Stop",
    "StopFailure",
    "TeammateIdle",
    "InstructionsLoaded",
    "ConfigChange",
    "CwdChanged",
    "DirectoryAdded",
    "FileChanged",
    "WorktreeCreate",
    "WorktreeRemove",
    "PreCompact",
    "PostCompact",
    "PreModelSwitch",
    "PostModelSwitch",
    "Elicitation",
    "ElicitationResult",
    "SessionEnd",
];

const SHELL: Field = ("shell", false, |path, value| one_of(path, value, &["bash", "powershell"]));
const IF: Field = ("if", false, string);
const TIMEOUT: Field = ("timeout", false, above_zero);
const STATUS: Field = ("statusMessage", false, string);
const ONCE: Field = ("once", false, boolean);
const PROMPT: Field = ("prompt", true, string);
const MODEL: Field = ("model", false, string);

const COMMAND_HOOK: [Field; 11] = [
    ("command", true, string),
    ("args", false, strings),
    IF,
    SHELL,
    TIMEOUT,
    STATUS,
    ONCE,
    ("async", false, boolean),
    ("asyncRewake", false, boolean),
    ("rewakeMessage", false, string),
    ("rewakeSummary", false, string),
];

const HTTP_HOOK: [Field; 7] = [
    ("url", true, url),
    IF,
    TIMEOUT,
    ("headers", false, string_record),
    ("allowedEnvVars", false, strings),
    STATUS,
    ONCE,
];

const TOOL_HOOK: [Field; 7] = [
    ("server", true, string),
    ("tool", true, string),
    ("input", false, |path, value| record_of(path, value, |_, _, _| Faults::none())),
    IF,
    TIMEOUT,
    STATUS,
    ONCE,
];

const PROMPT_HOOK: [Field; 7] = [PROMPT, IF, TIMEOUT, MODEL, ("continueOnBlock", false, boolean), STATUS, ONCE];

const AGENT_HOOK: [Field; 6] = [PROMPT, IF, TIMEOUT, MODEL, STATUS, ONCE];

/// The fields of a hook of this type, in the order of the CLI; `None` for a type that does not exist.
pub(super) fn fields_of(kind: &str) -> Option<&'static [Field]> {
    match kind {
        "command" => Some(&COMMAND_HOOK),
        "http" => Some(&HTTP_HOOK),
        "mcp_tool" => Some(&TOOL_HOOK),
        "prompt" => Some(&PROMPT_HOOK),
        "agent" => Some(&AGENT_HOOK),
        _ => None,
    }
}
