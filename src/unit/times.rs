use super::Timestamp;

/// The same moments without overlaps, in order; times that touch become one. A time begins before it ends.
pub fn without_overlaps(mut times: Vec<(Timestamp, Timestamp)>) -> Vec<(Timestamp, Timestamp)> {
    times.sort_unstable();
    let mut apart: Vec<(Timestamp, Timestamp)> = Vec::with_capacity(times.len());
    for (start, end) in times {
        match apart.last_mut() {
            Some((_, last)) if start <= *last => *last = end.max(*last),
            _ => apart.push((start, end)),
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_times_become_one() {
        let times = |pairs: &[(i64, i64)]| -> Vec<_> {
            let at = |millis| Timestamp::from_millis(millis).unwrap();
            pairs.iter().map(|(from, to)| (at(*from), at(*to))).collect()
        };
        assert_eq!(without_overlaps(times(&[(50, 60), (0, 20), (10, 15), (20, 30)])), times(&[(0, 30), (50, 60)]));
    }
}
