//! Checks the laws of `load_layers` on any bytes. Without a fuzzing engine it is a program that replays the files it is given.
#![cfg_attr(fuzzing, no_main)]

#[path = "../../laws/mod.rs"]
#[expect(dead_code, reason = "each target checks the laws of one layer")]
mod laws;

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::load_layers(bytes));

#[cfg(not(fuzzing))]
fn main() -> std::io::Result<()> {
    for file in std::env::args_os().skip(1) {
        laws::load_layers(&std::fs::read(file)?);
    }
    Ok(())
}
