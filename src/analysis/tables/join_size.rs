//! How many rows the joins of a query without a condition make, as far as its text and the sizes of the tables tell.
#![expect(clippy::wildcard_enum_match_arm, reason = "the grammar knows far more than a query here may hold")]

use super::Refusal;
use super::dialect::{aggregates_all, selects};
use sqlparser::ast::{
    Expr, JoinConstraint, JoinOperator, LimitClause, Query, Select, SetExpr, Statement, TableFactor, TableWithJoins,
    Value, Visit, Visitor,
};
use std::collections::HashMap;
use std::ops::ControlFlow::{self, Break, Continue};

/// Rows that a join without a condition may make: the engine holds them in memory, some hundred bytes each at worst.
const MAX_ROWS: u64 = 50_000_000;

/// Refuses a query whose joins without a condition make more rows than memory has room for.
pub(super) fn join_sizes(statements: &Vec<Statement>, tables: &dyn Fn(&str) -> Option<u64>) -> Result<(), Refusal> {
    match statements.visit(&mut Sizes { tables, named: HashMap::new() }) {
        Break(refusal) => Err(refusal),
        Continue(()) => Ok(()),
    }
}

/// Estimates from above, but for joins with a condition, which are taken to make no more rows than their larger side has.
struct Sizes<'a> {
    tables: &'a dyn Fn(&str) -> Option<u64>,
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
        for join in &from.joins {
            let other = self.table(&join.relation)?;
            names.push(name(&join.relation));
            if !matches!(join.join_operator, JoinOperator::CrossJoin(JoinConstraint::None)) {
                rows = rows.max(other);
                continue;
            }
            rows = rows.saturating_mul(other);
            if rows > MAX_ROWS {
                return Break(Refusal::TooManyRows { tables: names.join(", "), rows, most: MAX_ROWS });
            }
        }
        Continue(rows)
    }

    fn table(&mut self, table: &TableFactor) -> ControlFlow<Refusal, u64> {
        match table {
            TableFactor::Derived { subquery, .. } => self.query(subquery),
            TableFactor::NestedJoin { table_with_joins, .. } => self.joined(table_with_joins),
            TableFactor::Table { name, .. } => {
                let name = name.0.last().and_then(|part| part.as_ident()).map_or("", |ident| &ident.value);
                Continue(self.named.get(name).copied().or_else(|| (self.tables)(name)).unwrap_or(1))
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
