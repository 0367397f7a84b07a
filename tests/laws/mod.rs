//! What holds for any bytes: one function per layer that checks its laws, for the fuzz targets and for the tests that
//! replay the corpus.

use flower_analyze::layers::{Edit, Layer, Loaded, Payload, Policy, Source, load, load_through};
use flower_analyze::run_dir::{Position, Row};
use flower_analyze::session::{Ix, Model, SessionModel, Standing};
use flower_analyze::transcript::{Collector, Interner, Notes, Outcome, decode_row as decode, record};
use serde_json::Value;
use std::collections::BTreeSet;

/// The laws of decoding one row. A column is one outcome, a line at least one; decoding twice gives the same; the record
/// of each entry is found again in its line; rows and parts balance.
pub(crate) fn decode_row(bytes: &[u8]) {
    let column = Position::Database { rowid: 1, seq: Some(1) };
    let line = Position::Line { file: 0, line: 1, offset: 0 };
    for (position, uid) in [(column, None), (column, Some("u")), (line, None)] {
        let row = Row { store_key: "p/s", position, uid, payload: Ok(bytes) };
        let outcomes = outcomes(&row);
        assert_eq!(outcomes, self::outcomes(&row), "decoding depends on more than the row");
        assert!(!outcomes.is_empty(), "a row without outcome");
        if position == column {
            assert_eq!(outcomes.len(), 1, "a column is one outcome");
        }
        for (part, outcome) in outcomes.iter().enumerate() {
            let (found, place) = match outcome {
                Outcome::Entry(entry) => (entry.part, entry.position),
                Outcome::Defect(defect) => (defect.part, defect.position),
            };
            assert_eq!((usize::try_from(found).unwrap(), place), (part, position), "an outcome in the wrong place");
            if let (Outcome::Entry(entry), Ok(_)) = (outcome, str::from_utf8(bytes)) {
                let again = self::outcomes(&Row { payload: Ok(record(bytes, entry)), ..row });
                let [Outcome::Entry(again)] = again.as_slice() else { panic!("the record of {entry:?} is {again:?}") };
                assert_eq!((&again.kind, &again.uuid, &again.parent), (&entry.kind, &entry.uuid, &entry.parent));
            }
        }
        let mut collector = Collector::default();
        collector.push(&row);
        let read = Collector::finish([collector]);
        balances(&read.notes, 1);
        assert_eq!(read.notes.entries + read.notes.defects, u64::try_from(outcomes.len()).unwrap());
    }
}

/// The laws of a model. The input is a transcript; a line `=KEY` says that what follows belongs to another store key.
pub(crate) fn build_chain(bytes: &[u8]) {
    let mut key = "p/s".to_owned();
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        match line.strip_prefix(b"=") {
            Some(name) => key = String::from_utf8_lossy(name).into_owned(),
            None => lines.push((key.clone(), number, line)),
        }
    }
    let in_file = |number: i64| Position::Line { file: 0, line: number.unsigned_abs(), offset: 0 };
    let in_table = |number: i64| Position::Database { rowid: number, seq: Some(number) };
    model(lines.iter(), in_file);
    let forwards = model(lines.iter(), in_table);
    let backwards = model(lines.iter().rev(), in_table);
    assert_eq!(told(&forwards), told(&backwards), "the order of the rows matters");
}

/// The laws of the load layers. The input is a transcript, of one session.
pub(crate) fn load_layers(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let payloads: Vec<_> = (0..).zip(text.lines()).map(|(seq, json)| Payload { seq, json }).collect();
    for policy in Policy::names().map(|name| Policy::named(name).unwrap()) {
        let mut first = true;
        for last in [Layer::Heal, Layer::Prune, Layer::Trim, Layer::Expire] {
            let loaded = load_through(&payloads, &policy, last);
            assert!(loaded.changes.iter().all(|change| change.layer <= last), "a layer that was not asked for");
            layer_laws(&payloads, &policy, &loaded);
            if std::mem::take(&mut first) {
                assert_eq!(loaded, load(&payloads, &policy), "loading depends on more than its input");
            }
        }
    }
}

