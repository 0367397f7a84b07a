use std::ops::{Index, IndexMut};

/// Index of an entry in its session. Made only for the session whose [`PerEntry`] it is used with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ix(u32);

impl Ix {
    /// The entry at `position`; `None` beyond four billion entries.
    pub fn new(position: usize) -> Option<Self> {
        u32::try_from(position).ok().map(Self)
    }

    /// Position in the session's entries.
    pub fn position(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }

    /// All indices of a session with `len` entries.
    pub fn all(len: usize) -> impl DoubleEndedIterator<Item = Self> + Clone {
        (0..u32::try_from(len).unwrap_or(u32::MAX)).map(Self)
    }
}

/// One value for every entry of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PerEntry<T>(Vec<T>);

impl<T: Clone> PerEntry<T> {
    /// The same value for each of `len` entries.
    pub fn filled(value: T, len: usize) -> Self {
        Self(vec![value; len])
    }
}

impl<T> PerEntry<T> {
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// There is no entry.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Entry by entry, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Ix, &T)> {
        Ix::all(self.0.len()).zip(&self.0)
    }
}

impl<T> FromIterator<T> for PerEntry<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl<T> Index<Ix> for PerEntry<T> {
    type Output = T;
    #[expect(clippy::indexing_slicing, reason = "an Ix is made only for the session that it indexes")]
    fn index(&self, ix: Ix) -> &T {
        &self.0[ix.position()]
    }
}

impl<T> IndexMut<Ix> for PerEntry<T> {
    #[expect(clippy::indexing_slicing, reason = "an Ix is made only for the session that it indexes")]
    fn index_mut(&mut self, ix: Ix) -> &mut T {
        &mut self.0[ix.position()]
    }
}
