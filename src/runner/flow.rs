use super::args::PermissionMode;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// A flow: steps that are run one after the other (spec/runner.md, section 3).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Flow {
    /// Its name.
    #[serde(default)]
    pub(super) name: String,
    /// Its steps, in their order.
    pub(super) steps: Vec<FlowStep>,
}

/// A step of a flow.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FlowStep {
    pub(super) name: String,
    pub(super) prompt: String,
    #[serde(default)]
    pub(super) instructions: Option<String>,
    #[serde(default)]
    pub(super) tools: Vec<String>,
    #[serde(default)]
    pub(super) permission_mode: Option<PermissionMode>,
    #[serde(default)]
    pub(super) model: Option<String>,
    #[serde(default)]
    pub(super) budget: Option<f64>,
    /// The step whose session it continues.
    #[serde(default)]
    pub(super) resume_from: Option<String>,
    /// Continue a copy of that session.
    #[serde(default)]
    pub(super) fork: bool,
    /// How often the step is run again if it fails.
    #[serde(default)]
    pub(super) retries: u32,
    #[serde(default)]
    pub(super) on_fail: OnFail,
    /// Continue the session of the last run.
    #[serde(default = "yes")]
    pub(super) continuous: bool,
}

/// What a failed step means for the flow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum OnFail {
    /// The flow ends.
    #[default]
    Stop,
    /// The next step begins; the text of this one is empty.
    Skip,
    /// The next step begins with the text as far as it goes.
    Continue,
}

const fn yes() -> bool {
    true
}

/// What is wrong with a flow file.
#[derive(Debug, Error)]
pub(super) enum FlowError {
    #[error("it is no flow: {0}")]
    Form(String),
    #[error("it has no steps; add one")]
    Empty,
    #[error("two steps are named {0:?}; give each a name of its own")]
    SameName(String),
    #[error("step {0:?} has an empty prompt; say what to do")]
    NoPrompt(String),
    #[error(
        "the prompt of step {step:?} asks for the text of {{{{{from}}}}}, which is that step itself or one behind it; only earlier steps have a text"
    )]
    TooEarly { step: String, from: String },
    #[error("a step has no name; its place in the books is found by it")]
    NoName,
    #[error("step {step:?} continues {from:?}, which is no step before it")]
    UnknownSource { step: String, from: String },
    #[error("step {0:?} asks for a copy of no session: `fork` needs `resume_from`")]
    ForkOfNothing(String),
    #[error("the budget of step {step:?} is {budget}; expected an amount above zero")]
    Budget { step: String, budget: f64 },
}

impl Flow {
    /// Reads a flow file: JSON, or TOML where it does not begin with a brace or bracket.
    pub(super) fn parse(text: &str) -> Result<Self, FlowError> {
        let flow: Self = match text.trim_start().chars().next() {
            Some('{') => serde_json::from_str(text).map_err(|error| FlowError::Form(error.to_string()))?,
            // A list would be taken for the fields in their order.
            Some('[') if serde_json::from_str::<IgnoredAny>(text).is_ok() => {
                return Err(FlowError::Form("expected an object with `steps`, found a list".to_owned()));
            }
            _ => toml::from_str(text).map_err(|error| FlowError::Form(error.message().to_owned()))?,
        };
        flow.check().map(|()| flow)
    }

    fn check(&self) -> Result<(), FlowError> {
        let flow = self;
        if flow.steps.is_empty() {
            return Err(FlowError::Empty);
        }
        let mut before = BTreeSet::new();
        for step in &flow.steps {
            let name = || step.name.clone();
            if step.name.is_empty() {
                return Err(FlowError::NoName);
            }
            if step.prompt.trim().is_empty() {
                return Err(FlowError::NoPrompt(name()));
            }
            // Other names in braces may be meant for the model.
            let later = flow.steps.iter().map(|step| step.name.as_str()).filter(|name| !before.contains(name));
            let later: BTreeSet<&str> = later.collect();
            if let Some(from) = references(&step.prompt).find(|from| later.contains(from)) {
                return Err(FlowError::TooEarly { step: name(), from: from.to_owned() });
            }
            match &step.resume_from {
                Some(from) if !before.contains(from.as_str()) => {
                    return Err(FlowError::UnknownSource { step: name(), from: from.clone() });
                }
                None if step.fork => return Err(FlowError::ForkOfNothing(name())),
                Some(_) | None => {}
            }
            if let Some(budget) = step.budget.filter(|budget| !budget.is_finite() || *budget <= 0.0) {
                return Err(FlowError::Budget { step: name(), budget });
            }
            if !before.insert(step.name.as_str()) {
                return Err(FlowError::SameName(name()));
            }
        }
        Ok(())
    }
}

