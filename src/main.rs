//! The command line of the analyzer.

fn main() {}
