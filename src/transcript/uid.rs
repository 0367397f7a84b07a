use super::is_healed;
use serde::{Serialize, Serializer};
use std::fmt;
use std::sync::Arc;

/// The `uuid` of an entry: 16 bytes when it is a canonical UUID, else the text as it stands.
///
/// It names an entry only inside one store key: forks copy entries with their uuids into another key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Uid {
    /// A UUID in lower-case hyphenated form.
    Canonical([u8; 16]),
    /// Anything else, such as `heal-…`.
    Text(Arc<str>),
}

impl Uid {
    /// From the text in a payload.
    pub fn new(text: &str) -> Self {
        canonical(text).map_or_else(|| Self::Text(Arc::from(text)), Self::Canonical)
    }

    /// Whether healing added the entry that has it.
    pub fn is_healed(&self) -> bool {
        matches!(self, Self::Text(text) if is_healed(text))
    }

    /// The first eight characters, as tables show them.
    pub fn short(&self) -> String {
        self.to_string().chars().take(8).collect()
    }
}

/// Where the pairs of digits of a canonical UUID stand.
const PAIRS: [usize; 16] = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

/// The bytes of a canonical UUID; anything that would not print back the same is none.
#[expect(clippy::indexing_slicing, reason = "every place is below 36, and a store has a million uuids")]
fn canonical(text: &str) -> Option<[u8; 16]> {
    let bytes: &[u8; 36] = text.as_bytes().try_into().ok()?;
    if [bytes[8], bytes[13], bytes[18], bytes[23]] != [b'-'; 4] {
        return None;
    }
    let mut out = [0_u8; 16];
    let mut odd = 0;
    for (byte, at) in out.iter_mut().zip(PAIRS) {
        let (high, low) = (digit(bytes[at]), digit(bytes[at + 1]));
        odd |= high | low;
        *byte = high << 4 | low & 0x0F;
    }
    (odd < 16).then_some(out)
}

/// The value of a lower-case hexadecimal digit, or something above 15.
const fn digit(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => byte - b'0',
        b'a'..=b'f' => byte - b'a' + 10,
        _ => 0xFF,
    }
}

impl fmt::Display for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Canonical(bytes) => {
                for (i, byte) in bytes.iter().enumerate() {
                    let hyphen = if matches!(i, 4 | 6 | 8 | 10) { "-" } else { "" };
                    write!(f, "{hyphen}{byte:02x}")?;
                }
                Ok(())
            }
        }
    }
}

impl Serialize for Uid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_canonical_uuids_are_packed() {
        assert!(matches!(Uid::new("7585bc9d-b5b3-4ed2-8131-a8e26535c793"), Uid::Canonical(_)));
        for other in ["7585BC9D-b5b3-4ed2-8131-a8e26535c793", "heal-1", "", "7585bc9db5b34ed28131a8e26535c793"] {
            assert!(matches!(Uid::new(other), Uid::Text(_)), "{other}");
        }
    }

    proptest! {
        #[test]
        fn a_uid_prints_back_what_was_read(text in "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|.{0,40}") {
            prop_assert_eq!(Uid::new(&text).to_string(), text);
        }
    }
}
