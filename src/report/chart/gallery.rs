//! Every figure with every odd size of data.

use super::layout::scene;
use super::scene::{Scene, Shape};
use super::*;
use crate::report::Masker;
use crate::unit::{Span, Timestamp, Tokens, Usd, Zone};

const NAMES: [&str; 9] = [
    "inspect",
    "干活·判定#1",
    "写代码 👨\u{200d}👩\u{200d}👧 round",
    "שלום עולם",
    "a-step-with-a-name-that-is-much-too-long-for-the-margin-of-a-chart-and-goes-on#17",
    "delegate#round2",
    "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW",
    "<b>&\"quoted\"</b>",
    "key sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa \u{1b}[31m\u{202e}",
];

const BEGIN: i64 = 1_796_048_517_000;

pub(super) fn name(n: u64) -> String {
    let base = NAMES[usize::try_from(n).unwrap() % NAMES.len()];
    if n < 9 { base.to_owned() } else { format!("{base}·{n}") }
}

/// A small number that looks like chance and is the same every time.
fn chance(n: u64, below: u64) -> u64 {
    let mut x = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (x ^ (x >> 31)) % below.max(1)
}

fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap()
}

pub(super) fn at(n: u64, seconds: u64) -> Timestamp {
    Timestamp::from_millis(BEGIN + signed(n * seconds * 1000)).unwrap()
}

pub(super) fn zone() -> Zone {
    Zone::named("Asia/Shanghai").unwrap()
}

fn costs(steps: u64, models: u64) -> Picture {
    let usd = |n: u64, below: u64| Usd::from_nanos(signed(chance(n, below)));
    let row = |n: u64| {
        let by_class: Vec<Usd> = (0..5).map(|class| usd(n * 7 + class, 900_000_000 >> class)).collect();
        let total: Usd = by_class.iter().copied().sum();
        let high = Usd::from_nanos(total.nanos() * 5 / 4);
        CostRow {
            name: name(n),
            shown: total.to_string(),
            bounds: n.is_multiple_of(3).then_some((total, high)),
            by_class,
        }
    };
    let spent = |n: u64| Spent {
        at: (n % 29 != 7).then(|| at(n, 97)),
        model: format!("claude-model-{}-20260101", chance(n, models)),
        usd: usd(n, 90_000_000),
    };
    cost(CostFigure {
        title: "Cost of run 20261130-141539".into(),
        row: "step".into(),
        classes: ["input", "cache write 5m", "cache write 1h", "cache read", "output"].map(Into::into).to_vec(),
        rows: (0..steps).map(row).collect(),
        spent: (0..steps * 12).map(spent).collect(),
        unpriced: usize::try_from(steps / 5).unwrap(),
        zone: zone(),
    })
}

fn failures(count: u64, kinds: u64) -> Picture {
    let kind = |n: u64| if kinds > 12 { name(chance(n, kinds)) } else { format!("kind-{}", chance(n, kinds)) };
    let one = |n: u64| (kind(n), (n % 11 != 3).then(|| at(n + chance(n, 9), 60)));
    errors(ErrorsFigure { title: "Errors".into(), errors: (0..count).map(one).collect(), zone: zone() })
}

fn attempts(steps: u64) -> Picture {
    let step = |n: u64| RetriedStep {
        name: name(n),
        attempts: (0..=chance(n, 4))
            .map(|a| Attempt {
                from: Some(at(n * 10 + a * 5, 60)),
                to: (chance(n + a, 17) != 3).then(|| at(n * 10 + a * 5 + 1 + chance(n, 3), 60)),
                ok: Some(a == chance(n, 4)),
            })
            .collect(),
    };
    retries(RetriesFigure { title: "Retries".into(), steps: (0..steps).map(step).collect() })
}

pub(super) fn contexts(turns: u64) -> Picture {
    let turn = |n: u64| (chance(n, 97) != 3).then(|| Tokens(11_000 + n % (turns / 3 + 1) * 187_000 / turns));
    let kinds = ["compaction", "new session", "handoff", "load layers"];
    let events = (1..turns).filter(|n| n % (turns / 3 + 1) == 0 || chance(*n, 60) == 1);
    context(ContextFigure {
        title: "Context".into(),
        turns: (0..turns)
            .map(|n| ContextTurn { context: turn(n), session: usize::try_from(chance(n / 40, 3)).unwrap() })
            .collect(),
        events: events.map(|n| (usize::try_from(n).unwrap(), kinds[usize::try_from(n % 4).unwrap()].into())).collect(),
        window: Some(("window of claude-model-1".into(), Tokens(200_000))),
    })
}

