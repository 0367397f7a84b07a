use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// What is read of a price file; fields that are not known are left alone.
#[derive(Deserialize)]
pub(super) struct RawTable {
    pub(super) checked: Option<String>,
    pub(super) models: Models,
}

#[derive(Deserialize)]
pub(super) struct RawModel {
    #[serde(default)]
    pub(super) ids: Vec<String>,
    #[serde(deserialize_with = "objects")]
    pub(super) periods: Vec<RawPeriod>,
}

#[derive(Deserialize)]
pub(super) struct RawPeriod {
    pub(super) from: Option<String>,
    pub(super) until: Option<String>,
    #[serde(deserialize_with = "object")]
    pub(super) per_mtok: RawRates,
    #[serde(default, deserialize_with = "object_or_null")]
    pub(super) long_context: Option<RawLongContext>,
    #[serde(default, deserialize_with = "object_or_null")]
    pub(super) fast: Option<RawFast>,
}

#[derive(Deserialize)]
pub(super) struct RawLongContext {
    pub(super) threshold_prompt_tokens: u64,
    #[serde(deserialize_with = "object")]
    pub(super) per_mtok: RawRates,
}

#[derive(Deserialize)]
pub(super) struct RawFast {
    pub(super) from: Option<String>,
    pub(super) until: Option<String>,
    #[serde(deserialize_with = "object")]
    pub(super) per_mtok: RawRates,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRates {
    pub(super) input: f64,
    pub(super) output: f64,
    pub(super) cache_write_5m: Option<f64>,
    pub(super) cache_write_1h: Option<f64>,
    pub(super) cache_read: Option<f64>,
}

/// An object of the file, and nothing else: a derived reader also takes a list, by the order of its fields.
pub(super) struct Object<T>(pub(super) T);

/// What an object of the file is, for errors.
trait Named {
    const WHAT: &'static str;
}

impl Named for RawTable {
    const WHAT: &'static str = "an object with \"models\"";
}

impl Named for RawModel {
    const WHAT: &'static str = "an object with the \"periods\" of a model";
}

impl Named for RawPeriod {
    const WHAT: &'static str = "a period, an object with \"per_mtok\"";
}

impl Named for RawLongContext {
    const WHAT: &'static str = "\"long_context\", an object with \"threshold_prompt_tokens\" and \"per_mtok\"";
}

impl Named for RawFast {
    const WHAT: &'static str = "\"fast\", an object with \"per_mtok\"";
}

impl Named for RawRates {
    const WHAT: &'static str = "\"per_mtok\", an object with \"input\" and \"output\"";
}

impl<'de, T: Deserialize<'de> + Named> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OnlyMaps(PhantomData)).map(Self)
    }
}

struct OnlyMaps<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Named> Visitor<'de> for OnlyMaps<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::WHAT)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

fn object<'de, D: Deserializer<'de>, T: Deserialize<'de> + Named>(deserializer: D) -> Result<T, D::Error> {
    Object::deserialize(deserializer).map(|Object(value)| value)
}

fn object_or_null<'de, D: Deserializer<'de>, T: Deserialize<'de> + Named>(from: D) -> Result<Option<T>, D::Error> {
    Option::<Object<T>>::deserialize(from).map(|found| found.map(|Object(value)| value))
}

fn objects<'de, D: Deserializer<'de>, T: Deserialize<'de> + Named>(deserializer: D) -> Result<Vec<T>, D::Error> {
    Vec::<Object<T>>::deserialize(deserializer).map(|all| all.into_iter().map(|Object(value)| value).collect())
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
        while let Some((name, Object(model))) = map.next_entry()? {
            models.push((name, model));
        }
        Ok(Models(models))
    }
}
