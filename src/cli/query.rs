use super::args::CommonArgs;
use super::exit::Exit;
use super::load::load;
use super::output;
use super::prices::PriceArgs;
use super::surroundings::options;
use crate::analysis::tables::{Mask, NamedQuery, Scene, named_queries, query};
use crate::report::{Format, Masker, Report, render, views};
use crate::run_dir::names::DEFAULT_SOURCE;
use crate::session::SessionModel;
use anyhow::{Context, Result, bail};
use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A query is a page long at most; more is something else.
const MAX_QUERY_FILE: u64 = 1 << 20;

/// Rows that are shown to people unless they ask for more.
const SHOWN_ROWS: usize = 100;

/// Ask the tables of the run with SQL: a named query, or one of your own
///
/// Without arguments, the named queries are listed. reports/tables.md says which tables there are, what stands in them and
/// which SQL is understood. Only one SELECT is run, over nothing but these tables.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Name of a query; with --sql or --file, the source
    #[arg(value_name = "NAME")]
    first: Option<String>,
    /// Run directory, sessions.db, .jsonl transcript or folder of transcripts [default: runs]
    #[arg(value_name = "SOURCE")]
    second: Option<String>,
    /// A query of your own
    #[arg(long, value_name = "QUERY", allow_hyphen_values = true, conflicts_with = "file")]
    sql: Option<String>,
    /// A query of your own, from a file
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Rows that are shown at most; 0 shows all [default: 100 in tables and Markdown, all in JSON and CSV]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    prices: PriceArgs,
    #[command(flatten)]
    common: CommonArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit> {
        let (name, sql, source) = match (&self.sql, &self.file, &self.first, &self.second) {
            (None, None, None, _) => return self.list(),
            (None, None, Some(name), source) => (Some(name.clone()), named(name)?.sql.into(), source),
            (Some(sql), _, source, None) => (None, Cow::Borrowed(sql.as_str()), source),
            (None, Some(file), source, None) => (None, read(file)?.into(), source),
            (Some(_), ..) | (_, Some(_), ..) => {
                bail!("--sql and --file take the place of a name: expected nothing beside them but a source")
            }
        };
        let source = PathBuf::from(source.as_deref().unwrap_or(DEFAULT_SOURCE));
        let prices = self.prices.table()?;
        let loaded = load(&self.common, &source)?;
        let selection = loaded.selection(self.common.session.as_deref())?;
        let inputs = loaded.inputs()?;
        let masker = masker(&self.common);
        let mask: &Mask<'_> = &|text| masker.mask(text);
        let (answer, findings) = {
            let opening = loaded.evidence.findings();
            let judge = |session: &SessionModel| loaded.resumable(session);
            let scene = Scene::new(&loaded.model, &selection, &inputs, &prices, opening, loaded.zone, &judge);
            (query(&scene, &sql, mask, self.limit())?, scene.findings().to_vec())
        };
        let result = views::QueryResult { query: name, sql: sql.trim().to_owned(), answer };
        loaded.finish(&self.common, "query", &result, &findings, |opening| views::query(&result, opening))
    }

    fn limit(&self) -> Option<usize> {
        let shown = match self.common.format {
            Format::Table | Format::Md => SHOWN_ROWS,
            Format::Json | Format::Csv => 0,
        };
        Some(self.limit.unwrap_or(shown)).filter(|limit| *limit > 0)
    }

    fn list(&self) -> Result<Exit> {
        let queries: Vec<NamedQuery> = named_queries().collect();
        let result = views::NamedQueries { queries };
        let report = Report { command: "queries", source: &(), findings: &[], result: &result };
        output::write(&self.common, &render(&report, || views::queries(&result), &options(&self.common))?)?;
        Ok(Exit::Done)
    }
}

/// What hides secrets, unless they are asked for.
pub(super) fn masker(common: &CommonArgs) -> Masker {
    if common.reveal { Masker::revealing() } else { Masker::masking() }
}

fn named(name: &str) -> Result<NamedQuery> {
    if let Some(query) = named_queries().find(|query| query.name == name) {
        return Ok(query);
    }
    let names: Vec<&str> = named_queries().map(|query| query.name).collect();
    bail!(
        "there is no query {name:?}: expected {}; a query of your own goes behind --sql or into --file",
        names.join(", ")
    )
}

fn read(path: &Path) -> Result<String> {
    let cannot = || format!("cannot read the query {}", path.display());
    let mut sql = String::new();
    let file = File::open(path).with_context(cannot)?;
    file.take(MAX_QUERY_FILE.saturating_add(1)).read_to_string(&mut sql).with_context(cannot)?;
    if u64::try_from(sql.len()).unwrap_or(u64::MAX) > MAX_QUERY_FILE {
        bail!("{} is larger than {MAX_QUERY_FILE} bytes: that is no query", path.display());
    }
    Ok(sql)
}
