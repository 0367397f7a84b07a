use super::{Forest, Ix, PerEntry, TurnId, Turns};
use crate::transcript::{Entry, Usage};
use crate::unit::Timestamp;
use std::collections::BTreeMap;
use strum::IntoStaticStr;

/// In which way a conversation parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, serde::Serialize)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum BranchKind {
    /// Several prompts under one answer: the conversation was rewound.
    SeveralPrompts,
    /// Several answers to the same prompt or results.
    SeveralAnswers,
    /// A prompt beside an answer.
    PromptBesideAnswer,
    /// A prompt or answer hung into the middle of a turn: the rest of the turn, often a call without result, is left.
    InsideTurn,
}

impl BranchKind {
    /// Stable code, as JSON carries it.
    pub fn code(self) -> &'static str {
        self.into()
    }

    /// What it means, for people.
    pub fn description(self) -> &'static str {
        match self {
            Self::SeveralPrompts => "several prompts under one entry",
            Self::SeveralAnswers => "several answers under one entry",
            Self::PromptBesideAnswer => "a prompt beside an answer",
            Self::InsideTurn => "hung before the end of a turn, whose rest is left",
        }
    }
}

/// A place where the conversation really parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The entry under which the lines part.
    pub at: Ix,
    /// In which way.
    pub kind: BranchKind,
    /// The lines, in the order in which they were begun.
    pub lines: Vec<BranchLine>,
}

/// One way in which the conversation went on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchLine {
    /// First entry: a prompt, an answer, or the rest of a turn.
    pub head: Ix,
    /// The live leaf is on it.
    pub live: bool,
    /// What hangs on it, `head` included.
    pub extent: Extent,
}

/// Size and reach of an entry and everything below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Entries.
    pub entries: usize,
    /// First and last entry in file order.
    pub range: (Ix, Ix),
    /// Oldest and newest time stamp.
    pub times: Option<(Timestamp, Timestamp)>,
    /// Turns that begin in it.
    pub turns: usize,
    /// Usage of those turns; copies in other sessions are not looked at.
    pub usage: Usage,
}

/// What an entry continues, when notices, attachments and the harness' own notes are looked through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Turn(TurnId),
    Single(Ix),
}

struct Step {
    /// The entry it hangs below, looked through.
    anchor: Ix,
    head: Ix,
    to: Group,
}

/// All real branches (spec/entries.md, Chains). Parallel calls and their results are one turn and part nothing.
pub(super) fn branches(
    entries: &PerEntry<&Entry>,
    forest: &Forest,
    turns: &Turns,
    aside: &PerEntry<bool>,
    live: &PerEntry<bool>,
) -> Vec<Branch> {
    let group = |ix: Ix| turns.of(ix).map_or(Group::Single(ix), Group::Turn);
    let mut anchors: PerEntry<Option<Ix>> = entries.iter().map(|_| None).collect();
    let mut steps: BTreeMap<Group, Vec<Step>> = BTreeMap::new();
    let mut continued_inside: BTreeMap<Ix, Vec<Ix>> = BTreeMap::new();
    for ix in forest.top_down().iter().copied().filter(|ix| !aside[*ix]) {
        let anchor =
            forest.links[ix].and_then(|link| if speaks(entries[link.to]) { Some(link.to) } else { anchors[link.to] });
        anchors[ix] = anchor;
        let Some(anchor) = anchor.filter(|_| speaks(entries[ix])) else { continue };
        let (from, to) = (group(anchor), group(ix));
        if from == to {
            if entries[ix].is_answer() {
                continued_inside.entry(anchor).or_default().push(ix);
            }
        } else if asks(entries[ix]) || entries[ix].is_answer() {
            let known = steps.entry(from).or_default();
            if !known.iter().any(|step| step.to == to) {
                known.push(Step { anchor, head: ix, to });
            }
        }
    }
    let mut found: Vec<Branch> = steps
        .into_values()
        .filter_map(|steps| branch(&steps, entries, forest, turns, live, &continued_inside))
        .collect();
    if !found.is_empty() {
        let extents = extents(entries, forest, turns);
        found.iter_mut().flat_map(|branch| &mut branch.lines).for_each(|line| line.extent = extents[line.head]);
    }
    found.sort_by_key(|branch| branch.at);
    found
}

