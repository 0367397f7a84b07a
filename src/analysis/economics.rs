use super::Selection;
use crate::run_dir::Kind;
use crate::session::{Model, SessionModel, Totals};
use crate::transcript::Entry;
use crate::unit::Tokens;
use rayon::prelude::*;
use serde::Serialize;

/// Where the context went: the main threads against the subagents.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Economics {
    /// The main threads together.
    pub main: Thread,
    /// The subagents together.
    pub subagents: Thread,
    /// What the cache did.
    pub cache: Cache,
}

/// One side of the economics.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Thread {
    /// Sessions.
    pub sessions: usize,
    /// Entries, copies of forks included.
    pub entries: usize,
    /// Characters of content: text, thinking, tool input as JSON, tool results, rendered attachments.
    pub characters: u64,
    /// Tokens, every message counted once.
    #[serde(flatten)]
    pub totals: Totals,
    /// All tokens together.
    pub tokens: Tokens,
    /// Largest context of a model turn.
    pub context_max: Tokens,
}

/// What the cache did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Cache {
    /// Input that was read from the cache.
    pub read: Tokens,
    /// Input that was written to the cache.
    pub written: Tokens,
    /// Input that was neither.
    pub uncached: Tokens,
    /// Share of the input that was read from the cache, from 0 to 1; null without input.
    pub hit_share: Option<f64>,
}

/// The economics of the chosen sessions.
pub fn economics(model: &Model, selection: &Selection) -> Economics {
    let mut economics = Economics::default();
    let chosen: Vec<&SessionModel> = selection.sessions(model).map(|(_, session)| session).collect();
    let characters =
        |session: &&SessionModel| session.session.entries.iter().map(Entry::characters).fold(0, u64::saturating_add);
    let counted: Vec<u64> = chosen.par_iter().map(characters).collect();
    for (session, characters) in chosen.iter().zip(counted) {
        let side = economics.side(session.kind());
        side.sessions += 1;
        side.entries += session.session.entries.len();
        side.characters = side.characters.saturating_add(characters);
    }
    for turn in model.usage.turns.iter().filter(|turn| selection.has(turn.home)) {
        let Some(home) = model.sessions.get(turn.home) else { continue };
        let side = economics.side(home.kind());
        side.totals.add(turn);
        side.context_max = side.context_max.max(turn.usage.context());
    }
    for side in [&mut economics.main, &mut economics.subagents] {
        side.tokens = side.totals.usage.total();
    }
    economics.cache = cache(economics.main.totals.usage.plus(economics.subagents.totals.usage));
    economics
}

impl Economics {
    fn side(&mut self, kind: Kind) -> &mut Thread {
        match kind {
            Kind::Subagent => &mut self.subagents,
            Kind::Main | Kind::Other => &mut self.main,
        }
    }
}

fn cache(usage: crate::transcript::Usage) -> Cache {
    let input = usage.context();
    Cache {
        read: usage.cache_read,
        written: usage.cache_write,
        uncached: usage.input,
        hit_share: share(u128::from(usage.cache_read.0), u128::from(input.0)),
    }
}

/// A share from 0 to 1 with four decimals; `None` of nothing.
pub(super) fn share(part: u128, whole: u128) -> Option<f64> {
    // In integers first: a share needs no more, and no number is converted with loss.
    let parts = part.saturating_mul(10_000).checked_div(whole)?;
    u32::try_from(parts).ok().map(|parts| f64::from(parts) / 10_000.0)
}
