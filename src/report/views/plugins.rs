use crate::analysis::plugins::{ContextPrice, Estimate, FileVerdict, PluginDetails, PluginValidation, Provides};
use crate::report::{Cell, Column, Facts, Page, Table, findings_table};
use crate::run_dir::ShortNames;
use crate::unit::{Finding, Level, counted};

/// The verdict on a plugin, in the words of the agent CLI, and what else is to be said; `name` is that of the target.
pub fn plugin_validation(result: &PluginValidation, findings: &[Finding], name: &str) -> Page {
    let verdict = &result.verdict;
    let what = verdict.manifest.as_ref().map_or("components", |manifest| manifest.kind);
    let page = Page::new(format!("Validating {what}: {name}"));
    let root = root(&verdict.target);
    let columns = [
        Column::word("level"),
        Column::word("type").minor(),
        Column::text("file").minor(),
        Column::text("path"),
        Column::prose("message"),
    ];
    let rows: Vec<[Cell; 5]> = verdict.files().flat_map(|file| said(file, root)).collect();
    let table = Table::new(columns).rows(rows.clone()).primary().empty("Nothing to say.");
    let mut page = page.part(table).data(every_remark(rows, findings));
    let provided = verdict.provides.as_ref().map(provided).filter(|facts| !facts.lines.is_empty());
    if let Some(facts) = provided {
        page = page.section("Provides", facts);
    }
    if !result.plugins.is_empty() {
        let columns = [
            Column::text("plugin"),
            Column::word("source"),
            Column::id("version"),
            Column::text("installed copy").named("cache"),
        ];
        let rows = result.plugins.iter().map(|plugin| {
            [
                plugin.name.as_str().into(),
                plugin.source.as_str().into(),
                plugin.version.as_str().into(),
                Cell::text(&plugin.cache),
            ]
        });
        page = page.section("Plugins", Table::new(columns).rows(rows));
    }
    if !findings.is_empty() {
        page = page.section("Beyond the CLI's checks", findings_table(findings, &ShortNames::default()));
    }
    page.part(Facts::new().line("verdict", closing(result)))
}

/// The folder that holds `.claude-plugin`, or the target itself.
fn root(target: &str) -> &str {
    target.split_once("/.claude-plugin/").map_or(target, |(root, _)| root)
}

/// Errors, warnings and notes of one file.
fn said(file: &FileVerdict, root: &str) -> Vec<[Cell; 5]> {
    let short = file.file.strip_prefix(root).map(|path| path.trim_start_matches('/')).filter(|path| !path.is_empty());
    let row = |level: Cell, path: &str, message: &str| {
        [
            level,
            file.kind.into(),
            Cell::text(short.unwrap_or(&file.file)).exact(&file.file),
            path.into(),
            message.into(),
        ]
    };
    let errors = file.errors.iter().map(|issue| row(Level::Error.into(), &issue.path, &issue.message));
    let warnings = file.warnings.iter().map(|issue| row(Level::Warning.into(), &issue.path, &issue.message));
    let notes = file.notes.iter().map(|note| row(Cell::text("note").faint(), "", note));
    errors.chain(warnings).chain(notes).collect()
}

/// What the CLI says and what it does not, in one table: the codes are those of the findings.
fn every_remark(said: Vec<[Cell; 5]>, findings: &[Finding]) -> Table {
    let columns = ["level", "code", "type", "file", "path", "message"].map(Column::text);
    let said = said.into_iter().map(|[level, kind, file, path, message]| [level, "".into(), kind, file, path, message]);
    let beyond = findings.iter().map(|finding| {
        let file = finding.place.file.as_deref().unwrap_or_default();
        [finding.level.into(), finding.code.into(), "lint".into(), file.into(), "".into(), Cell::text(&finding.message)]
    });
    Table::new(columns).rows(said.chain(beyond))
}

fn provided(provides: &Provides) -> Facts {
    let names = |list: &[String]| (!list.is_empty()).then(|| format!("{}: {}", list.len(), list.join(", ")));
    let joined =
        |names_of: Vec<&str>| (!names_of.is_empty()).then(|| format!("{}: {}", names_of.len(), names_of.join(", ")));
    Facts::new()
        .line_if("skills", names(&provides.skills))
        .line_if("commands", names(&provides.commands))
        .line_if("agents", names(&provides.agents))
        .line_if("hooks", joined(provides.hooks.iter().map(|hook| hook.event.as_str()).collect()))
        .line_if("MCP servers", joined(provides.mcp_servers.iter().map(|server| server.name.as_str()).collect()))
        .line_if("LSP servers", joined(provides.lsp_servers.iter().map(|server| server.name.as_str()).collect()))
        .line_if("monitors", joined(provides.monitors.iter().map(|monitor| monitor.name.as_str()).collect()))
        .line_if("output styles", names(&provides.output_styles))
        .line_if("themes", names(&provides.themes))
        .line_if("workflows", names(&provides.workflows))
        .line_if("programs", names(&provides.bin))
}

