use crate::session::{Ix, SessionModel};
use crate::transcript::{Block, BlockKind, Entry, Kind, Label};
use crate::unit::Tokens;
use foldhash::HashMap;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What fills a context: the loaded view of the live chain, before any load layer, in characters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Fill {
    /// The largest first.
    pub parts: Vec<FillPart>,
    /// Characters of all parts.
    pub characters: u64,
    /// About so many tokens: an estimate.
    pub estimated_tokens: Tokens,
    /// Context of the last model turn, as the API counted it; of several threads all of them.
    pub measured_tokens: Tokens,
    /// What of it is not in the transcript, such as the system prompt and the definitions of the tools, or is missed by the
    /// estimate; zero where the estimate is larger.
    pub beyond_tokens: Tokens,
}

/// One part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FillPart {
    /// What it is.
    pub kind: FillKind,
    /// The tool of calls and results, the type of attachments; null for the others.
    pub name: Option<String>,
    /// Blocks; attachments count as one.
    pub blocks: usize,
    /// Characters that the model is given.
    pub characters: u64,
    /// About so many tokens: an estimate.
    pub estimated_tokens: Tokens,
}

/// What a part of a context is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
pub enum FillKind {
    /// What a person or the runner asked.
    #[strum(to_string = "prompts")]
    Prompts,
    /// What the harness wrote as a user.
    #[strum(to_string = "notes of the harness")]
    HarnessNotes,
    /// Summaries of compactions.
    #[strum(to_string = "compaction summaries")]
    Summaries,
    /// Text of answers.
    #[strum(to_string = "text of answers")]
    Text,
    /// Thinking. The API may leave out that of earlier turns.
    #[strum(to_string = "thinking")]
    Thinking,
    /// Inputs of tool calls, as JSON.
    #[strum(to_string = "calls of")]
    ToolCalls,
    /// Results of tool calls.
    #[strum(to_string = "results of")]
    ToolResults,
    /// What the harness adds to a turn.
    #[strum(to_string = "attachments:")]
    Attachments,
    /// Images, documents and blocks that are not known: they have no characters.
    #[strum(to_string = "images, documents and unknown blocks (no characters)")]
    Uncounted,
}

/// Adds up what fills contexts.
#[derive(Default)]
pub(super) struct FillSums<'a>(BTreeMap<(FillKind, Option<&'a str>), (usize, u64)>);

impl<'a> FillSums<'a> {
    /// Adds the loaded view of a session.
    pub(super) fn add(&mut self, session: &'a SessionModel) {
        let answered =
            |call: &'a crate::session::Call| Some(((call.answer.as_ref()?.at, call.id.as_ref()?), &call.name));
        let tools: HashMap<(Ix, &Label), &Label> = session.calls.iter().filter_map(answered).collect();
        for (ix, entry) in session.entries().filter(|(ix, _)| session.chain.loaded[*ix]) {
            if entry.kind == Kind::Attachment {
                self.count(
                    FillKind::Attachments,
                    Some(entry.subtype().unwrap_or("(no type)")),
                    entry.rendered_characters,
                );
            }
            for block in entry.blocks() {
                let tool = || block.id.as_ref().and_then(|id| tools.get(&(ix, id))).map_or("(no call)", |name| name);
                let (kind, name) = part(entry, block, tool);
                self.count(kind, name, block.characters);
            }
        }
    }

    fn count(&mut self, kind: FillKind, name: Option<&'a str>, characters: u64) {
        let (blocks, sum) = self.0.entry((kind, name)).or_default();
        *blocks += 1;
        *sum = sum.saturating_add(characters);
    }

    /// Adds other sums.
    pub(super) fn join(&mut self, other: &Self) {
        for (key, (blocks, characters)) in &other.0 {
            let (all, sum) = self.0.entry(*key).or_default();
            *all += blocks;
            *sum = sum.saturating_add(*characters);
        }
    }

    /// The parts of a context of which the API counted `measured_tokens`.
    pub(super) fn fill(&self, measured_tokens: Tokens) -> Fill {
        let part = |(&(kind, name), &(blocks, characters)): (&(FillKind, Option<&str>), &(usize, u64))| FillPart {
            kind,
            name: name.map(ToOwned::to_owned),
            blocks,
            characters,
            estimated_tokens: Tokens::estimated(characters),
        };
        let mut parts: Vec<FillPart> = self.0.iter().map(part).collect();
        parts.sort_by_key(|part| Reverse(part.characters));
        let characters = parts.iter().map(|part| part.characters).fold(0, u64::saturating_add);
        let estimated_tokens = Tokens::estimated(characters);
        let beyond_tokens = Tokens(measured_tokens.0.saturating_sub(estimated_tokens.0));
        Fill { parts, characters, estimated_tokens, measured_tokens, beyond_tokens }
    }
}

fn part<'a>(entry: &'a Entry, block: &'a Block, tool: impl Fn() -> &'a str) -> (FillKind, Option<&'a str>) {
    let is_answer = entry.kind == Kind::Assistant;
    match block.kind {
        BlockKind::Text if is_answer => (FillKind::Text, None),
        BlockKind::Text if entry.flags.compact_summary => (FillKind::Summaries, None),
        BlockKind::Text if entry.flags.meta => (FillKind::HarnessNotes, None),
        BlockKind::Text => (FillKind::Prompts, None),
        BlockKind::Thinking => (FillKind::Thinking, None),
        BlockKind::ToolUse => (FillKind::ToolCalls, Some(block.name.as_deref().unwrap_or("(unnamed)"))),
        BlockKind::ToolResult => (FillKind::ToolResults, Some(tool())),
        BlockKind::Image | BlockKind::Document | BlockKind::Other => (FillKind::Uncounted, None),
    }
}
