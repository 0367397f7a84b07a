use serde::Serialize;

/// A query that has a name, from `queries/report/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct NamedQuery {
    /// Its name.
    pub name: &'static str,
    /// What it is for, in one line.
    pub purpose: &'static str,
    /// The query.
    #[serde(skip)]
    pub sql: &'static str,
}

macro_rules! queries {
    ($($name:literal => $path:literal,)*) => {
        &[$(($name, include_str!($path)),)*]
    };
}

const QUERIES: &[(&str, &str)] = queries! {
    "cache-by-session" => "../../../queries/report/cache-by-session.sql",
    "cost-by-day" => "../../../queries/report/cost-by-day.sql",
    "cost-by-model" => "../../../queries/report/cost-by-model.sql",
    "cost-by-session" => "../../../queries/report/cost-by-session.sql",
    "cost-by-step" => "../../../queries/report/cost-by-step.sql",
    "denied-calls" => "../../../queries/report/denied-calls.sql",
    "errors-by-kind" => "../../../queries/report/errors-by-kind.sql",
    "expensive-turns" => "../../../queries/report/expensive-turns.sql",
    "findings-by-code" => "../../../queries/report/findings-by-code.sql",
    "largest-results" => "../../../queries/report/largest-results.sql",
    "repeated-calls" => "../../../queries/report/repeated-calls.sql",
    "slowest-calls" => "../../../queries/report/slowest-calls.sql",
    "tools" => "../../../queries/report/tools.sql",
    "totals" => "../../../queries/report/totals.sql",
    "waits" => "../../../queries/report/waits.sql",
};

/// Every named query, in the order of their names.
pub fn named_queries() -> impl Iterator<Item = NamedQuery> {
    QUERIES.iter().map(|(name, sql)| {
        let first = sql.lines().next().unwrap_or_default();
        NamedQuery { name, purpose: first.trim_start_matches("--").trim(), sql }
    })
}
