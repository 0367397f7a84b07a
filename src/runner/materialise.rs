use super::attempt_folder::AttemptFolder;
use super::json::{Object, quoted};
use super::mirror::subagent_files;
use super::spill;
use super::state_file::{PRIVATE_MODE, make_folder, replace, replace_with};
use super::store::Store;
use crate::layers::{Payload, Policy, load};
use crate::run_dir::names::{SPILL, TRANSCRIPT_EXTENSION, WORKBENCH};
use anyhow::{Context, Result};
use std::path::Path;

/// Writes a session from the store into the folder where the CLI looks for it: through the load layers, with its subagents
/// (spec/runner.md, section 14). The store stays as it is.
pub(super) fn materialise(
    store: &Store,
    stored_key: &str,
    session: &str,
    project_key: &str,
    folder: &AttemptFolder,
    workspace: &Path,
    policy: &Policy,
) -> Result<()> {
    let project = folder.projects().join(project_key);
    make_folder(&project)?;
    let fed = Fed { workspace, policy };
    let main = store.payloads(stored_key)?;
    fed.write(&main, &project.join(format!("{session}.{TRANSCRIPT_EXTENSION}")))?;
    for key in store.subagents(stored_key)? {
        let files = key.strip_prefix(stored_key).and_then(|rest| rest.strip_prefix('/')).and_then(subagent_files);
        let Some((transcript, facts)) = files else { continue };
        let transcript = project.join(session).join(transcript);
        transcript.parent().map_or(Ok(()), make_folder)?;
        let (known, entries): (Vec<_>, Vec<_>) =
            store.payloads(&key)?.into_iter().partition(|(_, json)| is_metadata(json));
        fed.write(&entries, &transcript)?;
        if let Some((_, json)) = known.last() {
            let path = project.join(session).join(facts);
            replace(&path, without_type(json).as_bytes(), PRIVATE_MODE)?;
        }
    }
    Ok(())
}

struct Fed<'a> {
    workspace: &'a Path,
    policy: &'a Policy,
}

impl Fed<'_> {
    fn write(&self, rows: &[(i64, String)], path: &Path) -> Result<()> {
        let payloads: Vec<Payload<'_>> = rows.iter().map(|(seq, json)| Payload { seq: *seq, json }).collect();
        let loaded = load(&payloads, self.policy);
        // The model is pointed to these files: they have to be there first.
        for long in loaded.spills() {
            let folder = self.workspace.join(WORKBENCH).join(SPILL);
            spill::write(&folder, long.text).with_context(|| format!("cannot write to {}", folder.display()))?;
        }
        let pieces = loaded.pieces().map(|piece| piece.into_owned().into_bytes());
        replace_with(path, pieces, PRIVATE_MODE).with_context(|| format!("cannot write {}", path.display()))
    }
}

fn is_metadata(json: &str) -> bool {
    Object::parse(json).unwrap_or_default().text("type").as_deref() == Some("agent_metadata")
}

/// What is known about a subagent stands in a file of its own, without the type.
fn without_type(json: &str) -> String {
    let object = Object::parse(json).unwrap_or_default();
    let members = object.fields().filter(|(name, _)| *name != "type");
    let members: Vec<String> = members.map(|(name, raw)| format!("{}:{raw}", quoted(name))).collect();
    format!("{{{}}}", members.join(","))
}

#[cfg(test)]
mod tests {
    use super::super::attempt_folder::AttemptFolders;
    use super::*;
    use std::fs;

    #[test]
    fn a_session_is_laid_out_as_the_cli_expects_it() {
        let run_dir = tempfile::tempdir().unwrap();
        let workspace = tempfile::tempdir().unwrap();
        let mut store = Store::open(Path::new(":memory:")).unwrap();
        let long = "x".repeat(2500);
        let main = [
            r#"{"type":"user","uuid":"u","parentUuid":null,"message":{"content":"P"}}"#.to_owned(),
            r#"{"type":"assistant","uuid":"a","parentUuid":"u","timestamp":"T","message":{"content":[{"type":"tool_use","id":"1","name":"Read","input":{}},{"type":"tool_use","id":"2","name":"Read","input":{}}]}}"#.to_owned(),
            format!(r#"{{"type":"user","uuid":"r","parentUuid":"a","message":{{"content":[{{"type":"tool_result","tool_use_id":"1","content":"{long}"}}]}}}}"#),
            r#"{"type":"cost-state","totalCostUSD":1}"#.to_owned(),
        ];
        store.append("-f/s", &main.each_ref().map(String::as_str), 1).unwrap();
        let agent = [
            r#"{"type":"agent_metadata","agentType":"old"}"#,
            r#"{"uuid":"x"}"#,
            r#"{"type":"agent_metadata","agentType":"w"}"#,
        ];
        store.append("-f/s/subagents/agent-1", &agent, 1).unwrap();
        let folders = AttemptFolders::open(run_dir.path(), "r").unwrap();
        let folder = folders.make(1).unwrap();
        let mut policy = Policy::flower_run();
        policy.trim.keep_recent = 0;
        materialise(&store, "-f/s", "s", "-w", &folder, workspace.path(), &policy).unwrap();
        let project = folder.projects().join("-w");
        let fed = fs::read_to_string(project.join("s.jsonl")).unwrap();
        assert!(
            !fed.contains("cost-state") && fed.contains("[工具结果已归档:2500 字符") && fed.contains("\"heal-"),
            "{fed}"
        );
        let spilled: Vec<_> = fs::read_dir(workspace.path().join(".flower/spill")).unwrap().collect();
        assert_eq!(fs::read_to_string(spilled[0].as_ref().unwrap().path()).unwrap(), long);
        assert_eq!(fs::read_to_string(project.join("s/subagents/agent-1.jsonl")).unwrap(), "{\"uuid\":\"x\"}\n");
        assert_eq!(fs::read_to_string(project.join("s/subagents/agent-1.meta.json")).unwrap(), "{\"agentType\":\"w\"}");
        assert_eq!(store.payloads("-f/s").unwrap().len(), 4, "the store stays as it is");
    }
}
