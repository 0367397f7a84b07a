//! What a person stumbles over where there is much to draw, or little.

use super::gallery::{at, clean, contexts, faults, name, zone};
use super::layout::scene;
use super::scene::Shape;
use super::*;
use crate::unit::{Tokens, Usd};

/// Runs with a night in between, and one point of a curve: neither may look like an empty plot.
#[test]
fn little_is_seen_however_far_apart() {
    let row = |hour: u64| TimelineRow {
        spans: vec![(Activity::Session, Some(at(hour, 3600)), Some(at(hour * 60 + 1, 60)))],
        ..TimelineRow::default()
    };
    let rows = [0, 9, 60].map(row).to_vec();
    let nights = timeline(TimelineFigure { title: "Nights".into(), unplaced: 0, rows, zone: zone() });
    assert!(nights.notes[0].contains("8h 59m after") && nights.notes[0].contains("2d 02h after"), "{:?}", nights.notes);
    let widest = |picture| {
        let scene = scene(&clean(picture), Theme::Light);
        assert_eq!(faults(&scene), Vec::<String>::new());
        let widths = scene.shapes.iter().filter_map(|shape| match shape {
            Shape::Rect { from, to, .. } if to.1 - from.1 > 12 => Some(to.0 - from.0),
            Shape::Area { points, .. } => Some(points.iter().map(|p| p.0).max()? - points.iter().map(|p| p.0).min()?),
            Shape::Rect { .. } | Shape::Path { .. } | Shape::Text { .. } => None,
        });
        widths.max()
    };
    assert!(widest(nights) > Some(50) && widest(contexts(1)) == Some(56), "an hour of days, a single turn");
}

/// The last step of a sum is the whole of it: without room behind it, nothing of it is seen.
#[test]
fn the_last_amount_of_a_sum_is_seen() {
    let spent = |n, nanos| Spent { at: Some(at(n, 60)), model: "m".into(), usd: Usd::from_nanos(nanos) };
    let figure = CostFigure {
        title: "Late".into(),
        row: "step".into(),
        classes: Vec::new(),
        rows: Vec::new(),
        spent: vec![spent(0, 400_000), spent(1, 4_000_000_000)],
        unpriced: 0,
        zone: zone(),
    };
    let scene = scene(&clean(cost(figure)), Theme::Light);
    let areas = scene.shapes.iter().filter_map(|shape| match shape {
        Shape::Area { points, .. } => Some(points.clone()),
        Shape::Rect { .. } | Shape::Path { .. } | Shape::Text { .. } => None,
    });
    let area = areas.max_by_key(Vec::len).unwrap();
    let top = area.iter().map(|(_, y)| *y).min().unwrap();
    let at_top: Vec<i32> = area.iter().filter(|(_, y)| *y == top).map(|(x, _)| *x).collect();
    let wide = at_top.iter().max().unwrap() - at_top.iter().min().unwrap();
    assert!(wide > 20, "the whole sum is {wide} pixels wide: {area:?}");
    assert!(area.iter().any(|(_, y)| y - top > 100), "the height of the whole sum: {area:?}");
}

/// Texts of the drawing of a picture.
fn texts(picture: Picture) -> Vec<String> {
    let scene = scene(&clean(picture), Theme::Light);
    let texts = scene.shapes.into_iter().filter_map(|shape| match shape {
        Shape::Text { text, .. } => Some(text),
        Shape::Area { .. } | Shape::Rect { .. } | Shape::Path { .. } => None,
    });
    texts.collect()
}

/// Of many steps and threads, neighbours share a line: failures are drawn however short their thread is.
#[test]
fn no_failure_is_left_out_of_a_long_timeline() {
    let minute = |n| Some(at(n, 60));
    let step = |n: u64| TimelineRow {
        name: format!("很长的步骤名字用来测试标签会不会重叠#{n}"),
        spans: vec![(Activity::Step, minute(n * 10), minute(n * 10 + 9))],
        ..TimelineRow::default()
    };
    let thread = |n: u64| TimelineRow {
        name: format!("session {n}"),
        section: 1,
        spans: vec![(Activity::Session, minute(n * 10 + 1), minute(n * 10 + 1))],
        moments: if n % 7 == 3 { vec![(Activity::Error, minute(n * 10 + 1))] } else { Vec::new() },
        ..TimelineRow::default()
    };
    let rows = (0..300).map(step).chain((0..300).map(thread)).collect();
    let long = timeline(TimelineFigure { title: "Long".into(), unplaced: 0, rows, zone: zone() });
    let shapes = scene(&clean(long.clone()), Theme::Light).shapes;
    let failures = shapes.iter().filter(|shape| matches!(shape, Shape::Area { .. })).count();
    assert_eq!(failures, 43, "one in seven of 300 threads");
    let texts = texts(long);
    let says = |text: &str| texts.iter().any(|said| said.contains(text));
    assert!(says("600 lanes on 64 lines, neighbours share one"), "{texts:?}");
    for label in ["#0 … ", "#299", "session 0 … session 8", "session", "failure"] {
        assert!(says(label), "{label}: {texts:?}");
    }
}

