use super::Timeline;
use crate::analysis::TimeRange;

impl Timeline {
    /// The same with what a range meets alone, each span whole.
    #[must_use]
    pub fn within(mut self, range: TimeRange) -> Self {
        let Self { spans, events, spans_left_out: lost_spans, events_left_out: lost_events, .. } = &mut self;
        spans.retain(|span| lost_spans.takes_span(range, Some(span.start), span.end));
        events.retain(|event| lost_events.takes(range, Some(event.time)));
        let starts = spans.iter().map(|span| span.start).chain(events.iter().map(|event| event.time));
        let ends = spans.iter().map(super::TimelineSpan::last).chain(events.iter().map(|event| event.time));
        let (from, to) = (starts.min(), ends.max());
        Self { range, from, to, ..self }
    }
}
