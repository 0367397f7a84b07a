use super::{Forest, Ix, PerEntry};

/// Which entry stands above which other one, answered without a walk: the entries below one are numbered behind it in one run.
pub(super) struct Ancestry {
    first: PerEntry<usize>,
    size: PerEntry<usize>,
}

impl Ancestry {
    /// Numbers the entries of a forest.
    pub(super) fn of(forest: &Forest, entries: usize) -> Self {
        let mut size = PerEntry::filled(1_usize, entries);
        for ix in forest.top_down().iter().rev() {
            if let Some(link) = forest.links[*ix] {
                size[link.to] += size[*ix];
            }
        }
        let (mut first, mut free) = (PerEntry::filled(0, entries), PerEntry::filled(0, entries));
        let mut free_root = 0;
        for ix in forest.top_down().iter().copied() {
            let next = forest.links[ix].map_or(&mut free_root, |link| &mut free[link.to]);
            first[ix] = *next;
            *next += size[ix];
            free[ix] = first[ix] + 1;
        }
        Self { first, size }
    }

    /// Whether the parents of `below` lead to `above`.
    pub(super) fn is_above(&self, above: Ix, below: Ix) -> bool {
        let (first, at) = (self.first[above], self.first[below]);
        first < at && at < first + self.size[above]
    }
}
