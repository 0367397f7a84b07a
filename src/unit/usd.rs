use serde::{Serialize, Serializer};
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

const NANOS: i64 = 1_000_000_000;

/// Money in integer nano-dollars, so that sums are exact in any order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Usd(i64);

impl Usd {
    /// No money.
    pub const ZERO: Self = Self(0);

    /// From integer nano-dollars.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// Integer nano-dollars.
    pub const fn nanos(self) -> i64 {
        self.0
    }

    /// Whether the figure may stand for one that is larger than it can hold.
    pub const fn is_saturated(self) -> bool {
        self.0 == i64::MAX || self.0 == i64::MIN
    }

    /// From a dollar figure as JSON carries it, rounded to the nano-dollar; `None` if it is not finite or too large.
    pub fn from_dollars(dollars: f64) -> Option<Self> {
        let nanos = (dollars * 1e9).round();
        if !nanos.is_finite() || nanos.abs() >= 9.2e18 {
            return None;
        }
        format!("{nanos:.0}").parse().ok().map(Self)
    }

    /// Every digit, for people: `$4.00002`.
    pub fn in_full(self) -> String {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, rest) =
            (self.0.unsigned_abs() / NANOS.unsigned_abs(), self.0.unsigned_abs() % NANOS.unsigned_abs());
        let digits = format!("{rest:09}");
        let cents = digits.trim_end_matches('0');
        format!("{sign}${whole}.{cents:0<2}")
    }

    /// The figure in dollars; exact to the nano-dollar for sums below a million dollars.
    pub fn dollars(self) -> f64 {
        // Through text, so that 238_406_000 nano-dollars become the float that prints as 0.238406.
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, rest) =
            (self.0.unsigned_abs() / NANOS.unsigned_abs(), self.0.unsigned_abs() % NANOS.unsigned_abs());
        format!("{sign}{whole}.{rest:09}").parse().unwrap_or(f64::NAN)
    }
}

/// Saturates: a sum of hostile figures stays a figure.
impl Add for Usd {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Usd {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// Saturates, as addition does.
impl Sub for Usd {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Sum for Usd {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

/// Short, for people: `$38.24`, below a dollar four digits: `$0.2384`, less than that: `<$0.0001`.
impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dollars = self.dollars();
        let text = match self.0.unsigned_abs() {
            0 => "$0.00".to_owned(),
            1..50_000 if self.0 > 0 => "<$0.0001".to_owned(),
            1..50_000 => ">-$0.0001".to_owned(),
            50_000..1_000_000_000 => format!("${dollars:.4}"),
            _ => format!("${dollars:.2}"),
        };
        f.pad(&text.replacen("$-", "-$", 1))
    }
}

/// A JSON number in dollars.
impl Serialize for Usd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.dollars())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifest_figures_survive_exactly() {
        for text in ["0.238406", "0.313726", "171.000000001", "0", "-3.5"] {
            let dollars: f64 = text.parse().unwrap();
            let json = serde_json::to_string(&Usd::from_dollars(dollars).unwrap()).unwrap();
            assert_eq!(json.parse::<f64>().unwrap().to_bits(), dollars.to_bits(), "{json}");
        }
    }

    #[test]
    fn what_is_no_figure_is_none() {
        for dollars in [f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(Usd::from_dollars(dollars), None);
        }
    }

    #[test]
    fn people_see_short_figures() {
        let shown = |dollars| Usd::from_dollars(dollars).unwrap().to_string();
        assert_eq!(
            [shown(38.24), shown(0.238_406), shown(0.0), shown(-0.5), shown(171.0)],
            ["$38.24", "$0.2384", "$0.00", "-$0.5000", "$171.00"]
        );
        let tiny = [50_000, 49_999, 12_000, -1].map(|nanos| Usd::from_nanos(nanos).to_string());
        assert_eq!(tiny, ["$0.0001", "<$0.0001", "<$0.0001", ">-$0.0001"]);
        let full = [4_000_020_000, 4_000_000_000, -500_000_000, 0].map(|nanos| Usd::from_nanos(nanos).in_full());
        assert_eq!(full, ["$4.00002", "$4.00", "-$0.50", "$0.00"]);
    }
}
