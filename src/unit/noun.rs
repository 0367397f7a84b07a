/// A count with its noun: `1 entry`, `3 entries`.
pub fn counted(n: usize, noun: &str) -> String {
    match (n, noun.strip_suffix('y'), noun.ends_with("ch")) {
        (1, _, _) => format!("1 {noun}"),
        (_, Some(stem), _) => format!("{n} {stem}ies"),
        (_, None, true) => format!("{n} {noun}es"),
        (_, None, false) => format!("{n} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_agree_with_their_counts() {
        let shown = [(1, "entry"), (0, "entry"), (2, "branch"), (3, "orphan call")].map(|(n, noun)| counted(n, noun));
        assert_eq!(shown, ["1 entry", "0 entries", "2 branches", "3 orphan calls"]);
    }
}
