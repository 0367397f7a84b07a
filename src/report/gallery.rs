//! What pages look like at the widths that people have.

use super::{
    Bar, Body, Cell, CleanPage, Column, Curve, Facts, Masker, Page, Style, Table, Tone, TreeLine, terminal, text,
};
use crate::unit::{Span, Tokens, Usd};

fn style(width: usize) -> Style {
    Style { width, color: false, unicode: true }
}

fn shown(page: Page, style: Style) -> String {
    let text = terminal(&CleanPage::new(page, &Masker::masking()), &style);
    for line in text.lines() {
        assert_eq!(line, line.trim_end(), "no trailing blanks");
    }
    text
}

fn steps(count: u64) -> Table {
    const NAMES: [&str; 4] = ["inspect", "干活·判定#1", "写代码 👨‍👩‍👧", "delegate#round2"];
    let row = |i: u64| -> [Cell; 9] {
        let name = NAMES[usize::try_from(i).unwrap() % 4];
        [
            name.into(),
            if i % 5 == 1 { Cell::text("failed").bad() } else { Cell::text("ok").good() },
            (i % 3 + 1).into(),
            (i * 7 % 40).into(),
            Usd::from_nanos(i64::try_from(i * 1_238_406_000).unwrap()).into(),
            Tokens(i * 299_412_345).into(),
            (i > 0).then_some(Span::from_millis(i64::try_from(i * 192_345).unwrap())).into(),
            format!("{i:08x}-f3d3-4005-8b19-cfc09b3256c9").into(),
            if i % 5 == 1 {
                "API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)"
            } else {
                ""
            }
            .into(),
        ]
    };
    Table::new([
        Column::text("step"),
        Column::text("result"),
        Column::number("attempts"),
        Column::number("turns"),
        Column::number("cost"),
        Column::number("cache read"),
        Column::number("time").minor(),
        Column::id("session").minor(),
        Column::text("last error"),
    ])
    .rows((0..count).map(row))
    .footer(["total".into(), "".into(), count.into(), 40_u64.into(), Usd::from_nanos(38_240_000_000).into()])
}

fn curve(count: u64) -> Curve {
    let points: Vec<u64> = (0..count).map(|i| 11_000 + i % (count / 3 + 1) * 187_000 / count).collect();
    let falls =
        points.windows(2).enumerate().filter(|(_, pair)| pair[1] < pair[0] * 7 / 10).map(|(at, _)| at + 1).collect();
    Curve::new(points, "model turn", "tokens").falls(falls)
}

fn everything() -> Page {
    Page::new("Run 20261130-141539-cbc95b")
        .part(
            Facts::new()
                .line("source", "/data/runs")
                .line("steps", Cell::text("2 of 3 ok").warn())
                .line(
                    "last error",
                    "API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED) \u{1b}[31m",
                )
                .line("ended", Cell::absent()),
        )
        .section("Steps", steps(3))
        .section(
            "Cost by model",
            vec![
                Bar::new("claude-opus-4-5", 38.24, "$38.24").note("71% of the run"),
                Bar::new("claude-haiku-4-5-20251001", 3.1, "$3.10"),
                Bar::new("子代理·摘要", 0.02, "$0.0200").tone(Tone::Warn),
            ],
        )
        .section("Context", curve(40).height(6))
        .section(
            "Chain",
            vec![
                TreeLine::new(0, "d46720da main thread").note("42 entries"),
                TreeLine::new(1, "subagent a53b: 调查一下代码库里面的所有测试文件").note("recorded"),
                TreeLine::new(2, "subagent 91cc").tone(Tone::Bad),
                TreeLine::new(1, "branch after a retry"),
            ],
        )
        .note("Times are in Europe/Berlin. What is not known is shown as a dash; nothing was left out of the sums.")
}

fn alone(body: impl Into<Body>, style: Style) -> String {
    shown(Page::new("").part(body), style)
}

