use crate::unit::{Tokens, Usd};

/// Prices of the classes of tokens, each in nano-dollars per million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rates {
    /// Uncached input.
    pub input: Usd,
    /// Output.
    pub output: Usd,
    /// Cache writes for five minutes.
    pub cache_write_5m: Usd,
    /// Cache writes for one hour.
    pub cache_write_1h: Usd,
    /// Cache reads.
    pub cache_read: Usd,
}

impl Rates {
    /// Class by class the dearer price.
    pub(super) fn dearer(self, other: Self) -> Self {
        Self {
            input: self.input.max(other.input),
            output: self.output.max(other.output),
            cache_write_5m: self.cache_write_5m.max(other.cache_write_5m),
            cache_write_1h: self.cache_write_1h.max(other.cache_write_1h),
            cache_read: self.cache_read.max(other.cache_read),
        }
    }
}

/// A factor on a price, in per mille.
pub(super) type PerMille = u32;

/// The price as it stands.
pub(super) const FULL: PerMille = 1000;

/// The price of `tokens` at `rate`, which is per million tokens; rounded to the nano-dollar.
pub fn price_of(tokens: Tokens, rate: Usd) -> Usd {
    price(tokens, rate, FULL)
}

/// The price of `tokens` at `rate` times `factor`, rounded to the nano-dollar, half up. Saturates.
pub(super) fn price(tokens: Tokens, rate: Usd, factor: PerMille) -> Usd {
    const PER: i128 = 1_000_000 * 1000;
    let exact = i128::from(tokens.0).saturating_mul(i128::from(rate.nanos())).saturating_mul(i128::from(factor));
    Usd::from_nanos(i64::try_from(exact.saturating_add(PER / 2) / PER).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_exact_to_the_nano_dollar() {
        let rate = Usd::from_dollars(6.25).unwrap();
        assert_eq!(price(Tokens(1), rate, FULL).nanos(), 6_250);
        assert_eq!(price(Tokens(11_470), rate, FULL).nanos(), 71_687_500);
        assert_eq!(price(Tokens(1), Usd::from_dollars(0.025).unwrap(), 1100).nanos(), 28, "27.5 rounds up");
        assert_eq!(price(Tokens(u64::MAX), rate, FULL).nanos(), i64::MAX);
    }
}
