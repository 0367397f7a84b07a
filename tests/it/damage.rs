//! Bytes changed at random: reading gives rows or an error, never a panic, and never touches the source.

use std::fs;

use crate::sources::{copy_of, read_untouched, rows};

/// Numbers that look random and are the same on each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

#[test]
fn any_damage_gives_rows_or_an_error() {
    let mut numbers = Numbers(7);
    let (mut read, mut refused) = (0, 0);
    for (name, file) in [
        ("crash-wal", "sessions.db"),
        ("crash-wal", "sessions.db-wal"),
        ("crash-journal", "sessions.db"),
        ("crash-journal", "sessions.db-journal"),
        ("torn-page", "sessions.db"),
    ] {
        let folder = copy_of(name);
        let path = folder.path().join(file);
        let whole = fs::read(&path).unwrap();
        for round in 0..60 {
            let mut bytes = whole.clone();
            // Headers and the tops of pages are where a change matters most.
            for _ in 0..=round % 6 {
                let at = numbers.below(bytes.len() / 4096) * 4096 * (round % 3).min(1) + numbers.below(120);
                bytes[at] = numbers.below(256).to_le_bytes()[0];
            }
            if round % 10 == 9 {
                bytes.truncate(numbers.below(whole.len()));
            }
            fs::write(&path, &bytes).unwrap();
            let outcome = read_untouched(folder.path(), folder.path(), |evidence| {
                let _meta = evidence.meta();
                let _summaries = evidence.summaries();
                let outcome = rows(&evidence);
                let _close = evidence.close();
                outcome
            });
            match outcome.and_then(|outcome| outcome) {
                Ok(rows) => read += usize::from(!rows.is_empty()),
                Err(error) => refused += usize::from(!error.to_string().is_empty()),
            }
        }
    }
    assert!(read > 50 && refused > 50, "{read} read, {refused} refused");
}
