use crate::transcript::Label;
use foldhash::HashMap;

/// Tells the messages with one id apart: two copies are different messages only when both carry a request id and these
/// differ (spec/entries.md, One API message, several entries).
#[derive(Debug, Default)]
pub(super) struct Requests<'a> {
    seen: bool,
    /// Request id of the first message; a copy with any request id completes one that has none.
    first: Option<&'a Label>,
    others: HashMap<&'a Label, usize>,
}

impl<'a> Requests<'a> {
    /// Which of the messages a copy with this request id belongs to, counted from 0 in the order in which they are met.
    pub(super) fn message(&mut self, request: Option<&'a Label>) -> usize {
        if !std::mem::replace(&mut self.seen, true) {
            self.first = request;
            return 0;
        }
        match (request, self.first) {
            (None, _) => 0,
            (Some(_), None) => {
                self.first = request;
                0
            }
            (Some(request), Some(first)) if request == first => 0,
            (Some(request), Some(_)) => {
                let next = self.others.len() + 1;
                *self.others.entry(request).or_insert(next)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_two_request_ids_make_two_messages() {
        let [a, b]: [Label; 2] = ["a".into(), "b".into()];
        let mut requests = Requests::default();
        let met = [None, Some(&a), None, Some(&b), Some(&a), Some(&b)].map(|request| requests.message(request));
        assert_eq!(met, [0, 0, 0, 1, 0, 1]);
    }
}
