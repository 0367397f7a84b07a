//! `--chart`: a file beside the report, never in the evidence, with what cannot be drawn said on stderr.

use crate::program::run;
use crate::store::Case;
use std::fs;

/// Commands that can draw their result.
const DRAWING: [&str; 6] = ["cost", "context", "tools", "timeline", "errors", "retries"];

#[test]
fn every_drawing_command_writes_a_chart_beside_its_report() {
    let case = Case::copy("interrupted");
    for command in DRAWING {
        let plain = run(&case.root, &[command, case.source, "--tz", "UTC"]);
        let file = format!("{command}.svg");
        let drawn = run(&case.root, &[command, case.source, "--tz", "UTC", "--chart", &file]);
        assert_eq!((drawn.code, drawn.out, drawn.err.as_str()), (Some(0), plain.out, ""), "{command}");
        let svg = fs::read_to_string(case.root.join(&file)).unwrap();
        assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{command}: {svg:.200}");
        let axis = ["time, UTC", "model turn", "Time from call to result", "time since the beginning"];
        assert!(axis.iter().any(|axis| svg.contains(axis)), "{command}");
        let dark = run(&case.root, &[command, case.source, "--tz", "UTC", "--chart", &file, "--chart-theme", "dark"]);
        assert_eq!(dark.code, Some(0), "{command}");
        assert_ne!(fs::read_to_string(case.root.join(&file)).unwrap(), svg, "{command}");
    }
}

#[test]
fn a_png_is_made_from_the_same_drawing() {
    let case = Case::copy("healthy");
    let ended = run(&case.root, &["cost", case.source, "--chart", "cost.PNG"]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(fs::read(case.root.join("cost.PNG")).unwrap().starts_with(b"\x89PNG\r\n"));
    // Which fonts there are is up to the machine: whatever is missing is told with what to install.
    for line in ended.err.lines() {
        assert!(line.starts_with("warning: cost.PNG: no installed font has "), "{line}");
        assert!(line.contains(": install the Debian package fonts-"), "{line}");
    }
}

#[test]
fn a_chart_without_data_says_so() {
    let case = Case::copy("healthy");
    fs::create_dir(case.root.join("none")).unwrap();
    fs::write(case.root.join("none/empty.jsonl"), "").unwrap();
    for command in DRAWING {
        let ended = run(&case.root, &[command, "none/empty.jsonl", "--chart", "empty.svg"]);
        assert_eq!(ended.code, Some(0), "{command}: {}", ended.err);
        let svg = fs::read_to_string(case.root.join("empty.svg")).unwrap();
        assert!(
            ["There is no", "has no error", "No ", "Nothing has"].iter().any(|said| svg.contains(said)),
            "{command}: {svg}"
        );
    }
}

#[test]
fn a_chart_never_reaches_the_evidence() {
    let case = Case::copy("linear");
    let refused = |args: &[&str], said: &str| {
        let ended = run(&case.root, &[&["cost", case.source], args].concat());
        assert_eq!(ended.code, Some(2), "{args:?}");
        assert!(ended.err.contains(said), "{args:?}: {}", ended.err);
    };
    let inside = format!("{}/cost.svg", case.source);
    refused(&["--chart", &inside], "evidence is never changed");
    assert!(!case.root.join(&inside).exists());
    refused(&["--chart", "cost.pdf"], "a chart is an .svg or a .png file");
    refused(&["--chart", "nowhere/cost.svg"], "there is no folder");
    refused(&["--chart", "a.svg", "--output", "./a.svg"], "name two files");
    refused(&["--chart-theme", "dark"], "--chart");
}
