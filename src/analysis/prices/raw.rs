use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use std::fmt;

/// What is read of a price file; fields that are not known are left alone.
#[derive(Deserialize)]
#[serde(expecting = "an object with \"models\"")]
pub(super) struct RawTable {
    pub(super) checked: Option<String>,
    pub(super) models: Models,
}

#[derive(Deserialize)]
#[serde(expecting = "an object with \"periods\"")]
pub(super) struct RawModel {
    #[serde(default)]
    pub(super) ids: Vec<String>,
    pub(super) periods: Vec<RawPeriod>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object with \"per_mtok\"")]
pub(super) struct RawPeriod {
    pub(super) from: Option<String>,
    pub(super) until: Option<String>,
    pub(super) per_mtok: RawRates,
    pub(super) long_context: Option<RawLongContext>,
    pub(super) fast: Option<RawFast>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object with \"threshold_prompt_tokens\" and \"per_mtok\"")]
pub(super) struct RawLongContext {
    pub(super) threshold_prompt_tokens: u64,
    pub(super) per_mtok: RawRates,
}

#[derive(Deserialize)]
#[serde(expecting = "an object with \"per_mtok\"")]
pub(super) struct RawFast {
    pub(super) from: Option<String>,
    pub(super) until: Option<String>,
    pub(super) per_mtok: RawRates,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(expecting = "an object with \"input\" and \"output\"")]
pub(super) struct RawRates {
    pub(super) input: f64,
    pub(super) output: f64,
    pub(super) cache_write_5m: Option<f64>,
    pub(super) cache_write_1h: Option<f64>,
    pub(super) cache_read: Option<f64>,
}

/// The models in the order of the file, also one that is listed twice.
pub(super) struct Models(pub(super) Vec<(String, RawModel)>);

impl<'de> Deserialize<'de> for Models {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(InOrder)
    }
}

struct InOrder;

impl<'de> Visitor<'de> for InOrder {
    type Value = Models;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with the prices of each model")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Models, A::Error> {
        let mut models = Vec::new();
        while let Some(entry) = map.next_entry()? {
            models.push(entry);
        }
        Ok(Models(models))
    }
}