fn tool_uses(count: u64) -> Picture {
    let tool = |n: u64| ToolUse {
        name: name(n),
        good: chance(n, 900),
        errors: chance(n + 1, 40),
        denied: chance(n + 2, 9),
        unanswered: chance(n + 3, 3),
        characters: chance(n, 4_000_000),
        time: (!n.is_multiple_of(3)).then(|| Span::from_millis(signed(chance(n, 9_000_000)))),
    };
    tools(ToolsFigure { title: "Tools".into(), tools: (0..count).map(tool).collect() })
}

fn caches(turns: u64) -> Picture {
    let turn = |n: u64| CacheTurn {
        read: Tokens(if n.is_multiple_of(40) { 0 } else { n % 40 * 4000 }),
        written_short: Tokens(chance(n, 9_000) + if n.is_multiple_of(40) { 50_000 } else { 0 }),
        written_long: Tokens(chance(n, 3_000)),
        uncached: Tokens(chance(n, 400)),
    };
    cache(CacheFigure { title: "Cache".into(), turns: (0..turns).map(turn).collect() })
}

fn timelines(rows: u64) -> Picture {
    let row = |n: u64| {
        let from = n / 2 * 10;
        let activity = [Activity::Step, Activity::Session, Activity::Subagent][usize::try_from(n % 3).unwrap()];
        TimelineRow {
            name: name(n),
            depth: usize::try_from(n % 3).unwrap(),
            section: usize::from(n >= rows / 2),
            spans: vec![
                (activity, Some(at(from, 60)), (n % 19 != 4).then(|| at(from + 9 + chance(n, 40), 60))),
                (Activity::Wait, Some(at(from + 3, 60)), Some(at(from + 5, 60))),
                (Activity::FailedAttempt, Some(at(from + 1, 60)), Some(at(from + 3, 60))),
            ],
            moments: vec![
                (Activity::Error, (n % 5 == 2).then(|| at(from + 3, 60))),
                (Activity::ToolCall, Some(at(from + 6, 60))),
                (Activity::Compaction, Some(at(from + 7, 60))),
            ],
        }
    };
    timeline(TimelineFigure { title: "Timeline".into(), unplaced: 0, rows: (0..rows).map(row).collect(), zone: zone() })
}

fn zeros() -> Picture {
    let spent = Spent { at: Some(at(0, 1)), model: "m".into(), usd: Usd::ZERO };
    let row = CostRow { name: "s".into(), by_class: vec![Usd::ZERO; 2], shown: "$0.00".into(), bounds: None };
    cost(CostFigure {
        title: "Zero".into(),
        row: "step".into(),
        classes: vec!["input".into(), "output".into()],
        rows: vec![row],
        spent: vec![spent],
        unpriced: 0,
        zone: zone(),
    })
}

fn hostile() -> Picture {
    let far = |millis| Timestamp::from_millis(millis);
    let spent = |at, nanos| Spent { at, model: "m".into(), usd: Usd::from_nanos(nanos) };
    cost(CostFigure {
        title: "\u{202e}evil\u{0} ".repeat(300),
        row: "step".into(),
        classes: vec!["x".repeat(5000)],
        rows: vec![CostRow {
            name: "e\u{301}".repeat(5000),
            by_class: vec![Usd::from_nanos(i64::MAX)],
            shown: "9".repeat(3000),
            bounds: Some((Usd::from_nanos(i64::MIN), Usd::from_nanos(i64::MAX))),
        }],
        spent: vec![
            spent(far(-60_000_000_000_000), i64::MAX),
            spent(far(8_000_000_000_000_000), i64::MAX),
            spent(far(0), i64::MIN),
        ],
        unpriced: 0,
        zone: Zone::UTC,
    })
}

fn pictures() -> Vec<(String, Picture)> {
    let mut pictures = vec![("zeros".to_owned(), zeros()), ("hostile".to_owned(), hostile())];
    for count in [0, 1, 5, 40, 300] {
        pictures.push((format!("cost-{count}-1"), costs(count, 1)));
        pictures.push((format!("cost-{count}-12"), costs(count, 12)));
        pictures.push((format!("cost-{count}-20"), costs(count, 20)));
        pictures.push((format!("errors-{count}-3"), failures(count, 3)));
        pictures.push((format!("errors-{count}-30"), failures(count, 30)));
        pictures.push((format!("retries-{count}"), attempts(count)));
        pictures.push((format!("context-{count}"), contexts(count)));
        pictures.push((format!("tools-{count}"), tool_uses(count)));
        pictures.push((format!("cache-{count}"), caches(count)));
        pictures.push((format!("timeline-{count}"), timelines(count)));
    }
    pictures.push(("context-20000".to_owned(), contexts(20_000)));
    pictures.push(("cache-20000".to_owned(), caches(20_000)));
    pictures
}

