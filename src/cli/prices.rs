use crate::analysis::prices::PriceTable;
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::Read;
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
        let name = path.display().to_string();
        let cannot = || format!("cannot read the prices {name}");
        let file = File::open(path).with_context(cannot)?;
        if !file.metadata().with_context(cannot)?.is_file() {
            bail!("cannot read the prices {name}: expected a JSON file, found a folder or device");
        }
        let mut json = Vec::new();
        file.take(MAX_PRICE_FILE + 1).read_to_end(&mut json).with_context(cannot)?;
        if json.len() > usize::try_from(MAX_PRICE_FILE)? {
            bail!("cannot read the prices {name}: expected at most {} MiB", MAX_PRICE_FILE >> 20);
        }
        Ok(built_in.overridden_by(PriceTable::parse(&name, &json)?))
    }
}
