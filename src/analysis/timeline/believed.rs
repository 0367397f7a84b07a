use super::gather::Timeline;
use crate::unit::Timestamp;

/// Why something has no place.
const FUTURE: &str = "its time lies years after everything else: a clock was wrong";
const ENDS_IN_FUTURE: &str = "its end lies years after everything else, a clock was wrong: only its start is shown";

impl Timeline {
    /// Takes from the axis what a wrong clock dated after `horizon`, and says so.
    pub(super) fn believe(&mut self, horizon: Timestamp) {
        for span in std::mem::take(&mut self.spans) {
            let kind = span.kind.to_string();
            if span.start > horizon {
                self.unplaced(kind, &span.name, span.store_key.as_deref(), span.seq, FUTURE);
                continue;
            }
            if span.end.is_some_and(|end| end > horizon) {
                self.unplaced(kind, &span.name, span.store_key.as_deref(), span.seq, ENDS_IN_FUTURE);
            }
            let end = span.end.filter(|end| *end <= horizon);
            let duration_s = span.duration_s.filter(|_| end.is_some());
            self.spans.push(super::TimelineSpan { end, duration_s, ..span });
        }
        for event in std::mem::take(&mut self.events) {
            if event.time > horizon {
                self.unplaced("event".to_owned(), "", Some(&event.store_key), Some(event.seq), FUTURE);
            } else {
                self.events.push(event);
            }
        }
    }
}
