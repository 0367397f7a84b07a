use super::clean::CleanPicture;
use super::measure::{self, LABEL};
use super::picture::{Panel, Plot};
use super::plot::{self, Frame};
use super::scene::{Anchor, Scene};
use super::theme::Theme;

/// Width of every picture, in pixels.
const WIDTH: i32 = 1200;
const MARGIN: i32 = 28;
const TITLE: i32 = 20;
const HEADING: i32 = 15;
/// Height of a line of small text.
const LINE: i32 = 18;

/// Lays a picture out: title, plots below each other, remarks.
pub(super) fn scene(picture: &CleanPicture, theme: Theme) -> Scene {
    let picture = picture.picture();
    let mut scene = Scene::new(theme, WIDTH);
    let room = WIDTH - 2 * MARGIN;
    let mut y = MARGIN + TITLE / 2;
    scene.text((MARGIN, y), Anchor::Start, TITLE, theme.text(), measure::cut(&picture.title, TITLE, room));
    y += TITLE / 2 + 6;
    y = paragraph(&mut scene, y, &picture.subtitle);
    for panel in &picture.panels {
        y = self::panel(&mut scene, y + 14, panel);
    }
    y += 8;
    for note in &picture.notes {
        y = paragraph(&mut scene, y, note);
    }
    scene.height = y + MARGIN / 2;
    scene
}

/// Lines of small text; returns where they end.
fn paragraph(scene: &mut Scene, mut y: i32, text: &str) -> i32 {
    if text.is_empty() {
        return y;
    }
    for line in measure::wrap(text, LABEL, WIDTH - 2 * MARGIN) {
        scene.text((MARGIN, y + LINE / 2), Anchor::Start, LABEL, scene.theme.faint(), line);
        y += LINE;
    }
    y
}

fn panel(scene: &mut Scene, y: i32, panel: &Panel) -> i32 {
    let heading = measure::cut(&panel.heading, HEADING, WIDTH - 2 * MARGIN);
    let top = if heading.is_empty() { y } else { y + HEADING + 10 };
    scene.text((MARGIN, y + HEADING / 2), Anchor::Start, HEADING, scene.theme.text(), heading);
    let frame = Frame { left: MARGIN, right: WIDTH - MARGIN, top };
    if panel.plot.is_empty() {
        return paragraph(scene, frame.top, &panel.empty);
    }
    match &panel.plot {
        Plot::Bars(bars) => plot::bars(scene, frame, bars),
        Plot::Flow(flow) => plot::flow(scene, frame, flow),
        Plot::Track(track) => plot::track(scene, frame, track),
        Plot::Lanes(lanes) => plot::lanes(scene, frame, lanes),
    }
}

impl Plot {
    /// Whether there is nothing to draw. Where all is zero a line would lie on the axis: words say more.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Bars(bars) => bars.rows.is_empty(),
            Self::Flow(flow) => flow.amounts.iter().all(|amount| amount.value <= 0),
            Self::Track(track) => track.points.iter().all(|point| point.is_none_or(|value| value <= 0)),
            Self::Lanes(lanes) => lanes.lanes.iter().all(|lane| lane.spans.is_empty() && lane.marks.is_empty()),
        }
    }
}