/// The CLI's last line.
fn closing(result: &PluginValidation) -> Cell {
    let verdict = &result.verdict;
    let counts = format!("{}, {}", counted(verdict.errors(), "error"), counted(verdict.warnings(), "warning"));
    match (verdict.success, verdict.errors(), verdict.warnings()) {
        (true, _, 0) => Cell::text("Validation passed").good(),
        (true, _, _) => Cell::text(format!("Validation passed with warnings ({counts})")).warn(),
        (false, 0, _) => Cell::text(format!("Validation failed (--strict treats warnings as errors; {counts})")).bad(),
        (false, _, _) => Cell::text(format!("Validation failed ({counts})")).bad(),
    }
}

/// What a plugin brings and what it costs.
pub fn plugin_details(result: &PluginDetails, findings: &[Finding]) -> Page {
    let version = result.version.as_deref().unwrap_or_default();
    let name = match &result.display_name {
        Some(shown) => format!("{shown} ({})", result.name),
        None => result.name.clone(),
    };
    let loads = if result.loads { Cell::text("yes").good() } else { Cell::text("no: see plugin validate").bad() };
    let facts = Facts::new()
        .line_if("description", result.description.as_deref())
        .line("source", result.id.as_str())
        .line("loads", loads)
        .line("data folder", result.data_folder.as_str())
        .line_if("lockfile", result.lockfile);
    let total =
        Facts::new().line("always-on", format!("{} added to every session", Estimate::total(result.always_on_tokens)));
    let mut page = Page::new(format!("{name} {version}").trim_end())
        .part(facts)
        .section("Component inventory", inventory(result))
        .section("Projected token cost", total)
        .part(components(result));
    if let Some(price) = &result.price {
        page = page.section(format!("Price of the always-on part with {}", price.model), priced(price));
    }
    if !result.placeholders.is_empty() {
        page = page.section("Placeholders", placeholders(result));
    }
    if !findings.is_empty() {
        page = page.section("Beyond the CLI's checks", findings_table(findings, &ShortNames::default()));
    }
    page.note(
        "Token counts are estimates from characters, as the agent CLI makes them: a quarter of the length. The on-invoke \
         cost is paid each time a skill, command or agent fires. Tools of MCP servers are not counted: their schemas are \
         only known at run time.",
    )
}

fn inventory(result: &PluginDetails) -> Facts {
    let list = |names: &[String]| match names {
        [] => Cell::text("0").faint(),
        names => Cell::text(format!("{}: {}", names.len(), names.join(", "))),
    };
    let groups = &result.inventory;
    Facts::new()
        .line("skills", list(&groups.skills))
        .line("agents", list(&groups.agents))
        .line("hooks", list(&groups.hooks))
        .line("MCP servers", list(&groups.mcp_servers))
        .line("LSP servers", list(&groups.lsp_servers))
}

fn components(result: &PluginDetails) -> Table {
    let columns = [
        Column::text("component"),
        Column::word("kind"),
        Column::number("always-on").named("always_on_tokens"),
        Column::number("on-invoke").named("on_invoke_tokens"),
    ];
    let tokens = |tokens| Cell::text(Estimate::part(tokens)).exact(tokens.0.to_string());
    let rows = result.components.iter().map(|component| {
        let costs = [tokens(component.always_on_tokens), tokens(component.on_invoke_tokens)];
        let [always_on, on_invoke] = costs;
        [component.name.as_str().into(), component.kind.into(), always_on, on_invoke]
    });
    Table::new(columns).rows(rows).primary().empty("No component adds to the context by itself.")
}

fn priced(price: &ContextPrice) -> Table {
    let columns = [
        Column::text("context"),
        Column::number("per turn").named("per_turn_usd"),
        Column::number(format!("per {} turns", price.turns)).named("per_turns_usd"),
    ];
    let row = |what: &str, priced: crate::analysis::plugins::Priced| {
        [what.into(), Cell::from(priced.per_turn_usd), priced.per_turns_usd.into()]
    };
    Table::new(columns)
        .row(row("uncached", price.uncached))
        .row(row("written once, then read from the cache", price.cached))
}

fn placeholders(result: &PluginDetails) -> Table {
    let columns = [Column::text("placeholder"), Column::text("in").named("component"), Column::word("resolves")];
    let rows = result.placeholders.iter().map(|placeholder| {
        let resolves = Cell::from(placeholder.resolves);
        let resolves = if placeholder.resolves { resolves } else { resolves.bad() };
        [Cell::text(format!("${{{}}}", placeholder.name)), placeholder.component.as_str().into(), resolves]
    });
    Table::new(columns).rows(rows)
}
