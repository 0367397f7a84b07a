use super::KNOWN;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

type Object<'a> = BTreeMap<String, &'a RawValue>;

/// The known keys of the block `env` of Claude Code's settings that have a value; `Err` says why nothing can be read.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<(String, String)>, String> {
    let told = |error: serde_json::Error| error.to_string();
    let settings: Object<'_> = serde_json::from_slice(bytes).map_err(told)?;
    let env = settings.get("env").map(|raw| serde_json::from_str::<Option<Object<'_>>>(raw.get()).map_err(told));
    let mut env = env.transpose()?.flatten().unwrap_or_default();
    let mut found = Vec::new();
    for key in KNOWN {
        let value = env.remove(key).and_then(|raw| serde_json::from_str(raw.get()).ok()).and_then(truthy);
        found.extend(value.filter(|value| !value.contains('\0')).map(|value| (key.to_owned(), value)));
    }
    Ok(found)
}

/// A value that is neither empty nor false nor zero, as text.
fn truthy(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text).filter(|text| !text.is_empty()),
        Value::Number(number) => (number.as_f64() != Some(0.0)).then(|| number.to_string()),
        Value::Bool(true) => Some("True".to_owned()),
        Value::Bool(false) | Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_keys_with_a_value() {
        let text = br#"{"model": 1, "env": {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_MODEL": "", "PATH": "/x",
            "ANTHROPIC_BASE_URL": null, "CLAUDE_CODE_EFFORT_LEVEL": 3}}"#;
        let found = parse(text).unwrap();
        let shown: Vec<_> = found.iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(shown, ["ANTHROPIC_API_KEY=k", "CLAUDE_CODE_EFFORT_LEVEL=3"]);
        assert_eq!(parse(b"{}").unwrap(), []);
        assert_eq!(parse(b"{\"env\": null}").unwrap(), []);
        for broken in ["", "[]", "{\"env\": []}", "{"] {
            assert!(parse(broken.as_bytes()).is_err(), "{broken}");
        }
    }
}
