use super::chain::label;
use crate::analysis::{ChainSession, Chains, OutlineLine, Standing, Trust, What};
use crate::report::{Masker, Mode, sanitize};
use std::borrow::Cow;

/// Characters of text in a node.
const TEXT: usize = 40;

/// The forests as a Graphviz digraph: solid edges are recorded, dashed ones cross a compaction, dotted ones are known
/// otherwise. Nothing is drawn that is only guessed.
pub fn dot(result: &Chains, reveal: bool) -> String {
    let masker = if reveal { Masker::revealing() } else { Masker::masking() };
    let mut out = vec![
        "digraph chains {".to_owned(),
        "  rankdir=TB; node [shape=box, fontname=\"monospace\", fontsize=10]; edge [dir=back];".to_owned(),
    ];
    for (cluster, session) in result.sessions.iter().enumerate() {
        out.push(format!("  subgraph cluster_{cluster} {{"));
        out.push(format!("    label={};", quoted(&session.store_key, &masker)));
        out.extend(session.outline.iter().enumerate().map(|(at, line)| node(cluster, at, line, &masker)));
        out.extend(edges(cluster, session));
        out.push("  }".to_owned());
    }
    out.push("}\n".to_owned());
    out.join("\n")
}

fn node(cluster: usize, at: usize, line: &OutlineLine, masker: &Masker) -> String {
    let text: String = line.text.lines().next().unwrap_or_default().chars().take(TEXT).collect();
    let title = format!("#{} {}", line.seq, label(line));
    let shown = if text.is_empty() { title } else { format!("{title}\n{text}") };
    let style = match line.standing {
        _ if line.leaf => ", style=bold, peripheries=2",
        Standing::Live if line.what == What::Compaction => ", shape=octagon",
        Standing::Live => "",
        Standing::Branch | Standing::Side => ", style=dashed, color=gray50",
        Standing::Detached => ", style=dotted, color=red",
    };
    format!("    n{cluster}_{at} [label={}{style}];", quoted(&shown, masker))
}

fn edges(cluster: usize, session: &ChainSession) -> impl Iterator<Item = String> {
    session.outline.iter().enumerate().filter_map(move |(at, line)| {
        let style = match line.link? {
            Trust::Recorded => "",
            Trust::Logical => " [style=dashed, label=\"compaction\"]",
            Trust::BySourceAssistant | Trust::ByHealedCall | Trust::FileOrder => " [style=dotted]",
        };
        Some(format!("    n{cluster}_{} -> n{cluster}_{at}{style};", line.below?))
    })
}

/// A Graphviz string: secrets masked, control characters visible, quotes and backslashes escaped.
fn quoted(text: &str, masker: &Masker) -> String {
    let clean: Cow<'_, str> = masker.mask(text);
    let lines: Vec<String> =
        clean.split('\n').map(|line| sanitize(line, Mode::Line).replace('\\', r"\\").replace('"', "\\\"")).collect();
    format!("\"{}\"", lines.join("\\n"))
}
