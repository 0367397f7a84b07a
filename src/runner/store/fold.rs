use super::super::json::{Object, text};
use super::summary_data::SummaryData;
use crate::unit::Timestamp;
use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Fields of an entry that name a fact; the last entry that has one counts.
const LAST_WINS: [(&str, &str); 5] = [
    ("customTitle", "custom_title"),
    ("aiTitle", "ai_title"),
    ("lastPrompt", "last_prompt"),
    ("summary", "summary_hint"),
    ("gitBranch", "git_branch"),
];

/// A longer first prompt is cut here.
const MAX_PROMPT: usize = 200;

/// Texts that the harness makes: no prompts.
static GENERATED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:<local-command-stdout>|<session-start-hook>|<tick>|<goal>|\[Request interrupted by user[^\]]*\]",
        r"|\s*<ide_opened_file>[\s\S]*</ide_opened_file>\s*$|\s*<ide_selection>[\s\S]*</ide_selection>\s*$)",
    ))
    .ok()
});

static COMMAND: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"<command-name>(.*?)</command-name>").ok());

/// Folds one new entry into the summary of its main thread (spec/runner.md, section 13, summary data).
pub(super) fn fold(data: &mut SummaryData, entry: &Object<'_>) {
    if data.raw("is_sidechain").is_none() {
        data.set_raw("is_sidechain", entry.is_true("isSidechain").to_string());
    }
    if data.raw("created_at").is_none()
        && let Some(time) = entry.text("timestamp").and_then(|time| Timestamp::parse(&time))
    {
        data.set_raw("created_at", time.millis().to_string());
    }
    if data.raw("cwd").is_none()
        && let Some(cwd) = entry.text("cwd").filter(|cwd| !cwd.is_empty())
    {
        data.set_text("cwd", &cwd);
    }
    fold_first_prompt(data, entry);
    for (field, fact) in LAST_WINS {
        if let Some(value) = entry.text(field) {
            data.set_text(fact, &value);
        }
    }
    if entry.text("type").as_deref() == Some("tag") {
        match entry.text("tag").filter(|tag| !tag.is_empty()) {
            Some(tag) => data.set_text("tag", &tag),
            None => data.remove("tag"),
        }
    }
}

fn fold_first_prompt(data: &mut SummaryData, entry: &Object<'_>) {
    let is_prompt = entry.text("type").as_deref() == Some("user")
        && !entry.is_true("isMeta")
        && !entry.is_true("isCompactSummary")
        && data.raw("first_prompt_locked") != Some("true");
    if !is_prompt {
        return;
    }
    for raw in texts(entry) {
        let prompt = raw.replace('\n', " ");
        let prompt = prompt.trim();
        if prompt.is_empty() {
            continue;
        }
        let command = COMMAND.as_ref().and_then(|pattern| pattern.captures(prompt)).and_then(|found| found.get(1));
        if let Some(command) = command {
            if data.raw("command_fallback").is_none_or(|known| known == "\"\"") {
                data.set_text("command_fallback", command.as_str());
            }
            continue;
        }
        if GENERATED.as_ref().is_some_and(|pattern| pattern.is_match(prompt)) {
            continue;
        }
        data.set_text("first_prompt", &cut(prompt));
        data.set_raw("first_prompt_locked", "true".to_owned());
        return;
    }
}

/// The texts of a prompt; none if it carries the result of a tool.
fn texts(entry: &Object<'_>) -> Vec<String> {
    let message = entry.object("message");
    if let Some(text) = message.text("content") {
        return vec![text.into_owned()];
    }
    let blocks: Vec<Object<'_>> = message.list("content").into_iter().filter_map(Object::parse).collect();
    let kind = |block: &Object<'_>| block.text("type").unwrap_or_default().into_owned();
    if blocks.iter().any(|block| kind(block) == "tool_result") {
        return Vec::new();
    }
    let is_text = |block: &&Object<'_>| kind(block) == "text";
    blocks.iter().filter(is_text).filter_map(|block| block.raw("text").and_then(text)).map(Cow::into_owned).collect()
}

fn cut(prompt: &str) -> String {
    match prompt.char_indices().nth(MAX_PROMPT) {
        Some((end, _)) => format!("{}…", prompt.get(..end).unwrap_or(prompt).trim_end()),
        None => prompt.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(entries: &[&str]) -> String {
        let mut data = SummaryData::default();
        for json in entries {
            fold(&mut data, &Object::parse(json).unwrap());
        }
        data.to_json("s", 0).replace(r#"{"session_id":"s","mtime":0,"data":"#, "")
    }

    fn prompt(text: &str) -> String {
        let entry = format!(r#"{{"type":"user","message":{{"content":{}}}}}"#, serde_json::to_string(text).unwrap());
        folded(&[&entry])
    }

    #[test]
    fn patterns_compile() {
        assert!(GENERATED.is_some() && COMMAND.is_some());
    }

    #[test]
    fn facts_are_set_once_or_replaced() {
        let first = r#"{"type":"user","isSidechain":true,"timestamp":"1970-01-01T00:00:01Z","cwd":"","gitBranch":"a","message":{"content":"one\ntwo"}}"#;
        let second =
            r#"{"timestamp":"1970-01-01T00:00:09Z","cwd":"/w","gitBranch":"b","type":"tag","tag":"t","summary":"s"}"#;
        insta::assert_snapshot!(folded(&[first, second]), @r#"{"is_sidechain":true,"created_at":1000,"first_prompt":"one two","first_prompt_locked":true,"git_branch":"b","cwd":"/w","summary_hint":"s","tag":"t"}}"#);
        assert!(!folded(&[second, r#"{"type":"tag","tag":""}"#]).contains("\"tag\""), "an empty tag clears it");
    }

    #[test]
    fn what_the_harness_writes_is_no_prompt() {
        let none = r#"{"is_sidechain":false}}"#;
        for text in [
            "<tick>",
            "<goal>x",
            "[Request interrupted by user for tool use]",
            "<ide_selection>x</ide_selection> ",
            "  ",
        ] {
            assert_eq!(prompt(text), none, "{text}");
        }
        assert!(prompt("<ide_selection>x</ide_selection> go").contains("first_prompt"));
        assert_eq!(
            prompt("<command-name>/clear</command-name>"),
            r#"{"is_sidechain":false,"command_fallback":"/clear"}}"#
        );
        let result = r#"{"type":"user","message":{"content":[{"type":"text","text":"x"},{"type":"tool_result"}]}}"#;
        assert_eq!(folded(&[result]), none);
        assert_eq!(folded(&[r#"{"type":"user","isMeta":true,"message":{"content":"x"}}"#]), none);
    }

    #[test]
    fn long_prompts_are_cut_between_characters() {
        let long = format!("{} {}", "汉".repeat(199), "x".repeat(9));
        assert!(prompt(&long).contains(&format!("\"{}…\"", "汉".repeat(199))), "{}", prompt(&long));
    }
}
