use super::args::CommonArgs;
use super::output;
use crate::report::chart::{CleanPicture, Fonts, Picture, Theme, draw};
use crate::report::{Masker, Mode, sanitize};
use anyhow::{Context, Result, bail};
use clap::builder::{PathBufValueParser, TypedValueParser};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Options of commands that can draw their result.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Chart")]
pub(super) struct ChartArgs {
    /// Also draw the result into this file, .svg or .png; never inside of the source
    #[arg(long, value_name = "FILE", value_parser = files())]
    chart: Option<PathBuf>,
    /// Ground of the chart
    #[arg(long, value_name = "THEME", default_value = "light", value_parser = themes(), requires = "chart")]
    chart_theme: Theme,
}

/// What a chart can be written as.
enum Kind {
    Svg,
    Png,
}

fn kind(path: &Path) -> Option<Kind> {
    let ending = path.extension()?.to_str()?;
    let is = |name: &str| ending.eq_ignore_ascii_case(name);
    if is("svg") { Some(Kind::Svg) } else { is("png").then_some(Kind::Png) }
}

fn files() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match kind(&path) {
        Some(_) => Ok(path),
        None => Err("a chart is an .svg or a .png file: let its name end so"),
    })
}

fn themes() -> impl TypedValueParser<Value = Theme> {
    clap::builder::PossibleValuesParser::new(["light", "dark"]).map(|name| match name.as_str() {
        "dark" => Theme::Dark,
        _ => Theme::Light,
    })
}

impl ChartArgs {
    /// Refuses a file inside of the source, and the file that the report goes to, before anything is read.
    pub(super) fn check(&self, common: &CommonArgs, source: &Path) -> Result<()> {
        let Some(file) = &self.chart else { return Ok(()) };
        let target = output::check_file(file, source)?;
        if let Some(report) = &common.output
            && output::target(report)? == target
        {
            bail!("--chart and --output both name {}: one would replace the other; name two files", file.display());
        }
        Ok(())
    }

    /// Draws the chart, if one is wanted, and says what could not be drawn.
    pub(super) fn write(&self, common: &CommonArgs, picture: impl FnOnce() -> Picture) -> Result<()> {
        let Some(file) = &self.chart else { return Ok(()) };
        let masker = if common.reveal { Masker::revealing() } else { Masker::masking() };
        let chart = draw(&CleanPicture::new(picture(), &masker), self.chart_theme)?;
        let (bytes, missing) = match kind(file) {
            Some(Kind::Png) => chart.png(&Fonts::of_system())?,
            Some(Kind::Svg) | None => (chart.svg.into_bytes(), Vec::new()),
        };
        output::write_file(file, &bytes).with_context(|| format!("cannot write to {}", file.display()))?;
        for missing in missing {
            let message = format!("warning: {}: {missing}", file.display());
            let _ = writeln!(std::io::stderr(), "{}", sanitize(&message, Mode::Line));
        }
        Ok(())
    }
}
