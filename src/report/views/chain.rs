use super::evidence::Opening;
use super::findings::{ALL, findings};
use crate::analysis::{BranchLineResult, BranchResult, ChainSession, Chains, OutlineLine, Standing, Trust, View, What};
use crate::report::{Body, Cell, Column, Facts, Page, Table, Tone, TreeLine};
use crate::unit::{Finding, Level, Zone};
use std::collections::BTreeMap;

/// The forest of each session as a tree.
pub fn chain(result: &Chains, opening: &Opening) -> Page {
    let mut page = Page::new(opening.title("Chains"));
    if result.sessions.is_empty() {
        page = page.note("The source has no session.");
    }
    for session in &result.sessions {
        page = page.section(session.store_key.as_str(), facts(session, result.view)).part(Body::Tree(tree(session)));
        if !session.branches.is_empty() {
            page = page.part(branches(session, opening.zone));
        }
        if !session.breaks.is_empty() {
            page = page.part(breaks(session));
        }
    }
    page.section("Evidence", opening.facts()).data(data(result))
}

/// Only what is wrong with the chains.
pub fn chain_check(found: &[Finding], opening: &Opening) -> Page {
    let table = findings(found, ALL, "--format json", &opening.names).primary();
    Page::new(opening.title("Check of the chains")).part(table).section("Evidence", opening.facts())
}

fn facts(session: &ChainSession, view: View) -> Facts {
    let at = |standing| session.standing.get(&standing).copied().unwrap_or_default();
    let counted = [
        (at(Standing::Live), "on the live chain"),
        (at(Standing::Branch), "on abandoned branches"),
        (at(Standing::Detached), "detached"),
        (at(Standing::Side), "beside it"),
    ];
    let counted =
        counted.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect::<Vec<_>>().join(", ");
    let r = session.reachable;
    let share = |n: usize| {
        let part = Cell::share(u64::try_from(n).unwrap_or(0), u64::try_from(r.of).unwrap_or(0));
        format!("{n} ({})", if part.absent { "-" } else { &part.shown })
    };
    let reached = format!(
        "of {} chain entries the bare walk reaches {}, the loaded view {}, the history view {}",
        r.of,
        share(r.plain),
        share(r.loaded),
        share(r.history)
    );
    let leaf = session.leaves.first().and_then(|leaf| leaf.seq).map(|seq| format!("#{seq}, written last"));
    let others =
        session.leaves.iter().skip(1).filter(|leaf| {
            leaf.standing.is_none_or(|standing| matches!(standing, Standing::Branch | Standing::Detached))
        });
    let mut facts =
        Facts::new().line("view", view_name(view)).line("entries", format!("{}: {counted}", session.entries));
    facts = facts.line("reached", reached).line_if("live leaf", leaf);
    for other in others {
        let named = other.seq.map_or_else(|| "is not here".to_owned(), |seq| format!("#{seq} is on another line"));
        facts = facts.line("other leaf", Cell::text(format!("{named}, {}", other.witness.description())).warn());
    }
    facts
}

fn view_name(view: View) -> &'static str {
    match view {
        View::Loaded => "loaded: what the model sees, up to the last compaction",
        View::History => "history: what happened, across compactions",
        View::All => "all: the live chain, abandoned branches and detached trees",
    }
}

fn branches(session: &ChainSession, zone: Zone) -> Table {
    let columns = [
        Column::number("branch at"),
        Column::word("how it parts").named("code"),
        Column::number("line from"),
        Column::text("state"),
        Column::number("entries"),
        Column::number("turns"),
        Column::number("tokens"),
        Column::number("began").minor(),
        Column::number("lasted").minor(),
        Column::id("text").minor(),
    ];
    let row = |branch: &BranchResult, line: &BranchLineResult| {
        [
            Cell::from(branch.seq),
            branch.code.code().into(),
            line.seq.into(),
            if line.live { Cell::text("live").good() } else { Cell::text("abandoned").warn() },
            line.entries.into(),
            line.turns.into(),
            line.usage.total().into(),
            line.first.map(|first| Cell::moment(first, zone)).into(),
            line.first.zip(line.last).map(|(first, last)| last.since(first)).into(),
            line.text.lines().next().unwrap_or_default().into(),
        ]
    };
    let rows = session.branches.iter().flat_map(|branch| branch.lines.iter().map(move |line| row(branch, line)));
    Table::new(columns).rows(rows)
}

fn breaks(session: &ChainSession) -> Table {
    let columns = [
        Column::number("break at"),
        Column::text("level"),
        Column::text("cause"),
        Column::prose("what it means"),
        Column::number("guess").named("guess_seq"),
    ];
    let rows = session.breaks.iter().map(|found| {
        let guess = found.guess_seq.map(|seq| Cell::text(format!("after #{seq}?")).exact(seq.to_string()));
        [found.seq.into(), found.level.into(), found.code.into(), found.message.as_str().into(), guess.into()]
    });
    Table::new(columns).rows(rows)
}

