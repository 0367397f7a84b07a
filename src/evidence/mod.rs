//! Opens a source without changing it and hands out its rows; the only layer that reads files.

mod connection;
mod copy;
mod database_files;
mod error;
mod fingerprint;
mod header;
mod integrity;
mod journal;
mod lines;
mod open;
mod opened;
mod recovery;
mod remark;
mod rows;
mod schema;
mod source;
mod source_files;
mod store;
mod tables;
mod transcript_files;
mod transcript_rows;
mod transcripts;
mod wal;
mod workbench;

pub use error::{EvidenceError, LastRow, Reached};
pub use fingerprint::FileFacts;
pub use journal::JournalFacts;
pub use open::{Evidence, OpenOptions};
pub use opened::{Method, Opened, Recovery, SourceKind};
pub use remark::Remark;
pub use wal::WalFacts;
pub use workbench::{SpillHash, WorkbenchFile, WorkbenchListing};
