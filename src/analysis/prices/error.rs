use thiserror::Error;

/// Why a price file cannot be used.
#[derive(Debug, Error)]
pub enum PriceError {
    /// It is no JSON, or not of the expected shape.
    #[error(
        "{name} is no price table: {reason}; expected {{\"models\": {{\"<id>\": {{\"periods\": [{{\"from\": null, \"until\": null, \"per_mtok\": {{\"input\": 5, \"output\": 25}}}}]}}}}}}"
    )]
    Shape {
        /// The file.
        name: String,
        /// What the parser says.
        reason: serde_json::Error,
    },
    /// A figure is no price.
    #[error("{name}: {model}: {what} is {found:?}; expected USD per million tokens, from 0 to 1,000,000")]
    Figure {
        /// The file.
        name: String,
        /// The model.
        model: String,
        /// Which price.
        what: &'static str,
        /// As given.
        found: f64,
    },
    /// Two models, or a model and another id of one, have the same id.
    #[error("{name}: the model {model} is listed twice; which prices hold cannot be told, leave one")]
    Repeated {
        /// The file.
        name: String,
        /// The model.
        model: String,
    },
    /// A date cannot be read.
    #[error("{name}: {model}: {found:?} is no date; expected YYYY-MM-DD or null")]
    Date {
        /// The file.
        name: String,
        /// The model.
        model: String,
        /// As given.
        found: String,
    },
    /// Two periods claim one day, or one ends before it begins.
    #[error(
        "{name}: {model}: the period from {from} overlaps the one before it or ends before it begins; list periods by date, each from where the one before ends"
    )]
    Periods {
        /// The file.
        name: String,
        /// The model.
        model: String,
        /// Start of the period.
        from: String,
    },
    /// Nothing is priced.
    #[error("{name} prices no model; expected at least one under \"models\"")]
    Empty {
        /// The file.
        name: String,
    },
}
