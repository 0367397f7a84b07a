use super::record::{Kind, Record};
use crate::transcript::{each_field, text};
use foldhash::{HashMap, HashMapExt};

/// The tool calls of a session by id; of equal ids the last one holds.
pub(super) struct Calls<'a> {
    by_id: HashMap<&'a str, Call<'a>>,
}

#[derive(Clone, Copy)]
struct Call<'a> {
    name: Option<&'a str>,
    input: Option<&'a str>,
}

impl<'a> Calls<'a> {
    pub(super) fn of(records: &'a [Record<'_>]) -> Self {
        let mut by_id = HashMap::new();
        for block in records.iter().flat_map(|record| &record.blocks).filter(|block| block.kind == Kind::Call) {
            if let Some(id) = block.id.as_deref() {
                by_id.insert(id, Call { name: block.raw.name, input: block.raw.input });
            }
        }
        Self { by_id }
    }

    /// The shell command that this call ran, if it is one.
    pub(super) fn command(&self, id: &str) -> Option<String> {
        let call = self.by_id.get(id).filter(|call| call.name.and_then(text).as_deref() == Some("Bash"))?;
        let mut command = None;
        each_field(call.input?, |name, value| {
            if name == "command" {
                command = text(value).map(std::borrow::Cow::into_owned);
            }
        });
        command
    }
}
