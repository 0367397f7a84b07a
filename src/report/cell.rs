use crate::unit::{Level, Span, Timestamp, Tokens, Usd, Zone, short_count};

/// What a cell says at a glance; a colour on a terminal, nothing elsewhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tone {
    /// Plain text.
    #[default]
    Normal,
    /// As it should be.
    Good,
    /// Worth a look.
    Warn,
    /// Broken, failed or lost.
    Bad,
    /// Of little weight: zeros, gaps, ids.
    Faint,
}

impl From<Level> for Tone {
    fn from(level: Level) -> Self {
        match level {
            Level::Info => Self::Faint,
            Level::Warning => Self::Warn,
            Level::Error => Self::Bad,
        }
    }
}

/// A value in a table or a line of facts: short for people, exact for machines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cell {
    /// What people see.
    pub shown: String,
    /// What CSV carries, if it differs: the unrounded number or the full text.
    pub exact: Option<String>,
    /// What it says at a glance.
    pub tone: Tone,
    /// There is no value; people see a dash, CSV an empty cell.
    pub absent: bool,
}

impl Cell {
    /// A text.
    pub fn text(shown: impl Into<String>) -> Self {
        Self { shown: shown.into(), ..Self::default() }
    }

    /// No value: a faint dash for people, an empty cell in CSV.
    pub fn absent() -> Self {
        Self { tone: Tone::Faint, absent: true, ..Self::default() }
    }

    /// A count shown short, such as `11.4k`, and carried exact.
    pub fn count(n: u64) -> Self {
        Self::text(short_count(n)).exact(n.to_string())
    }

    /// A moment in the zone in which people read it; carried exact in UTC.
    pub fn moment(t: Timestamp, zone: Zone) -> Self {
        Self::text(zone.date_time(t)).exact(t.to_string())
    }

    /// A part of a whole as a percentage with one decimal, carried with six; absent if the whole is zero.
    pub fn share(part: u64, whole: u64) -> Self {
        let rounded = |unit: u128| (u128::from(part) * unit + u128::from(whole / 2)).checked_div(u128::from(whole));
        match (rounded(1000), rounded(1_000_000)) {
            (Some(mille), Some(ppm)) => Self::text(format!("{}.{}%", mille / 10, mille % 10)).exact(format!(
                "{}.{:06}",
                ppm / 1_000_000,
                ppm % 1_000_000
            )),
            _ => Self::absent(),
        }
    }

    /// With the value that CSV carries.
    #[must_use]
    pub fn exact(mut self, exact: impl Into<String>) -> Self {
        self.exact = Some(exact.into());
        self
    }

    /// With a tone.
    #[must_use]
    pub fn tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }

    /// As it should be.
    #[must_use]
    pub fn good(self) -> Self {
        self.tone(Tone::Good)
    }

    /// Worth a look.
    #[must_use]
    pub fn warn(self) -> Self {
        self.tone(Tone::Warn)
    }

    /// Broken, failed or lost.
    #[must_use]
    pub fn bad(self) -> Self {
        self.tone(Tone::Bad)
    }

    /// Of little weight.
    #[must_use]
    pub fn faint(self) -> Self {
        self.tone(Tone::Faint)
    }

    /// What CSV carries.
    pub fn carried(&self) -> &str {
        self.exact.as_deref().unwrap_or(&self.shown)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<&String> for Cell {
    fn from(text: &String) -> Self {
        Self::text(text)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<bool> for Cell {
    fn from(yes: bool) -> Self {
        Self::text(if yes { "yes" } else { "no" }).exact(if yes { "true" } else { "false" })
    }
}

/// Shown in full; `Cell::count` shows it short.
macro_rules! whole_numbers {
    ($($number:ty),*) => {$(
        impl From<$number> for Cell {
            fn from(n: $number) -> Self {
                Self::text(n.to_string())
            }
        }
    )*};
}

whole_numbers!(u32, i32, u64, i64, usize);

impl From<Usd> for Cell {
    fn from(usd: Usd) -> Self {
        Self::text(usd.to_string()).exact(usd.dollars().to_string())
    }
}

impl From<Tokens> for Cell {
    fn from(tokens: Tokens) -> Self {
        Self::text(tokens.to_string()).exact(tokens.0.to_string())
    }
}

impl From<Span> for Cell {
    fn from(span: Span) -> Self {
        Self::text(span.to_string()).exact(span.seconds().to_string())
    }
}

impl From<Level> for Cell {
    fn from(level: Level) -> Self {
        Self::text(level.to_string()).tone(level.into())
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or_else(Self::absent, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_read_short_and_machines_exact() {
        let cells = [
            Cell::from(Usd::from_nanos(238_406_000)),
            Tokens(299_412_345).into(),
            Span::from_millis(192_345).into(),
            Cell::count(11_498),
            Cell::share(1, 3),
            Cell::share(1, 0),
            Some("x").into(),
            true.into(),
        ];
        let seen: Vec<_> = cells.iter().map(|c| (c.shown.as_str(), c.carried())).collect();
        assert_eq!(
            seen,
            [
                ("$0.2384", "0.238406"),
                ("299.4M", "299412345"),
                ("3m 12s", "192.345"),
                ("11.5k", "11498"),
                ("33.3%", "0.333333"),
                ("", ""),
                ("x", "x"),
                ("yes", "true"),
            ]
        );
    }
}