/// The end of a name tells steps apart; of many steps only those that were tried again are told, each with its name.
#[test]
fn retried_steps_have_their_names() {
    let attempt = |from, ok| Attempt { from: Some(at(from, 60)), to: Some(at(from + 1, 60)), ok: Some(ok) };
    let step = |n: u64| RetriedStep {
        name: format!("很长的步骤名字用来测试标签会不会重叠以及在哪里被截断#{n}"),
        attempts: if n % 7 == 3 { vec![attempt(n, false), attempt(n + 3, true)] } else { vec![attempt(n, true)] },
    };
    let figure = |steps: u64| RetriesFigure { title: String::new(), steps: (0..steps).map(step).collect() };
    let few = texts(retries(figure(24)));
    for label in ["#9 (1 attempt)", "#10 (2 attempts)", "#23 (1 attempt)"] {
        assert!(few.iter().any(|text| text.ends_with(label)), "{label}: {few:?}");
    }
    let many = texts(retries(figure(300)));
    for n in (0..300).filter(|n| n % 7 == 3) {
        assert!(many.iter().any(|text| text.ends_with(&format!("#{n} (2 attempts)"))), "{n}: {many:?}");
    }
    assert!(many.contains(&"257 steps with one attempt that ended well: not drawn.".to_owned()), "{many:?}");
}

/// Two sessions that write in turn are two curves, each without the ups and downs between them.
#[test]
fn each_session_is_a_curve_of_its_own() {
    let turn = |n: u64| ContextTurn {
        context: Some(Tokens(if n.is_multiple_of(2) { 150_000 + n } else { 20_000 + n })),
        session: usize::from(!n.is_multiple_of(2)),
    };
    let figure = ContextFigure {
        title: String::new(),
        turns: (0..20).map(turn).collect(),
        events: vec![(1, "another session".into())],
        window: Some(("window of m".into(), Tokens(1_000_000))),
    };
    let picture = context(figure);
    let said = texts(picture.clone());
    for text in ["new session: 1", "window of m: 1.0M, far above the highest context, 150.0k."] {
        assert!(said.iter().any(|label| label == text), "{text}: {said:?}");
    }
    assert!(!said.iter().any(|label| label.contains("another session")), "{said:?}");
    let curves = scene(&clean(picture), Theme::Light).shapes.into_iter().filter_map(|shape| match shape {
        Shape::Path { points, width: 2, .. } => Some(points),
        Shape::Area { .. } | Shape::Rect { .. } | Shape::Path { .. } | Shape::Text { .. } => None,
    });
    let curves: Vec<_> = curves.collect();
    assert_eq!(curves.len(), 2);
    let flat = |curve: &Vec<(i32, i32)>| curve.iter().all(|(_, y)| (y - curve[0].1).abs() < 3);
    assert!(curves.iter().all(flat), "{curves:?}");
}

/// Shares that go up and down from turn to turn are drawn as the mean of neighbours.
#[test]
fn hundreds_of_shares_are_no_solid_block() {
    let turn = |n: u64| CacheTurn {
        read: Tokens(if n.is_multiple_of(2) { 900 } else { 100 }),
        uncached: Tokens(if n.is_multiple_of(2) { 100 } else { 900 }),
        ..CacheTurn::default()
    };
    let picture = cache(CacheFigure { title: String::new(), turns: (0..660).map(turn).collect() });
    assert!(texts(picture.clone()).iter().any(|text| text == "model turn; a column is the mean of 6"));
    let shares = scene(&clean(picture), Theme::Light).shapes.into_iter().rev().find_map(|shape| match shape {
        Shape::Path { points, .. } => Some(points),
        Shape::Area { .. } | Shape::Rect { .. } | Shape::Text { .. } => None,
    });
    let shares = shares.unwrap();
    assert!(shares.len() == 220 && shares.iter().all(|(_, y)| *y == shares[0].1), "{shares:?}");
}

/// What is not drawn is told with its sum, and a legend names no class that does not occur.
#[test]
fn bars_tell_what_is_left_out_and_nothing_that_is_not_there() {
    let row = |n: u64| CostRow {
        name: name(n),
        by_class: vec![Usd::from_nanos(2_000_000_000), Usd::ZERO],
        shown: String::new(),
        bounds: None,
    };
    let figure = |rows| CostFigure {
        title: String::new(),
        row: "step".into(),
        classes: vec!["input".into(), "web searches".into()],
        rows,
        spent: Vec::new(),
        unpriced: 0,
        zone: zone(),
    };
    let many = texts(cost(figure((0..50).map(row).collect())));
    assert!(many.contains(&"10 more steps not drawn: $20.00 together, none above $2.00".to_owned()), "{many:?}");
    assert!(many.contains(&"input".to_owned()) && !many.contains(&"web searches".to_owned()), "{many:?}");
    let none = texts(cost(figure(vec![CostRow { by_class: vec![Usd::ZERO; 2], ..row(0) }])));
    assert!(!none.contains(&"input".to_owned()), "{none:?}");
}

/// Sessions of one turn each are columns that are seen, not dots.
#[test]
fn a_turn_alone_is_seen() {
    let turn = |session| ContextTurn { context: Some(Tokens(20_000)), session };
    let figure =
        ContextFigure { title: String::new(), turns: (0..8).map(turn).collect(), events: Vec::new(), window: None };
    let columns = scene(&clean(context(figure)), Theme::Light).shapes.into_iter().filter_map(|shape| match shape {
        Shape::Path { points, width: 2, .. } => Some(points[1].0 - points[0].0),
        Shape::Area { .. } | Shape::Rect { .. } | Shape::Path { .. } | Shape::Text { .. } => None,
    });
    assert_eq!(columns.collect::<Vec<_>>(), [56; 8]);
}
