//! The model to the typed result of each command.

mod attempts;
mod chains;
mod context;
pub mod cost;
mod curve;
mod denials;
mod economics;
mod errors;
mod failures;
mod horizon;
mod inputs;
mod integrity;
pub mod layers;
mod outages;
mod outline;
pub mod plugins;
pub mod prices;
mod resumable;
mod retries;
mod selection;
mod sessions;
mod shown;
mod steps;
mod summary;
pub mod tables;
mod time_range;
mod timeline;
mod tool_use;
mod tools;
mod usage;

pub use crate::session::{BranchKind, LeafWitness, Standing, Trust};
pub use attempts::{Attempt, Attempts, Begun, Ending, KnownBy, Wait, WaitVerdict, attempts};
pub use chains::{
    BranchLineResult, BranchResult, BreakResult, ChainSession, Chains, LeafResult, SegmentResult, chains,
};
pub use context::{
    ContextDrop, ContextReport, DropCause, Fill, FillKind, FillPart, Known, Projection, ThreadContext, Window,
    WindowSource, context,
};
pub use curve::{ContextCurve, CurvePoint, Drop, context_curve};
pub use denials::{DeniedCommand, DeniedInThread};
pub use economics::{Cache, Economics, Thread, economics};
pub use errors::{
    Denials, ErrorFinding, ErrorRow, Errors, Explained, FlowerVerdict, HourRow, KindRow, Outcome, Outcomes, Repeated,
    errors, explain,
};
pub use failures::{
    Basis, Contradiction, Evidence, Failure, FailureClass, FailureKind, Failures, Judged, Reset, Source, failures,
    judge,
};
pub use inputs::Inputs;
pub use integrity::{IntegrityFinding, StoreTables, integrity};
pub use outages::{HitThread, InFlight, Outage, Outages, outages};
pub use outline::{OutlineLine, View, What, outline};
pub use resumable::{Judge, NotJudged, Resumable, resumable};
pub use retries::{AttemptRow, Ladder, LadderEnd, Retries, RetriesTotals, RetryFinding, ladders, retries};
pub use selection::{EntryName, Named, Selection, SelectionError};
pub use sessions::{ParentCall, SessionRow, Sessions, sessions};
pub use shown::{
    Neighbour, ShownCall, ShownDefect, ShownEntry, ShownLink, shown_defect, shown_defects, shown_entries, shown_entry,
};
pub use steps::{RunRow, StepRow, Steps, steps};
pub use summary::{NextStep, Summary, WorkbenchSummary, findings, summary};
pub use time_range::{LeftOut, TimeRange};
pub use timeline::{EventKind, SpanKind, SpanOutcome, Timeline, TimelineEvent, TimelineSpan, Unplaced, timeline};
pub use tool_use::{
    Durations, LargestResult, RepeatedCommand, RepeatedRead, ScriptLine, ScriptState, ThreadTools, ToolLine,
    ToolReport, tool_report,
};
pub use tools::{CallCounts, DenialRow, ToolRow, Tools, tools};
pub use usage::{UsageReport, usage_report};
