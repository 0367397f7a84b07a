use super::expire::expire;
use super::heal::heal;
use super::line::{Line, Source};
use super::prune::prune;
use super::record::Record;
use super::relink::relink;
use super::trim::trim;
use super::{Change, Edit, Layer, LoadFault, Policy, Report};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// One stored entry: its place in the session and its JSON, as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Payload<'a> {
    /// Sequence number.
    pub seq: i64,
    /// The JSON object. What is none is fed as it is.
    pub json: &'a str,
}

/// A session as it is fed, with all that was done to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Loaded<'a> {
    /// The entries that are fed, in order.
    pub lines: Vec<Line<'a>>,
    /// Every change, layer after layer.
    pub changes: Vec<Change>,
    /// The counters.
    pub report: Report,
    /// What could not be treated as usual, with the sequence number of the entry.
    pub faults: Vec<(i64, LoadFault)>,
}

/// A text that the model is told to find in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spill<'a> {
    /// The entry with the result.
    pub seq: i64,
    /// The call that it answers.
    pub tool_use_id: &'a str,
    /// Name of the file in the folder of the policy.
    pub file_name: &'a str,
    /// What the file is to hold.
    pub text: &'a str,
}

/// Puts one session, its entries sorted by sequence number, through all layers.
///
/// Source: spec/layers.md.
pub fn load<'a>(payloads: &[Payload<'a>], policy: &Policy) -> Loaded<'a> {
    load_through(payloads, policy, Layer::Heal)
}

/// As [`load`], but without the layers behind `last`.
pub fn load_through<'a>(payloads: &[Payload<'a>], policy: &Policy, last: Layer) -> Loaded<'a> {
    let mut records: Vec<Record<'a>> = payloads.iter().map(|payload| Record::new(payload.seq, payload.json)).collect();
    let (mut changes, mut report) = (Vec::new(), Report::default());
    let mut added = BTreeMap::new();
    if policy.expire.enabled {
        expire(&mut records, &policy.expire, &mut changes);
    }
    if policy.trim.enabled && last >= Layer::Trim {
        trim(&mut records, &policy.trim, &mut changes, &mut report);
    }
    if policy.prune.enabled && last >= Layer::Prune {
        prune(&mut records, &policy.prune, &mut changes, &mut report);
        relink(&mut records, policy.prune.relink, &mut changes);
    }
    if policy.heal.enabled && last >= Layer::Heal {
        added = heal(&mut records, &policy.heal, &mut changes);
    }
    for change in &changes {
        report.count(change);
    }
    let faults = records.iter().filter_map(|record| Some((record.seq, record.fault?))).collect();
    let lines = lines(&records, &mut added);
    report.entries_in = u64::try_from(records.len()).unwrap_or(u64::MAX);
    report.entries_out = u64::try_from(lines.len()).unwrap_or(u64::MAX);
    Loaded { lines, changes, report, faults }
}

fn lines<'a>(records: &[Record<'a>], added: &mut BTreeMap<usize, String>) -> Vec<Line<'a>> {
    let mut lines = Vec::with_capacity(records.len() + added.len());
    for (at, record) in records.iter().enumerate().filter(|(_, record)| !record.dropped) {
        lines.push(Line::new(Source::Stored { seq: record.seq }, record.json()));
        lines.extend(added.remove(&at).map(|json| Line::new(Source::Healed { after: record.seq }, json)));
    }
    lines
}

