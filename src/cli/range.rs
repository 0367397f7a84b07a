use crate::analysis::TimeRange;
use crate::unit::{Timestamp, Zone};
use anyhow::{Result, bail};

/// The time that a command looks at.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct RangeArgs {
    /// Only from this moment on: YYYY-MM-DD, YYYY-MM-DD HH:MM in the zone of the report, or RFC 3339. Of an hour that the
    /// clocks show twice the first is meant, of one that they leave out the moment of the change
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only before this moment, in the same forms; a day means its beginning
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
}

impl RangeArgs {
    /// The range in `zone`.
    pub(super) fn range(&self, zone: Zone) -> Result<TimeRange> {
        let moment = |option, text: &Option<String>| text.as_deref().map(|text| moment(option, text, zone)).transpose();
        let range = TimeRange { since: moment("--since", &self.since)?, until: moment("--until", &self.until)? };
        if let (Some(since), Some(until)) = (range.since, range.until)
            && until <= since
        {
            bail!("--until {until} is not after --since {since}: nothing lies between; swap them or move one");
        }
        Ok(range)
    }
}

fn moment(option: &str, text: &str, zone: Zone) -> Result<Timestamp> {
    match zone.moment(text) {
        Some(moment) => Ok(moment),
        None => bail!(
            "{option} {text:?} is no time: expected YYYY-MM-DD, YYYY-MM-DD HH:MM or RFC 3339 such as 2026-11-30T14:00:00Z"
        ),
    }
}
