use super::super::axis::Cut;
use super::super::cell::Tone;
use super::super::page_lanes::Clock;
use super::super::text;
use super::frame::Frame;
use crate::unit::Timestamp;

impl Frame<'_> {
    /// Times over the axis, and the axis itself.
    pub(super) fn scale(&self) -> Vec<String> {
        let indent = " ".repeat(self.label + 2);
        let cuts: Vec<Cut> = self.axis.cuts().collect();
        let (mut times, mut rule) = (String::new(), String::new());
        let unicode = self.style.unicode;
        let mut day = String::new();
        for column in 0..self.axis.columns() {
            let is_cut = cuts.iter().any(|cut| cut.column == column);
            let named = self.axis.moment(column).filter(|_| column == 0 || text::width(&times) + 2 <= column);
            let begins = column == 0 || cuts.iter().any(|cut| cut.column + 1 == column);
            let named = named.filter(|_| begins || column % 4 == 0);
            let label = named.map(|t| self.time(t, &mut day));
            let fits = label.filter(|label| column == 0 || column + text::width(label) <= self.axis.columns());
            rule.push(match (is_cut, fits.is_some(), unicode) {
                (true, _, true) => '┊',
                (true, _, false) => ':',
                (false, true, true) => '┬',
                (false, true, false) => '+',
                (false, false, true) => '─',
                (false, false, false) => '-',
            });
            if let Some(label) = fits {
                times = format!("{}{label}", text::pad(&times, column));
            }
        }
        let times = self.style.cut(&format!("{indent}{times}"), self.style.room());
        [times, format!("{indent}{rule}")].map(|line| self.style.tint(&line, Tone::Faint)).into()
    }

    /// The time of a moment, with its day where that is another one than before; with the offset from UTC where the
    /// clocks of the zone are set on the axis, since then one time may stand twice.
    fn time(&self, t: Timestamp, day: &mut String) -> String {
        let Clock::Zone(zone) = self.lanes.clock else { return self.lanes.clock.moment(t) };
        let today = zone.day(t);
        let ends = [0, self.axis.columns().saturating_sub(1)].map(|column| self.axis.moment(column));
        let offset = match ends {
            [Some(first), Some(last)] if zone.offset(first) != zone.offset(last) => zone.offset(t),
            _ => String::new(),
        };
        let time = format!("{}{offset}", zone.time(t));
        if *day == today {
            return time;
        }
        *day = today;
        format!("{day} {time}")
    }
}
