use super::model_id::has_us_factor;
use super::rates::{FULL, PerMille, Rates, price};
use super::table::{Lookup, Period, PriceTable};
use crate::session::ModelTurn;
use crate::transcript::{ClientModel, Iteration, Label, Usage};
use crate::unit::{Timestamp, Tokens, Usd};
use serde::Serialize;
use std::ops::AddAssign;

/// One web search, in nano-dollars: $10 for a thousand (spec/cost.md, Prices).
const WEB_SEARCH: i64 = 10_000_000;

/// What inference in the US costs more.
const US_FACTOR: PerMille = 1100;

/// Money by class of tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ClassCosts {
    /// Uncached input.
    pub input_usd: Usd,
    /// Output, thinking included.
    pub output_usd: Usd,
    /// Cache reads.
    pub cache_read_usd: Usd,
    /// Cache writes for five minutes; those whose time is not known count here.
    pub cache_write_5m_usd: Usd,
    /// Cache writes for one hour.
    pub cache_write_1h_usd: Usd,
    /// Web searches.
    pub web_search_usd: Usd,
}

/// Why a turn has no price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Unpriced {
    /// The table does not list the model.
    UnknownModel,
    /// The table lists the model, but not for that day.
    NoPriceThatDay,
}

/// What the data leaves open of a bill, beyond what is measured (spec/cost.md, bounds).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Open {
    /// Cache writes may have been for one hour, or more than was counted.
    pub cache_writes: Usd,
    /// The stream was cut: the output may be as many tokens as the answer has characters.
    pub output: Usd,
    /// The time is not known: another price may have held.
    pub period: Usd,
}

/// What one model turn cost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bill {
    /// Measured, class by class.
    pub classes: ClassCosts,
    /// The least it can have cost.
    pub low: Usd,
    /// The most it can have cost, beside what left no entry; `None` where there is no price, where a count of its tokens
    /// cannot be read, and where the figure is too large.
    pub high: Option<Usd>,
    /// What the data leaves open: what `high` is beyond what is measured, part by part.
    pub open: Open,
    /// What the context would have cost without a cache.
    pub uncached: Usd,
    /// There is no price: the figures are zero and say nothing.
    pub unpriced: Option<Unpriced>,
    /// Other models, which the table does not price, answered some of its requests: the figures lack these.
    pub unpriced_within: Vec<(Label, Unpriced)>,
    /// It ran in fast mode, but the model has no fast price that day: the usual price was taken.
    pub fast_at_usual_price: bool,
}

impl ClassCosts {
    /// All classes together.
    pub fn total(self) -> Usd {
        let Self { input_usd, output_usd, cache_read_usd, cache_write_5m_usd, cache_write_1h_usd, web_search_usd } =
            self;
        [input_usd, output_usd, cache_read_usd, cache_write_5m_usd, cache_write_1h_usd, web_search_usd]
            .into_iter()
            .sum()
    }

    /// What was paid for the context: everything but output and searches.
    pub fn context(self) -> Usd {
        self.input_usd + self.cache_read_usd + self.cache_write_5m_usd + self.cache_write_1h_usd
    }
}

impl AddAssign for ClassCosts {
    fn add_assign(&mut self, other: Self) {
        self.input_usd += other.input_usd;
        self.output_usd += other.output_usd;
        self.cache_read_usd += other.cache_read_usd;
        self.cache_write_5m_usd += other.cache_write_5m_usd;
        self.cache_write_1h_usd += other.cache_write_1h_usd;
        self.web_search_usd += other.web_search_usd;
    }
}

impl Bill {
    /// What the transcript says it cost.
    pub fn measured(&self) -> Usd {
        self.classes.total()
    }

    fn lacks(&mut self, model: &Label, why: Unpriced) {
        if !self.unpriced_within.iter().any(|(known, _)| known == model) {
            self.unpriced_within.push((model.clone(), why));
        }
    }

    /// All of it, or a part, has no price.
    pub fn lacks_a_price(&self) -> bool {
        self.unpriced.is_some() || !self.unpriced_within.is_empty()
    }

    /// What of `turn` has no price: the model, why, and its tokens.
    pub fn unpriced_parts<'a>(&'a self, turn: &'a ModelTurn) -> impl Iterator<Item = (&'a Label, Unpriced, Usage)> {
        let whole = self.unpriced.map(|why| (&turn.model, why, turn.usage));
        let parts = self.unpriced_within.iter().map(|(model, why)| {
            let own = turn.service.iterations.iter().filter(|one| one.model.as_ref() == Some(model));
            (model, *why, own.fold(Usage::default(), |sum, one| sum.plus(one.usage)))
        });
        whole.into_iter().chain(parts)
    }
}

