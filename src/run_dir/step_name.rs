/// What a step name of the manifest is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepName<'a> {
    /// The name without its last mark.
    pub base: &'a str,
    /// What the last mark says.
    pub kind: StepKind,
}

/// Why a step was executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "number")]
pub enum StepKind {
    /// The work itself, for the first time.
    Work,
    /// Sent back for rework, `#round2`.
    Round(u32),
    /// Tried again, `#retry1`.
    Retry(u32),
    /// A judge of the work, `·判定#1`.
    Judge(u32),
}

impl<'a> StepName<'a> {
    /// Splits off the last mark; a name without one is work.
    pub fn parse(name: &'a str) -> Self {
        let work = Self { base: name, kind: StepKind::Work };
        let Some((base, mark)) = name.rsplit_once('#') else { return work };
        let numbered = |prefix: &str| mark.strip_prefix(prefix).and_then(number);
        if let Some(n) = numbered("round") {
            return Self { base, kind: StepKind::Round(n) };
        }
        if let Some(n) = numbered("retry") {
            return Self { base, kind: StepKind::Retry(n) };
        }
        match (base.strip_suffix("·判定"), number(mark)) {
            (Some(base), Some(n)) => Self { base, kind: StepKind::Judge(n) },
            _ => work,
        }
    }

    /// The name without any mark: what a judge of the second round has in common with the work.
    pub fn root(self) -> &'a str {
        let mut name = self;
        while name.kind != StepKind::Work {
            name = StepName::parse(name.base);
        }
        name.base
    }
}

/// Digits only: `parse` alone would take `+1`.
fn number(text: &str) -> Option<u32> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_tell_why_a_step_ran() {
        for (name, base, kind, root) in [
            ("inspect", "inspect", StepKind::Work, "inspect"),
            ("干活", "干活", StepKind::Work, "干活"),
            ("干活#round2", "干活", StepKind::Round(2), "干活"),
            ("a#retry10", "a", StepKind::Retry(10), "a"),
            ("干活·判定#1", "干活", StepKind::Judge(1), "干活"),
            ("a#round2·判定#3", "a#round2", StepKind::Judge(3), "a"),
            ("issue #12", "issue #12", StepKind::Work, "issue #12"),
            ("a#round", "a#round", StepKind::Work, "a#round"),
            ("a#round+1", "a#round+1", StepKind::Work, "a#round+1"),
            ("a#retry99999999999", "a#retry99999999999", StepKind::Work, "a#retry99999999999"),
            ("", "", StepKind::Work, ""),
        ] {
            let parsed = StepName::parse(name);
            assert_eq!((parsed.base, parsed.kind, parsed.root()), (base, kind, root), "{name}");
        }
    }
}
