//! The only file that knows polars: tables to frames, SQL over frames, frames to Parquet.

use super::dialect::{check, with_room};
use super::join_size::Known;
use super::query::Rows;
use super::{Answer, AnswerColumn, ColumnKind, Mask, QueryError, Scene, Table, TableName, Value};
use crate::unit::Timestamp;
use polars::chunked_array::cast::CastOptions;
use polars::prelude::{
    AnyValue, Column, DataFrame, DataType, Int64Chunked, IntoColumn, IntoLazy, LazyFrame, NamedFrom, NewChunkedArray,
    PlSmallStr, PolarsError, PolarsResult, Schema, Series, StringChunkedBuilder, TimeUnit,
};
use polars::sql::{SQLContext, extract_table_identifiers};
use polars_expr::state::ExecutionState;
use polars_io::parquet::write::{KeyValueMetadata, ParquetCompression, ParquetWriter};
use polars_mem_engine::create_physical_plan;
use polars_plan::plans::{AExpr, IR, IRPlan};
use polars_plan::prelude::Node;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{ErrorKind, Write};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Rows that are turned into a frame at a time when a file is written, and that make one row group.
const ROW_GROUP: usize = 1 << 16;

/// Runs one query over the tables that it names.
pub(super) fn run(scene: &Scene<'_>, sql: &str, mask: &Mask<'_>, limit: Option<usize>) -> Result<Answer, QueryError> {
    let engine = |error: PolarsError| QueryError::Engine { reason: first_line(&error) };
    // What is too deep is refused before the engine reads the text; the sizes of the tables follow.
    with_room(|| check(sql, None)).map_err(stack)?.map_err(QueryError::Refused)?;
    let named = with_room(|| extract_table_identifiers(sql, false, true)).map_err(stack)?.map_err(engine)?;
    let used: Vec<TableName> = named.iter().filter_map(|name| name.parse().ok()).collect();
    let mut context = SQLContext::new();
    let mut frames = Frames(HashMap::new());
    for name in &used {
        let table = scene.table(*name, mask)?;
        let frame = frame(&table, 0..table.len(), true).map_err(engine)?;
        context.register(table.spec.name, frame.clone().lazy());
        frames.0.insert(table.spec.name, frame);
    }
    with_room(|| check(sql, Some(&frames))).map_err(stack)?.map_err(QueryError::Refused)?;
    // polars has corners in which it panics; that is an answer too.
    let run = AssertUnwindSafe(|| context.execute(sql).and_then(collect));
    let ran = with_room(|| catch_unwind(run)).map_err(stack)?;
    let found = ran.map_err(|_| QueryError::Broken)?.map_err(|error| explained(&error, &used))?;
    answer(&found, limit.unwrap_or(usize::MAX)).map_err(engine)
}

/// The tables of a query, by name.
struct Frames(HashMap<&'static str, DataFrame>);

impl Known for Frames {
    fn rows(&self, table: &str) -> Option<u64> {
        u64::try_from(self.0.get(table)?.height()).ok()
    }

    fn counts(&self, table: &str, columns: &[&str]) -> Option<HashMap<u64, u64>> {
        let frame = self.0.get(table)?;
        let columns: Vec<&Column> = columns.iter().map(|name| frame.column(name).ok()).collect::<Option<_>>()?;
        let mut counts = HashMap::new();
        'rows: for row in 0..frame.height() {
            let mut hash = DefaultHasher::new();
            for column in &columns {
                let value = column.get(row).ok()?;
                if value.is_null() {
                    continue 'rows;
                }
                value.hash(&mut hash);
            }
            *counts.entry(hash.finish()).or_default() += 1;
        }
        Some(counts)
    }
}

/// No thread with a stack that has room.
#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
fn stack(error: std::io::Error) -> QueryError {
    QueryError::Engine { reason: error.to_string() }
}

/// Runs a plan with the engine in memory.
///
/// Groups by at most two plain columns are given to the streaming engine, and without it polars panics. It brings an HTTP
/// client, so it is not there: a cast of the first column to its own type makes the group one that the engine in memory keeps.
fn collect(lazy: LazyFrame) -> PolarsResult<DataFrame> {
    let IRPlan { lp_top, mut lp_arena, mut expr_arena } = lazy.to_alp_optimized()?;
    for node in (0..lp_arena.len()).map(Node) {
        let IR::GroupBy { input, keys, .. } = lp_arena.get(node) else { continue };
        let Some(key) = keys.first() else { continue };
        let dtype = key.dtype(&lp_arena.get(*input).schema(&lp_arena), &expr_arena)?.clone();
        let cast = AExpr::Cast { expr: key.node(), dtype, options: CastOptions::NonStrict };
        let cast = expr_arena.add(cast);
        if let IR::GroupBy { keys, .. } = lp_arena.get_mut(node)
            && let Some(key) = keys.first_mut()
        {
            key.set_node(cast);
        }
    }
    create_physical_plan(lp_top, &mut lp_arena, &mut expr_arena, None)?.execute(&mut ExecutionState::new())
}

