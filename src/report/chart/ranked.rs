use super::picture::{Hue, Series};
use crate::unit::counted;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Series that have a look of their own; the rest share one.
const MAX_SERIES: usize = 12;

/// Names that became series: the weightiest each its own, the others together.
pub(super) struct Ranked {
    pub(super) series: Vec<Series>,
    places: BTreeMap<String, usize>,
}

impl Ranked {
    /// Ranks names by the sum of their weights; `shown` writes the sum behind the name. `noun` is what a name stands for.
    pub(super) fn new<'a>(
        weights: impl IntoIterator<Item = (&'a str, i64)>,
        noun: &str,
        shown: impl Fn(i64) -> String,
    ) -> Self {
        let mut sums: BTreeMap<&str, i64> = BTreeMap::new();
        for (name, weight) in weights {
            let sum = sums.entry(name).or_default();
            *sum = sum.saturating_add(weight.max(0));
        }
        let mut order: Vec<(&str, i64)> = sums.into_iter().collect();
        order.sort_by_key(|(name, sum)| (Reverse(*sum), *name));
        let own = if order.len() > MAX_SERIES { MAX_SERIES - 1 } else { order.len() };
        let rest = order.split_off(own);
        let named = |(name, sum): &(&str, i64)| format!("{name}: {}", shown(*sum));
        let mut series = Series::numbered(order.iter().map(named));
        if !rest.is_empty() {
            let sum = rest.iter().map(|(_, sum)| *sum).fold(0, i64::saturating_add);
            let others = counted(rest.len(), &format!("other {noun}"));
            series.push(Series::new(format!("{others}: {}", shown(sum)), Hue::Rest));
        }
        let place = |(place, (name, _)): (usize, &(&str, i64))| ((*name).to_owned(), place.min(own));
        Self { places: order.iter().chain(&rest).enumerate().map(place).collect(), series }
    }

    /// The series of a name.
    pub(super) fn place(&self, name: &str) -> usize {
        self.places.get(name).copied().unwrap_or_default()
    }
}
