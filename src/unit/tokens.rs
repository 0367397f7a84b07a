use serde::Serialize;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// A number of tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Tokens(pub u64);

impl Tokens {
    /// An estimate from a number of characters, four to a token, half a token rounded up, as the agent CLI makes it
    /// (spec/plugins.md, Estimate). English text and code come to that; Chinese text takes up to four times as many tokens, so
    /// that this is no bound.
    pub const fn estimated(characters: u64) -> Self {
        Self(characters.saturating_add(2) / 4)
    }
}

/// Saturates: hostile figures stay figures.
impl Add for Tokens {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Tokens {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::default(), Add::add)
    }
}

/// Short, for people: `950`, `11.5k`, `299.4M`.
impl fmt::Display for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&short_count(self.0))
    }
}

/// A count as people read it: exact below 10,000, then rounded to one decimal with a unit.
pub fn short_count(n: u64) -> String {
    const UNITS: [(u64, &str); 4] = [(1_000, "k"), (1_000_000, "M"), (1_000_000_000, "G"), (1_000_000_000_000, "T")];
    if n < 10_000 {
        return n.to_string();
    }
    let tenths = |unit: u64| n / (unit / 10) + u64::from(n % (unit / 10) >= unit / 20);
    let fits = |(unit, _): &(u64, &str)| tenths(*unit) < 10_000;
    let (unit, letter) = UNITS.into_iter().find(fits).unwrap_or((1_000_000_000_000, "T"));
    let tenths = tenths(unit);
    format!("{}.{}{letter}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_is_a_quarter_of_the_characters() {
        let estimated = [0, 1, 2, 5, 6, 4_000, u64::MAX].map(|characters| Tokens::estimated(characters).0);
        assert_eq!(estimated, [0, 0, 1, 1, 2, 1_000, u64::MAX / 4]);
    }

    #[test]
    fn people_see_short_counts() {
        let shown = [0, 9_999, 10_000, 11_498, 13_880, 999_950, 299_400_000, u64::MAX].map(short_count);
        assert_eq!(shown, ["0", "9999", "10.0k", "11.5k", "13.9k", "1.0M", "299.4M", "18446744.1T"]);
    }
}
