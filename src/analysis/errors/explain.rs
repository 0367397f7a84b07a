use super::ErrorFinding;
use crate::analysis::{Basis, Evidence, FailureClass, FailureKind, Reset, judge};
use crate::session::{Classified, Verdict, classify};
use serde::Serialize;

/// One text, explained: what flower makes of it, and what the words tell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explained {
    /// The text.
    pub text: String,
    /// What failed, as far as the words tell.
    pub kind: FailureKind,
    /// Whether trying again can help.
    pub class: FailureClass,
    /// How the kind is known.
    pub basis: Basis,
    /// When a quota opens again.
    pub reset: Option<Reset>,
    /// What flower makes of it.
    pub flower: Classified,
    /// Both say the same.
    pub agrees: bool,
    /// What flower does then, in one sentence.
    pub consequence: &'static str,
    /// What there is to say about a difference, one sentence each.
    pub remarks: Vec<String>,
}

/// Explains a text as if it had ended an attempt.
pub fn explain(text: &str) -> Explained {
    let judged = judge(&Evidence::text(text));
    let flower = classify(text);
    let class = judged.kind.class();
    let agrees = flower.verdict == class.verdict();
    let mut remarks = Vec::new();
    remarks.extend(ErrorFinding::between(judged.kind, judged.status, &flower).map(|found| found.to_string()));
    if judged.kind == FailureKind::Quota {
        let reset = judged.reset.as_ref().map(|reset| reset.text.clone());
        remarks.push(ErrorFinding::QuotaUsedUp { reset }.to_string());
    }
    if judged.is_bare_400 {
        remarks.push(ErrorFinding::Bare400.to_string());
    }
    Explained {
        text: text.to_owned(),
        kind: judged.kind,
        class,
        basis: judged.basis,
        reset: judged.reset,
        consequence: match flower.verdict {
            Verdict::Fatal => "flower ends the step with this failure",
            Verdict::Transient => "flower waits and tries again, six attempts at most",
            Verdict::Unknown => "flower knows no pattern of it, and tries again as if it were transient",
        },
        flower,
        agrees,
        remarks,
    }
}
