//! The model as tables: what they hold, defined once; SQL over them; files of them. polars stands in `frame.rs` alone.

mod attempts;
mod column;
mod dialect;
mod entries;
mod errors;
mod findings;
mod frame;
mod join_keys;
mod join_size;
mod named_query;
mod outages;
mod query;
mod refusal;
mod retries;
mod scene;
mod sessions;
mod steps;
mod table;
mod tool_calls;
mod turns;
mod value;

pub use column::{ColumnKind, ColumnSpec};
pub use frame::write_parquet;
pub use named_query::{NamedQuery, named_queries};
pub use query::{Answer, AnswerColumn, QueryError, query};
pub use refusal::Refusal;
pub use scene::{SCHEMA_VERSION, Scene, TableName, schema, schemas};
pub use table::{Mask, Table, TableSpec};
pub use value::Value;
