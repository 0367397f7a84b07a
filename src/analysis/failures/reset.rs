use crate::unit::{Timestamp, Zone};
use regex::Regex;
use serde::Serialize;
use std::sync::LazyLock;

/// When a quota opens again, as its text tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reset {
    /// As it stands in the text.
    pub text: String,
    /// The moment, where the text names one.
    #[serde(skip)]
    moment: Option<Timestamp>,
    /// Hour and minute of the day, and the zone, where the text names these.
    #[serde(skip)]
    time_of_day: Option<(u32, u32, Zone)>,
}

/// `usage limit reached|1796047641`: seconds since the epoch.
static EPOCH: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"limit reached\|(\d{9,11})\b").ok());

/// `resets 3:30pm (Europe/Berlin)`, `resets at 3pm`, `resets Dec 2, 3pm`: the hour counts with its zone and without a date.
static CLOCK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\bresets?(?: at)? ([^·\n(]*?)(\d{1,2})(?::(\d\d))? ?(am|pm)(?: \(([A-Za-z_/+-]+)\))?").ok()
});

impl Reset {
    /// The time in the text of a quota; `None` if it names none.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if let Some(found) = EPOCH.as_ref()?.captures(text) {
            let seconds = found.get(1)?.as_str();
            let moment = seconds.parse::<i64>().ok().and_then(|s| Timestamp::from_millis(s.checked_mul(1000)?));
            return Some(Self { text: seconds.to_owned(), moment, time_of_day: None });
        }
        let found = CLOCK.as_ref()?.captures(text)?;
        let part = |n| found.get(n).map_or("", |part| part.as_str());
        let number = |n| part(n).parse::<u32>().ok();
        // A clock of twelve hours has no other.
        let hour = number(2).filter(|hour| (1..=12).contains(hour));
        let hour = hour.map(|hour| hour % 12 + if part(4).eq_ignore_ascii_case("pm") { 12 } else { 0 });
        let zone = Zone::named(part(5)).ok().filter(|_| part(1).is_empty());
        let time_of_day = hour.zip(zone).map(|(hour, zone)| (hour, number(3).unwrap_or(0), zone));
        Some(Self { text: part(0).to_owned(), moment: None, time_of_day })
    }

    /// The moment at which it opens, for a failure at `after`; `None` where the text leaves day or zone open.
    pub fn moment(&self, after: Option<Timestamp>) -> Option<Timestamp> {
        let of_day = || self.time_of_day.and_then(|(hour, minute, zone)| zone.next_time_of_day(after?, hour, minute));
        self.moment.or_else(of_day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reset_is_a_moment_only_where_day_and_zone_are_known() {
        let at = Timestamp::parse("2026-11-30T14:00:00Z");
        let table = [
            ("Claude AI usage limit reached|1796050800", "1796050800", Some("2026-11-30T15:00:00.000Z")),
            (
                "You've hit your session limit · resets 4pm (Europe/Berlin)",
                "resets 4pm (Europe/Berlin)",
                Some("2026-11-30T15:00:00.000Z"),
            ),
            (
                "limit · resets 2:30pm (Europe/Berlin)",
                "resets 2:30pm (Europe/Berlin)",
                Some("2026-12-01T13:30:00.000Z"),
            ),
            ("limit · resets 12am (UTC)", "resets 12am (UTC)", Some("2026-12-01T00:00:00.000Z")),
            ("5-hour limit reached ∙ resets 3pm", "resets 3pm", None),
            ("limit · resets Dec 2, 3pm (UTC)", "resets Dec 2, 3pm (UTC)", None),
            ("limit · resets 3pm (Nowhere/Land)", "resets 3pm (Nowhere/Land)", None),
        ];
        for (text, shown, moment) in table {
            let reset = Reset::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((reset.text.as_str(), reset.moment(at).map(|t| t.to_string()).as_deref()), (shown, moment));
        }
        assert_eq!(Reset::parse("You've hit your limit"), None);
        for impossible in ["resets 99pm (UTC)", "resets 25pm (UTC)", "resets 0am (UTC)", "resets 1:75pm (UTC)"] {
            assert_eq!(Reset::parse(impossible).and_then(|reset| reset.moment(at)), None, "{impossible}");
        }
        let night = Timestamp::parse("2026-03-28T22:00:00Z");
        let jumped = Reset::parse("limit · resets 2:30am (Europe/Berlin)").and_then(|reset| reset.moment(night));
        assert_eq!(
            jumped.map(|t| t.to_string()).as_deref(),
            Some("2026-03-29T01:00:00.000Z"),
            "the clock jumps over it"
        );
    }
}
