use super::fields::each_field;
use super::label::Interner;
use super::scalar::{digest, measure, text};
use super::script_use::{ScriptUse, script_uses};
use std::sync::Arc;

/// The fields of a tool input that say best what the call was about, the most telling first.
const TELLING_INPUTS: [&str; 8] = ["command", "file_path", "path", "pattern", "url", "query", "description", "prompt"];

/// Tools that change the file which is their telling input.
const FILE_WRITERS: [&str; 3] = ["Write", "Edit", "MultiEdit"];

/// Whether a tool changes the file that its input names.
pub fn writes_file(tool: &str) -> bool {
    FILE_WRITERS.contains(&tool)
}

/// What tells one tool call from another. The input itself is not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallInput {
    /// Digest of the whole telling part: equal for the same command, and for calls on the same file.
    pub telling: u64,
    /// Digest of the whole input as it is written: equal also in ranges, limits and descriptions.
    pub whole: u64,
    /// Scripts of the workbench that the telling part names.
    pub scripts: Box<[ScriptUse]>,
}

/// The input of a call, and the beginning of its telling part for people; `None` if no field of it is text.
pub(super) fn call_input(
    tool: &str,
    json: &str,
    excerpt_bytes: usize,
    interner: &mut Interner,
) -> Option<(Arc<CallInput>, Box<str>)> {
    let mut best: Option<(usize, &str)> = None;
    each_field(json, |name, value| {
        let rank = TELLING_INPUTS.iter().position(|known| *known == name).unwrap_or(TELLING_INPUTS.len());
        if value.starts_with('"') && best.is_none_or(|(known, _)| rank < known) {
            best = Some((rank, value));
        }
    });
    let (_, value) = best?;
    let (_, excerpt) = measure(value, excerpt_bytes)?;
    let telling = text(value)?;
    let scripts = script_uses(tool, &telling, interner).into();
    let input = CallInput { telling: digest(&telling), whole: digest(json), scripts };
    Some((Arc::new(input), Box::from(excerpt.as_ref())))
}
