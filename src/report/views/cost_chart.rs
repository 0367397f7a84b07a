use super::evidence::Opening;
use crate::analysis::cost::{By, Cost, GroupRow, ToolSpend, TurnSpend};
use crate::report::chart::{self, CacheFigure, CacheTurn, CostFigure, CostRow, Picture, Spent};

/// The cost as a picture: by what it is grouped, over time, and what the cache did.
pub fn cost_chart(result: &Cost, turns: &[TurnSpend], opening: &Opening) -> Picture {
    spend_picture(result, turns, opening).and(cache_picture(turns))
}

/// By what the cost is grouped, and over time.
pub(super) fn spend_picture(result: &Cost, turns: &[TurnSpend], opening: &Opening) -> Picture {
    let (classes, rows): (&[&str], Vec<CostRow>) = if result.by == By::Tool {
        (&["estimated"], result.tools.iter().map(tool).collect())
    } else {
        (&CLASSES, result.rows.iter().map(|row| group(row, result.by, opening)).collect())
    };
    let spent = turns.iter().filter_map(|turn| Some(Spent { at: turn.at, model: turn.model.clone(), usd: turn.usd? }));
    let unpriced = result.spend.unpriced_turns;
    chart::cost(CostFigure {
        title: opening.title("Cost"),
        row: result.by.to_string(),
        classes: classes.iter().map(|class| (*class).to_owned()).collect(),
        rows,
        spent: spent.collect(),
        unpriced: usize::try_from(unpriced).unwrap_or(usize::MAX),
        zone: opening.zone,
    })
}

/// What the cache did with the input of each model turn.
pub(super) fn cache_picture(turns: &[TurnSpend]) -> Picture {
    let turn = |turn: &TurnSpend| CacheTurn {
        read: turn.cache_read,
        written_short: turn.cache_write_5m,
        written_long: turn.cache_write_1h,
        uncached: turn.uncached,
    };
    chart::cache(CacheFigure { title: String::new(), turns: turns.iter().map(turn).collect() })
}

/// From the left of a bar to its right.
const CLASSES: [&str; 6] =
    ["cache read", "cache write, 5 minutes", "cache write, 1 hour", "input", "output", "web searches"];

fn group(row: &GroupRow, by: By, opening: &Opening) -> CostRow {
    let name = match by {
        By::Session | By::Subagent => opening.names.of(&row.name).to_owned(),
        By::Step | By::Model | By::Thread | By::Tool | By::Day | By::Hour | By::Run => row.name.clone(),
    };
    let spend = &row.spend;
    let classes = spend.classes;
    CostRow {
        name,
        by_class: vec![
            classes.cache_read_usd,
            classes.cache_write_5m_usd,
            classes.cache_write_1h_usd,
            classes.input_usd,
            classes.output_usd,
            classes.web_search_usd,
        ],
        shown: if spend.unpriced_turns > 0 {
            format!("at least {}", spend.measured_usd)
        } else {
            spend.measured_usd.to_string()
        },
        bounds: spend.high.0.map(|high| (spend.low_usd, high)),
    }
}

fn tool(tool: &ToolSpend) -> CostRow {
    let usd = tool.estimated_usd;
    CostRow { name: tool.tool.clone(), by_class: vec![usd], shown: format!("about {usd}"), bounds: None }
}
