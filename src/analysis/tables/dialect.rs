//! What a query may ask, read from its text before the engine sees it: the engine has no bounds of its own, and answers some
//! questions otherwise than `DuckDB` and `PostgreSQL` without a word.
#![expect(clippy::wildcard_enum_match_arm, reason = "the grammar knows far more than a query here may hold")]

use super::Refusal;
use super::join_size::{Known, join_sizes};
use super::refusal::{MAX_DEPTH, MAX_JOINS, MAX_SET_OPERATORS, MAX_TOKENS};
use sqlparser::ast::{
    BinaryOperator, Expr, Function, GroupByExpr, JoinConstraint, JoinOperator, Query, Select, SetExpr, Statement,
    TableFactor, TableWithJoins, Value, Visit, Visitor,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::{Parser, ParserOptions};
use sqlparser::tokenizer::{Token, Tokenizer};
use std::ops::ControlFlow::{self, Break, Continue};

/// Stack of the thread that plans a query.
const STACK: usize = 256 << 20;

/// Characters of a part of a query that an error repeats.
const SHOWN: usize = 60;

/// Functions that make one value of many rows, as far as they can stand in a query beside a window.
const AGGREGATES: [&str; 18] = [
    "array_agg",
    "avg",
    "corr",
    "count",
    "covar_pop",
    "covar_samp",
    "first",
    "last",
    "max",
    "median",
    "min",
    "quantile_cont",
    "quantile_disc",
    "stddev",
    "stddev_samp",
    "string_agg",
    "sum",
    "variance",
];

/// Runs what nests as deep as a query does on a stack that has room for it.
pub(super) fn with_room<T: Send>(work: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("query".to_owned()).stack_size(STACK);
        let running = thread.spawn_scoped(scope, work)?;
        running.join().map_err(|_| std::io::Error::other("the thread of the query broke off"))
    })
}

/// Refuses what the engine cannot bear or would answer wrongly. What cannot be read is left to the engine, which says why.
/// The sizes of joins follow where the tables are known.
pub(super) fn check(sql: &str, known: Option<&dyn Known>) -> Result<(), Refusal> {
    let Ok(tokens) = Tokenizer::new(&GenericDialect, sql).tokenize() else { return Ok(()) };
    let found = tokens.iter().filter(|token| !matches!(token, Token::Whitespace(_))).count();
    if found > MAX_TOKENS {
        return Err(Refusal::TooLong { found });
    }
    let joins = count(&tokens, &["JOIN"]);
    if joins > MAX_JOINS {
        return Err(Refusal::TooManyJoins { found: joins });
    }
    let set_operators = count(&tokens, &["UNION", "EXCEPT", "INTERSECT"]);
    if set_operators > MAX_SET_OPERATORS {
        return Err(Refusal::TooManySetOperators { found: set_operators });
    }
    let options = ParserOptions { trailing_commas: true, ..ParserOptions::default() };
    let Ok(statements) = Parser::new(&GenericDialect).with_options(options).with_tokens(tokens).parse_statements()
    else {
        return Ok(());
    };
    read(&statements)?;
    known.map_or(Ok(()), |known| join_sizes(&statements, known))
}

/// How often one of some words stands in a text, names in quotes left out.
fn count(tokens: &[Token], words: &[&str]) -> usize {
    let is_one = |token: &&Token| {
        let Token::Word(word) = token else { return false };
        word.quote_style.is_none() && words.iter().any(|name| word.value.eq_ignore_ascii_case(name))
    };
    tokens.iter().filter(is_one).count()
}

fn read(statements: &Vec<Statement>) -> Result<(), Refusal> {
    match statements.visit(&mut Reader { depth: 0 }) {
        Break(refusal) => Err(refusal),
        Continue(()) => Ok(()),
    }
}

/// Reads every expression and every query, the inner ones too.
struct Reader {
    depth: usize,
}

impl Visitor for Reader {
    type Break = Refusal;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Refusal> {
        for select in selects(&query.body) {
            if select.from.is_empty() && select.selection.is_some() {
                return Break(Refusal::WhereWithoutFrom);
            }
            if has_window_over_groups(select) {
                return Break(Refusal::WindowOverGroups);
            }
            for from in &select.from {
                joins(from)?;
            }
        }
        Continue(())
    }

