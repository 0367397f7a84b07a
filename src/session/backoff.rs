use crate::unit::Span;

/// How long flower waits before it tries again (spec/errors.md, Retries).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// Wait after the first attempt, before jitter.
    pub base: Span,
    /// Longest wait, before jitter.
    pub cap: Span,
    /// Attempts of a step, the first one included.
    pub attempts: u32,
}

impl Backoff {
    /// Flower's own values: 4 s, doubled up to 120 s, six attempts.
    pub const FLOWER: Self = Self { base: Span::from_millis(4_000), cap: Span::from_millis(120_000), attempts: 6 };

    /// Flower looks this often whether the network is back.
    pub const PROBE: Span = Span::from_millis(15_000);

    /// Flower gives up on the network after this time.
    pub const OFFLINE: Span = Span::from_millis(3_600_000);

    /// The wait after attempt `n` (from 1), before jitter: `min(base·2^(n−1), cap)`.
    pub fn nominal(self, n: u32) -> Span {
        let doubled = 1_i64.checked_shl(n.saturating_sub(1)).filter(|factor| *factor > 0);
        let millis = doubled.and_then(|factor| self.base.millis().checked_mul(factor)).unwrap_or(i64::MAX);
        Span::from_millis(millis.min(self.cap.millis()))
    }

    /// The shortest and the longest wait after attempt `n`: a quarter less and a quarter more than the nominal one.
    pub fn window(self, n: u32) -> (Span, Span) {
        (self.jittered(n, 0), self.jittered(n, u16::MAX))
    }

    /// The wait after attempt `n` at one place of the window: 0 is its start, 65,535 its end.
    pub fn jittered(self, n: u32, place: u16) -> Span {
        let nominal = self.nominal(n).millis();
        let spread = (nominal / 2).saturating_mul(i64::from(place)) / i64::from(u16::MAX);
        Span::from_millis(nominal - nominal / 4 + spread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_cap() {
        let waits = [1, 2, 3, 4, 5, 6, 7, 200].map(|n| Backoff::FLOWER.nominal(n).millis() / 1000);
        assert_eq!(waits, [4, 8, 16, 32, 64, 120, 120, 120]);
    }

    #[test]
    fn the_window_is_a_quarter_to_each_side() {
        let (shortest, longest) = Backoff::FLOWER.window(2);
        assert_eq!((shortest.millis(), longest.millis()), (6_000, 10_000));
    }
}
