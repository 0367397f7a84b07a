use regex::Regex;
use std::sync::LazyLock;

/// The name of a workflow: that of its `export const meta = { name: … }`.
pub(super) fn script_name(text: &str) -> Option<String> {
    static META: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let name = r#"(?:"([^"\n]+)"|'([^'\n]+)'|`([^`\n]+)`)"#;
        Regex::new(&format!(r"export\s+const\s+meta\s*=\s*\{{[^{{}}]*?\bname['\x22]?\s*:\s*{name}")).ok()
    });
    let found = META.as_ref()?.captures(text)?;
    found.iter().skip(1).flatten().next().map(|name| name.as_str().to_owned())
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
        assert_eq!(script_name("const meta = { name: 'w1' }"), None);
    }
}
