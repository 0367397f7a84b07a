/// A row of the table `meta`: one per store key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetaRow {
    /// Store key.
    pub store_key: String,
    /// Time of the last append in milliseconds; strictly increasing per process.
    pub mtime: i64,
    /// The sequence number that the next entry gets.
    pub next_seq: i64,
}

/// A row of the table `summaries`: one per main transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryRow {
    /// Project part of the store key.
    pub project_key: String,
    /// Session id.
    pub session_id: String,
    /// Time of the last append in milliseconds.
    pub mtime: i64,
    /// The JSON summary: `created_at`, cwd, first and last prompt, git branch.
    pub data: String,
}
