use super::given_file;
use crate::analysis::prices::PriceTable;
use anyhow::Result;
use std::path::PathBuf;

/// A price file is a few pages long; more is something else.
const MAX_PRICE_FILE: u64 = 16 << 20;

/// The prices that a command reckons with.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct PriceArgs {
    /// Prices that override or add to the built-in ones, model by model, as JSON
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
}

impl PriceArgs {
    /// The built-in prices, with those of the file in their place where it names them.
    pub(super) fn table(&self) -> Result<PriceTable> {
        let built_in = PriceTable::built_in()?;
        let Some(path) = &self.prices else { return Ok(built_in) };
        let json = given_file::read("prices", path, MAX_PRICE_FILE)?;
        Ok(built_in.overridden_by(PriceTable::parse(&path.display().to_string(), &json)?))
    }
}
