use super::picture::{Axis, BarRow, Bars, Flow, Lane, Lanes, Panel, Picture, Plot, Series, Track};
use crate::report::{Masker, Mode, sanitize};

/// A picture in which secrets are masked and control characters are visible: the only kind that is drawn, so that neither
/// can be forgotten. Cleaning comes before cutting, because half a secret does not look like one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CleanPicture(Picture);

impl CleanPicture {
    /// Cleans every text of `picture`.
    pub fn new(picture: Picture, masker: &Masker) -> Self {
        let clean = Cleaner(masker);
        let panel = |panel: Panel| Panel {
            heading: clean.line(&panel.heading),
            plot: clean.plot(panel.plot),
            empty: clean.line(&panel.empty),
        };
        Self(Picture {
            title: clean.line(&picture.title),
            subtitle: clean.line(&picture.subtitle),
            panels: picture.panels.into_iter().map(panel).collect(),
            notes: picture.notes.iter().map(|note| clean.line(note)).collect(),
        })
    }

    /// The cleaned picture.
    pub const fn picture(&self) -> &Picture {
        &self.0
    }
}

struct Cleaner<'a>(&'a Masker);

impl Cleaner<'_> {
    fn line(&self, text: &str) -> String {
        sanitize(&self.0.mask(text), Mode::Line).into_owned()
    }

    fn series(&self, series: Vec<Series>) -> Vec<Series> {
        series.into_iter().map(|s| Series { name: self.line(&s.name), ..s }).collect()
    }

    fn axis(&self, axis: Axis) -> Axis {
        match axis {
            Axis::Number(name) => Axis::Number(self.line(&name)),
            Axis::Time(_) | Axis::Elapsed => axis,
        }
    }

    fn plot(&self, plot: Plot) -> Plot {
        match plot {
            Plot::Bars(bars) => {
                let row = |r: BarRow| BarRow { label: self.line(&r.label), shown: self.line(&r.shown), ..r };
                Plot::Bars(Bars {
                    row: self.line(&bars.row),
                    series: self.series(bars.series),
                    rows: bars.rows.into_iter().map(row).collect(),
                    ..bars
                })
            }
            Plot::Flow(flow) => {
                Plot::Flow(Flow { axis: self.axis(flow.axis), series: self.series(flow.series), ..flow })
            }
            Plot::Track(track) => Plot::Track(Track {
                point: self.line(&track.point),
                name: self.line(&track.name),
                levels: track.levels.iter().map(|(name, value)| (self.line(name), *value)).collect(),
                kinds: self.series(track.kinds),
                ..track
            }),
            Plot::Lanes(lanes) => {
                let lane = |l: Lane| Lane { label: self.line(&l.label), remark: self.line(&l.remark), ..l };
                Plot::Lanes(Lanes {
                    axis: self.axis(lanes.axis),
                    kinds: self.series(lanes.kinds),
                    lanes: lanes.lanes.into_iter().map(lane).collect(),
                    idle: lanes.idle,
                })
            }
        }
    }
}
