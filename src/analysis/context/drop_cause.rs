use super::super::steps::sessions_of;
use crate::run_dir::{Manifest, StoreKey};
use crate::session::{Model, ModelTurn, SessionModel, Standing};
use foldhash::HashMap;
use serde::Serialize;

/// What lies between two model turns of which the second one has less context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
pub enum DropCause {
    /// A compaction boundary.
    #[strum(to_string = "compaction")]
    Compaction,
    /// Another session, to which the manifest says that the step was handed.
    #[strum(to_string = "handoff to a new session")]
    Handoff,
    /// Another session.
    #[strum(to_string = "another session")]
    NewSession,
    /// The turn before is on a line that was abandoned.
    #[strum(to_string = "rewind: the turn before is on an abandoned branch")]
    Rewind,
    /// A step began in between and loaded the session again, where load layers act.
    #[strum(to_string = "load layers: a step loaded the session again")]
    LoadLayers,
    /// Another model answered, which counts other tokens.
    #[strum(to_string = "another model, which counts tokens differently")]
    OtherModel,
    /// Nothing that was recorded.
    #[strum(to_string = "nothing recorded: load layers, or a smaller request")]
    Unknown,
}

/// How something is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Known {
    /// It stands in the evidence.
    Recorded,
    /// It fits to what stands there.
    Guessed,
}

impl DropCause {
    /// Whether the cause itself stands in the evidence.
    pub fn known(self) -> Known {
        match self {
            Self::Compaction | Self::Handoff | Self::NewSession | Self::Rewind => Known::Recorded,
            Self::LoadLayers | Self::OtherModel | Self::Unknown => Known::Guessed,
        }
    }
}

/// What the manifest tells about handoffs and loads.
#[derive(Default)]
pub(in super::super) struct Causes<'a> {
    /// Session ids with that of the session that they took over from.
    handoffs: HashMap<&'a str, &'a str>,
    /// Starts of steps by session, in milliseconds.
    starts: HashMap<&'a str, Vec<i64>>,
}

impl<'a> Causes<'a> {
    pub(in super::super) fn of(manifest: Option<&'a Manifest>) -> Self {
        let mut causes = Self::default();
        for row in manifest.iter().flat_map(|manifest| &manifest.rows) {
            let sessions: Vec<&str> = sessions_of(row).map(String::as_str).collect();
            causes.handoffs.extend(sessions.windows(2).filter_map(|pair| Some((*pair.get(1)?, *pair.first()?))));
            if let (Some(first), Some(start)) = (sessions.first(), row.started_at) {
                causes.starts.entry(first).or_default().push(start.millis());
            }
        }
        causes.starts.values_mut().for_each(|starts| starts.sort_unstable());
        causes
    }

    /// What lies between a turn and the one after it.
    pub(in super::super) fn between(&self, model: &Model, last: &ModelTurn, turn: &ModelTurn) -> DropCause {
        let Some(session) = model.sessions.get(turn.home) else { return DropCause::Unknown };
        if last.home != turn.home {
            let is_handoff = self.handed_from(model, turn.home) == Some(last.home);
            return if is_handoff { DropCause::Handoff } else { DropCause::NewSession };
        }
        self.within(session, last, turn)
    }

    /// The session of the same project that handed its step to the one at `home`.
    pub(super) fn handed_from(&self, model: &Model, home: usize) -> Option<usize> {
        let key = StoreKey::parse(model.sessions.get(home)?.store_key());
        let before = format!("{}/{}", key.project, self.handoffs.get(key.session)?);
        model.sessions.binary_search_by(|session| session.store_key().cmp(&before)).ok()
    }

    fn within(&self, session: &SessionModel, last: &ModelTurn, turn: &ModelTurn) -> DropCause {
        let segments = &session.chain.segments;
        let next = segments.partition_point(|segment| segment.boundary <= last.at);
        if segments.get(next).is_some_and(|segment| segment.boundary < turn.at) {
            DropCause::Compaction
        } else if session.chain.standing[last.at] == Standing::Branch {
            DropCause::Rewind
        } else if self.loaded_between(session, last, turn) {
            DropCause::LoadLayers
        } else if last.model != turn.model {
            DropCause::OtherModel
        } else {
            DropCause::Unknown
        }
    }

    fn loaded_between(&self, session: &SessionModel, last: &ModelTurn, turn: &ModelTurn) -> bool {
        let starts = self.starts.get(StoreKey::parse(session.store_key()).session);
        let (Some(starts), Some(from), Some(to)) = (starts, last.timestamp, turn.timestamp) else { return false };
        let next = starts.partition_point(|start| *start < from.millis());
        starts.get(next).is_some_and(|start| *start <= to.millis())
    }
}
