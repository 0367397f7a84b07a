use super::json::Object;
use super::rewrite::{Lists, strings};
use super::state_file::{STATE_MODE, make_folder, replace};
use crate::transcript::short_hash;
use std::io;
use std::path::{Path, PathBuf};

/// Results from this many characters on are written to a file. Source: spec/runner.md, section 15.
const MIN_CHARACTERS: usize = 4000;

/// Hexadecimal digits of the hash that name a file. Source: spec/runner.md, section 15.
const NAME_DIGITS: usize = 16;

/// Characters of the beginning that stay.
const HEAD: usize = 400;

/// Puts long results of tools into files before the model sees them.
#[derive(Debug, Clone)]
pub(super) struct SpillFolder(PathBuf);

impl SpillFolder {
    /// Files go below `folder`.
    pub(super) const fn new(folder: PathBuf) -> Self {
        Self(folder)
    }

    /// A result with its long texts replaced; `None` if it has none, or if the call reads such a file itself.
    pub(super) fn shorten(&self, input: &Object<'_>, response: &str) -> io::Result<Option<String>> {
        let folder = self.0.to_string_lossy();
        let reads_spill = |raw: &str| super::json::text(raw).is_some_and(|text| text.contains(folder.as_ref()));
        if input.fields().any(|(_, raw)| reads_spill(raw)) {
            return Ok(None);
        }
        let mut failed = None;
        let shortened = strings(response, Lists::Keep, &mut |text| {
            let characters = text.chars().count();
            if characters < MIN_CHARACTERS || failed.is_some() {
                return None;
            }
            write(&self.0, text).map(|file| pointer(&file, text, characters)).map_err(|error| failed = Some(error)).ok()
        });
        failed.map_or(Ok(shortened), Err)
    }
}

fn pointer(file: &Path, text: &str, characters: usize) -> String {
    let head: String = text.chars().take(HEAD).map(|c| if c == '\n' { ' ' } else { c }).collect();
    format!(
        "[输出 {characters} 字符,已落盘到 {} —— 需要全文用 Read 读它,需要找东西用 Grep 搜它]\n开头 {HEAD} 字符:{head}",
        file.display()
    )
}

/// Writes a text to the file that is named by its content; where it is.
pub(super) fn write(folder: &Path, text: &str) -> io::Result<PathBuf> {
    let path = folder.join(format!("{}.txt", short_hash(text, NAME_DIGITS)));
    if !path.exists() {
        make_folder(folder)?;
        replace(&path, text.as_bytes(), STATE_MODE)?;
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn long_texts_go_to_files_named_by_their_content() {
        let folder = tempfile::tempdir().unwrap();
        let spill = SpillFolder::new(folder.path().join("spill"));
        let none = Object::default();
        let of = |n: usize| {
            format!(
                r#"{{"stdout":"{}","file":{{"content":"x"}},"list":["{}"]}}"#,
                "汉\\n".repeat(n / 2),
                "y".repeat(5000)
            )
        };
        assert_eq!(spill.shorten(&none, &of(3998)).unwrap(), None);
        let new = spill.shorten(&none, &of(4000)).unwrap().unwrap();
        let object = Object::parse(&new).unwrap();
        let text = object.text("stdout").unwrap().into_owned();
        let (first, head) = text.split_once('\n').unwrap();
        let path = first.split("已落盘到 ").nth(1).unwrap().split(" ——").next().unwrap();
        assert!(first.starts_with("[输出 4000 字符,已落盘到 ") && first.ends_with("用 Grep 搜它]"), "{first}");
        assert_eq!(head, format!("开头 400 字符:{}", "汉 ".repeat(200)));
        assert_eq!(fs::read_to_string(path).unwrap(), "汉\n".repeat(2000));
        assert_eq!(object.list("list").len(), 1, "lists stay");
        let input = format!(r#"{{"file_path":"{path}"}}"#);
        assert_eq!(
            spill.shorten(&Object::parse(&input).unwrap(), &of(4000)).unwrap(),
            None,
            "reading it is no reason to spill again"
        );
    }
}
