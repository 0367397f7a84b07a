use super::state_file::{PRIVATE_MODE, make_folder, replace};
use crate::environment::{API_KEY, AUTH_TOKEN, BASE_URL, MODEL, OPUS_MODEL, Origin, SONNET_MODEL, candidates, masked};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};

const TOKEN: &str = "token (sk-ant-… or the token of a gateway)";

/// Reads what is typed at the terminal and not shown.
pub(super) type Typed = fn(&str) -> io::Result<String>;

/// What keys begin with that are sent as `x-api-key`.
const KEY_PREFIX: &str = "sk-ant-";

/// The user's `.env` file.
pub(super) fn user_file(process: &BTreeMap<String, String>, current: &Path) -> Result<PathBuf> {
    let user = candidates(process, current).into_iter().find(|candidate| candidate.origin == Origin::User);
    user.map(|candidate| candidate.path)
        .context("neither $HOME nor $XDG_CONFIG_HOME is set: there is no place for the file")
}

/// Asks for token, base URL and model, and writes the user's `.env` file anew (spec/runner.md, section 4, setup). `ask` is
/// where questions go; `None` asks nothing. `typed` takes the token where nobody can read along; without it, it is the first
/// line of `input`.
pub(super) fn setup(
    input: impl BufRead,
    mut ask: Option<&mut dyn Write>,
    typed: Option<Typed>,
    file: &Path,
) -> Result<String> {
    let mut lines = input.lines();
    let mut answer = |question: &str| -> Result<String> {
        if let Some(ask) = &mut ask {
            write!(ask, "{question}: ")?;
            ask.flush()?;
        }
        Ok(lines.next().transpose()?.unwrap_or_default().trim().to_owned())
    };
    let token = match typed {
        Some(typed) => typed(&format!("{TOKEN}: ")).context("the token cannot be read")?.trim().to_owned(),
        None => answer(TOKEN)?,
    };
    if token.is_empty() {
        bail!("no token was given; nothing was written");
    }
    let base = answer("base URL (empty: the usual one)")?;
    let model = answer("model (empty: the CLI's own choice)")?;
    for given in [&token, &base, &model] {
        // What the grammar of the file would read back as something else.
        if given.chars().any(char::is_control) || given.trim_matches(['\'', '"']) != given {
            bail!("a value begins or ends with a quote, or holds a control character; nothing was written");
        }
    }
    let key = if token.starts_with(KEY_PREFIX) { API_KEY } else { AUTH_TOKEN };
    let models = [MODEL, OPUS_MODEL, SONNET_MODEL].map(|name| (name, model.as_str()));
    let settings = [(key, token.as_str()), (BASE_URL, base.as_str())].into_iter().chain(models);
    let mut text = "# written by flower-run setup\n".to_owned();
    for (name, value) in settings.filter(|(_, value)| !value.is_empty()) {
        text.push_str(name);
        text.push('=');
        text.push_str(value);
        text.push('\n');
    }
    file.parent().map_or(Ok(()), make_folder)?;
    replace(file, text.as_bytes(), PRIVATE_MODE).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(format!("wrote {} with {key} {}", file.display(), masked(key, &token).as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_file_is_private_and_written_anew() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("flower/.env");
        let said = setup(&b"sk-ant-fake-0000\nhttps://x\nm[1m]\n"[..], None, None, &file).unwrap();
        assert!(said.ends_with("with ANTHROPIC_API_KEY sk-a***(共 16 位)"), "{said}");
        assert_eq!(
            fs::read_to_string(&file).unwrap(),
            "# written by flower-run setup\nANTHROPIC_API_KEY=sk-ant-fake-0000\nANTHROPIC_BASE_URL=https://x\nANTHROPIC_MODEL=m[1m]\nANTHROPIC_DEFAULT_OPUS_MODEL=m[1m]\nANTHROPIC_DEFAULT_SONNET_MODEL=m[1m]\n"
        );
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let mut asked = Vec::new();
        setup(&b"gateway-token\n\n\n"[..], Some(&mut asked), None, &file).unwrap();
        assert_eq!(
            fs::read_to_string(&file).unwrap(),
            "# written by flower-run setup\nANTHROPIC_AUTH_TOKEN=gateway-token\n"
        );
        assert!(String::from_utf8(asked).unwrap().starts_with("token"));
    }

    #[test]
    fn nothing_is_written_without_a_token() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(".env");
        for input in ["", "\n", "'quoted'\n", "a\0b\n", "\u{1b}[200~sk-ant-x\u{1b}[201~\n"] {
            assert!(setup(input.as_bytes(), None, None, &file).is_err(), "{input:?}");
        }
        assert!(!file.exists());
    }
}
