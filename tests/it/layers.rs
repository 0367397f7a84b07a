//! What the load layers make of sessions: equal to what flower makes of them, and lawful whatever the session is.

use flower_analyze::layers::{Edit, Layer, Payload, Policy, is_ephemeral, load};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use regex::Regex;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::sync::LazyLock;

use crate::laws;
use crate::program::{json as report, run};
use crate::store::{Case, fixtures, write_rows};

/// The fields that the golden files have.
const GOLDEN: [&str; 6] = ["report", "dropped", "relinked", "replaced", "stripped", "inserted"];

/// The part of a report that a golden file tells.
fn golden_part(report: &Value) -> Value {
    let keys = report["result"]["keys"].as_object().unwrap().iter().map(|(key, load)| {
        let fields = load.as_object().unwrap().iter().filter(|(name, _)| GOLDEN.contains(&name.as_str()));
        (key.clone(), fields.map(|(name, value)| (name.clone(), value.clone())).collect::<Value>())
    });
    keys.collect()
}

#[test]
fn layers_equal_the_golden_files() {
    let mut files: Vec<_> =
        fs::read_dir(fixtures().join("golden/layers")).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 33);
    for file in files {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let (case, policy) = name.rsplit_once('.').unwrap();
        let folder =
            [fixtures().join(case), fixtures().join("golden").join(case)].into_iter().find(|folder| folder.exists());
        let expected: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let made = report(&folder.unwrap(), &["layers", "runs", "--policy", policy]);
        assert_eq!(golden_part(&made), expected, "{name}");
    }
}

#[test]
fn sizes_are_those_of_the_entries() {
    for (case, policy) in
        [("interrupted", "default"), ("denials", "tight"), ("overloaded", "flower-run"), ("healthy", "tight")]
    {
        let case = Case::open(case);
        let file = tempfile::NamedTempFile::with_suffix(".jsonl").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let all = report(&case.root, &["layers", case.source, "--policy", policy]);
        for (key, load) in all["result"]["keys"].as_object().unwrap() {
            let emit =
                ["layers", case.source, "--policy", policy, "--session", key, "--emit", file.path().to_str().unwrap()];
            report(&case.root, &emit);
            let target = folder.path().join("fed.jsonl");
            fs::copy(file.path(), &target).unwrap();
            let again = report(folder.path(), &["layers", "fed.jsonl", "--policy", "none"]);
            let [(_, again)] = again["result"]["keys"].as_object().unwrap().iter().collect::<Vec<_>>()[..] else {
                panic!("one session")
            };
            assert_eq!(again["layers"][0]["before"], load["layers"][3]["after"], "{key}");
            assert_eq!(again["context"]["before"], load["context"]["after"], "{key}");
        }
    }
}

#[test]
fn what_is_fed_is_written_and_untouched_entries_keep_their_bytes() {
    let case = Case::copy("healthy");
    let file = case.root.join("fed.jsonl");
    let session = "82f57757";
    let path = file.to_str().unwrap();
    report(&case.root, &["layers", case.source, "--session", session, "--emit", path]);
    let fed = fs::read_to_string(&file).unwrap();
    let stored = run(&case.root, &["show", case.source, session, "--raw"]).out;
    let differs: Vec<usize> =
        fed.lines().zip(stored.lines()).enumerate().filter(|(_, (a, b))| a != b).map(|(at, _)| at).collect();
    assert_eq!(differs, [31, 38, 40, 43, 47, 49, 51, 53]);
    assert_eq!(fed.lines().count(), stored.lines().count());
    let first = fed.lines().nth(31).unwrap();
    assert!(first.contains("git status --short` 的结果已过期(第 14 轮前)"), "{first}");
    report(&case.root, &["layers", case.source, "--session", session, "--emit", path, "--policy", "none"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), stored);
    report(
        &case.root,
        &["layers", case.source, "--policy", "tight", "--session", session, "--emit", path, "--layer", "expire"],
    );
    let fed = fs::read_to_string(&file).unwrap();
    assert!(fed.contains("结果已过期") && !fed.contains("工具结果已归档"));
}