impl Open {
    fn total(self) -> Usd {
        self.cache_writes + self.output + self.period
    }
}

/// The bill of `turn`, at the prices of `at`.
pub fn bill(turn: &ModelTurn, at: Option<Timestamp>, prices: &PriceTable) -> Bill {
    match prices.look_up(&turn.model, at) {
        Lookup::Priced(id, period) => priced(turn, at, id, period, prices),
        Lookup::Undated(id, periods) => undated(turn, id, periods, prices),
        Lookup::OtherDays => Bill { unpriced: Some(Unpriced::NoPriceThatDay), ..Bill::default() },
        Lookup::Unknown => Bill { unpriced: Some(Unpriced::UnknownModel), ..Bill::default() },
    }
}

/// The price of the tokens that the client counted for one model; `None` where the table has none, or where it depends on
/// the length of each request, which a total does not tell.
pub fn client_bill(of: &ClientModel, at: Option<Timestamp>, prices: &PriceTable) -> Option<Usd> {
    match prices.look_up(&of.model, at) {
        Lookup::Priced(_, period) if period.long_context.is_none() => {
            Some(classes(of.usage, &period.rates, FULL).total() + searches(of.web_searches))
        }
        Lookup::Priced(..) | Lookup::Undated(..) | Lookup::OtherDays | Lookup::Unknown => None,
    }
}

fn searches(number: u64) -> Usd {
    Usd::from_nanos(i64::try_from(number).unwrap_or(i64::MAX).saturating_mul(WEB_SEARCH))
}

/// Without a time every period may hold: the cheapest is measured, the dearest is the upper bound.
fn undated(turn: &ModelTurn, id: &str, periods: &[Period], prices: &PriceTable) -> Bill {
    let bills: Vec<Bill> = periods.iter().map(|period| priced(turn, None, id, period, prices)).collect();
    let high = bills.iter().map(|bill| bill.high).collect::<Option<Vec<Usd>>>().and_then(|high| high.into_iter().max());
    let cheapest = bills.into_iter().min_by_key(Bill::measured);
    cheapest.map_or_else(
        || Bill { unpriced: Some(Unpriced::NoPriceThatDay), ..Bill::default() },
        |cheapest| {
            let period = high.zip(cheapest.high).map_or(Usd::ZERO, |(dearest, own)| dearest - own);
            Bill { high, open: Open { period, ..cheapest.open }, ..cheapest }
        },
    )
}

fn priced(turn: &ModelTurn, at: Option<Timestamp>, id: &str, period: &Period, prices: &PriceTable) -> Bill {
    let service = &turn.service;
    let factor = factor(turn, id);
    let one = [Iteration { usage: turn.usage, model: None }];
    let requests = if service.iterations.is_empty() { one.as_slice() } else { service.iterations.as_slice() };
    let mut bill = Bill::default();
    let fast = period.fast.as_ref().filter(|fast| service.fast && fast.offered(at)).map(|fast| fast.rates);
    bill.fast_at_usual_price = service.fast && fast.is_none();
    let mut rates = period.rates;
    for request in requests {
        let context = request.usage.context();
        let (own, own_factor) = match request.model.as_ref().map(|model| (model, prices.look_up(model, at))) {
            None => (fast.unwrap_or_else(|| period.rates_for(context)), factor),
            Some((_, Lookup::Priced(id, of_model))) => (of_model.rates_for(context), self::factor(turn, id)),
            Some((model, Lookup::Undated(..) | Lookup::OtherDays)) => {
                bill.lacks(model, Unpriced::NoPriceThatDay);
                continue;
            }
            Some((model, Lookup::Unknown)) => {
                bill.lacks(model, Unpriced::UnknownModel);
                continue;
            }
        };
        if request.model.is_none() {
            rates = own;
        }
        bill.classes += classes(request.usage, &own, own_factor);
        bill.uncached += price(context, own.input, own_factor);
    }
    bill.classes.web_search_usd = searches(service.web_searches);
    bill.low = bill.measured();
    bill.open = open(turn, &rates, factor);
    let high = bill.low + bill.open.total();
    let is_known = !service.unreadable && bill.unpriced_within.is_empty() && !high.is_saturated();
    bill.high = is_known.then_some(high);
    bill
}

fn factor(turn: &ModelTurn, id: &str) -> PerMille {
    if turn.service.in_us && has_us_factor(id) { US_FACTOR } else { FULL }
}