/// What went wrong, with what there is where a name is wrong.
fn explained(error: &PolarsError, used: &[TableName]) -> QueryError {
    let first = first_line(error);
    let quoted = |before: &str| first.split_once(before)?.1.split('\'').next();
    if let Some(name) = quoted("relation '").filter(|_| first.contains("was not found")) {
        return QueryError::unknown_table(name);
    }
    if let Some(name) = quoted("no column named '") {
        return QueryError::unknown_column(name, used);
    }
    if let PolarsError::ColumnNotFound(_) | PolarsError::SchemaFieldNotFound(_) = root(error) {
        let name = first.split('"').nth(1).or(first.rsplit("not found: ").next()).unwrap_or(&first);
        return QueryError::unknown_column(name.trim_matches(['"', '\'']), used);
    }
    QueryError::Engine { reason: first }
}

/// What follows is the plan, which tells a person nothing.
fn first_line(error: &PolarsError) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

/// An error without what was being done at the time.
fn root(mut error: &PolarsError) -> &PolarsError {
    while let PolarsError::Context { error: inner, .. } = error {
        error = inner;
    }
    error
}

/// The cells of a range of rows. In `wide` ones whole numbers whose sum has no room in 64 bits have 128.
fn frame(table: &Table<'_>, rows: Range<usize>, wide: bool) -> PolarsResult<DataFrame> {
    let columns = (0..table.spec.columns.len()).map(|at| column(table, at, rows.clone(), wide));
    DataFrame::new(rows.len(), columns.collect::<PolarsResult<Vec<Column>>>()?)
}

fn column(table: &Table<'_>, at: usize, rows: Range<usize>, wide: bool) -> PolarsResult<Column> {
    let Some(spec) = table.spec.columns.get(at) else { return Ok(Column::default()) };
    let name = PlSmallStr::from_str(spec.name);
    let numbers = || {
        rows.clone().map(|row| match table.cell(row, at) {
            Value::Integer(number) => Some(number),
            Value::Timestamp(moment) => Some(moment.millis()),
            Value::Null | Value::Text(_) | Value::Float(_) | Value::Boolean(_) => None,
        })
    };
    Ok(match spec.kind {
        ColumnKind::Text | ColumnKind::Word => {
            let mut cells = StringChunkedBuilder::new(name, rows.len());
            for row in rows {
                let text = if let Value::Text(text) = table.cell(row, at) { Some(text) } else { None };
                cells.append_option(text);
            }
            cells.finish().into_column()
        }
        ColumnKind::Integer => {
            let cells = Int64Chunked::from_iter_options(name, numbers()).into_column();
            // A sum that overflows would be a wrong figure without a word.
            let total = numbers().flatten().map(|number| i128::from(number).abs()).fold(0, i128::saturating_add);
            if wide && i64::try_from(total).is_err() { cells.cast(&DataType::Int128)? } else { cells }
        }
        ColumnKind::Timestamp => {
            let millis = Int64Chunked::from_iter_options(name, numbers());
            millis.into_datetime(TimeUnit::Milliseconds, None).into_column()
        }
        ColumnKind::Float => {
            let float = |row| if let Value::Float(float) = table.cell(row, at) { Some(float) } else { None };
            Series::new(name, rows.map(float).collect::<Vec<_>>()).into_column()
        }
        ColumnKind::Boolean => {
            let yes = |row| if let Value::Boolean(yes) = table.cell(row, at) { Some(yes) } else { None };
            Series::new(name, rows.map(yes).collect::<Vec<_>>()).into_column()
        }
    })
}

/// Writes a table as Parquet, one row group after another, so that a large one is never whole in memory. `notes` go into the
/// metadata of the file.
///
/// # Errors
///
/// What `out` cannot take.
pub fn write_parquet(table: &Table<'_>, notes: &[(&str, &str)], out: &mut impl Write) -> Result<(), std::io::Error> {
    let write = || {
        let notes = notes.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let schema: Schema = Schema::clone(frame(table, 0..0, false)?.schema());
        let mut writer = ParquetWriter::new(out)
            .with_compression(ParquetCompression::Snappy)
            .with_key_value_metadata(Some(KeyValueMetadata::from_static(notes)))
            .batched(&schema)?;
        for start in (0..table.len()).step_by(ROW_GROUP) {
            let end = start.saturating_add(ROW_GROUP).min(table.len());
            writer.write_batch(&frame(table, start..end, false)?)?;
        }
        writer.finish().map(|_| ())
    };
    write().map_err(|error| {
        let kind = if let PolarsError::IO { error, .. } = &error { error.kind() } else { ErrorKind::Other };
        std::io::Error::new(kind, error.to_string())
    })
}

