use crate::session::{Call, Ix, SessionModel};
use crate::transcript::writes_file;
use foldhash::{HashMap, HashSet};
use serde::Serialize;

/// The tool that reads files.
const READ: &str = "Read";
/// The tool that runs commands.
const BASH: &str = "Bash";

/// A file that one session read several times.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RepeatedRead {
    /// The session.
    pub store_key: String,
    /// Beginning of the path.
    pub file: String,
    /// Answered reads.
    pub reads: usize,
    /// Reads with the same input as an earlier one, range included, without a `Write` or `Edit` of the file or a compaction in
    /// between. A command may still have changed it.
    pub again: usize,
    /// Characters of all results.
    pub characters: u64,
    /// Characters of the results of the reads in `again`.
    pub characters_again: u64,
    /// First read.
    pub first_seq: i64,
    /// Last read.
    pub last_seq: i64,
}

/// A command that was run several times, letter by letter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RepeatedCommand {
    /// Beginning of the command.
    pub command: String,
    /// Calls.
    pub calls: usize,
    /// Sessions that made them.
    pub threads: usize,
    /// Most calls of one session.
    pub most_in_one_thread: usize,
    /// Calls whose result is marked as an error.
    pub errors: usize,
    /// Characters of the results.
    pub characters: u64,
}

/// The files that a session read several times.
pub(super) fn repeated_reads<'a>(session: &SessionModel, calls: impl Iterator<Item = &'a Call>) -> Vec<RepeatedRead> {
    let mut files: HashMap<u64, File> = HashMap::default();
    let segments = &session.chain.segments;
    for call in calls {
        let compactions = segments.partition_point(|segment| segment.boundary <= call.at);
        let Some(identity) = &call.identity else { continue };
        let Some(answer) = call.answer.as_ref().filter(|answer| !answer.is_error) else { continue };
        if writes_file(&call.name) {
            if let Some(file) = files.get_mut(&identity.telling) {
                file.seen.clear();
            }
        } else if call.name.as_ref() == READ {
            let file = files.entry(identity.telling).or_insert_with(|| File::first(&call.input, call.at));
            // What a compaction took out of the context has to be read again.
            if file.compactions != compactions {
                file.seen.clear();
                file.compactions = compactions;
            }
            let again = !file.seen.insert(identity.whole);
            file.last = call.at;
            file.row.reads += 1;
            file.row.again += usize::from(again);
            file.row.characters = file.row.characters.saturating_add(answer.characters);
            if again {
                file.row.characters_again = file.row.characters_again.saturating_add(answer.characters);
            }
        }
    }
    let row = |file: File| RepeatedRead {
        store_key: session.store_key().to_owned(),
        first_seq: session.seq(file.first),
        last_seq: session.seq(file.last),
        ..file.row
    };
    files.into_values().filter(|file| file.row.reads > 1).map(row).collect()
}

struct File {
    row: RepeatedRead,
    first: Ix,
    last: Ix,
    /// Inputs of reads since the last write or compaction.
    seen: HashSet<u64>,
    /// Compactions of the session before the last read.
    compactions: usize,
}

impl File {
    fn first(name: &str, at: Ix) -> Self {
        let row = RepeatedRead { file: name.to_owned(), ..RepeatedRead::default() };
        Self { row, first: at, last: at, seen: HashSet::default(), compactions: 0 }
    }
}

/// Collects the commands of all sessions.
#[derive(Default)]
pub(super) struct Commands {
    found: HashMap<u64, (RepeatedCommand, HashMap<usize, usize>)>,
}

impl Commands {
    pub(super) fn add(&mut self, session: usize, call: &Call) {
        let Some(identity) = call.identity.as_ref().filter(|_| call.name.as_ref() == BASH) else { return };
        let (row, threads) = self.found.entry(identity.telling).or_default();
        if row.calls == 0 {
            row.command = call.input.to_string();
        }
        row.calls += 1;
        if let Some(answer) = &call.answer {
            row.errors += usize::from(answer.is_error);
            row.characters = row.characters.saturating_add(answer.characters);
        }
        *threads.entry(session).or_default() += 1;
    }

    /// What was run more than once, the most often first.
    pub(super) fn rows(self) -> Vec<RepeatedCommand> {
        let row = |(row, threads): (RepeatedCommand, HashMap<usize, usize>)| RepeatedCommand {
            threads: threads.len(),
            most_in_one_thread: threads.into_values().max().unwrap_or_default(),
            ..row
        };
        let mut rows: Vec<RepeatedCommand> =
            self.found.into_values().filter(|(row, _)| row.calls > 1).map(row).collect();
        rows.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| a.command.cmp(&b.command)));
        rows
    }
}
