use super::super::json::{Object, quoted};

/// The derived facts of a main thread, in the order in which they first appeared: a list, because they are stored in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SummaryData(Vec<(String, String)>);

impl SummaryData {
    /// The facts in a stored summary; none if it cannot be read.
    pub(super) fn parse(json: &str) -> Self {
        let data = Object::parse(json).unwrap_or_default().object("data");
        let mut facts = Self::default();
        data.fields().for_each(|(name, raw)| facts.set_raw(name, raw.to_owned()));
        facts
    }

    /// The column `data`.
    pub(super) fn to_json(&self, session: &str, mtime: i64) -> String {
        let facts: Vec<String> = self.0.iter().map(|(name, raw)| format!("{}:{raw}", quoted(name))).collect();
        format!(r#"{{"session_id":{},"mtime":{mtime},"data":{{{}}}}}"#, quoted(session), facts.join(","))
    }

    /// A fact as JSON.
    pub(super) fn raw(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(fact, _)| fact == name).map(|(_, raw)| raw.as_str())
    }

    /// Sets a fact that is a text.
    pub(super) fn set_text(&mut self, name: &str, text: &str) {
        self.set_raw(name, quoted(text));
    }

    /// Sets a fact to a JSON value.
    pub(super) fn set_raw(&mut self, name: &str, raw: String) {
        match self.0.iter_mut().find(|(fact, _)| fact == name) {
            Some((_, value)) => *value = raw,
            None => self.0.push((name.to_owned(), raw)),
        }
    }

    /// Removes a fact.
    pub(super) fn remove(&mut self, name: &str) {
        self.0.retain(|(fact, _)| fact != name);
    }
}
