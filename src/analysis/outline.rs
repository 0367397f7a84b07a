use crate::session::{Branch, BranchKind, Chain, Ix, PerEntry, Segment, SessionModel, Standing, Trust, TurnId};
use crate::transcript::{Entry, Kind};
use serde::Serialize;
use std::collections::hash_map;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Which part of the forest is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum View {
    /// What the model sees: up to the last compaction, with what it kept verbatim.
    Loaded,
    /// What happened, across compactions.
    History,
    /// The live chain, abandoned branches and detached trees.
    #[default]
    All,
}

/// What a line of the outline stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// A prompt.
    Prompt,
    /// A turn: an answer with its calls and their results.
    Answer,
    /// An API error in the place of an answer, or what the harness wrote there.
    StandIn,
    /// A compaction boundary.
    Compaction,
    /// The summary after a boundary.
    Summary,
    /// Results without their call.
    StrayResult,
    /// Anything else that no line above takes in.
    Notice,
}

/// A line of the outline: a prompt or a turn, with the notices around it folded in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OutlineLine {
    /// Levels below the main line: one more for every abandoned branch.
    pub depth: usize,
    /// First entry.
    pub seq: i64,
    /// Last entry that is folded in.
    pub last_seq: i64,
    /// Its uuid.
    pub uuid: String,
    /// What it stands for.
    pub what: What,
    /// Where it stands.
    pub standing: Standing,
    /// It is the live leaf, or holds it.
    pub leaf: bool,
    /// The conversation parts at one of its entries.
    pub branch: Option<BranchKind>,
    /// The model still sees it verbatim after the compaction that follows.
    pub preserved: bool,
    /// Entries folded in.
    pub entries: usize,
    /// Beginning of the text.
    pub text: String,
    /// Tool calls by name.
    pub calls: BTreeMap<String, usize>,
    /// Calls without a result.
    pub orphans: usize,
    /// Notices folded in, by type.
    pub notices: BTreeMap<String, usize>,
    /// The line that it hangs below, by its place in the outline.
    pub below: Option<usize>,
    /// How that is known.
    pub link: Option<Trust>,
}

/// The outline of a session: detached trees first, in the order of their first entries.
pub fn outline(session: &SessionModel, view: View) -> Vec<OutlineLine> {
    Folding::new(session, view).lines()
}

/// Entries folded into nodes; a node is named by its first entry.
struct Folding<'a> {
    session: &'a SessionModel,
    view: View,
    /// The node of each entry that is shown.
    node: PerEntry<Option<Ix>>,
    members: BTreeMap<Ix, Vec<Ix>>,
    preserved: HashSet<Ix>,
    orphans: HashSet<Ix>,
    /// The branches by the node at which they part.
    branches: HashMap<Ix, BranchKind>,
    /// What is told of each compaction instead of a text.
    compactions: HashMap<Ix, String>,
}

impl<'a> Folding<'a> {
    fn new(session: &'a SessionModel, view: View) -> Self {
        let chain = &session.chain;
        let preserved: HashSet<Ix> =
            chain.segments.last().map(|s| s.preserved.iter().copied().collect()).unwrap_or_default();
        let mut folding = Self {
            session,
            view,
            node: chain.standing.iter().map(|_| None).collect(),
            members: BTreeMap::new(),
            preserved,
            branches: HashMap::new(),
            compactions: chain.segments.iter().map(|segment| (segment.boundary, compaction_text(segment))).collect(),
            orphans: session.calls.iter().filter(|call| call.answer.is_none()).map(|call| call.at).collect(),
        };
        for ix in chain.forest.top_down() {
            if let Some(node) = folding.node_of(*ix) {
                folding.node[*ix] = Some(node);
                folding.members.entry(node).or_default().push(*ix);
            }
        }
        let at = |branch: &Branch| folding.node[branch.at].map(|node| (node, branch.kind));
        folding.branches = chain.branches.iter().filter_map(at).collect();
        folding.members.values_mut().for_each(|members| members.sort_unstable());
        folding
    }