/// The most that the part of a turn without a price can have cost, if no model is dearer than those of the table: each class
/// of tokens at the dearest of its prices. `None` where a count cannot be read or the sum is too large.
pub fn at_the_dearest(turn: &ModelTurn, bill: &Bill, dearest: &Rates) -> Option<Usd> {
    let service = &turn.service;
    let factor = if service.in_us { US_FACTOR } else { FULL };
    let rates = Rates { cache_write_5m: dearest.cache_write_1h.max(dearest.cache_write_5m), ..*dearest };
    let whole = bill.unpriced.is_some();
    let usage = bill.unpriced_parts(turn).fold(Usage::default(), |sum, (.., usage)| sum.plus(usage));
    // The rest of a turn that has a price in part is in its own bounds.
    let rest = if whole { searches(service.web_searches) + open(turn, &rates, factor).total() } else { Usd::ZERO };
    let most = classes(usage, &rates, factor).total() + rest;
    (!service.unreadable && !most.is_saturated()).then_some(most)
}

fn classes(usage: Usage, rates: &Rates, factor: PerMille) -> ClassCosts {
    let for_an_hour = usage.cache_write_1h.min(usage.cache_write);
    let for_five_minutes = Tokens(usage.cache_write.0.saturating_sub(for_an_hour.0));
    ClassCosts {
        input_usd: price(usage.input, rates.input, factor),
        output_usd: price(usage.output, rates.output, factor),
        cache_read_usd: price(usage.cache_read, rates.cache_read, factor),
        cache_write_5m_usd: price(for_five_minutes, rates.cache_write_5m, factor),
        cache_write_1h_usd: price(for_an_hour, rates.cache_write_1h, factor),
        web_search_usd: Usd::ZERO,
    }
}

