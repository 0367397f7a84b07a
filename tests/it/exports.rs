//! An export is there whole or not at all, in one form.

use crate::program::{command, run};
use crate::store::Case;
use flower_analyze::analysis::tables::schemas;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Names and bytes of the files of a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    entries.map(|path| (name(&path), fs::read(&path).unwrap())).collect()
}

/// Tables of another form would be taken for those that the new description speaks of.
#[test]
fn an_export_in_another_form_leaves_no_old_tables() {
    let case = Case::copy("linear");
    let out = case.root.join("out");
    let export = |form: &str| {
        let ended = run(&case.root, &["export", case.source, "--dir", "out", "--to", form, "--force"]);
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{form}");
    };
    export("parquet");
    for mine in ["notes.txt", "mine.parquet", "steps.ndjson"] {
        fs::write(out.join(mine), "mine").unwrap();
    }
    export("csv");
    let names = files(&out);
    let with = |ending: &str| -> Vec<&String> { names.keys().filter(|name| name.ends_with(ending)).collect() };
    assert_eq!(with(".parquet"), ["mine.parquet"], "only what the description names goes");
    assert_eq!(names.len(), schemas().len() + 4, "{:?}", names.keys());
    // What describes no export names no tables.
    fs::write(out.join("schema.json"), r#"{"format":"csv","tables":[{"name":"../notes"},{"name":"mine"}]}"#).unwrap();
    fs::write(case.root.join("notes.csv"), "mine").unwrap();
    export("ndjson");
    assert!(schemas().iter().all(|table| out.join(format!("{}.csv", table.name)).exists()), "{:?}", files(&out).keys());
    assert!(case.root.join("notes.csv").exists());
}

/// A disk that is full in the middle of the tables changes nothing that was there, and leaves nothing.
#[test]
fn an_export_that_fails_changes_nothing() {
    let case = Case::copy("healthy");
    let ended = run(&case.root, &["export", case.source, "--dir", "out", "--to", "csv"]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let before = files(&case.root.join("out"));
    let fail = |dir: &str| {
        // As if the disk were full: files may grow to 8 blocks of 512 bytes, and the signal for it is ignored.
        let program = command(&case.root).get_program().to_owned();
        let script = "trap '' XFSZ; ulimit -f 8; exec \"$@\"";
        let arguments = ["export", case.source, "--dir", dir, "--to", "ndjson", "--force"];
        let mut shell = Command::new("sh");
        let shell = shell.current_dir(&case.root).arg("-c").arg(script).arg("sh").arg(program).args(arguments);
        let failed = shell.output().unwrap();
        let err = String::from_utf8(failed.stderr).unwrap();
        assert!(failed.status.code() == Some(2) && err.contains("cannot write to"), "{:?} {err}", failed.status);
    };
    fail("out");
    assert_eq!(files(&case.root.join("out")), before);
    let names = || fs::read_dir(&case.root).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
    let beside = names();
    fail("new");
    assert_eq!(names(), beside, "nothing is left of a folder that was not there");
}

/// A folder in the place of a table stops the export before anything is taken away.
#[test]
fn a_folder_in_the_place_of_a_table_is_refused() {
    let case = Case::copy("linear");
    fs::create_dir_all(case.root.join("out/turns.csv")).unwrap();
    let ended = run(&case.root, &["export", case.source, "--dir", "out", "--to", "csv", "--force"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("has a folder turns.csv"), "{}", ended.err);
}
