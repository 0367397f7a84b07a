//! The names of the files in a run directory; each occurs here and nowhere else.

/// The SQLite database with every transcript entry.
pub const SESSIONS_DB: &str = "sessions.db";
/// The JSON array with one row per executed step.
pub const MANIFEST: &str = "manifest.json";
/// Step name to session id, so that the next run continues.
pub const LINEAGE: &str = "lineage.json";
/// Run directory of the side questions, with a database and a manifest of its own.
pub const ASIDE: &str = "aside";
/// The workbench inside a run directory that was started with `-W`.
pub const WORKBENCH_IN_RUN_DIR: &str = "workbench";
/// The workbench beside the run directory, in the workspace.
pub const WORKBENCH: &str = ".flower";
/// Folder of spilled tool results in the workbench.
pub const SPILL: &str = "spill";
/// Folder of scripts in the workbench.
pub const SCRIPTS: &str = "scripts";
/// Folder of long outputs in the workbench.
pub const ARTIFACTS: &str = "artifacts";
/// Folder of notes in the workbench.
pub const NOTES: &str = "notes";
/// The default source: a run directory below the current folder.
pub const DEFAULT_SOURCE: &str = "runs";
/// Folder of subagent transcripts, in store keys and in Claude Code's own folders.
pub const SUBAGENTS: &str = "subagents";
/// Extension of a Claude Code transcript.
pub const TRANSCRIPT_EXTENSION: &str = "jsonl";
/// Ending of the file that describes a subagent beside its transcript.
pub const AGENT_META_ENDING: &str = ".meta.json";
/// Ending of the write-ahead log of a database.
pub const WAL_ENDING: &str = "-wal";
/// Ending of the shared-memory index of a write-ahead log.
pub const SHM_ENDING: &str = "-shm";
/// Ending of the rollback journal of a database.
pub const JOURNAL_ENDING: &str = "-journal";
/// Longest project key before it is cut, in UTF-16 units.
pub const MAX_PROJECT_KEY: usize = 200;
/// Folder of the transcripts in Claude Code's configuration folder.
pub const PROJECTS: &str = "projects";
/// Folder of the private configuration folders of running attempts.
pub const ATTEMPTS: &str = ".cc";
/// Lock of the manifest: held while it is read, merged and replaced.
pub const MANIFEST_LOCK: &str = ".manifest.lock";
/// Lock of the lineage.
pub const LINEAGE_LOCK: &str = ".lineage.lock";
/// The generated list of what is in a workbench.
pub const INDEX: &str = "INDEX.md";
/// Ends every denial of the runner, so that it is known again: 2.1.197 does not mark denials itself.
pub const DENIED_MARK: &str = " [flower-run:denied]";
