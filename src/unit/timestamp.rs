use chrono::{DateTime, NaiveDate, NaiveDateTime, Offset, TimeDelta, TimeZone, Utc};
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

    /// The moment that a person names: `2026-11-30` (its first moment), `2026-11-30 14:00`, `2026-11-30 14:00:05` in this
    /// zone, or RFC 3339 with its own offset. Of an hour that occurs twice the first one is meant; a time that a day leaves
    /// out is the moment at which it leaves it out.
    pub fn moment(self, text: &str) -> Option<Timestamp> {
        let local = |format| NaiveDateTime::parse_from_str(text, format).ok();
        let day = || NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?.and_hms_opt(0, 0, 0);
        let read =
            ["%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S"].into_iter().find_map(local);
        let Some(local) = read.or_else(day) else { return Timestamp::parse(text) };
        self.first_at_or_after(local)
    }

    /// The first moment at which a clock of this zone shows `local`, or that follows a jump over it.
    fn first_at_or_after(self, local: NaiveDateTime) -> Option<Timestamp> {
        // No zone leaves out more than a day.
        let mut quarters = (0..=96).filter_map(|n| local.checked_add_signed(TimeDelta::minutes(15 * n)));
        let first = quarters.find_map(|local| self.0.from_local_datetime(&local).earliest())?;
        Timestamp::from_millis(first.timestamp_millis())
    }

    /// Date and time to the second, for a table: `2026-11-30 14:21:57`.
    pub fn date_time(self, t: Timestamp) -> String {
        t.utc().with_timezone(&self.0).format("%Y-%m-%d %H:%M:%S").to_string()
    }

    /// Time of day to the second.
    pub fn time(self, t: Timestamp) -> String {
        t.utc().with_timezone(&self.0).format("%H:%M:%S").to_string()
    }

    /// The first moment after `t` at which a clock of this zone shows this time, or jumps over it; `None` for a time that no
    /// clock shows.
    pub fn next_time_of_day(self, t: Timestamp, hour: u32, minute: u32) -> Option<Timestamp> {
        let today = t.utc().with_timezone(&self.0).date_naive();
        today.iter_days().take(3).find_map(|day| {
            let moment = self.first_at_or_after(day.and_hms_opt(hour, minute, 0)?)?;
            (moment > t).then_some(moment)
        })
    }

    /// How far the clocks of this zone are ahead of UTC at this moment: `+05:30`.
    pub fn offset(self, t: Timestamp) -> String {
        t.utc().with_timezone(&self.0).format("%:z").to_string()
    }

    /// How far clocks of this zone are ahead of UTC at this moment, as a span; below zero where they are behind.
    pub fn ahead(self, t: Timestamp) -> Span {
        let seconds = t.utc().with_timezone(&self.0).offset().fix().local_minus_utc();
        Span::from_millis(i64::from(seconds) * 1000)
    }

    /// Calendar day in this zone.
    pub fn day(self, t: Timestamp) -> String {
        t.utc().with_timezone(&self.0).format("%Y-%m-%d").to_string()
    }

    /// Hour of a calendar day in this zone with its offset, which tells the two hours of the end of summer time apart:
    /// `2026-10-25 02:00 +01:00`.
    pub fn hour(self, t: Timestamp) -> String {
        t.utc().with_timezone(&self.0).format("%Y-%m-%d %H:00 %:z").to_string()
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
        let ahead = |text: &str| berlin.ahead(Timestamp::parse(text).unwrap()).millis() / 3_600_000;
        assert_eq!([ahead("2026-10-25T00:30:00Z"), ahead("2026-10-25T01:30:00Z")], [2, 1]);
        assert!(Zone::named("Mars/Olympus").is_err());
        let next = |text: &str, hour| {
            berlin.next_time_of_day(Timestamp::parse(text).unwrap(), hour, 30).map(|t| t.to_string())
        };
        assert_eq!(next("2026-03-28T12:00:00Z", 2).unwrap(), "2026-03-29T01:00:00.000Z", "02:30 is jumped over");
        assert_eq!(next("2026-10-24T12:00:00Z", 2).unwrap(), "2026-10-25T00:30:00.000Z", "the first of two");
        assert_eq!(next("2026-10-24T12:00:00Z", 24), None);
    }

    #[test]
    fn people_name_moments_in_their_zone() {
        let berlin = Zone::named("Europe/Berlin").unwrap();
        let moment = |text| berlin.moment(text).map(|moment| moment.to_string());
        assert_eq!(moment("2026-11-30").as_deref(), Some("2026-11-29T23:00:00.000Z"));
        assert_eq!(moment("2026-11-30 14:30").as_deref(), Some("2026-11-30T13:30:00.000Z"));
        assert_eq!(moment("2026-11-30T14:30:05Z").as_deref(), Some("2026-11-30T14:30:05.000Z"));
        assert_eq!(moment("2026-10-25 02:30").as_deref(), Some("2026-10-25T00:30:00.000Z"), "the first of two");
        assert_eq!(moment("2026-03-29 02:30").as_deref(), Some("2026-03-29T01:00:00.000Z"), "there is no such time");
        assert_eq!(moment("soon"), None);
    }

    #[test]
    fn days_and_hours_are_those_of_the_zone() {
        let shown = |zone: &str, text| {
            let (zone, t) = (Zone::named(zone).unwrap(), Timestamp::parse(text).unwrap());
            format!("{} | {}", zone.day(t), zone.hour(t))
        };
        assert_eq!(shown("Europe/Berlin", "2026-10-25T00:30:00Z"), "2026-10-25 | 2026-10-25 02:00 +02:00");
        assert_eq!(shown("Europe/Berlin", "2026-10-25T01:30:00Z"), "2026-10-25 | 2026-10-25 02:00 +01:00");
        assert_eq!(shown("Europe/Berlin", "2026-10-25T22:59:59Z"), "2026-10-25 | 2026-10-25 23:00 +01:00");
        assert_eq!(shown("Asia/Kolkata", "2026-03-28T18:40:00Z"), "2026-03-29 | 2026-03-29 00:00 +05:30");
    }
}