/// The names in double braces.
fn references(prompt: &str) -> impl Iterator<Item = &str> {
    prompt.split("{{").skip(1).filter_map(|after| Some(after.split_once("}}")?.0.trim()))
}

/// The prompt with every `{{step name}}` replaced by that step's text. Texts are put in as they are: what looks like a
/// reference in one of them is none.
pub(super) fn fill(prompt: &str, texts: &BTreeMap<String, String>) -> String {
    let mut filled = String::with_capacity(prompt.len());
    let mut rest = prompt;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let named = after.split_once("}}").and_then(|(name, behind)| Some((texts.get(name.trim())?.as_str(), behind)));
        let (text, behind) = named.unwrap_or(("{{", after));
        filled.push_str(text);
        rest = behind;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_have_defaults() {
        let flow = Flow::parse(r#"{"name":"f","steps":[{"name":"a","prompt":"p"},{"name":"b","prompt":"q","resume_from":"a","fork":true,"on_fail":"skip"}]}"#).unwrap();
        let toml = "name = 'f'\n[[steps]]\nname = 'a'\nprompt = 'p'\n[[steps]]\nname = 'b'\nprompt = 'q'\nresume_from = 'a'\nfork = true\non_fail = 'skip'\n";
        assert_eq!(Flow::parse(toml).unwrap(), flow);
        let [a, b] = flow.steps.as_slice() else { panic!() };
        assert_eq!((a.continuous, a.on_fail, a.retries), (true, OnFail::Stop, 0));
        assert_eq!((b.fork, b.on_fail), (true, OnFail::Skip));
    }

    #[test]
    fn mistakes_are_named() {
        let told = |steps: &str| Flow::parse(&format!(r#"{{"steps":[{steps}]}}"#)).unwrap_err().to_string();
        insta::assert_snapshot!(told(""), @"it has no steps; add one");
        assert!(told(r#"{"name":"a"}"#).starts_with("it is no flow: missing field `prompt` at line 1 column "));
        assert!(
            told(r#"{"name":"a","promt":1}"#).starts_with("it is no flow: unknown field `promt`, expected one of ")
        );
        insta::assert_snapshot!(told(r#"{"name":"a","prompt":"p","resume_from":"b"}"#), @r#"step "a" continues "b", which is no step before it"#);
        insta::assert_snapshot!(told(r#"{"name":"a","prompt":"p","fork":true}"#), @r#"step "a" asks for a copy of no session: `fork` needs `resume_from`"#);
        insta::assert_snapshot!(told(r#"{"name":"a","prompt":"p"},{"name":"a","prompt":"p"}"#), @r#"two steps are named "a"; give each a name of its own"#);
        insta::assert_snapshot!(told(r#"{"name":"a","prompt":"p","budget":0}"#), @r#"the budget of step "a" is 0; expected an amount above zero"#);
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        let told = |text: &str| Flow::parse(text).unwrap_err().to_string();
        insta::assert_snapshot!(told("[]"), @"it is no flow: expected an object with `steps`, found a list");
        insta::assert_snapshot!(told(r#"{"steps":[{"name":"a","prompt":" "}]}"#), @r#"step "a" has an empty prompt; say what to do"#);
        let early = r#"{"steps":[{"name":"a","prompt":"{{x}} {{ b }}"},{"name":"b","prompt":"p"}]}"#;
        insta::assert_snapshot!(told(early), @r#"the prompt of step "a" asks for the text of {{b}}, which is that step itself or one behind it; only earlier steps have a text"#);
        assert!(told("steps = 1").starts_with("it is no flow: invalid type"), "{}", told("steps = 1"));
    }

    #[test]
    fn references_are_filled_once() {
        let texts = BTreeMap::from([("a b".to_owned(), "{{c}}".to_owned()), ("c".to_owned(), "C".to_owned())]);
        assert_eq!(fill("{{a b}} {{ c }} {{d}} {{", &texts), "{{c}} C {{d}} {{");
    }
}
