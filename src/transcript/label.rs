use crate::run_dir::limits::MAX_LABEL_BYTES;
use foldhash::HashSet;
use std::sync::Arc;

/// A short shared text: a model, a version, a tool name, an id.
pub type Label = Arc<str>;

/// Shares equal labels, so that a store of a million entries holds each model name once.
#[derive(Debug, Default)]
pub struct Interner {
    known: HashSet<Label>,
    cut: u64,
}

impl Interner {
    /// Names above this number are not shared any more: a hostile store may hold a new one in every row.
    const MAX_KNOWN: usize = 50_000;

    /// The shared label for `text`, cut at [`MAX_LABEL_BYTES`].
    pub fn label(&mut self, text: &str) -> Label {
        let text = self.cut(text);
        if let Some(known) = self.known.get(text) {
            return Arc::clone(known);
        }
        let label: Label = Arc::from(text);
        if self.known.len() < Self::MAX_KNOWN {
            self.known.insert(Arc::clone(&label));
        }
        label
    }

    /// A label for a text that hardly occurs twice, such as a message id: cut, but not shared.
    pub fn unique(&mut self, text: &str) -> Label {
        Arc::from(self.cut(text))
    }

    /// How many texts were too long and were cut.
    pub fn cut_count(&self) -> u64 {
        self.cut
    }

    fn cut<'a>(&mut self, text: &'a str) -> &'a str {
        if text.len() <= MAX_LABEL_BYTES {
            return text;
        }
        self.cut += 1;
        prefix(text, MAX_LABEL_BYTES)
    }
}

/// The longest prefix of at most `bytes` bytes that ends between characters.
pub(super) fn prefix(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_labels_share_one_allocation() {
        let mut interner = Interner::default();
        let (a, b) = (interner.label("opus"), interner.label("opus"));
        assert!(Arc::ptr_eq(&a, &b));
    }

    #[test]
    fn long_labels_are_cut_between_characters_and_counted() {
        let mut interner = Interner::default();
        let label = interner.label(&"界".repeat(MAX_LABEL_BYTES));
        assert_eq!((label.len(), interner.cut_count()), (MAX_LABEL_BYTES / 3 * 3, 1));
    }
}