/// What the data leaves open: cache writes of unknown time may be for one hour, where the split says more than the total it
/// may be right, and where the stream was cut the output may be as many tokens as the answer has characters.
fn open(turn: &ModelTurn, rates: &Rates, factor: PerMille) -> Open {
    let unsplit = turn.service.unsplit_cache_write.min(turn.usage.cache_write);
    let at = |tokens, rate| price(tokens, rate, factor);
    let longer = at(unsplit, rates.cache_write_1h).nanos() - at(unsplit, rates.cache_write_5m).nanos();
    let beyond = turn.service.cache_split.beyond(turn.usage);
    let beyond = at(beyond.five_minutes, rates.cache_write_5m) + at(beyond.one_hour, rates.cache_write_1h);
    let missing = if turn.ended { 0 } else { turn.characters.saturating_sub(turn.usage.output.0) };
    Open {
        cache_writes: Usd::from_nanos(longer.max(0)) + beyond,
        output: at(Tokens(missing), rates.output),
        period: Usd::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_dir::Position;
    use crate::session::Ix;
    use crate::transcript::{CacheSplit, Service};

    fn turn(model: &str, usage: Usage, service: Service) -> ModelTurn {
        ModelTurn {
            home: 0,
            at: Ix::all(1).next().unwrap(),
            position: Position::Database { rowid: 1, seq: Some(1) },
            timestamp: None,
            model: model.into(),
            usage,
            service,
            ended: true,
            characters: 0,
            entries_with_usage: 1,
            shared_with: Vec::new(),
            home_guessed: false,
        }
    }

    fn billed(turn: &ModelTurn, day: &str) -> Bill {
        bill(turn, Timestamp::parse(&format!("{day}T12:00:00Z")), &PriceTable::built_in().unwrap())
    }

    fn usage(input: u64, output: u64, cache_write: u64) -> Usage {
        Usage { input: Tokens(input), output: Tokens(output), cache_write: Tokens(cache_write), ..Usage::default() }
    }

    #[test]
    fn the_time_of_cache_writes_bounds_the_bill() {
        let unsplit = Service { unsplit_cache_write: Tokens(1000), ..Service::default() };
        let bill = billed(&turn("claude-opus-5-5", usage(0, 0, 1000), unsplit), "2026-11-30");
        assert_eq!((bill.low.dollars(), bill.high.map(Usd::dollars)), (0.005, Some(0.008)));
        assert_eq!(bill.measured(), bill.low);
    }

    #[test]
    fn a_cut_stream_may_hold_more_output_than_it_says() {
        let cut =
            ModelTurn { ended: false, characters: 500, ..turn("claude-opus-5-5", usage(0, 3, 0), Service::default()) };
        let bill = billed(&cut, "2026-11-30");
        assert_eq!((bill.low.nanos(), bill.high.map(Usd::nanos)), (60_000, Some(10_000_000)));
    }

    #[test]
    fn long_prompts_are_priced_as_a_whole() {
        let of = |input| billed(&turn("claude-haiku-5-5", usage(input, 10, 0), Service::default()), "2026-11-30");
        assert_eq!(of(100_000).measured().nanos(), 100_000 * 100 + 10 * 500);
        assert_eq!(of(100_001).measured().nanos(), 100_001 * 500 + 10 * 2_500);
    }

    #[test]
    fn each_iteration_is_priced_by_its_own_length() {
        let (short, long) = (usage(60_000, 1, 0), usage(110_000, 1, 0));
        let iterations = [short, long].map(|usage| Iteration { usage, model: None }).to_vec();
        let service = Service { iterations, ..Service::default() };
        let bill = billed(&turn("claude-haiku-5-5", short.plus(long), service), "2026-11-30");
        assert_eq!(bill.measured().nanos(), 60_000 * 100 + 500 + 110_000 * 500 + 2_500);
    }

    #[test]
    fn a_request_of_another_model_has_its_price() {
        let of = |model: &str| {
            let other = Iteration { usage: usage(1000, 0, 0), model: Some(model.into()) };
            let own = Iteration { usage: usage(1000, 0, 0), model: None };
            let service = Service { iterations: vec![own, other], ..Service::default() };
            billed(&turn("claude-opus-5-5", usage(2000, 0, 0), service), "2026-11-30")
        };
        let priced = of("claude-opus-4-5");
        assert_eq!((priced.measured().nanos(), priced.high), (4_000_000 + 5_000_000, Some(priced.low)));
        let unpriced = of("some-model");
        assert_eq!((unpriced.measured().nanos(), unpriced.high, unpriced.unpriced), (4_000_000, None, None));
        assert_eq!(unpriced.unpriced_within, [("some-model".into(), Unpriced::UnknownModel)]);
    }

    #[test]
    fn a_split_beyond_the_total_is_the_upper_bound() {
        let split = CacheSplit { five_minutes: Tokens(900), one_hour: Tokens(300) };
        let written = Usage { cache_write: Tokens(1000), cache_write_1h: Tokens(100), ..Usage::default() };
        let bill = billed(
            &turn("claude-opus-5-5", written, Service { cache_split: split, ..Service::default() }),
            "2026-11-30",
        );
        assert_eq!((bill.measured().nanos(), bill.high.map(Usd::nanos)), (5_300_000, Some(6_900_000)));
    }

    #[test]
    fn modifiers_scale_what_they_are_for() {
        let us = Service { in_us: true, web_searches: 2, ..Service::default() };
        let bill = billed(&turn("claude-opus-5-5", usage(1000, 0, 0), us.clone()), "2026-11-30");
        assert_eq!((bill.classes.input_usd.nanos(), bill.classes.web_search_usd.nanos()), (4_400_000, 20_000_000));
        let old = billed(&turn("claude-opus-4-5", usage(1000, 0, 0), us), "2026-11-30");
        assert_eq!(old.classes.input_usd.nanos(), 5_000_000, "before 4.6 there is no factor");
        let fast = || Service { fast: true, ..Service::default() };
        let bill = billed(&turn("claude-opus-5-5", usage(1000, 0, 0), fast()), "2026-11-30");
        assert_eq!((bill.measured().nanos(), bill.fast_at_usual_price), (8_000_000, false));
        let bill = billed(&turn("claude-sonnet-5-5", usage(1000, 0, 0), fast()), "2026-11-30");
        assert_eq!((bill.measured().nanos(), bill.fast_at_usual_price), (2_000_000, true));
    }

    #[test]
    fn what_cannot_be_read_or_is_too_large_has_no_upper_bound() {
        let of = |tokens, unreadable| {
            let service = Service { unreadable, ..Service::default() };
            billed(&turn("claude-opus-5-5", usage(tokens, 0, 0), service), "2026-11-30")
        };
        assert_eq!((of(1, true).low.nanos(), of(1, true).high), (4_000, None));
        assert_eq!((of(u64::MAX, false).high, of(1 << 51, false).high), (None, Some(Usd::from_nanos(4_000 << 51))));
        let undated = turn("claude-sonnet-5-5", usage(u64::MAX, 0, 0), Service::default());
        assert_eq!(bill(&undated, None, &PriceTable::built_in().unwrap()).high, None);
    }

    #[test]
    fn what_has_no_price_says_so() {
        let why = |model, day| billed(&turn(model, usage(1, 1, 1), Service::default()), day).unpriced;
        assert_eq!(why("some-model", "2026-11-30"), Some(Unpriced::UnknownModel));
        assert_eq!(why("claude-opus-5-5", "2026-01-01"), Some(Unpriced::NoPriceThatDay));
        let bill = bill(
            &turn("claude-sonnet-5-5", usage(0, 0, 1000), Service::default()),
            None,
            &PriceTable::built_in().unwrap(),
        );
        assert_eq!((bill.unpriced, bill.low.nanos()), (None, 2_500_000), "without a time any of its periods may hold");
    }
}