#[test]
fn nothing_is_written_into_the_source_and_one_session_is_named() {
    let case = Case::copy("healthy");
    for (args, said) in [
        (&["--session", "82f57757", "--emit", "runs/fed.jsonl"][..], "evidence is never changed"),
        (&["--emit", "fed.jsonl"], "--session"),
        (&["--session", "no", "--emit", "fed.jsonl"], "no session begins with"),
        (&["--policy", "nothing.toml"], "there is no policy nothing.toml"),
        (&["--full"], "--changes"),
        (&["--diff", "tight", "none", "--no-trim"], "leave out --policy"),
    ] {
        let ended = run(&case.root, &[&["layers", case.source], args].concat());
        assert_eq!(ended.code, Some(2), "{args:?}");
        assert!(ended.err.contains(said), "{args:?}: {}", ended.err);
        assert!(!case.root.join("runs/fed.jsonl").exists() && !case.root.join("fed.jsonl").exists());
    }
}

#[test]
fn policies_come_from_names_files_and_options() {
    let case = Case::copy("healthy");
    fs::write(
        case.root.join("strict.toml"),
        "[expire]\nkeep_recent = 2\n[trim]\nkeep_recent = 2\nmin_chars = 400\n[prune]\nkeep_denials = 0\n",
    )
    .unwrap();
    fs::write(
        case.root.join("strict.json"),
        r#"{"expire":{"keep_recent":2},"trim":{"keep_recent":2,"min_chars":400},"prune":{"keep_denials":0}}"#,
    )
    .unwrap();
    fs::write(case.root.join("wrong.toml"), "[trim]\nkeep = 2\n").unwrap();
    let made = |args: &[&str]| report(&case.root, &[&["layers", case.source], args].concat())["result"].clone();
    let tight = made(&["--policy", "tight"]);
    let options = ["--expire-keep", "2", "--trim-keep", "2", "--trim-min", "400", "--keep-denials", "0"];
    for args in [&["--policy", "strict.toml"][..], &["--policy", "strict.json"], &options] {
        let other = made(args);
        assert_eq!((&other["keys"], &other["policy"]), (&tight["keys"], &tight["policy"]), "{args:?}");
    }
    let both = made(&["--diff", "tight", "no-trim"]);
    assert_eq!((&both["keys"], &both["other"]["name"]), (&tight["keys"], &json!("no-trim")));
    assert_eq!(both["other"]["keys"], made(&["--no-trim"])["keys"]);
    let ended = run(&case.root, &["layers", case.source, "--policy", "wrong.toml"]);
    assert!(
        ended.err.contains("wrong.toml is no policy") && ended.err.contains("unknown field `keep`"),
        "{}",
        ended.err
    );
}

#[test]
fn half_a_character_makes_flower_fail() {
    let row = r#"{"type":"user","uuid":"a","parentUuid":null,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x\ud83d"}]}}"#;
    let built = write_rows("-w/s", &[row.to_owned()]);
    let made = report(built.path(), &["layers", "runs", "--trim-keep", "0", "--trim-min", "1"]);
    let verdict = &made["result"]["keys"]["-w/s"]["verdict"];
    let reasons = verdict["reasons"].as_array().unwrap();
    assert!(reasons.iter().any(|reason| reason["code"] == "lone-surrogate" && reason["layer"] == "trim"), "{verdict}");
    assert_eq!(verdict["live"], "refused");
    assert_eq!(report(built.path(), &["layers", "runs"])["result"]["keys"]["-w/s"]["layers"][1]["changes"], 0);
}

#[test]
fn files_of_trimmed_results_are_looked_for() {
    let case = Case::copy("healthy");
    let spill = case.root.join(".flower/spill");
    let states = || {
        let made = report(&case.root, &["layers", case.source, "--policy", "tight"]);
        let spills = made["result"]["keys"]
            .as_object()
            .unwrap()
            .values()
            .flat_map(|key| key["spills"].as_array().unwrap().clone());
        let states: Vec<String> = spills.map(|spill| spill["state"].as_str().unwrap().to_owned()).collect();
        (states, made["result"]["spill_folder"].clone())
    };
    let before: Vec<_> = fs::read_dir(&spill).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(states().0, ["missing"; 3]);
    assert_eq!(fs::read_dir(&spill).unwrap().count(), before.len(), "the analyzer writes no spill file");
    fs::write(spill.join("e767d937f3fd1b49.txt"), "other").unwrap();
    fs::write(spill.join("0123456789abcdef.txt"), "nobody").unwrap();
    let (found, folder) = states();
    assert_eq!(found, ["differs", "missing", "missing"]);
    assert_eq!(folder["unused"], json!(["0123456789abcdef.txt"]));
    fs::remove_dir_all(case.root.join(".flower")).unwrap();
    assert_eq!(states().0, ["no-workbench"; 3]);
}

