use super::error::PriceError;
use super::model_id::forms;
use super::rates::{FULL, Rates, price};
use super::raw::{Object, RawFast, RawLongContext, RawPeriod, RawRates, RawTable};
use crate::unit::{Timestamp, Tokens, Usd};
use std::collections::BTreeMap;

/// The prices that come with the program.
const BUILT_IN: &str = include_str!("table.json");

/// Highest price that is taken for one, in USD per million tokens.
const MAX_PRICE: f64 = 1e6;

/// What some editors put before UTF-8 text.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Dated prices by model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceTable {
    /// The day on which the prices were checked, of each table that was read, the last one first in weight.
    pub origins: Vec<(String, Option<String>)>,
    models: BTreeMap<String, Vec<Period>>,
    /// Other ids of the same models.
    aliases: BTreeMap<String, String>,
}

/// Prices of one model for a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Period {
    /// First moment; open where it is `None`.
    pub from: Option<Timestamp>,
    /// First moment after it; open where it is `None`.
    pub until: Option<Timestamp>,
    /// The usual prices.
    pub rates: Rates,
    /// Prices of a whole request whose prompt is longer than the threshold.
    pub long_context: Option<(Tokens, Rates)>,
    /// Prices of fast mode with the time for which it was on offer.
    pub fast: Option<Fast>,
}

/// Prices of fast mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fast {
    /// First moment.
    pub from: Option<Timestamp>,
    /// First moment after it.
    pub until: Option<Timestamp>,
    /// The prices.
    pub rates: Rates,
}

/// What the table says of a model at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup<'a> {
    /// Its prices then, with the id under which it is listed.
    Priced(&'a str, &'a Period),
    /// The time is not known: one of these.
    Undated(&'a str, &'a [Period]),
    /// The model is listed, but not for that day.
    OtherDays,
    /// The model is not listed.
    Unknown,
}

impl PriceTable {
    /// The prices that come with the program.
    pub fn built_in() -> Result<Self, PriceError> {
        Self::parse("built-in", BUILT_IN.as_bytes())
    }

    /// Reads a price file. `name` is how errors call it.
    pub fn parse(name: &str, json: &[u8]) -> Result<Self, PriceError> {
        let json = json.strip_prefix(BYTE_ORDER_MARK).unwrap_or(json);
        let Object::<RawTable>(raw) =
            serde_json::from_slice(json).map_err(|reason| PriceError::Shape { name: name.to_owned(), reason })?;
        if raw.models.0.is_empty() {
            return Err(PriceError::Empty { name: name.to_owned() });
        }
        let mut models = BTreeMap::new();
        let mut aliases = BTreeMap::new();
        for (model, raw) in raw.models.0 {
            let file = Reader { name, model: &model };
            for id in raw.ids {
                if let Some(other) = aliases.insert(id.clone(), model.clone())
                    && other != model
                {
                    return Err(PriceError::Repeated { name: name.to_owned(), model: id });
                }
            }
            if models.insert(model.clone(), file.periods(raw.periods)?).is_some() {
                return Err(PriceError::Repeated { name: name.to_owned(), model });
            }
        }
        Ok(Self { origins: vec![(name.to_owned(), raw.checked)], models, aliases })
    }

    /// This table with the models of `other` in the place of its own.
    #[must_use]
    pub fn overridden_by(mut self, other: Self) -> Self {
        self.origins.splice(0..0, other.origins);
        self.aliases.retain(|_, model| !other.models.contains_key(model));
        self.aliases.extend(other.aliases);
        self.models.extend(other.models);
        self
    }

    /// The prices of `model` at `at`.
    pub fn look_up(&self, model: &str, at: Option<Timestamp>) -> Lookup<'_> {
        let listed =
            |form: &str| self.models.get_key_value(form).or_else(|| self.models.get_key_value(self.aliases.get(form)?));
        let Some((id, periods)) = forms(model).into_iter().find_map(listed) else { return Lookup::Unknown };
        let Some(at) = at else { return Lookup::Undated(id, periods) };
        periods
            .iter()
            .find(|period| holds(period.from, period.until, at))
            .map_or(Lookup::OtherDays, |period| Lookup::Priced(id, period))
    }
}

impl PriceTable {
    /// For each class of tokens the dearest price of all models, days and modes.
    pub fn dearest(&self) -> Rates {
        let periods = self.models.values().flatten();
        let rates = periods.flat_map(|period| {
            let others = [period.long_context.map(|(_, rates)| rates), period.fast.as_ref().map(|fast| fast.rates)];
            [Some(period.rates)].into_iter().chain(others).flatten()
        });
        rates.fold(Rates::default(), Rates::dearer)
    }
}

