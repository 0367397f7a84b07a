use super::{Change, Edit, Layer};
use serde::Serialize;

/// What the layers did, in flower's own counters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Entries before.
    pub entries_in: u64,
    /// Entries after.
    pub entries_out: u64,
    /// Results that expired.
    pub expired: u64,
    /// Long results that were replaced.
    pub cleared: u64,
    /// Long results that stayed.
    pub kept: u64,
    /// Characters of the long results that were replaced.
    pub chars_saved: u64,
    /// Denied calls that were taken out.
    pub denials_dropped: u64,
    /// Results that were made neutral.
    pub interrupts_neutralized: u64,
    /// Entries that were dropped.
    pub pruned: u64,
    /// Calls that were given a result.
    pub healed: u64,
}

impl Report {
    /// Counts what a change shows; the rest is counted by the layers.
    pub(super) fn count(&mut self, change: &Change) {
        match (&change.edit, change.layer) {
            (Edit::Replaced { .. }, Layer::Expire) => self.expired += 1,
            (Edit::Replaced { .. }, Layer::Trim) => {
                self.cleared += 1;
                self.chars_saved = self.chars_saved.saturating_add(change.taken.characters);
            }
            (Edit::Replaced { .. }, Layer::Prune | Layer::Heal) => self.interrupts_neutralized += 1,
            (Edit::Dropped, _) => self.pruned += 1,
            (Edit::Added { tool_use_ids, .. }, _) => {
                self.healed = self.healed.saturating_add(u64::try_from(tool_use_ids.len()).unwrap_or(u64::MAX));
            }
            (Edit::Stripped { .. } | Edit::Relinked { .. }, _) => {}
        }
    }
}