/// One harm of each kind; the layer that caused it, and what follows.
#[test]
fn known_harm_is_found() {
    let case = Case::open("load-layers");
    let made = report(&case.root, &["layers", case.source]);
    let known = [
        "beside-healed",
        "healed-leaf-without-time",
        "likely-denials",
        "pairing-broken",
        "protected-touched",
        "relinked-to-root",
        "repeated-id-expired",
        "repeated-id-pruned",
        "signed-thinking",
        "synthetic-call-dropped",
    ];
    let found = made["findings"].as_array().unwrap().iter().filter_map(|found| {
        let code = found["code"].as_str().unwrap();
        let key = found["place"]["store_key"].as_str()?.rsplit('/').next()?;
        known
            .contains(&code)
            .then(|| format!("{key}:{} {code} {}", found["place"]["seq"], found["level"].as_str().unwrap()))
    });
    let verdicts = made["result"]["keys"].as_object().unwrap().iter().map(|(key, load)| {
        let because = load["verdict"]["reasons"]
            .as_array()
            .unwrap()
            .iter()
            .map(|reason| format!(" {}/{}", reason["code"].as_str().unwrap(), reason["layer"]));
        format!(
            "{} {}{}",
            key.rsplit('/').next().unwrap(),
            load["verdict"]["live"].as_str().unwrap(),
            because.collect::<String>()
        )
    });
    insta::assert_snapshot!(found.chain(verdicts).collect::<Vec<_>>().join("\n"));
}

#[test]
fn the_runner_avoids_what_harms() {
    let case = Case::open("load-layers");
    let made = report(&case.root, &["layers", case.source, "--policy", "flower-run"]);
    let codes: BTreeSet<_> =
        made["findings"].as_array().unwrap().iter().map(|found| found["code"].as_str().unwrap()).collect();
    assert!(!codes.contains("healed-leaf-without-time") && !codes.contains("relinked-to-root"), "{codes:?}");
    let relinked = &made["result"]["keys"]["-w-demo/relinked-to-root"]["relinked"];
    assert_eq!(relinked, &json!({"3": "relinked-to-root-1"}));
}

/// A command of parts that the rule knows and parts that it does not.
fn command() -> impl Strategy<Value = String> {
    let part = select(vec![
        "ls",
        "git",
        "status",
        "log",
        "branch",
        "stash list",
        "config --get",
        "-D",
        "-qd",
        "-i",
        "-o",
        "--force",
        "--prune",
        "cat",
        "sed",
        "sort",
        "command -v",
        "command",
        "rm",
        "sh",
        "xargs",
        "exec",
        "tee",
        "find",
        "-delete",
        "-ok",
        "-newer",
        "f",
        "中文",
        "é",
        " ",
        "  ",
        "\t",
        "\n",
        "\u{3000}",
        "&&",
        "||",
        ";",
        "|",
        "&",
        ">",
        "<",
        "2>&1",
        "&>/dev/null",
        "2>/dev/null",
        ">/dev/null",
        "> /dev/null",
        "\"",
        "'",
        "$(",
        ")",
        "`",
        "<(",
        ">(",
        "system(",
        "ENVIRON",
        "print >",
        "_",
        "LS",
        "Git",
    ]);
    vec(part, 0..12).prop_map(|parts| parts.concat())
}