impl Period {
    /// The usual prices of a request, by the length of its prompt.
    pub fn rates_for(&self, prompt: Tokens) -> Rates {
        match self.long_context {
            Some((threshold, rates)) if prompt > threshold => rates,
            Some(_) | None => self.rates,
        }
    }
}

impl Fast {
    /// Whether fast mode was on offer at `at`.
    pub(super) fn offered(&self, at: Option<Timestamp>) -> bool {
        at.is_none_or(|at| holds(self.from, self.until, at))
    }
}

fn holds(from: Option<Timestamp>, until: Option<Timestamp>, at: Timestamp) -> bool {
    from.is_none_or(|from| from <= at) && until.is_none_or(|until| at < until)
}

struct Reader<'a> {
    name: &'a str,
    model: &'a str,
}

impl Reader<'_> {
    fn periods(&self, raw: Vec<RawPeriod>) -> Result<Vec<Period>, PriceError> {
        let mut periods: Vec<Period> = Vec::with_capacity(raw.len());
        for raw in raw {
            let from_text = raw.from.clone().unwrap_or_else(|| "null".to_owned());
            let period = self.period(raw)?;
            let backwards = period.from.zip(period.until).is_some_and(|(from, until)| until <= from);
            let after = |last: &Period| matches!((last.until, period.from), (Some(end), Some(start)) if end <= start);
            if backwards || periods.last().is_some_and(|last| !after(last)) {
                let (name, model) = (self.name.to_owned(), self.model.to_owned());
                return Err(PriceError::Periods { name, model, from: from_text });
            }
            periods.push(period);
        }
        Ok(periods)
    }

    fn period(&self, raw: RawPeriod) -> Result<Period, PriceError> {
        let long = |raw: RawLongContext| Ok((Tokens(raw.threshold_prompt_tokens), self.rates(&raw.per_mtok)?));
        let fast = |raw: RawFast| {
            Ok(Fast { from: self.date(raw.from)?, until: self.date(raw.until)?, rates: self.rates(&raw.per_mtok)? })
        };
        Ok(Period {
            from: self.date(raw.from)?,
            until: self.date(raw.until)?,
            rates: self.rates(&raw.per_mtok)?,
            long_context: raw.long_context.map(long).transpose()?,
            fast: raw.fast.map(fast).transpose()?,
        })
    }

    /// Cache prices that are not given follow from the input: 1.25 and 2 times for writes, a tenth for reads
    /// (spec/cost.md, Prices).
    fn rates(&self, raw: &RawRates) -> Result<Rates, PriceError> {
        let input = self.figure("input", raw.input)?;
        let or = |what, figure: Option<f64>, factor| match figure {
            Some(figure) => self.figure(what, figure),
            None => Ok(price(Tokens(1_000_000), input, factor)),
        };
        Ok(Rates {
            input,
            output: self.figure("output", raw.output)?,
            cache_write_5m: or("cache_write_5m", raw.cache_write_5m, FULL * 5 / 4)?,
            cache_write_1h: or("cache_write_1h", raw.cache_write_1h, FULL * 2)?,
            cache_read: or("cache_read", raw.cache_read, FULL / 10)?,
        })
    }

    fn figure(&self, what: &'static str, found: f64) -> Result<Usd, PriceError> {
        let price = (0.0..=MAX_PRICE).contains(&found).then(|| Usd::from_dollars(found)).flatten();
        let (name, model) = (self.name.to_owned(), self.model.to_owned());
        price.ok_or(PriceError::Figure { name, model, what, found })
    }

    fn date(&self, text: Option<String>) -> Result<Option<Timestamp>, PriceError> {
        let Some(found) = text else { return Ok(None) };
        match Timestamp::parse(&format!("{found}T00:00:00Z")) {
            Some(date) => Ok(Some(date)),
            None => Err(PriceError::Date { name: self.name.to_owned(), model: self.model.to_owned(), found }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn cache_read(table: &PriceTable, model: &str, when: &str) -> Option<f64> {
        match table.look_up(model, Some(at(when))) {
            Lookup::Priced(_, period) => Some(period.rates.cache_read.dollars()),
            Lookup::Undated(..) | Lookup::OtherDays | Lookup::Unknown => None,
        }
    }

    #[test]
    fn the_price_is_that_of_the_day() {
        let table = PriceTable::built_in().unwrap();
        let day = |when| cache_read(&table, "claude-sonnet-5-5", when);
        assert_eq!(day("2026-10-06T23:59:59.999Z"), Some(0.2));
        assert_eq!(day("2026-10-07T00:00:00Z"), Some(0.1));
        assert_eq!(day("2026-09-27T12:00:00Z"), None, "before its first day");
        assert_eq!(table.look_up("gpt", Some(at("2026-10-07T00:00:00Z"))), Lookup::Unknown);
        assert!(matches!(table.look_up("claude-opus-5", None), Lookup::Undated("claude-opus-5", [_])));
    }

    #[test]
    fn a_file_overrides_model_by_model() {
        let mine = br#"{"models":{"claude-opus-5-5":{"periods":[{"per_mtok":{"input":1,"output":2}}]}}}"#;
        let table = PriceTable::built_in().unwrap().overridden_by(PriceTable::parse("mine.json", mine).unwrap());
        assert_eq!(cache_read(&table, "claude-opus-5-5[1m]", "2020-01-01T00:00:00Z"), Some(0.1));
        assert!(cache_read(&table, "claude-haiku-4-5-20251001", "2026-10-07T00:00:00Z").is_some());
        assert_eq!(
            table.origins,
            [("mine.json".to_owned(), None), ("built-in".to_owned(), Some("2026-11-30".to_owned()))]
        );
    }

    #[test]
    fn a_wrong_file_is_refused_with_what_is_wrong() {
        let refused = |json: &str| PriceTable::parse("p.json", json.as_bytes()).unwrap_err().to_string();
        assert!(refused("[]").starts_with("p.json is no price table"));
        assert!(refused(r#"{"models":{}}"#).contains("prices no model"));
        let one = |period: &str| refused(&format!(r#"{{"models":{{"m":{{"periods":[{period}]}}}}}}"#));
        assert!(one(r#"{"per_mtok":{"input":-1,"output":2}}"#).contains("m: input is -1"));
        assert!(one(r#"{"per_mtok":{"input":1,"output":2,"cached":3}}"#).contains("unknown field `cached`"));
        assert!(one(r#"{"from":"soon","per_mtok":{"input":1,"output":2}}"#).contains("\"soon\" is no date"));
        let twice = r#"{"per_mtok":{"input":1,"output":2}},{"from":"2026-01-01","per_mtok":{"input":1,"output":2}}"#;
        assert!(one(twice).contains("overlaps"));
        assert!(one(r#"{"per_mtok":{"input":1e300,"output":2}}"#).contains("input is 1e300; expected"));
        let rates = r#"{"input":1,"output":2}"#;
        for (period, what) in [
            (r"[null,null,[1,2]]".to_owned(), "a period, an object"),
            (r#"{"per_mtok":[1,2,3,4,5]}"#.to_owned(), "\"per_mtok\", an object"),
            (format!(r#"{{"per_mtok":{rates},"fast":[null,null,{rates}]}}"#), "\"fast\", an object"),
            (format!(r#"{{"per_mtok":{rates},"fast":{{"per_mtok":[1,2]}}}}"#), "\"per_mtok\", an object"),
            (format!(r#"{{"per_mtok":{rates},"long_context":[9,{rates}]}}"#), "\"long_context\", an object"),
        ] {
            let said = one(&period);
            assert!(said.contains(&format!("invalid type: sequence, expected {what}")), "{period}: {said}");
            assert!(said.contains("at line 1 column "), "{said}");
        }
        assert!(refused(r#"{"models":{"m":[[],[]]}}"#).contains("expected an object with the \"periods\""));
        assert!(refused("[null,{}]").contains("expected an object with \"models\""));
        let model = r#""m":{"ids":["n"],"periods":[{"per_mtok":{"input":1,"output":2}}]}"#;
        assert!(refused(&format!(r#"{{"models":{{{model},{model}}}}}"#)).contains("the model m is listed twice"));
        let other = model.replace("\"m\"", "\"o\"");
        assert!(refused(&format!(r#"{{"models":{{{model},{other}}}}}"#)).contains("the model n is listed twice"));
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_table() {
        let table = "\u{feff}{\"models\":{\"m\":{\"periods\":[{\"per_mtok\":{\"input\":1,\"output\":2}}]}}}";
        assert!(PriceTable::parse("p.json", table.as_bytes()).is_ok());
    }
}
