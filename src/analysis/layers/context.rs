use super::fed::Fed;
use crate::analysis::prices::{PriceTable, Unpriced, bill};
use crate::layers::{Edit, Layer, Size};
use crate::session::{Ix, ModelTurn, SessionModel};
use crate::transcript::{Entry, Service, Usage};
use crate::unit::{Tokens, Usd};
use serde::Serialize;
use strum::IntoEnumIterator;

/// How much of a session a layer was given and has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LayerSize {
    /// Which layer.
    pub layer: Layer,
    /// Its changes.
    pub changes: u64,
    /// What it was given.
    pub before: Sized,
    /// What it has left.
    pub after: Sized,
}

/// How much something is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Sized {
    /// Counted.
    #[serde(flatten)]
    pub size: Size,
    /// Tokens, estimated from the characters.
    pub estimated_tokens: Tokens,
}

/// What the model sees of a session, before and after the layers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Context {
    /// As it is stored.
    pub before: Sized,
    /// As it is fed.
    pub after: Sized,
    /// Share of the characters that is saved, from 0 to 1; negative if there are more; null without any.
    pub saved_share: Option<f64>,
}

/// What the layers cost in cache: everything behind the first change is written to it again at the next resume, if it
/// would still have been there.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CacheLoss {
    /// The first entry that the model sees otherwise; null if there is none.
    pub first_seq: Option<i64>,
    /// Tokens from there on, estimated from the characters.
    pub estimated_tokens: Tokens,
    /// The model that answered last, whose prices at that time are taken.
    pub model: Option<String>,
    /// What writing them costs, cached for five minutes; null where there is no price.
    pub low_usd: Option<Usd>,
    /// The same, cached for one hour.
    pub high_usd: Option<Usd>,
    /// Why there is no price; null where there is one, or nothing to be written.
    pub unpriced: Option<Unpriced>,
}

impl From<Size> for Sized {
    fn from(size: Size) -> Self {
        Self { size, estimated_tokens: Tokens::estimated(size.characters) }
    }
}

/// Layer after layer up to `last`, over the whole session.
pub(super) fn layer_sizes(fed: &Fed<'_>, last: Layer) -> Vec<LayerSize> {
    let mut size = Size::default();
    fed.before.session.entries.iter().for_each(|entry| size += size_of(entry));
    let mut sizes = Vec::new();
    for layer in Layer::iter().filter(|layer| *layer <= last) {
        let before = size;
        let mut changes = 0;
        for change in fed.loaded.changes.iter().filter(|change| change.layer == layer) {
            changes += 1;
            size = size.changed(change.taken, change.given);
        }
        sizes.push(LayerSize { layer, changes, before: before.into(), after: size.into() });
    }
    sizes
}

fn size_of(entry: &Entry) -> Size {
    let blocks = u64::try_from(entry.blocks().len()).unwrap_or(u64::MAX);
    Size { entries: 1, blocks, characters: entry.characters() }
}

/// What the model sees.
pub(super) fn context(fed: &Fed<'_>) -> Context {
    let seen = |session: &SessionModel| {
        let mut size = Size::default();
        let loaded = session.entries().filter(|(ix, _)| session.chain.loaded[*ix]);
        loaded.for_each(|(_, entry)| size += size_of(entry));
        size
    };
    let (before, after) = (seen(fed.before), seen(fed.after()));
    let share = |part: u64| {
        let per_myriad = u128::from(part) * 10_000 / u128::from(before.characters.max(1));
        u32::try_from(per_myriad).ok().map(|share| f64::from(share) / 10_000.0)
    };
    let saved = match before.characters.checked_sub(after.characters) {
        Some(saved) => share(saved),
        None => share(after.characters - before.characters).map(|more| -more),
    };
    Context { before: before.into(), after: after.into(), saved_share: saved.filter(|_| before.characters > 0) }
}

/// The sequence number of the first entry that the model sees otherwise than before. Another parent alone does not change
/// what it sees.
pub(super) fn first_change(fed: &Fed<'_>) -> Option<i64> {
    let seen = |seq: i64, edit: &Edit| match edit {
        Edit::Relinked { .. } => false,
        Edit::Added { .. } => fed.healed_behind(seq).is_some_and(|ix| fed.is_loaded(ix)),
        Edit::Replaced { .. } | Edit::Stripped { .. } | Edit::Dropped => {
            fed.stored(seq).is_some_and(|(ix, _)| fed.was_loaded(ix))
        }
    };
    fed.loaded.changes.iter().filter(|change| seen(change.seq, &change.edit)).map(|change| change.seq).min()
}

/// What the layers cost in cache; `turn` is the last model turn of the session.
pub(super) fn cache_loss(fed: &Fed<'_>, turn: Option<&ModelTurn>, prices: &PriceTable) -> CacheLoss {
    let Some(first) = first_change(fed) else { return CacheLoss::default() };
    let mut behind = Size::default();
    let is_behind = |(ix, entry): &(Ix, &Entry)| entry.seq >= first && fed.is_loaded(*ix);
    fed.after().entries().filter(is_behind).for_each(|(_, entry)| behind += size_of(entry));
    let tokens = Sized::from(behind).estimated_tokens;
    let loss = CacheLoss { first_seq: Some(first), estimated_tokens: tokens, ..CacheLoss::default() };
    let Some(turn) = turn else { return loss };
    let written = ModelTurn {
        usage: Usage { cache_write: tokens, ..Usage::default() },
        service: Service { unsplit_cache_write: tokens, ..Service::default() },
        ended: true,
        ..turn.clone()
    };
    let bill = bill(&written, turn.timestamp, prices);
    let has_price = bill.unpriced.is_none();
    CacheLoss {
        model: Some(turn.model.to_string()),
        low_usd: has_price.then_some(bill.low),
        high_usd: bill.high.filter(|_| has_price),
        unpriced: bill.unpriced,
        ..loss
    }
}