/// The extent of every entry, from the ends upwards.
fn extents(entries: &PerEntry<&Entry>, forest: &Forest, turns: &Turns) -> PerEntry<Extent> {
    let own = |(ix, entry): (Ix, &&Entry)| {
        let begins = turns.of(ix).filter(|turn| turns.members(*turn).first() == Some(&ix));
        let usage = |member: &Ix| entries[*member].message.as_ref().and_then(|message| message.usage);
        let members = begins.map(|turn| turns.members(turn)).unwrap_or_default();
        Extent {
            entries: 1,
            range: (ix, ix),
            times: entry.timestamp.map(|time| (time, time)),
            turns: usize::from(begins.is_some()),
            usage: members.iter().filter_map(usage).fold(Usage::default(), Usage::largest),
        }
    };
    let mut extents: PerEntry<Extent> = entries.iter().map(own).collect();
    for ix in forest.top_down().iter().rev() {
        if let Some(link) = forest.links[*ix] {
            let (below, above) = (extents[*ix], extents[link.to]);
            extents[link.to] = Extent {
                entries: above.entries + below.entries,
                range: (above.range.0.min(below.range.0), above.range.1.max(below.range.1)),
                times: match (above.times, below.times) {
                    (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
                    (a, b) => a.or(b),
                },
                turns: above.turns + below.turns,
                usage: above.usage.plus(below.usage),
            };
        }
    }
    extents
}

/// Prompts, answers, results and summaries speak; notices, attachments and what the harness put in an answer's place do not.
fn speaks(entry: &Entry) -> bool {
    (entry.is_prompt() && !entry.is_interrupt_note())
        || entry.is_answer()
        || entry.flags.compact_summary
        || entry.results().next().is_some()
}

/// A prompt, or the summary that stands for everything before it.
fn asks(entry: &Entry) -> bool {
    entry.is_prompt() || entry.flags.compact_summary
}

fn branch(
    steps: &[Step],
    entries: &PerEntry<&Entry>,
    forest: &Forest,
    turns: &Turns,
    live: &PerEntry<bool>,
    continued_inside: &BTreeMap<Ix, Vec<Ix>>,
) -> Option<Branch> {
    let inside =
        steps.iter().find(|step| entries[step.anchor].is_answer() && continued_inside.contains_key(&step.anchor));
    let prompts = steps.iter().filter(|step| asks(entries[step.head])).count();
    let kind = match (prompts, steps.len() - prompts) {
        _ if inside.is_some() => BranchKind::InsideTurn,
        (2.., _) => BranchKind::SeveralPrompts,
        (_, 2..) => BranchKind::SeveralAnswers,
        (1, 1) => BranchKind::PromptBesideAnswer,
        _ => return None,
    };
    let mut heads: Vec<Ix> = steps.iter().map(|step| step.head).collect();
    if let Some(step) = inside {
        let turn = turns.of(step.anchor);
        heads.extend(forest.children(step.anchor).iter().filter(|child| turns.of(**child) == turn));
        // A notice may stand between the parts of a turn.
        heads.extend(continued_inside.get(&step.anchor).into_iter().flatten());
    }
    heads.sort_unstable();
    heads.dedup();
    let rest_of_turn = |head: Ix| inside.is_some_and(|step| turns.of(head) == turns.of(step.anchor));
    let newest = heads.iter().copied().filter(|head| live[*head] && !rest_of_turn(*head)).max();
    let extent = |head| Extent { entries: 1, range: (head, head), times: None, turns: 0, usage: Usage::default() };
    let begin = |head: Ix| BranchLine { head, live: newest == Some(head), extent: extent(head) };
    Some(Branch { at: inside.or(steps.first())?.anchor, kind, lines: heads.into_iter().map(begin).collect() })
}
