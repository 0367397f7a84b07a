use super::policy_file;
use crate::layers::Policy;
use anyhow::Result;
use std::path::Path;

/// Which policy of the load layers is looked at.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Policy")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch on the command line")]
pub(super) struct PolicyArgs {
    /// Policy to begin with: default, no-trim, tight, flower-run, none, or a TOML or JSON file that says what differs from
    /// the default
    ///
    /// A file names the options as `--format json` shows them under `policy`: expire (enabled, `keep_recent`, `max_chars`), trim
    /// (enabled, `keep_recent`, `min_chars`, `spill_dirname`), prune (enabled, `drop_api_errors`, `neutralize_interrupts`,
    /// `keep_denials`, `denial_marker`, `neutralize_rejections`, `drop_cost_state`, relink) and heal (enabled, timestamp).
    #[arg(long, value_name = "NAME|FILE", default_value = "default")]
    policy: String,
    /// Results of commands that only look which stay: the latest N
    #[arg(long, value_name = "N")]
    expire_keep: Option<usize>,
    /// Results of commands that only look expire up to N characters
    #[arg(long, value_name = "N")]
    expire_max: Option<u64>,
    /// Let no result expire
    #[arg(long, conflicts_with_all = ["expire_keep", "expire_max"])]
    no_expire: bool,
    /// Long results which stay: the latest N
    #[arg(long, value_name = "N")]
    trim_keep: Option<usize>,
    /// Results are long from N characters on
    #[arg(long, value_name = "N")]
    trim_min: Option<u64>,
    /// Trim no long result
    #[arg(long, conflicts_with_all = ["trim_keep", "trim_min"])]
    no_trim: bool,
    /// Denied calls which stay: the latest N
    #[arg(long, value_name = "N")]
    keep_denials: Option<usize>,
    /// Keep what stands in the place of answers
    #[arg(long)]
    keep_api_errors: bool,
    /// Keep the texts of interruptions
    #[arg(long)]
    no_neutralize: bool,
    /// Give calls without a result none
    #[arg(long)]
    no_heal: bool,
}

/// A policy and how it was named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedPolicy {
    pub(super) name: String,
    pub(super) policy: Policy,
}

impl PolicyArgs {
    /// The policy that the arguments describe.
    pub(super) fn resolve(&self) -> Result<NamedPolicy> {
        let NamedPolicy { name, policy: begun } = named(&self.policy)?;
        let mut policy = begun.clone();
        let set = |to: &mut usize, value: Option<usize>| *to = value.unwrap_or(*to);
        set(&mut policy.expire.keep_recent, self.expire_keep);
        set(&mut policy.trim.keep_recent, self.trim_keep);
        set(&mut policy.prune.keep_denials, self.keep_denials);
        policy.expire.max_chars = self.expire_max.unwrap_or(policy.expire.max_chars);
        policy.trim.min_chars = self.trim_min.unwrap_or(policy.trim.min_chars);
        policy.expire.enabled &= !self.no_expire;
        policy.trim.enabled &= !self.no_trim;
        policy.prune.drop_api_errors &= !self.keep_api_errors;
        policy.prune.neutralize_interrupts &= !self.no_neutralize;
        policy.prune.neutralize_rejections &= !self.no_neutralize;
        policy.heal.enabled &= !self.no_heal;
        let name = if policy == begun { name } else { format!("{name}, changed by options") };
        Ok(NamedPolicy { name, policy })
    }
}

/// The policy with this name, or in this file.
pub(super) fn named(name: &str) -> Result<NamedPolicy> {
    let policy = match Policy::named(name) {
        Some(policy) => policy,
        None => policy_file::read(Path::new(name))?,
    };
    Ok(NamedPolicy { name: name.to_owned(), policy })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        policy: PolicyArgs,
    }

    fn resolved(args: &[&str]) -> NamedPolicy {
        Line::parse_from([&["x"], args].concat()).policy.resolve().unwrap()
    }

    #[test]
    fn options_change_the_named_policy() {
        assert_eq!(resolved(&[]), NamedPolicy { name: "default".to_owned(), policy: Policy::flower() });
        assert_eq!(resolved(&["--no-trim"]).policy, Policy::no_trim());
        let tight = ["--expire-keep", "2", "--trim-keep", "2", "--trim-min", "400", "--keep-denials", "0"];
        let tight = resolved(&tight);
        assert_eq!((tight.policy, tight.name.as_str()), (Policy::tight(), "default, changed by options"));
        let none = ["--policy", "flower-run", "--no-expire", "--no-heal", "--keep-api-errors", "--no-neutralize"];
        let none = resolved(&none).policy;
        assert!(!none.expire.enabled && !none.heal.enabled && none.trim.enabled);
        assert!(!none.prune.drop_api_errors && !none.prune.neutralize_interrupts && !none.prune.neutralize_rejections);
    }

    #[test]
    fn a_name_that_is_none_is_told() {
        let error = named("tigth").unwrap_err().to_string();
        assert!(error.contains("default, no-trim, tight, flower-run, none"), "{error}");
    }
}