impl Loaded<'_> {
    /// The session as a transcript: one entry a line, each with a line end.
    pub fn jsonl(&self) -> String {
        self.pieces().collect()
    }

    /// The same in pieces, for whoever writes it and does not want to hold it twice.
    pub fn pieces(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.lines.iter().flat_map(|line| [line.on_one_line(), Cow::Borrowed("\n")])
    }

    /// The texts that the model is told to find in files, in order; a text that occurs twice is there twice.
    pub fn spills(&self) -> impl Iterator<Item = Spill<'_>> {
        self.changes.iter().filter_map(|change| match &change.edit {
            Edit::Replaced { tool_use_id, before, spill: Some(file_name), .. } => {
                Some(Spill { seq: change.seq, tool_use_id, file_name, text: before })
            }
            Edit::Replaced { .. }
            | Edit::Stripped { .. }
            | Edit::Dropped
            | Edit::Relinked { .. }
            | Edit::Added { .. } => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn rows(entries: &[Value]) -> Vec<String> {
        entries.iter().map(Value::to_string).collect()
    }

    fn fed(entries: &[Value], policy: &Policy) -> (Vec<Value>, Vec<Change>, Report) {
        let rows = rows(entries);
        let payloads: Vec<_> = (0..).zip(&rows).map(|(seq, json)| Payload { seq, json }).collect();
        let loaded = load(&payloads, policy);
        let lines = loaded.jsonl().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (lines, loaded.changes, loaded.report)
    }

    fn call(uuid: &str, parent: &str, id: &str, command: &str) -> Value {
        let block = json!({"type":"tool_use","id":id,"name":"Bash","input":{"command":command}});
        json!({"type":"assistant","uuid":uuid,"parentUuid":parent,"timestamp":"2026-11-30T14:00:00.000Z","cwd":"/w",
            "message":{"role":"assistant","content":[block]}})
    }

    fn result(uuid: &str, parent: &str, id: &str, content: &Value) -> Value {
        let block = json!({"type":"tool_result","tool_use_id":id,"content":content});
        json!({"type":"user","uuid":uuid,"parentUuid":parent,"toolUseResult":"x","message":{"role":"user","content":[block]}})
    }

    fn content(entry: &Value) -> &Value {
        &entry["message"]["content"][0]["content"]
    }

    #[test]
    fn old_looks_expire_and_the_first_line_of_their_command_is_told() {
        let long = format!("\u{1c}git log {}\u{85}rest", "界".repeat(80));
        let mut entries = vec![call("a", "", "t0", &long), result("b", "a", "t0", &json!("x"))];
        entries.extend([call("c", "b", "t1", "make"), result("d", "c", "t1", &json!("y"))]);
        let parts = json!([{"type":"text","text":"1"},{"type":"text"},{"type":"image"}]);
        entries.extend([call("e", "d", "t2", "ls"), result("f", "e", "t2", &parts)]);
        entries.extend([call("g", "f", "t3", "ls"), result("h", "g", "t3", &json!([{"type":"text","text":"z"}]))]);
        let mut policy = Policy::flower();
        policy.expire.keep_recent = 0;
        let (lines, changes, report) = fed(&entries, &policy);
        let told = format!("[`git log {}` 的结果已过期(第 2 轮前),当前状态可能已变。需要请重新执行]", "界".repeat(52));
        assert_eq!(content(&lines[1]), &json!(told));
        assert_eq!([content(&lines[3]), content(&lines[5])], [&json!("y"), &parts]);
        assert!(content(&lines[7]).as_str().unwrap().contains("第 1 轮前"));
        assert_eq!((report.expired, changes.len()), (2, 2));
        entries[1]["isMeta"] = json!("no");
        assert_eq!(content(&fed(&entries, &policy).0[1]), "x");
    }

    #[test]
    fn lengths_are_code_points_and_files_are_named_after_their_text() {
        let text = "界🛠".repeat(200);
        let entries = [call("a", "", "t", "make"), result("b", "a", "t", &json!([{"type":"text","text":text}]))];
        let mut policy = Policy::flower();
        (policy.trim.keep_recent, policy.trim.min_chars) = (0, 400);
        let (lines, changes, report) = fed(&entries, &policy);
        let Edit::Replaced { spill: Some(name), before, .. } = &changes[0].edit else { panic!("{changes:?}") };
        assert_eq!((name.len(), before), (20, &text));
        let told = format!("[工具结果已归档:400 字符。完整内容在 .flower/spill/{name},需要时用 Read 读取]");
        assert_eq!(content(&lines[1]), &json!(told));
        assert_eq!((report.cleared, report.kept, report.chars_saved), (1, 0, 400));
        policy.trim.min_chars = 401;
        assert_eq!(fed(&entries, &policy).0, entries);
    }

    #[test]
    fn half_a_character_is_hashed_as_its_stand_in() {
        let row = r#"{"message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"\ud83d"}]}}"#;
        let mut policy = Policy::none();
        policy.trim = super::super::TrimPolicy { enabled: true, keep_recent: 0, min_chars: 1, ..Policy::flower().trim };
        let loaded = load(&[Payload { seq: 7, json: row }], &policy);
        assert_eq!(loaded.faults, [(7, LoadFault::LoneSurrogate)]);
        assert!(loaded.spills().all(|spill| spill.text == "\u{fffd}" && spill.file_name == "83d544ccc223c057.txt"));
        assert_eq!(loaded.spills().count(), 1);
    }

    #[test]
    fn denied_calls_go_with_their_results_and_links_go_around_them() {
        let denied = |uuid: &str, parent: &str, id: &str| {
            let mut entry = result(uuid, parent, id, &json!("no"));
            entry["toolDenialKind"] = json!("permission-rule");
            entry
        };
        let mut both = call("a", "", "t0", "make");
        both["message"]["content"].as_array_mut().unwrap().push(json!({"type":"text","text":"and"}));
        let mut entries = vec![both, denied("b", "a", "t0"), call("c", "b", "t1", "make"), denied("d", "c", "t1")];
        entries.push(json!({"type":"user","uuid":"e","parentUuid":"d","message":{"content":"on"}}));
        let (lines, _, report) = fed(&entries, &Policy::flower());
        let uuids: Vec<_> = lines.iter().map(|line| line["uuid"].as_str().unwrap()).collect();
        assert_eq!(uuids, ["a", "c", "d", "e"]);
        assert_eq!(lines[0]["message"]["content"], json!([{"type":"text","text":"and"}]));
        assert_eq!(lines[1]["parentUuid"], "a");
        assert_eq!((report.denials_dropped, report.pruned, report.healed), (1, 1, 0));
        let (lines, _, report) = fed(&entries, &Policy::tight());
        assert_eq!((lines.len(), &lines[1]["parentUuid"]), (2, &json!("a")));
        assert_eq!((report.denials_dropped, report.pruned), (2, 3));
    }

    #[test]
    fn what_the_runner_does_otherwise() {
        let with = |mut entry: Value, fields: Value| {
            for (name, value) in fields.as_object().unwrap() {
                entry[name] = value.clone();
            }
            entry["message"]["content"][0]["is_error"] = json!(1);
            entry
        };
        let synthetic =
            json!({"type":"assistant","uuid":"a","parentUuid":null,"message":{"model":"<synthetic>","content":"x"}});
        let entries = [
            json!({"type":"user","uuid":"p","parentUuid":null,"message":{"content":"go"}}),
            synthetic,
            call("b", "a", "t0", "make"),
            with(result("c", "b", "t0", &json!("no. [flower-run:denied]")), json!({})),
            call("d", "c", "t1", "make"),
            with(result("e", "d", "t1", &json!("no. [flower-run:denied]")), json!({})),
            json!({"type":"cost-state","totalCostUSD":1}),
            call("f", "e", "t2", "make"),
            with(result("g", "f", "t2", &json!("STOP")), json!({"toolUseResult":"User rejected tool use"})),
            call("h", "g", "t3", "make"),
        ];
        let (lines, _, _) = fed(&entries, &Policy::flower_run());
        let uuids: Vec<_> = lines.iter().map(|line| line["uuid"].as_str().unwrap()).collect();
        assert_eq!(uuids[..6], ["p", "d", "e", "f", "g", "h"]);
        assert_eq!(lines[1]["parentUuid"], "p");
        assert_eq!(content(&lines[4]), "[上一轮在此处被中断,该工具结果未产生]");
        assert_eq!(lines[4]["message"]["content"][0]["is_error"], json!(false));
        assert_eq!((&lines[6]["timestamp"], &lines[6]["cwd"]), (&lines[5]["timestamp"], &json!("/w")));
        let (lines, _, report) = fed(&entries, &Policy::flower());
        assert_eq!((lines.len(), &lines[1]["parentUuid"], report.pruned), (10, &Value::Null, 1));
        assert_eq!(lines[9]["timestamp"], Value::Null);
    }

    #[test]
    fn each_orphan_is_healed_once_and_the_first_entry_below_moves() {
        let mut entries = vec![call("a", "", "t0", "make"), call("b", "a", "t1", "make")];
        entries.push(json!({"type":"user","uuid":"c","parentUuid":"a","message":{"content":"on"}}));
        let (lines, changes, report) = fed(&entries, &Policy::flower());
        let chain: Vec<_> = lines.iter().map(|line| (line["uuid"].as_str(), line["parentUuid"].as_str())).collect();
        let (first, second) = (lines[1]["uuid"].as_str(), lines[3]["uuid"].as_str());
        assert_eq!(first, Some("heal-ca978112ca1b"));
        assert_eq!(
            chain,
            [
                (Some("a"), Some("")),
                (first, Some("a")),
                (Some("b"), first),
                (second, Some("b")),
                (Some("c"), Some("a")),
            ]
        );
        assert_eq!((changes.len(), report.healed, report.entries_out), (3, 2, 5));
        assert_eq!(content(&lines[1]), "[这一步被打断了,没有结果。需要的话重做。]");
    }

    #[test]
    fn a_circle_of_dropped_entries_leads_nowhere() {
        let stand_in = |uuid: &str, parent: &str| json!({"type":"assistant","uuid":uuid,"parentUuid":parent,"isApiErrorMessage":true,"message":{"content":[]}});
        let below =
            |uuid: &str, parent: &str| json!({"type":"user","uuid":uuid,"parentUuid":parent,"message":{"content":"x"}});
        let entries = [stand_in("a", "b"), stand_in("b", "a"), below("c", "b"), stand_in("d", "gone"), below("e", "d")];
        let (lines, _, _) = fed(&entries, &Policy::flower());
        assert_eq!([&lines[0]["parentUuid"], &lines[1]["parentUuid"]], [&Value::Null, &json!("gone")]);
    }

    #[test]
    fn bytes_that_no_layer_touches_stay() {
        let row = "{\"uuid\" :\"a\",\n \"parentUuid\":null, \"n\":1.50, \"x\":\"\\u754c\\ud83d\" }";
        let payloads = [Payload { seq: 3, json: row }, Payload { seq: 4, json: "[1]" }];
        let loaded = load(&payloads, &Policy::flower());
        assert!(
            loaded.lines.iter().zip(&payloads).all(|(line, payload)| line.json() == payload.json && !line.is_changed())
        );
        assert_eq!(loaded.jsonl(), format!("{}\n[1]\n", row.replace('\n', " ")));
        assert_eq!(loaded.faults, [(4, LoadFault::NotAnObject)]);
    }
}
