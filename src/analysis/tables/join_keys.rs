//! Which columns of two tables a join compares.
#![expect(clippy::wildcard_enum_match_arm, reason = "the grammar knows far more than a query here may hold")]

use sqlparser::ast::{BinaryOperator, Expr, Ident, Join, JoinConstraint, JoinOperator, TableFactor};

/// A table of the run that a query names, and what the query calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Named<'a> {
    pub(super) table: &'a str,
    alias: &'a str,
}

impl<'a> Named<'a> {
    /// `None` for a subquery and the like.
    pub(super) fn of(factor: &'a TableFactor) -> Option<Self> {
        let TableFactor::Table { name, alias, .. } = factor else { return None };
        let table = &name.0.last()?.as_ident()?.value;
        Some(Self { table, alias: alias.as_ref().map_or(table, |alias| &alias.name.value) })
    }
}

/// The columns of the left and of the right table that have to be equal; `None` if the join is none of that kind.
pub(super) fn keys<'a>(join: &'a Join, left: Named<'_>, right: Named<'_>) -> Option<(Vec<&'a str>, Vec<&'a str>)> {
    match constraint(&join.join_operator)? {
        JoinConstraint::Using(names) => {
            let same: Option<Vec<&str>> =
                names.iter().map(|name| Some(name.0.last()?.as_ident()?.value.as_str())).collect();
            same.map(|same| (same.clone(), same))
        }
        JoinConstraint::On(condition) => {
            let mut found = (Vec::new(), Vec::new());
            let mut open = vec![condition];
            while let Some(part) = open.pop() {
                match part {
                    Expr::Nested(inner) => open.push(inner),
                    Expr::BinaryOp { left, op: BinaryOperator::And, right } => open.extend([left.as_ref(), right]),
                    Expr::BinaryOp { left: one, op: BinaryOperator::Eq, right: other } => {
                        let (one, other) = (column(one)?, column(other)?);
                        let is = |(of, _): (&str, &str), table: Named<'_>| of == table.alias;
                        let (ours, theirs) =
                            if is(one, left) && is(other, right) { (one, other) } else { (other, one) };
                        if !is(ours, left) || !is(theirs, right) {
                            return None;
                        }
                        found.0.push(ours.1);
                        found.1.push(theirs.1);
                    }
                    _ => return None,
                }
            }
            Some(found)
        }
        _ => None,
    }
}

/// The condition of a join that puts rows of both tables beside each other.
const fn constraint(operator: &JoinOperator) -> Option<&JoinConstraint> {
    match operator {
        JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint)
        | JoinOperator::Right(constraint)
        | JoinOperator::RightOuter(constraint)
        | JoinOperator::FullOuter(constraint) => Some(constraint),
        _ => None,
    }
}

/// The table and the name of a column.
fn column(expr: &Expr) -> Option<(&str, &str)> {
    match expr {
        Expr::Nested(inner) => column(inner),
        Expr::CompoundIdentifier(parts) => match parts.as_slice() {
            [Ident { value: table, .. }, Ident { value: name, .. }] => Some((table, name)),
            _ => None,
        },
        _ => None,
    }
}
