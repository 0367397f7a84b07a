//! How many rows the joins of a query make, as far as its text, the sizes of the tables and what is in them tell.
#![expect(clippy::wildcard_enum_match_arm, reason = "the grammar knows far more than a query here may hold")]

use super::Refusal;
use super::dialect::{aggregates_all, selects};
use super::join_keys::{Named, keys};
use sqlparser::ast::{
    Expr, Join, JoinConstraint, JoinOperator, LimitClause, Query, Select, SetExpr, Statement, TableFactor,
    TableWithJoins, Value, Visit, Visitor,
};
use std::collections::HashMap;
use std::ops::ControlFlow::{self, Break, Continue};

/// Rows that a join may make: the engine holds them in memory, some hundred bytes each at worst.
const MAX_ROWS: u64 = 50_000_000;

/// What is known of the tables.
pub(super) trait Known: Sync {
    /// The rows of a table.
    fn rows(&self, table: &str) -> Option<u64>;
    /// How many rows have the same values in these columns, by a hash of the values; those with null are left out.
    fn counts(&self, table: &str, columns: &[&str]) -> Option<HashMap<u64, u64>>;
}

/// Refuses a query whose joins make more rows than memory has room for.
pub(super) fn join_sizes(statements: &Vec<Statement>, known: &dyn Known) -> Result<(), Refusal> {
    match statements.visit(&mut Sizes { known, named: HashMap::new() }) {
        Break(refusal) => Err(refusal),
        Continue(()) => Ok(()),
    }
}

/// Estimates from above, but for joins with a condition on something else than two tables, which are taken to make no more
/// rows than their larger side has.
struct Sizes<'a> {
    known: &'a dyn Known,
    /// Rows of what WITH names.
    named: HashMap<String, u64>,
}

impl Visitor for Sizes<'_> {
    type Break = Refusal;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Refusal> {
        self.query(query).map_continue(drop)
    }
}

impl Sizes<'_> {
    fn query(&mut self, query: &Query) -> ControlFlow<Refusal, u64> {
        for with in query.with.iter().flat_map(|with| &with.cte_tables) {
            let rows = self.query(&with.query)?;
            self.named.insert(with.alias.name.value.clone(), rows);
        }
        let mut rows = 0_u64;
        for select in selects(&query.body) {
            rows = rows.saturating_add(self.select(select)?);
        }
        if let SetExpr::Query(inner) = query.body.as_ref() {
            rows = self.query(inner)?;
        }
        Continue(limit(query).map_or(rows, |limit| rows.min(limit)))
    }

    fn select(&mut self, select: &Select) -> ControlFlow<Refusal, u64> {
        let mut rows = 1_u64;
        for from in &select.from {
            rows = rows.saturating_mul(self.joined(from)?);
        }
        Continue(if aggregates_all(select) { 1 } else { rows })
    }

    fn joined(&mut self, from: &TableWithJoins) -> ControlFlow<Refusal, u64> {
        let mut rows = self.table(&from.relation)?;
        let mut names = vec![name(&from.relation)];
        for (nth, join) in from.joins.iter().enumerate() {
            let other = self.table(&join.relation)?;
            names.push(name(&join.relation));
            if matches!(join.join_operator, JoinOperator::CrossJoin(JoinConstraint::None)) {
                rows = rows.saturating_mul(other);
                if rows > MAX_ROWS {
                    return Break(Refusal::TooManyRows { tables: names.join(", "), rows, most: MAX_ROWS });
                }
                continue;
            }
            let matched = if nth == 0 { self.matched(&from.relation, join) } else { None };
            rows = matched.unwrap_or(0).max(rows).max(other);
            if rows > MAX_ROWS && matched.is_some() {
                return Break(Refusal::TooManyMatches { tables: names.join(", "), rows, most: MAX_ROWS });
            }
        }
        Continue(rows)
    }

    /// Pairs of rows of two tables that a join puts beside each other.
    fn matched(&self, left: &TableFactor, join: &Join) -> Option<u64> {
        let (left, right) = (Named::of(left)?, Named::of(&join.relation)?);
        if [left, right].iter().any(|named| self.named.contains_key(named.table)) {
            return None;
        }
        let (ours, theirs) = keys(join, left, right)?;
        let (ours, theirs) = (self.known.counts(left.table, &ours)?, self.known.counts(right.table, &theirs)?);
        let pairs = ours.iter().map(|(key, n)| n.saturating_mul(theirs.get(key).copied().unwrap_or(0)));
        Some(pairs.fold(0, u64::saturating_add))
    }

    fn table(&mut self, table: &TableFactor) -> ControlFlow<Refusal, u64> {
        match table {
            TableFactor::Derived { subquery, .. } => self.query(subquery),
            TableFactor::NestedJoin { table_with_joins, .. } => self.joined(table_with_joins),
            TableFactor::Table { name, .. } => {
                let name = name.0.last().and_then(|part| part.as_ident()).map_or("", |ident| &ident.value);
                Continue(self.named.get(name).copied().or_else(|| self.known.rows(name)).unwrap_or(1))
            }
            _ => Continue(1),
        }
    }
}

/// The name of a table in a sentence.
fn name(table: &TableFactor) -> String {
    match table {
        TableFactor::Table { name, .. } => name.to_string(),
        TableFactor::Derived { alias: Some(alias), .. } => alias.name.value.clone(),
        _ => "a subquery".to_owned(),
    }
}

fn limit(query: &Query) -> Option<u64> {
    let Some(LimitClause::LimitOffset { limit: Some(Expr::Value(limit)), .. }) = &query.limit_clause else {
        return None;
    };
    if let Value::Number(number, _) = &limit.value { number.parse().ok() } else { None }
}