pub(super) fn clean(picture: Picture) -> CleanPicture {
    CleanPicture::new(picture, &Masker::masking())
}

/// What a person would stumble over: texts over each other or cut off by the edge, shapes outside.
pub(super) fn faults(scene: &Scene) -> Vec<String> {
    let mut faults = Vec::new();
    let texts: Vec<_> = scene.shapes.iter().filter_map(|shape| Some((shape, shape.text_box()?))).collect();
    for (nth, (shape, (left, top, right, bottom))) in texts.iter().enumerate() {
        if *left < 0 || *top < 0 || *right > scene.width || *bottom > scene.height {
            faults.push(format!("outside: {shape:?}"));
        }
        for (other, (l, t, r, b)) in texts.iter().skip(nth + 1) {
            if l < right && left < r && t < bottom && top < b {
                faults.push(format!("one over the other: {shape:?} {other:?}"));
            }
        }
    }
    for shape in &scene.shapes {
        let points = match shape {
            Shape::Area { points, .. } | Shape::Path { points, .. } => points.clone(),
            Shape::Rect { from, to, .. } => vec![*from, *to],
            Shape::Text { .. } => Vec::new(),
        };
        if points.iter().any(|(x, y)| !(0..=scene.width).contains(x) || !(0..=scene.height).contains(y)) {
            faults.push(format!("outside: {shape:?}"));
        }
    }
    faults
}

#[test]
fn nothing_overlaps_or_leaves_the_picture() {
    for (name, picture) in pictures() {
        let faults = faults(&scene(&clean(picture), Theme::Light));
        assert!(faults.is_empty(), "{name}: {} faults, first: {}", faults.len(), faults[0]);
    }
}

#[test]
fn the_drawing_is_the_same_every_time() {
    for (name, picture) in [
        ("cost", costs(2, 2)),
        ("errors", failures(4, 2)),
        ("retries", attempts(3)),
        ("context", contexts(9)),
        ("timeline", timelines(3)),
        ("zeros", zeros()),
    ] {
        let svg = draw(&clean(picture), Theme::Light).unwrap().svg;
        // The ground and the list of fonts say nothing about the figure.
        let svg = svg.replace(svg::FONT_STACK, "FONTS");
        insta::assert_snapshot!(format!("svg_{name}"), svg);
    }
    let dark = draw(&clean(zeros()), Theme::Dark).unwrap();
    assert_ne!(dark, draw(&clean(zeros()), Theme::Light).unwrap());
}

#[test]
fn no_secret_and_no_control_character_reaches_a_drawing() {
    let svg = draw(&clean(costs(20, 20)), Theme::Light).unwrap().svg;
    assert!(svg.contains("masked") && !svg.contains("aaaaaaaaaa"), "a secret");
    assert!(!svg.chars().any(|c| c == '\u{1b}' || c == '\u{202e}'));
    assert!(svg.contains("&lt;b&gt;&amp;"), "markup of a name is text");
    let revealed = CleanPicture::new(costs(9, 1), &Masker::revealing());
    let label = |picture: &Picture| match &picture.panels[0].plot {
        Plot::Bars(bars) => bars.rows[8].label.clone(),
        Plot::Flow(_) | Plot::Track(_) | Plot::Lanes(_) => String::new(),
    };
    assert!(label(revealed.picture()).contains("aaaaaaaaaa"));
}

#[test]
fn what_has_no_glyph_is_named_with_its_package() {
    let chart = draw(&clean(timelines(4)), Theme::Light).unwrap();
    let (png, missing) = chart.png(&Fonts::embedded()).unwrap();
    assert!(png.starts_with(b"\x89PNG"));
    let packages: Vec<&str> = missing.iter().map(|missing| missing.package).collect();
    assert_eq!(packages, ["fonts-noto-cjk", "fonts-noto-color-emoji", "fonts-noto-core"]);
    assert!(missing[0].characters.contains(&'判') && missing[2].characters.contains(&'ש'), "{missing:?}");
}

#[test]
fn a_picture_without_data_says_so() {
    for (picture, said) in [
        (costs(0, 1), "There is no cost to show."),
        (failures(0, 1), "The source has no error."),
        (attempts(0), "No attempt has a begin and an end."),
        (contexts(0), "No model turn of the main thread has usage."),
        (tool_uses(0), "No tool was called."),
        (caches(0), "No model turn has usage."),
        (timelines(0), "Nothing has a time."),
        (zeros(), "What has a price and a time cost nothing."),
    ] {
        let svg = draw(&clean(picture), Theme::Dark).unwrap().svg;
        assert!(svg.contains(said), "{said}");
    }
}
