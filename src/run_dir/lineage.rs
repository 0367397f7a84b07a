use std::collections::BTreeSet;

use super::json_scan::{Break, Scanner};
use super::limits::{MAX_MANIFEST_ROWS, MAX_STATE_LIST};
use super::names::LINEAGE;
use super::state_problem::{StateFault, StateProblem};
use super::state_reader::{StateReader, UnknownKey};

/// Which session each step continues in the next run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lineage {
    /// Absolute path from which the run was started; another one starts new sessions.
    pub workspace: Option<String>,
    /// How often the run directory was used.
    pub woke: Option<u64>,
    /// Step name and session id, in the order of the file; a step that occurs twice is there twice, and the last counts.
    pub steps: Vec<(String, String)>,
    /// Keys that are not known here, as they stand.
    pub unknown: Vec<UnknownKey>,
    /// What was wrong, in the order of the file.
    pub problems: Vec<StateProblem>,
}

impl Lineage {
    /// Reads a lineage. Never fails: what can be read is read, everything else becomes a problem.
    pub fn parse(bytes: &[u8]) -> Self {
        let mut reader = StateReader::new(LINEAGE, bytes);
        let mut lineage = Self::default();
        if let Some(mut scanner) = reader.start() {
            if scanner.peek() == Some(b'{') {
                read(&mut reader, &mut scanner, bytes, &mut lineage);
            } else {
                let found = scanner.clone().value().map_or("no JSON", |item| item.shape.name());
                reader.note(scanner.at(), StateFault::WrongTop { expected: "an object", found });
            }
        }
        Self { problems: reader.finish(), ..lineage }
    }

    /// The session that `step` continues.
    pub fn session(&self, step: &str) -> Option<&str> {
        self.steps.iter().rev().find(|(name, _)| name == step).map(|(_, session)| session.as_str())
    }
}

fn read(reader: &mut StateReader<'_>, scanner: &mut Scanner<'_>, bytes: &[u8], lineage: &mut Lineage) {
    let start = scanner.at();
    let mut seen = BTreeSet::new();
    let mut more = 0;
    let end = scanner.object(|scanner, literal| {
        let key = reader.key(literal, &mut seen);
        if key == "steps" && scanner.peek() == Some(b'{') {
            return read_steps(reader, scanner, &mut lineage.steps);
        }
        let item = scanner.value()?;
        match key.as_str() {
            "workspace" => lineage.workspace = reader.text(&key, item),
            "woke" => lineage.woke = reader.count(&key, item),
            "steps" => reader.wrong(&key, item, "an object"),
            _ if lineage.unknown.len() < MAX_STATE_LIST => lineage.unknown.push(reader.unknown(&key, item)),
            _ => more += 1,
        }
        Ok(())
    });
    if more > 0 {
        reader.note(start, StateFault::TooMany { what: "unknown keys", kept: MAX_STATE_LIST, more });
    }
    match end {
        Ok(()) => {
            for key in ["workspace", "woke", "steps"].into_iter().filter(|key| !seen.contains(*key)) {
                reader.note(start, StateFault::MissingKey { key });
            }
            reader.end(scanner);
        }
        Err(broken) => reader.note_break(broken, bytes.len()),
    }
}

fn read_steps(
    reader: &mut StateReader<'_>,
    scanner: &mut Scanner<'_>,
    steps: &mut Vec<(String, String)>,
) -> Result<(), Break> {
    let start = scanner.at();
    let mut seen = BTreeSet::new();
    let mut more = 0;
    let end = scanner.object(|scanner, literal| {
        let step = reader.key(literal, &mut seen);
        let item = scanner.value()?;
        match reader.text(&step, item) {
            Some(session) if steps.len() < MAX_MANIFEST_ROWS => steps.push((step, session)),
            Some(_) => more += 1,
            None => {}
        }
        Ok(())
    });
    if more > 0 {
        reader.note(start, StateFault::TooMany { what: "steps", kept: MAX_MANIFEST_ROWS, more });
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::Diagnosis;
    use proptest::prelude::*;

    const WHOLE: &str = r#"{
  "workspace": "/workspace/demo",
  "woke": 2,
  "steps": {
    "write": "d46720da",
    "inspect·判定#1": "d3c02bc6"
  }
}"#;

    fn told(text: &str) -> (Lineage, Vec<String>) {
        let lineage = Lineage::parse(text.as_bytes());
        let told = lineage.problems.iter().map(|p| format!("{}: {}", p.fault.code(), p.finding().message)).collect();
        (lineage, told)
    }

    #[test]
    fn steps_keep_their_order() {
        let (lineage, told) = told(WHOLE);
        assert_eq!(told, Vec::<String>::new());
        assert_eq!((lineage.workspace.as_deref(), lineage.woke), (Some("/workspace/demo"), Some(2)));
        let steps: Vec<_> = lineage.steps.iter().map(|(step, session)| (step.as_str(), session.as_str())).collect();
        assert_eq!(steps, [("write", "d46720da"), ("inspect·判定#1", "d3c02bc6")]);
        assert_eq!(lineage.session("write"), Some("d46720da"));
        assert_eq!(lineage.session("other"), None);
    }

    #[test]
    fn damage_is_told_and_the_rest_is_read() {
        let (lineage, problems) = told(WHOLE.split_once("c6").unwrap().0);
        assert_eq!(lineage.steps.len(), 1);
        assert_eq!(
            problems,
            [
                "state-truncated: the file ends at byte 119, where the end of a string was expected; what stands before is kept"
            ]
        );
        let (lineage, problems) = told(r#"{"woke": -1, "steps": {"a": 1, "b": "x", "b": "y"}, "extra": []} tail"#);
        assert_eq!(lineage.session("b"), Some("y"));
        assert_eq!(lineage.unknown.len(), 1);
        insta::assert_snapshot!(problems.join("\n"), @r"
        state-negative: `woke` is -1, below zero
        state-wrong-type: `a` should be a string, found 1
        state-duplicate-key: `b` occurs more than once; the last value counts
        state-missing-key: `workspace` is missing
        state-trailing: 4 bytes follow the end of the JSON text at byte 65; they are not read
        ");
        assert_eq!(told("[]").1, ["state-wrong-top: the file holds an array where an object was expected"]);
        assert_eq!(told(" ").1, ["state-empty: the file is empty"]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            Lineage::parse(&bytes);
        }
    }

    #[test]
    fn every_truncation_is_told() {
        for end in 0..WHOLE.len() {
            let lineage = Lineage::parse(&WHOLE.as_bytes()[..end]);
            assert_eq!(lineage.problems.len(), 1, "{end}: {:?}", lineage.problems);
        }
    }
}