    fn entry(&self, ix: Ix) -> Option<&'a Entry> {
        self.session.entry(ix)
    }

    fn is_shown(&self, ix: Ix) -> bool {
        let chain: &Chain = &self.session.chain;
        let shown = match self.view {
            View::Loaded => chain.loaded[ix] || self.preserved.contains(&ix),
            View::History => chain.standing[ix] == Standing::Live,
            View::All => true,
        };
        shown && self.entry(ix).is_some_and(Entry::in_chain)
    }

    /// The first entry of the node that `ix` belongs to. Every entry comes after the one it hangs below.
    fn node_of(&self, ix: Ix) -> Option<Ix> {
        let entry = self.entry(ix).filter(|_| self.is_shown(ix))?;
        if let Some(turn) = self.session.chain.turns.of(ix) {
            return self.session.chain.turns.members(turn).iter().copied().find(|member| self.is_shown(*member));
        }
        let folds = match entry.kind {
            Kind::Attachment | Kind::Progress | Kind::Other(_) => true,
            Kind::System => !entry.is_boundary(),
            Kind::User => entry.flags.meta && entry.results().next().is_none(),
            Kind::Assistant => false,
        };
        let above = self.session.chain.forest.links[ix].and_then(|link| self.node[link.to]);
        Some(above.filter(|_| folds).unwrap_or(ix))
    }

    /// The node above each node, and how that is known.
    ///
    /// A node hangs where its first entry hangs; if that is inside of the node, where the entry above it hangs. Two messages
    /// whose entries were written in turns can hang below each other: such a circle is cut at its first node.
    fn above(&self) -> BTreeMap<Ix, (Ix, Trust)> {
        let links = &self.session.chain.forest.links;
        let leads_out = |node: Ix| {
            let mut at = node;
            loop {
                let link = links[at]?;
                match self.node[link.to]? {
                    above if above == node => at = link.to,
                    above => return Some((above, link.trust)),
                }
            }
        };
        let mut above: BTreeMap<Ix, (Ix, Trust)> =
            self.members.keys().filter_map(|node| Some((*node, leads_out(*node)?))).collect();
        let mut walk_of: HashMap<Ix, Ix> = HashMap::new();
        for start in self.members.keys() {
            let mut at = *start;
            while let hash_map::Entry::Vacant(unknown) = walk_of.entry(at) {
                unknown.insert(*start);
                let Some((next, _)) = above.get(&at) else { break };
                at = *next;
            }
            // A walk that meets itself stands in the circle; one that met its end stands on a node without a link.
            if walk_of.get(&at) == Some(start) && above.contains_key(&at) {
                let circle = std::iter::successors(above.get(&at), |(node, _)| above.get(node)).map(|(node, _)| *node);
                let first = circle.take_while(|node| *node != at).chain([at]).min().unwrap_or(at);
                above.remove(&first);
            }
        }
        above
    }

    fn lines(&self) -> Vec<OutlineLine> {
        let chain = &self.session.chain;
        let known = self.above();
        let above = |node: Ix| known.get(&node).copied();
        let mut below: BTreeMap<Option<Ix>, Vec<Ix>> = BTreeMap::new();
        for node in self.members.keys() {
            below.entry(above(*node).map(|(node, _)| node)).or_default().push(*node);
        }
        let mut lines: Vec<OutlineLine> = Vec::new();
        let mut place: BTreeMap<Ix, usize> = BTreeMap::new();
        // A node, its depth, and the depth of what follows it: the entries of an abandoned line stand below its first.
        let mut waiting: Vec<(Ix, usize, usize)> = Vec::new();
        let leads_on =
            |node: &Ix| self.members.get(node).into_iter().flatten().any(|ix| chain.standing[*ix] == Standing::Live);
        let mut roots = below.remove(&None).unwrap_or_default();
        roots.sort_by_key(|node| (leads_on(node), *node));
        waiting.extend(roots.into_iter().rev().map(|node| (node, 0, 0)));
        while let Some((node, depth, following)) = waiting.pop() {
            let link = above(node);
            let at = link.and_then(|(above, _)| place.get(&above).copied());
            place.insert(node, lines.len());
            lines.push(self.line(node, depth, at, link.map(|(_, trust)| trust)));
            // The abandoned lines come first, one level deeper; the line that leads on keeps its level.
            let mut next = below.remove(&Some(node)).unwrap_or_default();
            let main = next.iter().copied().filter(leads_on).max().or(next.last().copied());
            next.retain(|node| Some(*node) != main);
            waiting.extend(main.map(|node| (node, following, following)));
            waiting.extend(next.into_iter().rev().map(|node| (node, following + 1, following + 2)));
        }
        lines
    }

    fn line(&self, node: Ix, depth: usize, below: Option<usize>, link: Option<Trust>) -> OutlineLine {
        let members = self.members.get(&node).map(Vec::as_slice).unwrap_or_default();
        let turn = self.session.chain.turns.of(node);
        let own = |ix: &&Ix| **ix == node || (turn.is_some() && self.session.chain.turns.of(**ix) == turn);
        let mut outlined = OutlineLine {
            depth,
            seq: self.session.seq(node),
            last_seq: members.last().map_or(-1, |ix| self.session.seq(*ix)),
            uuid: self.entry(node).and_then(|entry| entry.uuid.as_ref()).map(ToString::to_string).unwrap_or_default(),
            what: self.entry(node).map_or(What::Notice, |entry| what(entry, turn)),
            standing: self.session.chain.standing[node],
            branch: self
                .session
                .chain
                .branches
                .iter()
                .find(|branch| members.contains(&branch.at))
                .map(|branch| branch.kind),
            leaf: self.session.chain.live_leaf().is_some_and(|leaf| members.contains(&leaf)),
            preserved: self.preserved.contains(&node),
            entries: members.len(),
            text: match self.compactions.get(&node) {
                Some(text) => text.clone(),
                None => self.text(&members.iter().copied().filter(|ix| own(&ix)).collect::<Vec<_>>()),
            },
            calls: BTreeMap::new(),
            orphans: members.iter().filter(|ix| self.orphans.contains(ix)).count(),
            notices: BTreeMap::new(),
            below,
            link,
        };
        for ix in members {
            let Some(entry) = self.entry(*ix) else { continue };
            for call in entry.calls() {
                *outlined.calls.entry(call.name.as_deref().unwrap_or("(unnamed)").to_owned()).or_default() += 1;
            }
            if !own(&ix) {
                let name = entry.subtype().unwrap_or(if entry.flags.meta { "meta" } else { entry.kind.name() });
                *outlined.notices.entry(name.to_owned()).or_default() += 1;
            }
        }
        outlined
    }

    /// The first text of the node's own entries; a turn without text shows what it called.
    fn text(&self, own: &[Ix]) -> String {
        let entries = || own.iter().filter_map(|ix| self.entry(*ix));
        let spoken = |entry: &'a Entry| Some(entry.excerpt()).filter(|text| !text.is_empty());
        let said = entries().filter(|entry| entry.results().next().is_none()).find_map(spoken);
        let called = || entries().find_map(|entry| entry.calls().next().map(crate::transcript::Block::excerpt));
        said.or_else(called).or_else(|| entries().find_map(spoken)).unwrap_or_default().to_owned()
    }
}

/// How a compaction came about and what it did to the context, as the CLI counted it.
fn compaction_text(segment: &Segment) -> String {
    let trigger = segment.trigger.as_deref().unwrap_or("unknown trigger");
    match (segment.pre_tokens, segment.post_tokens) {
        (Some(before), Some(after)) => format!("{trigger}, {before} to {after} tokens"),
        _ => trigger.to_owned(),
    }
}

fn what(entry: &Entry, turn: Option<TurnId>) -> What {
    if entry.is_boundary() {
        What::Compaction
    } else if entry.flags.compact_summary {
        What::Summary
    } else if entry.kind == Kind::Assistant {
        if entry.is_answer() { What::Answer } else { What::StandIn }
    } else if entry.is_prompt() {
        What::Prompt
    } else if turn.is_none() && entry.results().next().is_some() {
        What::StrayResult
    } else if turn.is_some() {
        What::Answer
    } else {
        What::Notice
    }
}
