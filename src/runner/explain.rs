use crate::environment::{Environment, Explanation};
use crate::unit::Finding;
use serde::Serialize;
use std::fmt::Write as _;

#[derive(Serialize)]
struct Explained {
    #[serde(flatten)]
    explanation: Explanation,
    findings: Vec<Finding>,
}

/// Where every setting comes from and the traps hit, as JSON.
pub(super) fn json(environment: &Environment) -> serde_json::Result<String> {
    let (explanation, findings) = (environment.explanation(), environment.findings());
    serde_json::to_string_pretty(&Explained { explanation, findings })
}

/// The same for a person.
pub(super) fn text(environment: &Environment) -> String {
    let explanation = environment.explanation();
    // Writing to a String cannot fail.
    let mut text = "sources, the first claim of a key wins:\n".to_owned();
    for (number, source) in (1..).zip(&explanation.sources) {
        let file = source.file.as_deref().unwrap_or("the environment");
        let _ = writeln!(text, "  {number} {file} {}", source.reading);
    }
    text.push_str("settings:\n");
    for setting in &explanation.settings {
        let _ =
            writeln!(text, "  {} = {}  from {}", setting.key, setting.winner.value.as_str(), setting.winner.place());
        for other in &setting.shadowed {
            let _ = writeln!(text, "    not {}  from {}", other.value.as_str(), other.place());
        }
    }
    let findings = environment.findings();
    if !findings.is_empty() {
        text.push_str("traps:\n");
    }
    for finding in findings {
        let place = finding.place.file.map(|file| match finding.place.line {
            Some(line) => format!("{file}:{line}: "),
            None => format!("{file}: "),
        });
        let _ =
            writeln!(text, "  {}: {}{} [{}]", finding.level, place.unwrap_or_default(), finding.message, finding.code);
    }
    text
}
