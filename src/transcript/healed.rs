use sha2::{Digest, Sha256};

/// How the uuid of an entry begins that healing adds.
const PREFIX: &str = "heal-";

/// Hexadecimal digits after it.
const DIGITS: usize = 12;

/// The uuid of the entry that healing adds after the entry with the uuid `of`, the same at every load. The entry is fed to
/// the model and never stored. Source: spec/runner.md, section 14.
pub fn healed_uuid(of: &str) -> String {
    format!("{PREFIX}{}", short_hash(of, DIGITS))
}

/// Whether a uuid is that of an entry that healing added.
pub fn is_healed(uuid: &str) -> bool {
    uuid.starts_with(PREFIX)
}

/// The first hexadecimal digits of the SHA-256 of a text.
pub fn short_hash(text: &str, digits: usize) -> String {
    let hash = Sha256::digest(text.as_bytes());
    let hex = hash.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    hex.chars().take(digits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_added_entry_is_named_after_its_call() {
        assert_eq!(healed_uuid("a"), "heal-ca978112ca1b");
        assert!(is_healed(&healed_uuid("a")) && !is_healed("a"));
    }
}