    fn pre_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<Refusal> {
        match table {
            TableFactor::Table { sample: Some(_), .. } => Break(Refusal::Sample),
            TableFactor::NestedJoin { table_with_joins, .. } => joins(table_with_joins),
            _ => Continue(()),
        }
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Refusal> {
        self.depth = self.depth.saturating_add(1);
        if self.depth > MAX_DEPTH {
            return Break(Refusal::TooDeep);
        }
        let is_null = |item: &Expr| matches!(item, Expr::Value(value) if value.value == Value::Null);
        match expr {
            Expr::InList { list, .. } if list.iter().any(is_null) => Break(Refusal::NullInList),
            _ => Continue(()),
        }
    }

    fn post_visit_expr(&mut self, _: &Expr) -> ControlFlow<Refusal> {
        self.depth = self.depth.saturating_sub(1);
        Continue(())
    }
}

/// The SELECTs of a query that are joined by UNION and the like.
pub(super) fn selects(body: &SetExpr) -> Vec<&Select> {
    let mut found = Vec::new();
    let mut open = vec![body];
    while let Some(body) = open.pop() {
        match body {
            SetExpr::Select(select) => found.push(select.as_ref()),
            SetExpr::SetOperation { left, right, .. } => open.extend([right.as_ref(), left.as_ref()]),
            _ => {}
        }
    }
    found
}

fn has_window_over_groups(select: &Select) -> bool {
    let functions = Functions::of(select);
    functions.window && (is_grouped(select) || functions.aggregate)
}

/// It makes one row of all that it is given.
pub(super) fn aggregates_all(select: &Select) -> bool {
    !is_grouped(select) && Functions::of(select).aggregate
}

const fn is_grouped(select: &Select) -> bool {
    match &select.group_by {
        GroupByExpr::All(_) => true,
        GroupByExpr::Expressions(by, _) => !by.is_empty(),
    }
}

/// Which functions stand in a SELECT itself, those of queries inside of it left out.
struct Functions {
    queries: usize,
    window: bool,
    aggregate: bool,
}

impl Functions {
    fn of(select: &Select) -> Self {
        let mut functions = Self { queries: 0, window: false, aggregate: false };
        // It never breaks off.
        let _ = select.visit(&mut functions);
        functions
    }
}

impl Visitor for Functions {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.queries = self.queries.saturating_add(1);
        Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.queries = self.queries.saturating_sub(1);
        Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if let Expr::Function(Function { name, over, .. }) = expr
            && self.queries == 0
        {
            let name = name.to_string().to_ascii_lowercase();
            self.window |= over.is_some();
            self.aggregate |= over.is_none() && AGGREGATES.contains(&name.as_str());
        }
        Continue(())
    }
}

/// Refuses joins on something else than equal columns.
fn joins(from: &TableWithJoins) -> ControlFlow<Refusal> {
    for join in &from.joins {
        let Some(JoinConstraint::On(on)) = constraint(&join.join_operator) else { continue };
        let mut open = vec![on];
        while let Some(condition) = open.pop() {
            match condition {
                Expr::Nested(inner) => open.push(inner),
                Expr::BinaryOp { left, op: BinaryOperator::And, right } => open.extend([right.as_ref(), left.as_ref()]),
                Expr::BinaryOp { left, op: BinaryOperator::Eq, right } if joins_tables(left, right) => {}
                other => return Break(Refusal::JoinCondition { condition: shown(other) }),
            }
        }
    }
    Continue(())
}

const fn constraint(operator: &JoinOperator) -> Option<&JoinConstraint> {
    use JoinOperator as J;
    match operator {
        J::Join(on)
        | J::Inner(on)
        | J::Left(on)
        | J::LeftOuter(on)
        | J::Right(on)
        | J::RightOuter(on)
        | J::FullOuter(on)
        | J::CrossJoin(on)
        | J::Semi(on)
        | J::LeftSemi(on)
        | J::RightSemi(on)
        | J::Anti(on)
        | J::LeftAnti(on)
        | J::RightAnti(on)
        | J::StraightJoin(on)
        | J::AsOf { constraint: on, .. } => Some(on),
        J::CrossApply | J::OuterApply => None,
    }
}

/// Both sides name columns, as far as is written of different tables.
fn joins_tables(left: &Expr, right: &Expr) -> bool {
    let (left, right) = (columns(left), columns(right));
    let table = |column: &[String]| column.len().checked_sub(2).and_then(|at| column.get(at)).cloned();
    let differ = |left: &Vec<String>, right: &Vec<String>| table(left).is_none() || table(left) != table(right);
    !left.is_empty() && !right.is_empty() && left.iter().all(|left| right.iter().all(|right| differ(left, right)))
}

/// The columns in an expression, each with the parts of its name.
fn columns(expr: &Expr) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let named = |expr: &Expr| {
        match expr {
            Expr::Identifier(name) => found.push(vec![name.value.clone()]),
            Expr::CompoundIdentifier(names) => found.push(names.iter().map(|name| name.value.clone()).collect()),
            _ => {}
        }
        ControlFlow::<()>::Continue(())
    };
    // It never breaks off.
    let _ = sqlparser::ast::visit_expressions(expr, named);
    found
}

fn shown(expr: &Expr) -> String {
    let text = expr.to_string();
    let start: String = text.chars().take(SHOWN).collect();
    if start.len() < text.len() { format!("{start}…") } else { start }
}
