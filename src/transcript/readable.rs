use super::fields::{Fields, each_element, each_field, fields};
use super::scalar::text;
use serde::Serialize;

/// One payload as a person reads it: its content in full, and every other field as it is recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Readable {
    /// Fields at the top and in `message`, but for the content, as compact JSON; strings without their quotes.
    pub fields: Vec<(String, String)>,
    /// The content, block by block.
    pub blocks: Vec<ReadableBlock>,
}

/// One block of content.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ReadableBlock {
    /// Its type, with the names and ids that it carries.
    pub heading: String,
    /// Its text, or the JSON of what is no text.
    pub text: String,
}

impl Readable {
    /// Reads a payload; one that is no JSON object becomes a single block with the text as it stands.
    pub fn of(payload: &[u8]) -> Self {
        let json = String::from_utf8_lossy(payload);
        let mut readable = Self::default();
        match fields(json.trim_ascii()) {
            Some(all) => readable.take_fields("", &all),
            None => readable.block("not a JSON object", json.clone().into_owned()),
        }
        readable
    }

    fn take_fields(&mut self, before: &str, all: &Fields<'_>) {
        for (name, value) in all {
            match (before, name.as_str()) {
                ("", "message") => match fields(value) {
                    Some(message) => self.take_fields("message.", &message),
                    None => self.fields.push(("message".to_owned(), (*value).to_owned())),
                },
                ("message.", "content") => self.content("content", value),
                ("", "attachment" | "content" | "toolUseResult") => self.content(name, value),
                _ => self.fields.push((format!("{before}{name}"), plain(value))),
            }
        }
    }

    fn content(&mut self, name: &str, value: &str) {
        let is_list = each_element(value, |element| {
            let mut heading = Vec::new();
            let mut body = None;
            each_field(element, |name, value| match name {
                "type" | "name" | "id" | "tool_use_id" => heading.push(plain(value)),
                "is_error" if value == "true" => heading.push("error".to_owned()),
                "text" | "thinking" | "content" | "input" => body = Some(texts(value)),
                _ => {}
            });
            self.block(&heading.join(" "), body.unwrap_or_else(|| element.to_owned()));
        });
        if !is_list {
            self.block(name, plain(value));
        }
    }

    fn block(&mut self, heading: &str, text: String) {
        self.blocks.push(ReadableBlock { heading: heading.to_owned(), text });
    }
}

/// A string without its quotes; other JSON as it stands.
fn plain(json: &str) -> String {
    text(json).map_or_else(|| json.to_owned(), std::borrow::Cow::into_owned)
}

/// The text of a string or of a list of text blocks; other JSON as it stands.
fn texts(json: &str) -> String {
    let mut all = Vec::new();
    let is_list = each_element(json, |element| {
        let mut found = None;
        each_field(element, |name, value| {
            if name == "text" {
                found = text(value).map(std::borrow::Cow::into_owned);
            }
        });
        all.push(found.unwrap_or_else(|| element.to_owned()));
    });
    if is_list { all.join("\n") } else { plain(json) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_comes_in_full_and_the_rest_as_recorded() {
        let payload = r#"{"type":"user","n":[1, 2],"message":{"role":"user","content":[
            {"type":"tool_result","tool_use_id":"t1","is_error":true,"content":[{"type":"text","text":"a\nb"}]},
            {"type":"image","source":{"data":"…"}}]}}"#;
        let readable = Readable::of(payload.as_bytes());
        let fields: Vec<_> = readable.fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(fields, ["type=user", "n=[1, 2]", "message.role=user"]);
        assert_eq!(
            readable.blocks[0],
            ReadableBlock { heading: "tool_result t1 error".to_owned(), text: "a\nb".to_owned() }
        );
        assert!(readable.blocks[1].text.contains("source"));
    }

    #[test]
    fn what_is_no_object_is_shown_as_it_stands() {
        assert_eq!(Readable::of(b"{\"torn").blocks[0].text, "{\"torn");
    }
}
