use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use serde::{Serialize, Serializer};
use std::fmt;
use thiserror::Error;

use super::Span;

/// A moment, in milliseconds since the epoch, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// From milliseconds since the epoch; `None` outside of the years a calendar can show.
    pub fn from_millis(millis: i64) -> Option<Self> {
        DateTime::from_timestamp_millis(millis).map(|_| Self(millis))
    }

    /// From seconds since the epoch as the manifest carries them; `None` if not a moment. `0.0` means "never".
    pub fn from_epoch_seconds(seconds: f64) -> Option<Self> {
        if seconds == 0.0 {
            return None;
        }
        Self::from_millis(Span::from_seconds(seconds)?.millis())
    }

    /// From RFC 3339 text, as transcripts carry it.
    pub fn parse(text: &str) -> Option<Self> {
        DateTime::parse_from_rfc3339(text).ok().map(|t| Self(t.timestamp_millis()))
    }

    /// Milliseconds since the epoch.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// The span from `earlier` to this moment.
    pub const fn since(self, earlier: Self) -> Span {
        Span::from_millis(self.0.saturating_sub(earlier.0))
    }

    fn utc(self) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH.checked_add_signed(TimeDelta::milliseconds(self.0)).unwrap_or_default()
    }
}

/// RFC 3339 in UTC with milliseconds: the form of the JSON contract.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.utc().format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string())
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The zone in which times are shown to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Zone(Tz);

/// A zone name that the IANA database does not have.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("unknown time zone {name:?}: expected an IANA name such as Europe/Berlin, Asia/Shanghai or UTC")]
pub struct UnknownZone {
    /// The name as given.
    pub name: String,
}

impl Zone {
    /// UTC.
    pub const UTC: Self = Self(Tz::UTC);

    /// A zone by its IANA name.
    pub fn named(name: &str) -> Result<Self, UnknownZone> {
        name.parse().map(Self).map_err(|_| UnknownZone { name: name.to_owned() })
    }

    /// The IANA name.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// Date and time to the second, for a table: `2026-11-30 14:21:57`.
    pub fn date_time(self, t: Timestamp) -> String {
        t.utc().with_timezone(&self.0).format("%Y-%m-%d %H:%M:%S").to_string()
    }

    /// Time of day to the second.
    pub fn time(self, t: Timestamp) -> String {
        t.utc().with_timezone(&self.0).format("%H:%M:%S").to_string()
    }

    /// Calendar day in this zone.
    pub fn day(self, t: Timestamp) -> String {
        t.utc().with_timezone(&self.0).format("%Y-%m-%d").to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transcript_times_round_trip() {
        let text = "2026-11-30T14:15:44.073Z";
        assert_eq!(Timestamp::parse(text).unwrap().to_string(), text);
        assert_eq!(Timestamp::parse("yesterday"), None);
    }

    #[test]
    fn a_manifest_zero_is_never() {
        assert_eq!(Timestamp::from_epoch_seconds(0.0), None);
        assert_eq!(Timestamp::from_epoch_seconds(f64::NAN), None);
        assert_eq!(Timestamp::from_epoch_seconds(1e18), None);
        assert_eq!(
            Timestamp::from_epoch_seconds(1_796_048_517.030_371).unwrap().to_string(),
            "2026-11-30T14:21:57.030Z"
        );
    }

    #[test]
    fn the_zone_has_its_daylight_saving_days() {
        let berlin = Zone::named("Europe/Berlin").unwrap();
        let shown = |text: &str| berlin.date_time(Timestamp::parse(text).unwrap());
        assert_eq!(shown("2026-10-25T00:30:00Z"), "2026-10-25 02:30:00");
        assert_eq!(shown("2026-10-25T01:30:00Z"), "2026-10-25 02:30:00");
        assert!(Zone::named("Mars/Olympus").is_err());
    }
}
