use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator, IntoStaticStr};

/// What the load layers do to a session; the defaults are flower's.
///
/// Source: spec/layers.md.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// Results of commands that only look at a state which has changed since.
    pub expire: ExpirePolicy,
    /// Long results.
    pub trim: TrimPolicy,
    /// Denied calls, stand-ins for answers, texts of interruptions.
    pub prune: PrunePolicy,
    /// Calls without a result.
    pub heal: HealPolicy,
}

/// The first layer: old results of commands that only look.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExpirePolicy {
    /// Whether the layer does anything.
    pub enabled: bool,
    /// How many of the latest such results stay.
    pub keep_recent: usize,
    /// Longer results are no business of this layer, in characters.
    pub max_chars: u64,
}

/// The second layer: long results go to a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrimPolicy {
    /// Whether the layer does anything.
    pub enabled: bool,
    /// How many of the latest long results stay.
    pub keep_recent: usize,
    /// From how many characters a result is long.
    pub min_chars: u64,
    /// The folder of the files, as the model is told it.
    pub spill_dirname: String,
}

/// The third layer: what is not worth being seen again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own in the rule")]
pub struct PrunePolicy {
    /// Whether the layer does anything.
    pub enabled: bool,
    /// Entries that stand in the place of an answer are dropped.
    pub drop_api_errors: bool,
    /// Results that only tell of an interruption become neutral.
    pub neutralize_interrupts: bool,
    /// How many of the latest denied calls stay.
    pub keep_denials: usize,
    /// Ending of an error result that marks a denial, beside `toolDenialKind`.
    pub denial_marker: Option<String>,
    /// Results of calls that a person rejected become neutral too.
    pub neutralize_rejections: bool,
    /// Entries with the client's running total are dropped, so that it begins anew.
    pub drop_cost_state: bool,
    /// What an entry hangs below when every entry above it was dropped.
    pub relink: RelinkFallback,
}

/// What an entry hangs below when every entry above it was dropped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RelinkFallback {
    /// Nothing: it becomes a root, and the history before it is lost.
    #[default]
    Null,
    /// The nearest entry before it that is kept.
    EarlierEntry,
}

/// The fourth layer: calls without a result get one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HealPolicy {
    /// Whether the layer does anything.
    pub enabled: bool,
    /// The added entry carries the time stamp of the entry with the call.
    pub timestamp: bool,
}

impl Default for ExpirePolicy {
    fn default() -> Self {
        Self { enabled: true, keep_recent: 6, max_chars: 2000 }
    }
}

impl Default for TrimPolicy {
    fn default() -> Self {
        Self { enabled: true, keep_recent: 20, min_chars: 2000, spill_dirname: ".flower/spill".to_owned() }
    }
}

impl Default for PrunePolicy {
    fn default() -> Self {
        Self {
            enabled: true,
            drop_api_errors: true,
            neutralize_interrupts: true,
            keep_denials: 1,
            denial_marker: None,
            neutralize_rejections: false,
            drop_cost_state: false,
            relink: RelinkFallback::Null,
        }
    }
}

impl Default for HealPolicy {
    fn default() -> Self {
        Self { enabled: true, timestamp: false }
    }
}

/// The policies that have a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
enum Named {
    Default,
    NoTrim,
    Tight,
    FlowerRun,
    None,
}

impl Policy {
    /// What `flower go` does.
    pub fn flower() -> Self {
        Self::default()
    }

    /// What flower does where trimming is off.
    pub fn no_trim() -> Self {
        Self { trim: TrimPolicy { enabled: false, ..TrimPolicy::default() }, ..Self::default() }
    }

    /// A strict one, which shows what there is to save.
    pub fn tight() -> Self {
        Self {
            expire: ExpirePolicy { keep_recent: 2, ..ExpirePolicy::default() },
            trim: TrimPolicy { keep_recent: 2, min_chars: 400, ..TrimPolicy::default() },
            prune: PrunePolicy { keep_denials: 0, ..PrunePolicy::default() },
            ..Self::default()
        }
    }

    /// What the runner of this project does.
    ///
    /// Source: spec/runner.md section 14.
    pub fn flower_run() -> Self {
        Self {
            prune: PrunePolicy {
                denial_marker: Some(" [flower-run:denied]".to_owned()),
                neutralize_rejections: true,
                drop_cost_state: true,
                relink: RelinkFallback::EarlierEntry,
                ..PrunePolicy::default()
            },
            heal: HealPolicy { enabled: true, timestamp: true },
            ..Self::default()
        }
    }

    /// One that changes nothing.
    pub fn none() -> Self {
        Self {
            expire: ExpirePolicy { enabled: false, ..ExpirePolicy::default() },
            trim: TrimPolicy { enabled: false, ..TrimPolicy::default() },
            prune: PrunePolicy { enabled: false, ..PrunePolicy::default() },
            heal: HealPolicy { enabled: false, ..HealPolicy::default() },
        }
    }

    /// The policy of this name; `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        let named = Named::iter().find(|named| <&str>::from(named) == name)?;
        Some(match named {
            Named::Default => Self::flower(),
            Named::NoTrim => Self::no_trim(),
            Named::Tight => Self::tight(),
            Named::FlowerRun => Self::flower_run(),
            Named::None => Self::none(),
        })
    }

    /// The names of all policies that have one.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Named::iter().map(Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_names_one() {
        let all: Vec<_> = Policy::names().map(|name| Policy::named(name).unwrap()).collect();
        assert_eq!(all.len(), 5);
        assert!((1..all.len()).all(|at| !all[..at].contains(&all[at])));
        assert_eq!(Policy::named("Default"), None);
    }

    #[test]
    fn a_policy_can_be_written_down_in_part() {
        let policy: Policy = serde_json::from_str(r#"{"trim":{"min_chars":400}}"#).unwrap();
        assert_eq!(policy.trim, TrimPolicy { min_chars: 400, ..TrimPolicy::default() });
        assert_eq!(policy.expire, ExpirePolicy::default());
        let wrong = serde_json::from_str::<Policy>(r#"{"trim":{"min_char":400}}"#).unwrap_err();
        assert!(wrong.to_string().contains("unknown field `min_char`"), "{wrong}");
    }
}
