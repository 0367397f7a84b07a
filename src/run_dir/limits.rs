//! Limits on what hostile or damaged evidence may make us allocate; each with its reason.

/// Longest payload that is decoded, in bytes. SQLite itself stops at 1,000,000,000; the largest payload seen is 24 MB (a
/// pasted image), so a longer one is damage or an attack. It becomes a defect; the rest goes on.
pub const MAX_PAYLOAD_BYTES: usize = 256 << 20;

/// Longest manifest or lineage file that is read, in bytes. A manifest row is about 1 KB: this is 60,000 steps.
pub const MAX_STATE_FILE_BYTES: u64 = 64 << 20;

/// Longest store key, in bytes: a project key (the CLI cuts it at 200) and a session, with room for deep subpaths.
pub const MAX_STORE_KEY_BYTES: usize = 4096;

/// Places at which a torn line is searched for the next whole record. A torn line holds one or two; each try reads to the
/// end of the line, so this bounds the work to that many readings.
pub const MAX_RECORD_STARTS: usize = 64;

/// Longest identifier or label (uuid, message id, tool name, model) that is kept, in bytes. The API refuses tool names
/// above 200 characters; ids are below 100. Longer ones are cut, and the entry says so.
pub const MAX_LABEL_BYTES: usize = 1024;

/// Content blocks of one entry that are kept. One entry holds one block; the largest list seen is below 100.
pub const MAX_BLOCKS: usize = 10_000;

/// Models of one client total that are kept; a process uses below ten.
pub const MAX_CLIENT_MODELS: usize = 1000;

/// Files that are listed below a workbench or a folder of transcripts.
pub const MAX_FILES: usize = 200_000;

/// Depth of folders that are searched for transcripts: `<project>/<session>/subagents/agent.jsonl` is four.
pub const MAX_FOLDER_DEPTH: usize = 6;

/// Rows of a manifest or steps of a lineage that are kept: three times what fits into the longest file at 1 KB a row, so
/// that only a file of empty rows reaches it.
pub const MAX_MANIFEST_ROWS: usize = 200_000;

/// Problems of one state file that are kept: a person reads a few, and each takes a hundred times its bytes in the file.
pub const MAX_STATE_PROBLEMS: usize = 1000;

/// Entries of one list and unknown keys of one row that are kept. The longest list seen, of errors, has below 20.
pub const MAX_STATE_LIST: usize = 10_000;

/// Longest text of a failure that is kept, in bytes. The longest seen is below 400; one that quotes the request is cut.
pub const MAX_FAILURE_TEXT_BYTES: usize = 4096;
