//! Changes in the text of a JSON value: everything that is not changed keeps its bytes.

use serde_json::Value;
use std::ops::Range;

/// A text with replacements to be made in it.
pub(super) struct Splice<'a> {
    json: &'a str,
    edits: Vec<(Range<usize>, String)>,
}

impl<'a> Splice<'a> {
    pub(super) fn new(json: &'a str) -> Self {
        Self { json, edits: Vec::new() }
    }

    /// Puts `new` in the place of `part`, which is a part of the text itself.
    pub(super) fn replace(&mut self, part: &str, new: String) {
        let range = self.range(part);
        self.edits.push((range, new));
    }

    /// Takes elements out of the list that holds `elements`, with the commas that they need no more.
    pub(super) fn remove_elements(&mut self, elements: &[&str], is_removed: impl Fn(usize) -> bool) {
        let parts: Vec<_> = elements.iter().map(|element| self.range(element)).collect();
        self.remove(&parts, is_removed);
    }

    /// Takes fields out of the object that the text is, given the values of all fields in their order.
    pub(super) fn remove_fields(&mut self, values: &[&str], is_removed: impl Fn(usize) -> bool) {
        let mut parts = Vec::with_capacity(values.len());
        let mut end = 0;
        for value in values {
            let value = self.range(value);
            // Between two fields stand blanks and a comma, before the first one blanks and a brace.
            let name = self.json.get(end..).and_then(|rest| rest.find('"')).map_or(value.start, |at| end + at);
            end = value.end;
            parts.push(name..end);
        }
        self.remove(&parts, is_removed);
    }

    /// The text with all replacements made; they do not overlap.
    pub(super) fn finish(mut self) -> String {
        self.edits.sort_by_key(|(range, _)| range.start);
        let mut out = String::with_capacity(self.json.len());
        let mut done = 0;
        for (range, new) in self.edits {
            out.push_str(self.json.get(done..range.start).unwrap_or_default());
            out.push_str(&new);
            done = range.end;
        }
        out.push_str(self.json.get(done..).unwrap_or_default());
        out
    }

    fn remove(&mut self, parts: &[Range<usize>], is_removed: impl Fn(usize) -> bool) {
        let mut last_end = None;
        let mut kept_before = false;
        for (at, part) in parts.iter().enumerate() {
            let next = parts.get(at + 1);
            if !is_removed(at) {
                kept_before = true;
            } else if let Some(end) = last_end.filter(|_| kept_before) {
                self.edits.push((end..part.end, String::new()));
            } else {
                self.edits.push((part.start..next.map_or(part.end, |next| next.start), String::new()));
            }
            last_end = Some(part.end);
        }
    }

    fn range(&self, part: &str) -> Range<usize> {
        let start = part.as_ptr().addr().saturating_sub(self.json.as_ptr().addr());
        start..start + part.len()
    }
}

/// A JSON string with its quotes.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{each_element, each_field};
    use proptest::prelude::*;

    fn values(json: &str) -> Vec<&str> {
        let mut values = Vec::new();
        assert!(each_field(json, |_, value| values.push(value)) || each_element(json, |value| values.push(value)));
        values
    }

    fn without(json: &str, removed: &[bool]) -> String {
        let mut splice = Splice::new(json);
        if json.starts_with('{') {
            splice.remove_fields(&values(json), |at| removed[at]);
        } else {
            splice.remove_elements(&values(json), |at| removed[at]);
        }
        splice.finish()
    }

    #[test]
    fn what_is_left_keeps_its_bytes() {
        let object = "{ \"a\" : 1 ,\n\"b\":[2, 3],  \"c\" :\"x\" }";
        let shown = |a, b, c| without(object, &[a, b, c]);
        assert_eq!(shown(false, false, false), object);
        assert_eq!(shown(true, false, false), "{ \"b\":[2, 3],  \"c\" :\"x\" }");
        assert_eq!(shown(false, true, false), "{ \"a\" : 1,  \"c\" :\"x\" }");
        assert_eq!(shown(false, false, true), "{ \"a\" : 1 ,\n\"b\":[2, 3] }");
        assert_eq!(shown(true, true, true), "{  }");
        assert_eq!(without("[1, 2 ,3]", &[true, true, false]), "[3]");
    }

    #[test]
    fn replacements_are_made_together() {
        let json = r#"{"a":"x","b":[{"c":1},{"c":2}]}"#;
        let mut splice = Splice::new(json);
        let all = values(json);
        let elements = values(all[1]);
        splice.replace(values(elements[1])[0], "9".to_owned());
        splice.remove_elements(&elements, |at| at == 0);
        splice.replace(all[0], quoted("y\"\n"));
        assert_eq!(splice.finish(), r#"{"a":"y\"\n","b":[{"c":9}]}"#);
    }

    proptest! {
        #[test]
        fn any_subset_can_be_taken_out(removed in proptest::collection::vec(any::<bool>(), 0..6), blank in "[ \n]{0,2}") {
            let list = |names: bool| {
                let part = |at: usize| if names { format!("\"k{at}\"{blank}:{blank}{at}") } else { at.to_string() };
                (0..removed.len()).map(part).collect::<Vec<_>>().join(&format!("{blank},{blank}"))
            };
            let kept: Vec<String> = (0..removed.len()).filter(|at| !removed[*at]).map(|at| at.to_string()).collect();
            for json in [format!("{{{blank}{}{blank}}}", list(true)), format!("[{blank}{}{blank}]", list(false))] {
                let left = without(&json, &removed);
                prop_assert_eq!(values(&left), kept.iter().map(String::as_str).collect::<Vec<_>>(), "{} {}", json, left);
            }
        }
    }
}
