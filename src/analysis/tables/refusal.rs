//! Why a query is not run, and the bounds that it has to keep.

use thiserror::Error;

/// Words and signs of a query: a list of some thousand values has room.
pub(super) const MAX_TOKENS: usize = 20_000;

/// Operators and brackets inside one another: the engine calls itself for each of them, on threads whose stacks end at 2 MiB.
pub(super) const MAX_DEPTH: usize = 100;

/// Joins in one query: the engine nests them.
pub(super) const MAX_JOINS: usize = 50;

/// UNION and the like in one query: each one more doubles what the engine plans.
pub(super) const MAX_SET_OPERATORS: usize = 10;

/// Why a query is not given to the engine.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    /// Too much text.
    #[error(
        "it has {found} words and signs: expected at most {MAX_TOKENS}. Ask in several queries, or export the tables"
    )]
    TooLong {
        /// Words and signs of it.
        found: usize,
    },
    /// Too much in one another.
    #[error(
        "an expression in it is nested more than {MAX_DEPTH} deep; each operator of a chain counts. Write IN (…) for a chain \
         of OR, divide the rest with WITH, or export the tables and ask DuckDB"
    )]
    TooDeep,
    /// Too many joins.
    #[error("it has {found} joins: expected at most {MAX_JOINS}. Ask in several queries")]
    TooManyJoins {
        /// Of it.
        found: usize,
    },
    /// Too many queries side by side.
    #[error(
        "it has {found} set operators (UNION, EXCEPT, INTERSECT): expected at most {MAX_SET_OPERATORS}. Ask in several queries"
    )]
    TooManySetOperators {
        /// Of it.
        found: usize,
    },
    /// More rows than memory has room for.
    #[error(
        "it joins {tables} without a condition, which makes {rows} rows of them: expected at most {most}. Join them with \
         ON … = …, or make them smaller first with a subquery that has GROUP BY or LIMIT"
    )]
    TooManyRows {
        /// What is joined.
        tables: String,
        /// Rows of the product.
        rows: u64,
        /// What is allowed.
        most: u64,
    },
    /// More rows than memory has room for.
    #[error(
        "it joins {tables} on columns of few values, which makes {rows} rows of them: expected at most {most}. Join them on \
         more columns, or make them smaller first with a subquery that has GROUP BY or LIMIT"
    )]
    TooManyMatches {
        /// What is joined.
        tables: String,
        /// Rows of it.
        rows: u64,
        /// What is allowed.
        most: u64,
    },
    /// A window over what GROUP BY makes.
    #[error(
        "a window function (OVER) stands beside GROUP BY or an aggregate, and the engine would give it the rows before they \
         are grouped. Group in a subquery with an alias, and put the window into the query around it"
    )]
    WindowOverGroups,
    /// Null in a list.
    #[error(
        "NULL stands in the list of an IN, where it makes NOT IN unknown for every row. Leave it out, and ask for IS NULL"
    )]
    NullInList,
    /// A condition on nothing.
    #[error("WHERE stands without FROM, and the engine would not look at it. Name a table, or leave the condition out")]
    WhereWithoutFrom,
    /// A sample.
    #[error("TABLESAMPLE is not known to the engine, which would give every row. Write LIMIT, or a condition on seq")]
    Sample,
    /// A join on something else than equal columns.
    #[error(
        "the ON of a join has the condition {condition}: expected columns of the two tables, compared with = and joined by \
         AND. Put a condition on one table into a subquery that is joined in its place, and any other into WHERE"
    )]
    JoinCondition {
        /// As written, its beginning.
        condition: String,
    },
}
