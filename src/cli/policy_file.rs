use super::given_file;
use crate::layers::Policy;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::path::{Component, Path};

/// A policy file is a few lines long; more is something else.
const MAX_POLICY_FILE: u64 = 64 << 10;

/// Characters of a parser's message that are shown: it may repeat the file.
const SHOWN: usize = 300;

/// The policy in a file, TOML or JSON by its content.
pub(super) fn read(path: &Path) -> Result<Policy> {
    let shown = path.display();
    if !path.exists() {
        let names = Policy::names().collect::<Vec<_>>().join(", ");
        bail!("there is no policy {shown}: expected {names}, or a TOML or JSON file");
    }
    let bytes = given_file::read("policy", path, MAX_POLICY_FILE)?;
    let text = String::from_utf8(bytes).with_context(|| format!("cannot read the policy {shown}: expected UTF-8"))?;
    parse(&text)
        .with_context(|| format!("{shown} is no policy: see `flower-analyze layers --help` for what it may say"))
}

fn parse(text: &str) -> Result<Policy> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let policy: Policy = match serde_json::from_str::<Value>(text) {
        Ok(value) => {
            check_form(&value)?;
            serde_json::from_str(text).map_err(|error| told(&error.to_string()))?
        }
        Err(error) if text.trim_start().starts_with('{') => return Err(told(&error.to_string())),
        Err(_) => {
            check_form(&toml::from_str(text).map_err(|error| told(error.message()))?)?;
            toml::from_str(text).map_err(|error| told(error.message()))?
        }
    };
    check_folder(&policy.trim.spill_dirname)?;
    Ok(policy)
}

/// A list would be taken by position.
fn check_form(value: &Value) -> Result<()> {
    let Value::Object(layers) = value else { bail!("expected an object of layers, found another value") };
    for (layer, options) in layers {
        ensure!(
            options.is_object() || !is_layer(layer),
            "expected an object of options for {layer}, found another value"
        );
    }
    Ok(())
}

fn is_layer(name: &str) -> bool {
    ["expire", "trim", "prune", "heal"].contains(&name)
}

/// What a parser says, without the names of types, and not without end.
fn told(message: &str) -> anyhow::Error {
    let words = [("expected usize", "expected a whole number"), ("expected u64", "expected a whole number")];
    let told = words.iter().fold(message.to_owned(), |text, (from, to)| text.replace(from, to));
    let told = told.replace("expected a boolean", "expected true or false");
    let cut: String = told.chars().take(SHOWN).collect();
    if cut.len() < told.len() { anyhow::anyhow!("{cut}…") } else { anyhow::anyhow!(told) }
}

/// The folder is told to the model and looked for in the workspace.
fn check_folder(name: &str) -> Result<()> {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    let is_plain = !name.is_empty() && Path::new(name).components().all(is_plain);
    if !is_plain || name.chars().any(char::is_control) {
        bail!(
            "trim.spill_dirname is {name:?}: expected a folder of the workspace, such as .flower/spill, without .. or control characters"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn a_policy_is_read_by_its_content() {
        let trims = |text: &str| parse(text).unwrap().trim.min_chars;
        assert_eq!(trims("[trim]\nmin_chars = 400\n"), 400);
        assert_eq!(trims("\u{feff} {\"trim\":{\"min_chars\":400}}"), 400);
        assert_eq!(parse("").unwrap(), Policy::flower());
    }

    #[test]
    fn what_would_be_taken_by_position_is_refused() {
        for text in ["[]", "[{},{},{},{}]", "5", "{\"trim\":[true,1,2,\"x\"]}", "trim = [true, 1, 2, \"x\"]"] {
            assert!(refused(text).contains("expected an object"), "{text}: {}", refused(text));
        }
        assert!(refused("{\"trim\":{},\"trim\":{}}").contains("duplicate field"));
    }

    #[test]
    fn messages_are_short_and_name_no_types() {
        let text = refused("[trim]\nkeep_recent = \"x\"");
        assert!(text.contains("expected a whole number") && !text.contains("usize"), "{text}");
        let text = refused(&format!("{} = 1", "x".repeat(10_000)));
        assert!(text.chars().count() <= SHOWN + 1, "{}", text.len());
    }

    #[test]
    fn the_folder_stays_in_the_workspace() {
        for name in ["", "/tmp/x", "../x", "a/../b", "a\\u0007"] {
            let text = refused(&format!("{{\"trim\":{{\"spill_dirname\":\"{name}\"}}}}"));
            assert!(text.contains("expected a folder of the workspace"), "{name}: {text}");
        }
    }
}