/// What is kept and dropped is what was there; what is added has a reason; what is not changed keeps its bytes.
fn layer_laws(payloads: &[Payload<'_>], policy: &Policy, loaded: &Loaded<'_>) {
    let of = |wanted: fn(&Edit) -> bool| loaded.changes.iter().filter(move |change| wanted(&change.edit));
    let dropped: BTreeSet<i64> = of(|edit| *edit == Edit::Dropped).map(|change| change.seq).collect();
    let added: Vec<i64> = of(|edit| matches!(edit, Edit::Added { .. })).map(|change| change.seq).collect();
    let (mut stored, mut healed) = (Vec::new(), Vec::new());
    for line in &loaded.lines {
        match line.source() {
            Source::Stored { seq } => stored.push(seq),
            Source::Healed { after } => healed.push(after),
        }
        let is_object = serde_json::from_str::<serde_json::Map<String, Value>>(line.json()).is_ok();
        assert!(is_object || !line.is_changed(), "not an object any more: {}", line.json());
    }
    let kept: Vec<i64> = payloads.iter().map(|payload| payload.seq).filter(|seq| !dropped.contains(seq)).collect();
    assert_eq!(stored, kept, "kept and dropped are not what was there");
    assert_eq!(healed, added, "added without a reason");
    let changed: BTreeSet<i64> = loaded.changes.iter().map(|change| change.seq).collect();
    for line in loaded.lines.iter().filter(|line| matches!(line.source(), Source::Stored { .. })) {
        let (Source::Stored { seq } | Source::Healed { after: seq }) = line.source();
        let stored = payloads.iter().find(|payload| payload.seq == seq).unwrap();
        assert!(changed.contains(&seq) || line.json() == stored.json, "changed without a reason: {}", stored.json);
    }
    let report = &loaded.report;
    let [entries_in, entries_out, added] =
        [payloads.len(), loaded.lines.len(), healed.len()].map(|n| u64::try_from(n).unwrap());
    assert_eq!((report.entries_in, report.entries_out), (entries_in, entries_out));
    assert_eq!(report.entries_in + added, report.entries_out + report.pruned, "entries do not balance");
    assert!(*policy != Policy::none() || loaded.changes.is_empty(), "a policy that changes nothing changes something");
    assert_eq!(loaded.jsonl().lines().count(), loaded.lines.len(), "an entry on several lines");
}

fn outcomes(row: &Row<'_>) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    decode(row, &mut Interner::default(), &mut |outcome| outcomes.push(outcome));
    outcomes
}

fn balances(notes: &Notes, rows: usize) {
    assert_eq!(notes.rows, u64::try_from(rows).unwrap(), "a row was not counted");
    assert_eq!(notes.rows + notes.split_off, notes.entries + notes.defects, "rows do not balance");
}

fn model<'a>(
    lines: impl ExactSizeIterator<Item = &'a (String, i64, &'a [u8])>,
    position: impl Fn(i64) -> Position,
) -> Model {
    let rows = lines.len();
    let mut collector = Collector::default();
    for (store_key, number, line) in lines {
        collector.push(&Row { store_key, position: position(*number), uid: None, payload: Ok(line) });
    }
    let model = Model::build(Collector::finish([collector]));
    balances(&model.notes, rows);
    let entries: usize = model.sessions.iter().map(|session| session.session.entries.len()).sum();
    assert_eq!(model.notes.entries, u64::try_from(entries).unwrap(), "an entry was lost between the layers");
    model.sessions.iter().for_each(chain_laws);
    model
}

/// Every entry stands in one place, links lead up to a root, and each view holds the narrower one.
fn chain_laws(session: &SessionModel) {
    let chain = &session.chain;
    let entries = session.session.entries.len();
    assert_eq!(chain.standing.iter().count(), entries, "an entry without standing");
    let live = chain.standing.iter().filter(|(_, standing)| **standing == Standing::Live).count();
    let reach = chain.reachable;
    assert!(reach.plain <= reach.loaded && reach.loaded <= reach.history && reach.history <= reach.of, "{reach:?}");
    assert!(reach.of <= entries && live <= reach.history, "{live} live of {reach:?}");
    for (ix, entry) in session.entries() {
        assert!(entry.in_chain() || chain.standing[ix] == Standing::Side, "{ix:?} is no part of the conversation");
        assert!(
            chain.forest.children(ix).iter().all(|child| links_to(session, *child, ix)),
            "a child of another parent"
        );
    }
    let linked = chain.forest.links.iter().filter(|(_, link)| link.is_some()).count();
    let children: usize = Ix::all(entries).map(|ix| chain.forest.children(ix).len()).sum();
    assert_eq!(linked, children, "links and children differ");
    assert_eq!(reached_from_roots(session), entries, "a cycle was not cut");
}

fn links_to(session: &SessionModel, child: Ix, parent: Ix) -> bool {
    session.chain.forest.links[child].is_some_and(|link| link.to == parent)
}

fn reached_from_roots(session: &SessionModel) -> usize {
    let links = &session.chain.forest.links;
    let mut waiting: Vec<Ix> = links.iter().filter(|(_, link)| link.is_none()).map(|(ix, _)| ix).collect();
    let mut reached = 0;
    while let Some(ix) = waiting.pop() {
        reached += 1;
        waiting.extend(session.chain.forest.children(ix));
    }
    reached
}

/// What must not depend on the order of the rows.
fn told(model: &Model) -> Vec<String> {
    let session = |session: &SessionModel| {
        let standing: Vec<_> = session.chain.standing.iter().collect();
        format!("{} {:?} {standing:?} {:?}", session.store_key(), session.chain.reachable, session.calls)
    };
    let mut told: Vec<String> = model.sessions.iter().map(session).collect();
    told.push(format!("{:?}", model.findings()));
    told
}
