use super::super::Selection;
use crate::session::{Model, SessionModel, Standing};
use crate::unit::Tokens;
use foldhash::HashMap;
use serde::Serialize;

/// Tenths of characters for a token by the rule of thumb of [`Tokens::estimated`].
const RULE_OF_THUMB: u64 = 40;
/// Fewer turns than this measure nothing.
const MIN_SAMPLES: usize = 5;
/// Tenths of characters for a token that a text can have; anything else measures something else.
const PLAUSIBLE: std::ops::RangeInclusive<u64> = 8..=80;

/// How tokens are estimated from characters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TokenRate {
    /// Characters for a token.
    pub characters_per_token: f64,
    /// Where that comes from.
    pub source: RateSource,
    /// Pairs of model turns that it was measured on.
    pub samples: usize,
    #[serde(skip)]
    tenths: u64,
}

/// Where the estimate of tokens comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RateSource {
    /// The median over the model turns of what was added in characters against what the context grew by in tokens.
    Measured,
    /// Four characters for a token: too few turns to measure, or implausible ones.
    RuleOfThumb,
}

impl Default for TokenRate {
    fn default() -> Self {
        Self::new(RULE_OF_THUMB, RateSource::RuleOfThumb, 0)
    }
}

impl TokenRate {
    fn new(tenths: u64, source: RateSource, samples: usize) -> Self {
        let shown = u32::try_from(tenths).unwrap_or(u32::MAX);
        Self { characters_per_token: f64::from(shown) / 10.0, source, samples, tenths }
    }

    /// Measures the chosen sessions.
    pub(in super::super) fn measured(model: &Model, selection: &Selection) -> Self {
        let mut samples = samples(model, selection);
        samples.sort_unstable();
        let median = samples.get(samples.len() / 2).copied().filter(|median| PLAUSIBLE.contains(median));
        match median.filter(|_| samples.len() >= MIN_SAMPLES) {
            Some(tenths) => Self::new(tenths, RateSource::Measured, samples.len()),
            None => Self { samples: samples.len(), ..Self::default() },
        }
    }

    /// About how many tokens `characters` are: an estimate.
    pub fn tokens(self, characters: u64) -> Tokens {
        Tokens(characters.saturating_mul(10).div_ceil(self.tenths.max(1)))
    }
}

/// Tenths of characters for each token by which the context grew, from one model turn of a session to the next.
fn samples(model: &Model, selection: &Selection) -> Vec<u64> {
    let mut turns: HashMap<usize, Vec<_>> = HashMap::default();
    for turn in model.usage.turns.iter().filter(|turn| selection.has(turn.home)) {
        turns.entry(turn.home).or_default().push((turn.at, turn.usage.context()));
    }
    let mut samples = Vec::new();
    for (home, mut turns) in turns {
        let Some(session) = model.sessions.get(home) else { continue };
        turns.sort_unstable();
        let given = given_before(session);
        let segments = &session.chain.segments;
        for pair in turns.windows(2) {
            let [(from, before), (to, after)] = pair else { continue };
            let next = segments.partition_point(|segment| segment.boundary <= *from);
            let compacted = segments.get(next).is_some_and(|segment| segment.boundary < *to);
            let given_at = |position: usize| given.get(position).copied().unwrap_or_default();
            let characters = given_at(to.position()).saturating_sub(given_at(from.position()));
            let grown = after.0.saturating_sub(before.0);
            if grown > 0 && characters > 0 && !compacted {
                samples.push(characters.saturating_mul(10) / grown);
            }
        }
    }
    samples
}

/// For each entry the characters of the live chain before it.
fn given_before(session: &SessionModel) -> Vec<u64> {
    let mut sum = 0_u64;
    let mut given = Vec::with_capacity(session.session.entries.len());
    for (ix, entry) in session.entries() {
        given.push(sum);
        if session.chain.standing[ix] == Standing::Live {
            sum = sum.saturating_add(entry.characters());
        }
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_started_token_counts() {
        let rate = TokenRate::default();
        assert_eq!([0, 1, 4, 5, u64::MAX].map(|characters| rate.tokens(characters).0)[..4], [0, 1, 1, 2]);
        assert_eq!(TokenRate::new(15, RateSource::Measured, 9).tokens(30), Tokens(20));
    }
}