#[test]
fn a_whole_page() {
    insta::assert_snapshot!(shown(everything(), style(80)), @r"
    Run 20261130-141539-cbc95b

    source      /data/runs
    steps       2 of 3 ok
    last error  API Error: Connection refused — a firewall or proxy may be blocking
                it (ECONNREFUSED) \u{1b}[31m
    ended       –

    Steps
    step         result  attempts  turns    cost  cache read    time  last error
    ────────────────────────────────────────────────────────────────────────────────
    inspect      ok             1      0   $0.00           0       –
    干活·判定#1  failed         2      7   $1.24      299.4M  3m 12s  API Error:
                                                                      Connection
                                                                      refused — a f…
    写代码 👨‍👩‍👧    ok             3     14   $2.48      598.8M  6m 25s
    ────────────────────────────────────────────────────────────────────────────────
    total                       3     40  $38.24
    not shown at this width: session

    Cost by model
    claude-opus-4-5            ████████████████████████████   $38.24  71% of the run
    claude-haiku-4-5-20251001  ██▎                             $3.10
    子代理·摘要                ▏                             $0.0200

    Context
    71.8k ┤           ▁▄█           ▁▄█           ▁
          │         ▃▆███         ▃▆███         ▃▆█
          │      ▂▅██████      ▂▅██████      ▂▅████
    35.9k ┤    ▃▆████████    ▃▆████████    ▃▆██████
          │ ▂▅███████████ ▂▅███████████ ▂▅█████████
          │▇█████████████▇█████████████▇███████████
        0 └────────────────────────────────────────
                         ▾             ▾
           1                                     40
    tokens per model turn
    ▾ falls at model turn 15 (71.8k → 11.0k), 29 (71.8k → 11.0k)

    Chain
    d46720da main thread  42 entries
    ├─ subagent a53b: 调查一下代码库里面的所有测试文件  recorded
    │  └─ subagent 91cc
    └─ branch after a retry

    Times are in Europe/Berlin. What is not known is shown as a dash; nothing was
    left out of the sums.
    ");
}

#[test]
fn a_whole_page_in_ascii() {
    let text = shown(everything(), Style { unicode: false, ..style(80) });
    // The text of the run stays as it is; what is drawn is ASCII.
    let drawn: String = text.chars().filter(|c| !c.is_alphanumeric() && !c.is_ascii()).collect();
    assert_eq!(drawn, "—·—👨\u{200d}👩\u{200d}👧·");
    insta::assert_snapshot!(alone(curve(40).height(4), Style { unicode: false, ..style(60) }), @"
    71.8k |            ##            ##
          |        ######        ######        ####
    35.9k |    ##########    ##########    ########
          |########################################
        0 +----------------------------------------
                         v             v
           1                                     40
    tokens per model turn
    v falls at model turn 15 (71.8k -> 11.0k), 29 (71.8k ->
    11.0k)
    ");
}

#[test]
fn steps_at_many_widths() {
    insta::assert_snapshot!(alone(steps(2), style(60)), @r"
    step        inspect
    result      ok
    attempts    1
    turns       0
    cost        $0.00
    cache read  0
    time        –
    session     00000000-f3d3-4005-8b19-cfc09b3256c9
    ──────────────────────
    step        干活·判定#1
    result      failed
    attempts    2
    turns       7
    cost        $1.24
    cache read  299.4M
    time        3m 12s
    session     00000001-f3d3-4005-8b19-cfc09b3256c9
    last error  API Error: Connection refused — a firewall or
                proxy may be blocking it (ECONNREFUSED)
    ──────────────────────
    step        total
    attempts    2
    turns       40
    cost        $38.24
    ");
    insta::assert_snapshot!(alone(steps(3), style(120)), @"
    step         result  attempts  turns    cost  cache read    time  session    last error
    ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
    inspect      ok             1      0   $0.00           0       –  00000000…
    干活·判定#1  failed         2      7   $1.24      299.4M  3m 12s  00000001…  API Error: Connection refused — a firewall
                                                                                 or proxy may be blocking it (ECONNREFUSED)
    写代码 👨‍👩‍👧    ok             3     14   $2.48      598.8M  6m 25s  00000002…
    ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
    total                       3     40  $38.24
    ");
    for width in 20..220 {
        for line in shown(everything().part(steps(12)), style(width)).lines() {
            assert!(text::width(line) <= width, "{width}: {line}");
        }
    }
}

#[test]
fn tables_of_no_one_and_many_rows() {
    insta::assert_snapshot!(alone(steps(0).empty("No steps ran."), style(80)), @"No steps ran.");
    insta::assert_snapshot!(alone(steps(1), style(80)), @r"
    step     result  attempts  turns    cost  cache read  time  session    last
                                                                           error
    ────────────────────────────────────────────────────────────────────────────
    inspect  ok             1      0   $0.00           0     –  00000000…
    ────────────────────────────────────────────────────────────────────────────
    total                   1     40  $38.24
    ");
    let many = alone(steps(300), style(120));
    assert_eq!(many.lines().filter(|l| l.contains('$')).count(), 301);
    insta::assert_snapshot!(many.lines().skip(many.lines().count() - 5).collect::<Vec<_>>().join("\n"), @r"
    干活·判定#1      ok             1     39  $367.81       88.9G  15h 52m  00000129…
    写代码 👨‍👩‍👧        ok             2      6  $369.04       89.2G  15h 55m  0000012a…
    delegate#round2  ok             3     13  $370.28       89.5G  15h 58m  0000012b…
    ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
    total                         300     40   $38.24
    ");
}

#[test]
fn curves_of_one_and_many_points() {
    insta::assert_snapshot!(alone(curve(1), style(60)), @r"
    11.0k ┤███
          │███
        0 └───
           1
    tokens per model turn
    ");
    insta::assert_snapshot!(alone(curve(5000), style(60)), @"
    73.3k ┤               ▂▅█               ▃▆█              ▁▄▇
          │            ▁▄▇███            ▂▅████            ▃▆███
          │          ▃▆██████         ▁▄▇██████         ▂▅██████
          │       ▂▅█████████       ▃▆█████████      ▁▄▇████████
    36.7k ┤     ▄▇███████████    ▁▅████████████    ▂▆███████████
          │  ▂▅██████████████  ▃▆██████████████ ▁▄▇█████████████
          │▄▇████████████████▅█████████████████▆████████████████
          │█████████████████████████████████████████████████████
        0 └─────────────────────────────────────────────────────
                            ▾                 ▾
           1                                                5000
    tokens per model turn
    ▾ falls at model turn 1668 (73.3k → 11.0k), 3335 (73.3k →
    11.0k)
    ");
    // A fall that has grown back within one column is still marked.
    let mut points = vec![100_000; 5000];
    points[2500] = 10;
    insta::assert_snapshot!(alone(Curve::new(points, "model turn", "tokens").falls(vec![2500]).height(2), style(60)), @r"
    100.0k ┤████████████████████████████████████████████████████
           │████████████████████████████████████████████████████
         0 └────────────────────────────────────────────────────
                                      ▾
            1                                               5000
    tokens per model turn
    ▾ falls at model turn 2501 (100.0k → 10)
    ");
    assert_eq!(alone(Curve::new(Vec::<u64>::new(), "turn", "tokens"), style(60)), "(no points)\n");
}

#[test]
fn colours_change_no_layout() {
    let coloured = shown(everything(), Style { color: true, ..style(100) });
    let codes = regex::Regex::new("\u{1b}\\[[0-9]*m").unwrap();
    assert_eq!(codes.replace_all(&coloured, ""), shown(everything(), style(100)));
    assert!(coloured.contains("\u{1b}[31mfailed\u{1b}[0m"), "{coloured}");
    assert!(coloured.contains("\\u{1b}[31m"), "colours of the run stay visible text");
}

#[test]
fn secrets_are_masked_before_they_are_cut() {
    let key = format!("key sk-ant-api03-{} and more", "Ab3".repeat(31));
    let table = Table::new([Column::id("id"), Column::text("text")]).row([Cell::text(&key), Cell::text(&key)]);
    for width in 20..120 {
        assert!(!alone(table.clone(), style(width)).contains("Ab3"), "{width}");
    }
}
