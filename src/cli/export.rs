use super::args::CommonArgs;
use super::exit::Exit;
use super::folder::Folder;
use super::given_file;
use super::load::{Loaded, load};
use super::prices::PriceArgs;
use super::query::masker;
use crate::analysis::tables::{Mask, SCHEMA_VERSION, Scene, Table, TableName, schemas, write_parquet};
use crate::report::views::{self, Exported, ExportedTable};
use crate::report::{FileSchema, write_csv, write_ndjson};
use crate::run_dir::names::DEFAULT_SOURCE;
use crate::session::SessionModel;
use crate::unit::Finding;
use anyhow::Result;
use clap::ValueEnum;
use serde::Deserialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use strum::IntoEnumIterator;

/// The description of the files of an export, put in its place last: where it is, the export is whole.
const SCHEMA_FILE: &str = "schema.json";
/// Longest description of an earlier export that is read: it has the names of ten tables and their columns.
const MAX_SCHEMA: u64 = 1 << 20;

/// Write the tables of the run as files, for DuckDB, pandas or a spreadsheet
///
/// One file for each table, and schema.json, which says what stands in them; reports/tables.md says the same. Secrets are
/// masked unless --reveal is given. Money is in whole nano-dollars (`*_nanos`), whose sums are exact, and in dollars.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Run directory, sessions.db, .jsonl transcript or folder of transcripts
    #[arg(value_name = "SOURCE", default_value = DEFAULT_SOURCE)]
    source: PathBuf,
    /// Folder for the files, made if it is not there; never inside of the source
    #[arg(long, value_name = "OUT")]
    dir: PathBuf,
    /// Form of the files
    #[arg(long, value_name = "FORM", default_value = "parquet")]
    to: Form,
    /// Replace the files of an earlier export, of any form; they stay until all of the new ones are written
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    prices: PriceArgs,
    #[command(flatten)]
    common: CommonArgs,
}

/// Form of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    /// Columns with types, compressed
    Parquet,
    /// Text for a spreadsheet
    Csv,
    /// One JSON object a line
    Ndjson,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit> {
        let prices = self.prices.table()?;
        let names = TableName::iter().map(|table| self.to.file(table)).chain([SCHEMA_FILE.to_owned()]);
        let folder = Folder::check(&self.dir, &self.source, names, self.force)?;
        let loaded = load(&self.common, &self.source)?;
        let (result, findings) = self.write(&loaded, &folder, &prices)?;
        loaded.finish(&self.common, "export", &result, &findings, |opening| views::export(&result, opening))
    }

    fn write(
        &self,
        loaded: &Loaded,
        folder: &Folder,
        prices: &crate::analysis::prices::PriceTable,
    ) -> Result<(Exported, Vec<Finding>)> {
        let selection = loaded.selection(self.common.session.as_deref())?;
        let inputs = loaded.inputs()?;
        let hiding = masker(&self.common);
        let mask: &Mask<'_> = &|text| hiding.mask(text);
        let opening = loaded.evidence.findings();
        let judge = |session: &SessionModel| loaded.resumable(session);
        let scene = Scene::new(&loaded.model, &selection, &inputs, prices, opening, loaded.zone, &judge);
        let masked = !self.common.reveal;
        let schema = FileSchema {
            schema_version: SCHEMA_VERSION,
            tool_version: env!("CARGO_PKG_VERSION"),
            format: self.to.name(),
            zone: loaded.zone.name(),
            masked,
            tables: schemas(),
        };
        let mut tables = Vec::new();
        let mut stage = folder.stage()?;
        for name in TableName::iter() {
            super::interrupt::check()?;
            let table = scene.table(name, mask)?;
            let file = self.to.file(name);
            let bytes = stage.write(&file, |out| self.to.write(&table, &schema, out))?;
            tables.push(ExportedTable { table: name.into(), file, rows: table.len(), bytes });
        }
        stage.write(SCHEMA_FILE, |out| Ok(out.write_all(schema.json()?.as_bytes())?))?;
        stage.publish(&self.to.outdated(folder))?;
        let result = Exported {
            schema_version: SCHEMA_VERSION,
            format: self.to.name(),
            dir: self.dir.display().to_string(),
            zone: loaded.zone.name(),
            masked,
            tables,
        };
        let findings = scene.findings().to_vec();
        Ok((result, findings))
    }
}

/// What the description of an earlier export says of its files.
#[derive(Debug, Deserialize)]
struct Earlier {
    format: String,
    tables: Vec<EarlierTable>,
}

#[derive(Debug, Deserialize)]
struct EarlierTable {
    name: String,
}

impl Earlier {
    /// Nothing where it cannot be read or is no such description: then no file is known to be of an export.
    fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&given_file::read("earlier description", path, MAX_SCHEMA).ok()?).ok()
    }
}

impl Form {
    const fn name(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Csv => "csv",
            Self::Ndjson => "ndjson",
        }
    }

    fn file(self, table: TableName) -> String {
        format!("{table}.{}", self.name())
    }

    /// Tables of another form, as the description of an earlier export names them: they would stand beside new ones.
    fn outdated(self, folder: &Folder) -> Vec<String> {
        let Some(earlier) = Earlier::read(&folder.file(SCHEMA_FILE)) else { return Vec::new() };
        let Some(form) = Self::value_variants().iter().find(|form| form.name() == earlier.format) else {
            return Vec::new();
        };
        let tables = earlier.tables.iter().filter_map(|table| table.name.parse().ok());
        tables.filter(|_| *form != self).map(|table| form.file(table)).collect()
    }

    fn write(self, table: &Table<'_>, schema: &FileSchema<'_>, mut out: &mut dyn Write) -> Result<()> {
        let version = schema.schema_version.to_string();
        let notes = [
            ("flower-analyze.schema_version", version.as_str()),
            ("flower-analyze.tool_version", schema.tool_version),
            ("flower-analyze.table", table.spec.name),
            ("flower-analyze.zone", schema.zone),
            ("flower-analyze.masked", if schema.masked { "true" } else { "false" }),
        ];
        match self {
            Self::Parquet => write_parquet(table, &notes, &mut out)?,
            Self::Csv => write_csv(table, out)?,
            Self::Ndjson => write_ndjson(table, out)?,
        }
        Ok(())
    }
}
