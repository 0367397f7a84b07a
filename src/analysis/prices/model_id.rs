/// Prefixes that cloud providers put before the id of a model.
const PROVIDERS: [&str; 6] = ["global.", "us.", "eu.", "apac.", "jp.", "anthropic."];

/// The forms in which the id of a model may be priced, the most exact first: as it stands, then without context mark,
/// provider, platform version and date (spec/cost.md, Prices).
pub(in super::super) fn forms(id: &str) -> Vec<&str> {
    let mut forms = vec![id];
    let mut push = |form| {
        if forms.last() != Some(&form) {
            forms.push(form);
        }
        form
    };
    let mut bare = push(id.strip_suffix("[1m]").unwrap_or(id));
    for provider in PROVIDERS {
        bare = bare.strip_prefix(provider).unwrap_or(bare);
    }
    let bare = push(bare);
    let bare = push(bare.strip_suffix("-v1:0").or_else(|| bare.strip_suffix("-v2:0")).unwrap_or(bare));
    push(without_date(bare));
    forms
}

/// Without a trailing `-YYYYMMDD` or `@YYYYMMDD`.
fn without_date(id: &str) -> &str {
    let Some(cut) = id.len().checked_sub("-YYYYMMDD".len()) else { return id };
    match (id.get(..cut), id.as_bytes().get(cut..)) {
        (Some(base), Some([b'-' | b'@', digits @ ..])) if digits.iter().all(u8::is_ascii_digit) => base,
        _ => id,
    }
}

/// Models from 4.6 on cost more where `inference_geo` is `us`.
pub(super) fn has_us_factor(id: &str) -> bool {
    let mut numbers = id.split('-').filter_map(|part| part.parse::<u32>().ok());
    let version = (numbers.next(), numbers.next().unwrap_or(0));
    matches!(version, (Some(major), minor) if (major, minor) >= (4, 6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_and_providers_are_taken_off() {
        let last = |id| forms(id).last().copied().unwrap();
        for id in [
            "claude-opus-5-5",
            "claude-opus-5-5[1m]",
            "claude-opus-5-5-20260922",
            "claude-opus-5-5@20260922",
            "anthropic.claude-opus-5-5-20260922-v1:0",
            "us.anthropic.claude-opus-5-5",
            "global.anthropic.claude-opus-5-5-20260922-v2:0",
        ] {
            assert_eq!(last(id), "claude-opus-5-5", "{id}");
        }
        assert_eq!(forms("模型模型模型"), ["模型模型模型"]);
        assert_eq!(forms("claude-3-5-haiku-20241022"), ["claude-3-5-haiku-20241022", "claude-3-5-haiku"]);
    }

    #[test]
    fn newer_models_have_the_us_factor() {
        let having = ["claude-opus-4-6", "claude-sonnet-5", "claude-haiku-5-5"].map(has_us_factor);
        let lacking = ["claude-opus-4-5", "claude-3-5-haiku", "claude-opus-4", "other"].map(has_us_factor);
        assert_eq!((having, lacking), ([true; 3], [false; 4]));
    }
}
