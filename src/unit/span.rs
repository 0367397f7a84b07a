use serde::{Serialize, Serializer};
use std::fmt;

/// A span of time in milliseconds; may be negative where clocks went backwards.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(i64);

impl Span {
    /// From milliseconds.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// From seconds as JSON carries them; `None` if not finite or beyond 100,000 years.
    pub fn from_seconds(seconds: f64) -> Option<Self> {
        let millis = (seconds * 1000.0).round();
        if !millis.is_finite() || millis.abs() > 3.2e15 {
            return None;
        }
        format!("{millis:.0}").parse().ok().map(Self)
    }

    /// Milliseconds.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Seconds, exact to the millisecond.
    pub fn seconds(self) -> f64 {
        let sign = if self.0 < 0 { "-" } else { "" };
        format!("{sign}{}.{:03}", self.0.unsigned_abs() / 1000, self.0.unsigned_abs() % 1000)
            .parse()
            .unwrap_or(f64::NAN)
    }
}

/// Short and rounded, for people: `0.4s`, `5.7s`, `3m 12s`, `2h 05m`, `3d 04h`.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let millis = self.0.unsigned_abs();
        let (tenths, seconds) =
            (millis / 100 + u64::from(millis % 100 >= 50), millis / 1000 + u64::from(millis % 1000 >= 500));
        let text = match seconds {
            _ if tenths < 600 => format!("{sign}{}.{}s", tenths / 10, tenths % 10),
            0..3600 => format!("{sign}{}m {:02}s", seconds / 60, seconds % 60),
            3600..86_400 => format!("{sign}{}h {:02}m", seconds / 3600, seconds % 3600 / 60),
            _ => format!("{sign}{}d {:02}h", seconds / 86_400, seconds % 86_400 / 3600),
        };
        f.pad(&text)
    }
}

/// A JSON number in seconds.
impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.seconds())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_see_two_units_at_most() {
        let shown = [0, 440, 5_672, 59_960, 192_000, 7_500_000, 273_600_000, -5_672].map(|ms| Span(ms).to_string());
        assert_eq!(shown, ["0.0s", "0.4s", "5.7s", "1m 00s", "3m 12s", "2h 05m", "3d 04h", "-5.7s"]);
    }
}