/// The definition itself, written as patterns (spec/layers.md, expire). It holds for text without combining marks, since
/// these are letters for this engine's `\w` and none for the rule's.
fn by_definition(command: &str) -> bool {
    static ANYWHERE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\$\(|`|<\(|>\(|\b(?:xargs|exec|execdir|eval|source|tee)\b|-delete|-fprint|-ok|-newer\S*\s|system\(|print\s*>|ENVIRON").unwrap()
    });
    static HARMLESS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"2>&1|&>\s*/dev/null|2>\s*/dev/null|>\s*/dev/null").unwrap());
    static SEPARATOR: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"&&|\|\||;|\|").unwrap());
    static CHANGING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\bsed\b[^;]*\s-i|\bsort\b[^;]*\s-o|\bgit\s+branch\b[^;]*\s-[A-Za-z]*[DdMm]|\bgit\s+\w[^;]*(?:--force|--hard|--prune)").unwrap()
    });
    static LOOKING: LazyLock<Regex> = LazyLock::new(|| {
        let git = r"git\s+(?:status|diff|log|show|branch|stash\s+list|worktree\s+list|remote|rev-parse|describe|ls-files|blame|shortlog|reflog|cherry|for-each-ref|symbolic-ref|whatchanged|hash-object|cat-file|count-objects|check-ignore|var|config\s+--get)";
        let other = r"ls|ll|dir|pwd|df|du|free|uptime|date|whoami|hostname|id|env|printenv|ps|top|htop|jobs|lsof|netstat|ss|pgrep|systemctl\s+status|docker\s+(?:ps|images|stats)|kubectl\s+get|which|whereis|uname|arch|locale|nproc|getconf|sw_vers|type|command\s+-v|cat|head|tail|wc|stat|file|find|tree|echo|grep|egrep|fgrep|rg|sort|uniq|cut|tr|awk|sed|column|jq|nl|rev|comm|diff";
        Regex::new(&format!(r"^(?i:(?:{git}|{other})\b)")).unwrap()
    });
    let quiet = HARMLESS.replace_all(command, " ");
    let segments: Vec<&str> = SEPARATOR.split(&quiet).map(str::trim).collect();
    !command.trim().is_empty()
        && !ANYWHERE.is_match(command)
        && !quiet.contains(['<', '>'])
        && segments.iter().all(|part| !part.contains('&') && !CHANGING.is_match(part) && LOOKING.is_match(part))
}

/// Entries that calls, results and stand-ins are made of; single blocks, so that a layer drops an entry or leaves it.
fn session() -> impl Strategy<Value = Vec<Value>> {
    let entry = (0..9_u8, 0..12_u8, any::<proptest::sample::Index>(), 0..10_u8);
    vec(entry, 1..30).prop_map(|made| {
        let mut entries: Vec<Value> = Vec::new();
        for (at, (what, id, parent, odd)) in made.into_iter().enumerate() {
            let above = (at > 0).then(|| if odd < 7 { at - 1 } else { parent.index(at) });
            let mut entry = said(what, &format!("toolu_{id}"));
            entry["uuid"] = json!(format!("u{at}"));
            entry["parentUuid"] = above.map_or(Value::Null, |above| json!(format!("u{above}")));
            if odd == 9 {
                entry[if id % 2 == 0 { "isMeta" } else { "isCompactSummary" }] = json!(true);
            }
            entries.push(entry);
        }
        entries
    })
}

fn said(what: u8, id: &str) -> Value {
    let call = |command: &str| {
        let block = json!({"type":"tool_use","id":id,"name":"Bash","input":{"command":command}});
        json!({"type":"assistant","timestamp":"2026-11-30T14:00:00.000Z","message":{"role":"assistant","content":[block]}})
    };
    let result = |content: Value, is_error: bool| {
        let block = json!({"type":"tool_result","tool_use_id":id,"content":content,"is_error":is_error});
        json!({"type":"user","toolUseResult":"x","message":{"role":"user","content":[block]}})
    };
    match what {
        0 => call("git status"),
        1 => call("make"),
        2 => result(json!("short"), false),
        3 => result(json!("界".repeat(300)), false),
        4 => result(json!([{"type":"text","text":"a".repeat(300)}]), false),
        5 => {
            let mut denied = result(json!("no"), true);
            denied["toolDenialKind"] = json!("permission-rule");
            denied
        }
        6 => result(json!("[Request interrupted by user]"), true),
        7 => {
            json!({"type":"assistant","message":{"role":"assistant","model":"<synthetic>","content":[{"type":"text","text":"x"}]}})
        }
        _ => json!({"type":"user","message":{"role":"user","content":"go on"}}),
    }
}

fn small() -> Policy {
    let mut policy = Policy::flower();
    (policy.expire.keep_recent, policy.trim.keep_recent, policy.trim.min_chars) = (1, 1, 200);
    policy
}

/// Ids of the calls and results that are fed, and the payloads.
fn ids(lines: &[String], kind: &str, field: &str) -> BTreeSet<String> {
    let entries = lines.iter().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let blocks = entries.flat_map(|entry| entry["message"]["content"].as_array().cloned().unwrap_or_default());
    blocks.filter(|block| block["type"] == kind).filter_map(|block| block[field].as_str().map(str::to_owned)).collect()
}

fn lines(entries: &[Value]) -> Vec<String> {
    entries.iter().map(Value::to_string).collect()
}

fn payloads(lines: &[String]) -> Vec<Payload<'_>> {
    (0..).zip(lines).map(|(seq, json)| Payload { seq, json }).collect()
}

proptest! {
    #[test]
    fn a_command_is_judged_by_its_definition(command in command()) {
        prop_assert_eq!(is_ephemeral(&command), by_definition(&command), "{:?}", command);
    }

    #[test]
    fn any_session_keeps_the_laws(entries in session()) {
        laws::load_layers(lines(&entries).join("\n").as_bytes());
    }

    #[test]
    fn expire_and_trim_leave_protected_entries_alone(entries in session()) {
        let rows = lines(&entries);
        let loaded = load(&payloads(&rows), &small());
        let is_protected = |seq: i64| {
            let entry = &entries[usize::try_from(seq).unwrap()];
            entry["isMeta"] == json!(true) || entry["isCompactSummary"] == json!(true)
        };
        for change in loaded.changes.iter().filter(|change| change.layer <= Layer::Trim) {
            prop_assert!(!is_protected(change.seq), "{:?}", change);
        }
    }

    /// Stand-ins hold no calls here, so no pair is made half, and with healing every call has a result.
    #[test]
    fn no_layer_makes_half_a_pair(entries in session()) {
        let rows = lines(&entries);
        let fed: Vec<String> = load(&payloads(&rows), &small()).jsonl().lines().map(str::to_owned).collect();
        let (calls, results) = (ids(&fed, "tool_use", "id"), ids(&fed, "tool_result", "tool_use_id"));
        let stored_calls = ids(&rows, "tool_use", "id");
        prop_assert!(calls.is_subset(&results), "a call without result: {:?}", calls.difference(&results));
        let alone: Vec<_> = results.difference(&calls).filter(|id| stored_calls.contains(*id)).collect();
        prop_assert!(alone.is_empty(), "results without their calls: {:?}", alone);
    }

    /// What was fed is fed again: only expire goes on, since results that were trimmed or added are short now, and counts
    /// anew what the other layers left.
    #[test]
    fn a_second_load_only_expires(entries in session()) {
        let rows = lines(&entries);
        let first: Vec<String> = load(&payloads(&rows), &small()).jsonl().lines().map(str::to_owned).collect();
        let second = load(&payloads(&first), &small());
        for change in &second.changes {
            prop_assert!(change.layer == Layer::Expire, "{:?}", change);
        }
        let mut calm = small();
        calm.expire.enabled = false;
        let once = load(&payloads(&rows), &calm).jsonl();
        let rows: Vec<String> = once.lines().map(str::to_owned).collect();
        prop_assert_eq!(load(&payloads(&rows), &calm).jsonl(), once);
    }

    /// Only heal adds, and only for calls that have no result anywhere.
    #[test]
    fn ids_of_added_entries_are_the_same_at_every_load(entries in session()) {
        let rows = lines(&entries);
        let mut longer = rows.clone();
        longer.push(json!({"type":"system","uuid":"later","parentUuid":"u0"}).to_string());
        let added = |rows: &[String]| {
            let changes = load(&payloads(rows), &Policy::flower()).changes;
            let mut uuids = Vec::new();
            for change in changes {
                if let Edit::Added { uuid, .. } = change.edit {
                    uuids.push((change.layer, uuid));
                }
            }
            uuids
        };
        prop_assert_eq!(added(&rows), added(&longer));
        prop_assert!(added(&rows).iter().all(|(layer, _)| *layer == Layer::Heal));
    }
}

#[test]
fn a_megabyte_of_command_is_judged() {
    let text = "中 a\t\"x;".repeat(1 << 17);
    assert!(!is_ephemeral(&text));
    assert_eq!(is_ephemeral(&format!("cat {}", "界".repeat(1 << 19))), by_definition("cat 界"));
}