/// The first rows of a frame.
fn answer(frame: &DataFrame, limit: usize) -> PolarsResult<Answer> {
    let columns: Vec<AnswerColumn> = frame
        .columns()
        .iter()
        .map(|column| AnswerColumn { name: column.name().to_string(), kind: kind(column.dtype()) })
        .collect();
    let mut cells = Vec::new();
    for row in 0..frame.height().min(limit) {
        cells.push(frame.columns().iter().map(|column| Ok(value(&column.get(row)?))).collect::<PolarsResult<_>>()?);
    }
    let names = columns.iter().map(|column| column.name.clone()).collect();
    Ok(Answer { columns, row_count: frame.height(), rows: Rows { names, cells } })
}

fn kind(of: &DataType) -> ColumnKind {
    if of.is_integer() {
        ColumnKind::Integer
    } else if of.is_float() {
        ColumnKind::Float
    } else if matches!(of, DataType::Boolean) {
        ColumnKind::Boolean
    } else if matches!(of, DataType::Datetime(..)) {
        ColumnKind::Timestamp
    } else {
        ColumnKind::Text
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "types that only a query can make are shown as text")]
fn value(cell: &AnyValue<'_>) -> Value<'static> {
    match cell {
        AnyValue::Null => Value::Null,
        AnyValue::Boolean(yes) => Value::Boolean(*yes),
        AnyValue::Float32(number) => Value::Float(f64::from(*number)),
        AnyValue::Float64(number) => Value::Float(*number),
        AnyValue::Datetime(at, unit, _) | AnyValue::DatetimeOwned(at, unit, _) => {
            moment(*at, *unit).map_or(Value::Null, Value::Timestamp)
        }
        cell if cell.is_integer() => match cell.extract::<i64>() {
            Some(number) => Value::Integer(number),
            None => Value::Text(cell.to_string().into()),
        },
        cell => Value::Text(text(cell).into()),
    }
}

fn moment(at: i64, unit: TimeUnit) -> Option<Timestamp> {
    Timestamp::from_millis(match unit {
        TimeUnit::Nanoseconds => at.div_euclid(1_000_000),
        TimeUnit::Microseconds => at.div_euclid(1_000),
        TimeUnit::Milliseconds => at,
    })
}

/// A list is written out whole: its own form leaves out what is in the middle.
#[expect(clippy::wildcard_enum_match_arm, reason = "everything else has a form of its own")]
fn text(cell: &AnyValue<'_>) -> String {
    match cell {
        AnyValue::String(text) => (*text).to_owned(),
        AnyValue::StringOwned(text) => text.to_string(),
        AnyValue::List(list) => {
            let cells: Vec<String> = list.iter().map(|cell| text(&cell)).collect();
            format!("[{}]", cells.join(", "))
        }
        cell => cell.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::tables::table::of_rows;
    use std::borrow::Cow;

    #[test]
    fn sums_that_have_no_room_in_64_bits_are_exact() {
        let mask: &Mask<'_> = &|text| Cow::Borrowed(text);
        let table = of_rows(vec![i64::MAX, i64::MAX, 1], mask);
        let mut context = SQLContext::new();
        context.register("numbers", frame(&table, 0..3, true).unwrap().lazy());
        let found = context.execute("SELECT sum(n) AS n, max(n) AS m FROM numbers").and_then(collect).unwrap();
        let answer = answer(&found, 1).unwrap();
        assert_eq!(
            answer.rows.cells,
            [[Value::Text("18446744073709551615".into()), Value::Integer(i64::MAX)]],
            "what no 64 bits hold is told as text"
        );
        let narrow = frame(&of_rows(vec![1, 2], mask), 0..2, true).unwrap();
        assert_eq!(narrow.columns()[0].dtype(), &DataType::Int64);
    }

    #[test]
    fn row_groups_hold_every_row_once() {
        let mask: &Mask<'_> = &|text| Cow::Borrowed(text);
        let table = of_rows((0..200_000).collect(), mask);
        let mut file = Vec::new();
        write_parquet(&table, &[("a", "b")], &mut file).unwrap();
        assert!(file.starts_with(b"PAR1") && file.ends_with(b"PAR1"));
        let sums = (0..200_000).step_by(ROW_GROUP).map(|start| {
            let rows = frame(&table, start..(start + ROW_GROUP).min(200_000), false).unwrap();
            rows.columns()[0].i64().unwrap().into_iter().flatten().sum::<i64>()
        });
        assert_eq!(sums.sum::<i64>(), 199_999 * 100_000);
    }
}
