//! Every input that a fuzzer found, or that a person thought of, keeps the laws. A crash becomes a test by adding its file.

use crate::laws;
use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

fn replay(target: &str, laws: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/corpus").join(target);
    let mut files: Vec<_> = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 20, "the corpus is not in {}", folder.display());
    let broken = files.iter().filter(|file| {
        let bytes = fs::read(file).unwrap();
        catch_unwind(|| laws(&bytes)).is_err()
    });
    let broken: Vec<_> = broken.map(|file| file.display().to_string()).collect();
    assert!(broken.is_empty(), "a law is broken by:\n{}", broken.join("\n"));
}

#[test]
fn decoding_keeps_its_laws() {
    replay("decode_row", laws::decode_row);
}

#[test]
fn chains_keep_their_laws() {
    replay("build_chain", laws::build_chain);
}

/// The layers are given transcripts too.
#[test]
fn layers_keep_their_laws() {
    replay("build_chain", laws::load_layers);
    replay("decode_row", laws::load_layers);
}
