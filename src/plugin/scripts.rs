use regex::Regex;
use std::sync::LazyLock;

/// The name of a workflow: that of its `export const meta = { name: …, description: … }`, if that is the first statement and
/// both are written out.
pub(super) fn script_name(text: &str) -> Option<String> {
    static META: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^(?:\s|//[^\n]*\n|(?s:/\*.*?\*/))*export\s+const\s+meta\s*=\s*\{([^{}]*)").ok());
    let fields = META.as_ref()?.captures(text)?.get(1)?.as_str();
    literal(&DESCRIPTION, fields)?;
    literal(&NAME, fields)
}

static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| field("name"));
static DESCRIPTION: LazyLock<Option<Regex>> = LazyLock::new(|| field("description"));

/// A field with a text that is written out, and not put together.
fn field(name: &str) -> Option<Regex> {
    let text = r#"(?:"([^"\n]+)"|'([^'\n]+)'|`([^`]+)`)"#;
    Regex::new(&format!(r"\b{name}['\x22]?\s*:\s*{text}\s*(?:,|$|//|/\*)")).ok()
}

fn literal(field: &LazyLock<Option<Regex>>, fields: &str) -> Option<String> {
    let found = field.as_ref()?.captures(fields)?;
    found.iter().skip(1).flatten().next().map(|text| text.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_stands_in_the_exported_constant() {
        assert_eq!(script_name("export const meta = { name: 'w1', description: 'd' }\n").as_deref(), Some("w1"));
        assert_eq!(
            script_name("export const meta = {\n  \"description\": 'd',\n  \"name\": \"w\"}").as_deref(),
            Some("w")
        );
        for text in [
            "const meta = { name: 'w1', description: 'd' }",
            "export const meta = { name: 'w1' }",
            "export const meta = { name: 'a' + 'b', description: 'd' }",
            "import x from 'y'\nexport const meta = { name: 'w', description: 'd' }",
        ] {
            assert_eq!(script_name(text), None, "{text}");
        }
    }
}