/// The outline as a table: one row a line, for CSV.
fn data(result: &Chains) -> Table {
    let columns = [
        "store_key",
        "depth",
        "seq",
        "last_seq",
        "uuid",
        "what",
        "standing",
        "leaf",
        "entries",
        "calls",
        "orphans",
        "below_seq",
        "link",
        "text",
    ];
    let mut table = Table::new(columns.map(Column::text));
    for session in &result.sessions {
        for line in &session.outline {
            let below = line.below.and_then(|at| session.outline.get(at)).map(|below| below.seq);
            table.push([
                session.store_key.as_str().into(),
                line.depth.into(),
                line.seq.into(),
                line.last_seq.into(),
                line.uuid.as_str().into(),
                what(line.what).into(),
                standing(line.standing).into(),
                line.leaf.into(),
                line.entries.into(),
                counts(&line.calls).into(),
                line.orphans.into(),
                below.into(),
                line.link.map(Trust::as_str).into(),
                line.text.as_str().into(),
            ]);
        }
    }
    table
}

fn tree(session: &ChainSession) -> Vec<TreeLine> {
    let mut breaks: BTreeMap<i64, Vec<(Level, &str)>> = BTreeMap::new();
    for found in &session.breaks {
        breaks.entry(found.seq).or_default().push((found.level, found.code));
    }
    session.outline.iter().map(|line| tree_line(line, &breaks)).collect()
}

fn tree_line(line: &OutlineLine, breaks: &BTreeMap<i64, Vec<(Level, &str)>>) -> TreeLine {
    let within = || breaks.range(line.seq..=line.last_seq).flat_map(|(_, found)| found).filter(|_| line.entries > 0);
    let name = label(line);
    let range =
        if line.last_seq > line.seq { format!("#{}–{}", line.seq, line.last_seq) } else { format!("#{}", line.seq) };
    let first = line.text.lines().map(str::trim).find(|text| !text.is_empty()).unwrap_or_default();
    let text = if first.is_empty() { format!("{range} {name}") } else { format!("{range} {name}  {first}") };
    let mut notes = Vec::new();
    notes.extend(within().map(|(_, code)| format!("BREAK {code}")));
    notes.extend(line.branch.map(|branch| format!("BRANCH {}", branch.code())));
    notes.extend(line.leaf.then(|| "LIVE LEAF".to_owned()));
    if !line.calls.is_empty() {
        notes.push(format!("calls {}", counts(&line.calls)));
    }
    notes.extend((line.orphans > 0).then(|| format!("{} without result", line.orphans)));
    notes.extend(line.preserved.then(|| "kept verbatim after the compaction".to_owned()));
    notes.extend(line.link.filter(|link| *link != Trust::Recorded).map(|link| format!("link {}", link.as_str())));
    notes.extend((!line.notices.is_empty()).then(|| format!("+ {}", counts(&line.notices))));
    let worst = within().map(|(level, _)| *level).max();
    let tone = match line.standing {
        _ if worst.is_some_and(|level| level > Level::Info) || line.orphans > 0 => Tone::Warn,
        _ if line.what == What::StandIn => Tone::Bad,
        Standing::Live => Tone::Normal,
        Standing::Branch | Standing::Detached | Standing::Side => Tone::Faint,
    };
    let tree_line = TreeLine::new(line.depth, text).tone(tone);
    if notes.is_empty() { tree_line } else { tree_line.note(notes.join(" · ")) }
}

/// What a line of the outline is, with where it stands if that is not the live chain.
pub(super) fn label(line: &OutlineLine) -> String {
    let what = what(line.what);
    match line.standing {
        Standing::Live => what.to_owned(),
        Standing::Branch => format!("{what} (abandoned)"),
        Standing::Detached => format!("{what} (detached)"),
        Standing::Side => format!("{what} (aside)"),
    }
}

fn what(what: What) -> &'static str {
    match what {
        What::Prompt => "prompt",
        What::Answer => "answer",
        What::StandIn => "stand-in",
        What::Compaction => "COMPACTION",
        What::Summary => "summary",
        What::StrayResult => "stray result",
        What::Notice => "notice",
    }
}

/// Where an entry stands, in one word.
pub(super) fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Live => "live",
        Standing::Branch => "branch",
        Standing::Detached => "detached",
        Standing::Side => "side",
    }
}

fn counts(all: &BTreeMap<String, usize>) -> String {
    let one = |(name, n): (&String, &usize)| if *n == 1 { name.clone() } else { format!("{name} ×{n}") };
    all.iter().map(one).collect::<Vec<_>>().join(", ")
}
