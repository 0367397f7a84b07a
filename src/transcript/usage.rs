use super::fields::{Slots, each_element, fill};
use super::label::{Interner, Label};
use super::scalar::{number, text};
use crate::unit::Tokens;
use serde::Serialize;

/// Iterations that are kept of one message; real messages have one or two.
const MAX_ITERATIONS: usize = 64;

/// The tokens of one message by class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Uncached input.
    pub input: Tokens,
    /// Output, thinking included.
    pub output: Tokens,
    /// Input read from the cache.
    pub cache_read: Tokens,
    /// Input written to the cache, for five minutes and for one hour together.
    pub cache_write: Tokens,
    /// The part of `cache_write` that is known to be written for one hour.
    pub cache_write_1h: Tokens,
}

/// What decides the price of a message beside its model and its tokens (spec/cost.md, Prices).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Service {
    /// `server_tool_use.web_search_requests`.
    pub web_searches: u64,
    /// The part of the cache writes that is not said to be for five minutes or for one hour.
    pub unsplit_cache_write: Tokens,
    /// Cache writes as `cache_creation` splits them, where that is more than their total.
    pub cache_split: CacheSplit,
    /// `inference_geo` is `us`.
    pub in_us: bool,
    /// `speed` is `fast`.
    pub fast: bool,
    /// The requests behind the message where it took several; each is priced by its own size.
    pub iterations: Vec<Iteration>,
    /// `requestedModel` where another model answered.
    pub requested_model: Option<Label>,
    /// A figure of the usage cannot be read: the counts are too low by what it says.
    pub unreadable: bool,
}

/// Cache writes by how long they live.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheSplit {
    /// For five minutes.
    pub five_minutes: Tokens,
    /// For one hour.
    pub one_hour: Tokens,
}

/// One request behind a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Iteration {
    /// Its tokens.
    pub usage: Usage,
    /// The model that answered it, where that is not the one of the message.
    pub model: Option<Label>,
}

impl CacheSplit {
    /// Both together.
    pub fn total(self) -> Tokens {
        self.five_minutes + self.one_hour
    }

    fn zip(self, other: Self, join: impl Fn(Tokens, Tokens) -> Tokens) -> Self {
        Self {
            five_minutes: join(self.five_minutes, other.five_minutes),
            one_hour: join(self.one_hour, other.one_hour),
        }
    }

    /// What it says beyond `usage`, which counts the total.
    #[must_use]
    pub fn beyond(self, usage: Usage) -> Self {
        let counted = Self {
            five_minutes: Tokens(usage.cache_write.0.saturating_sub(usage.cache_write_1h.0)),
            one_hour: usage.cache_write_1h,
        };
        if self.total() <= usage.cache_write {
            return Self::default();
        }
        self.zip(counted, |split, counted| Tokens(split.0.saturating_sub(counted.0)))
    }
}

impl Usage {
    /// Everything the model was given: input, cache reads and cache writes.
    pub fn context(self) -> Tokens {
        self.input + self.cache_read + self.cache_write
    }

    /// Input and output together.
    pub fn total(self) -> Tokens {
        self.context() + self.output
    }

    /// Field by field the larger one: early copies of a message may hold placeholders.
    #[must_use]
    pub fn largest(self, other: Self) -> Self {
        self.zip(other, Ord::max)
    }

    /// Field by field the sum.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.zip(other, std::ops::Add::add)
    }

    fn zip(self, other: Self, join: impl Fn(Tokens, Tokens) -> Tokens) -> Self {
        Self {
            input: join(self.input, other.input),
            output: join(self.output, other.output),
            cache_read: join(self.cache_read, other.cache_read),
            cache_write: join(self.cache_write, other.cache_write),
            cache_write_1h: join(self.cache_write_1h, other.cache_write_1h),
        }
    }

    /// The usage in `json` with how it was served: the sum of its iterations when it has any (spec/entries.md), else its
    /// own figures. Where an iteration cannot be read, the larger of both. `None` where it is absent, that is `null`.
    pub(super) fn decode(json: &str, interner: &mut Interner) -> Option<(Self, Service)> {
        if json == "null" {
            return None;
        }
        let raw: Option<RawUsage<'_>> = fill(json);
        let no_object = raw.is_none();
        let raw = raw.unwrap_or_default();
        let requests = Iterations::decode(raw.iterations, interner);
        let own = raw.counted();
        let counted = match requests.sum {
            Some(sum) if requests.unreadable => sum.zip(own, Ord::max),
            Some(sum) => sum,
            None => own,
        };
        let several = requests.all.len() > 1 || requests.all.iter().any(|one| one.model.is_some());
        let says_more = counted.split.total() > counted.usage.cache_write;
        let each_has_its_price = several && !requests.unreadable;
        let is = |value: Option<&str>, wanted: &str| value.and_then(text).is_some_and(|found| found == wanted);
        let service = Service {
            web_searches: raw.server_tools.web_searches.and_then(number).unwrap_or(0),
            unsplit_cache_write: counted.unsplit,
            cache_split: if says_more { counted.split } else { CacheSplit::default() },
            in_us: is(raw.inference_geo, "us"),
            fast: is(raw.speed, "fast"),
            iterations: if each_has_its_price { requests.all } else { Vec::new() },
            requested_model: None,
            unreadable: no_object || raw.has_unreadable() || requests.unreadable,
        };
        Some((counted.usage, service))
    }
}

/// What one usage counts.
#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    usage: Usage,
    unsplit: Tokens,
    split: CacheSplit,
}

impl Counted {
    fn zip(self, other: Self, join: impl Fn(Tokens, Tokens) -> Tokens + Copy) -> Self {
        Self {
            usage: self.usage.zip(other.usage, join),
            unsplit: join(self.unsplit, other.unsplit),
            split: self.split.zip(other.split, join),
        }
    }
}

/// The requests behind one message.
#[derive(Debug, Default)]
struct Iterations {
    /// As many as are kept.
    all: Vec<Iteration>,
    /// All of them together.
    sum: Option<Counted>,
    /// One is no usage, or holds a figure that cannot be read.
    unreadable: bool,
}

impl Iterations {
    fn decode(raw: Option<&str>, interner: &mut Interner) -> Self {
        let mut found = Self::default();
        let Some(raw) = raw.filter(|raw| *raw != "null") else { return found };
        let is_list = each_element(raw, |iteration| match fill::<RawUsage<'_>>(iteration) {
            Some(one) if one.has_figures() => {
                let counted = one.counted();
                found.sum = Some(found.sum.unwrap_or_default().zip(counted, std::ops::Add::add));
                found.unreadable |= one.has_unreadable();
                if found.all.len() < MAX_ITERATIONS {
                    let model = one.model.and_then(text).filter(|model| !model.trim().is_empty());
                    let model = model.map(|model| interner.label(&model));
                    found.all.push(Iteration { usage: counted.usage, model });
                }
            }
            Some(_) | None => found.unreadable = true,
        });
        found.unreadable |= !is_list;
        found
    }
}

impl Service {
    /// Joins what two copies of one message say: the larger counts, and what either of them tells.
    #[must_use]
    pub fn largest(self, other: &Self) -> Self {
        let longer = if other.iterations.len() > self.iterations.len() { &other.iterations } else { &self.iterations };
        Self {
            web_searches: self.web_searches.max(other.web_searches),
            unsplit_cache_write: self.unsplit_cache_write.max(other.unsplit_cache_write),
            cache_split: self.cache_split.zip(other.cache_split, Ord::max),
            in_us: self.in_us || other.in_us,
            fast: self.fast || other.fast,
            iterations: longer.clone(),
            requested_model: self.requested_model.or_else(|| other.requested_model.clone()),
            unreadable: self.unreadable || other.unreadable,
        }
    }
}

/// The raw fields of `usage`.
#[derive(Debug, Default)]
struct RawUsage<'a> {
    input: Option<&'a str>,
    output: Option<&'a str>,
    cache_read: Option<&'a str>,
    cache_write: Option<&'a str>,
    iterations: Option<&'a str>,
    model: Option<&'a str>,
    inference_geo: Option<&'a str>,
    speed: Option<&'a str>,
    cache_creation: RawCacheCreation<'a>,
    server_tools: RawServerTools<'a>,
}

/// The raw fields of `usage.cache_creation`.
#[derive(Debug, Default)]
struct RawCacheCreation<'a> {
    five_minutes: Option<&'a str>,
    one_hour: Option<&'a str>,
}

/// The raw fields of `usage.server_tool_use`.
#[derive(Debug, Default)]
struct RawServerTools<'a> {
    web_searches: Option<&'a str>,
}

impl RawUsage<'_> {
    /// The total of the cache writes counts; without one, what their split adds up to. Of a split that says more than the
    /// total, the five minutes count first: the cheapest reading.
    fn counted(&self) -> Counted {
        let split = CacheSplit {
            five_minutes: tokens(self.cache_creation.five_minutes),
            one_hour: tokens(self.cache_creation.one_hour),
        };
        let total = self.cache_write.and_then(number).map_or_else(|| split.total(), Tokens);
        let left = total.0.saturating_sub(split.five_minutes.0);
        let usage = Usage {
            input: tokens(self.input),
            output: tokens(self.output),
            cache_read: tokens(self.cache_read),
            cache_write: total,
            cache_write_1h: split.one_hour.min(Tokens(left)),
        };
        Counted { usage, unsplit: Tokens(total.0.saturating_sub(split.total().0)), split }
    }

    /// Every count of tokens and of searches.
    fn counts(&self) -> [Option<&str>; 7] {
        let Self { input, output, cache_read, cache_write, cache_creation, server_tools, .. } = self;
        let RawCacheCreation { five_minutes, one_hour } = cache_creation;
        [*input, *output, *cache_read, *cache_write, *five_minutes, *one_hour, server_tools.web_searches]
    }

    /// Whether it tells any count at all.
    fn has_figures(&self) -> bool {
        self.counts().iter().any(Option::is_some)
    }

    /// Whether a count is there that is no whole number from 0 to 2^64 - 1; `null` stands for none.
    fn has_unreadable(&self) -> bool {
        self.counts().into_iter().flatten().any(|raw| raw != "null" && number(raw).is_none())
    }
}

fn tokens(raw: Option<&str>) -> Tokens {
    Tokens(raw.and_then(number).unwrap_or(0))
}

impl<'a> Slots<'a> for RawUsage<'a> {
    fn slot(&mut self, name: &str) -> Option<&mut Option<&'a str>> {
        Some(match name {
            "input_tokens" => &mut self.input,
            "output_tokens" => &mut self.output,
            "cache_read_input_tokens" => &mut self.cache_read,
            "cache_creation_input_tokens" => &mut self.cache_write,
            "iterations" => &mut self.iterations,
            "model" => &mut self.model,
            "inference_geo" => &mut self.inference_geo,
            "speed" => &mut self.speed,
            _ => return None,
        })
    }

    fn inner(&mut self, name: &str) -> Option<&mut dyn Slots<'a>> {
        match name {
            "cache_creation" => Some(&mut self.cache_creation),
            "server_tool_use" => Some(&mut self.server_tools),
            _ => None,
        }
    }
}

impl<'a> Slots<'a> for RawCacheCreation<'a> {
    fn slot(&mut self, name: &str) -> Option<&mut Option<&'a str>> {
        Some(match name {
            "ephemeral_5m_input_tokens" => &mut self.five_minutes,
            "ephemeral_1h_input_tokens" => &mut self.one_hour,
            _ => return None,
        })
    }
}

impl<'a> Slots<'a> for RawServerTools<'a> {
    fn slot(&mut self, name: &str) -> Option<&mut Option<&'a str>> {
        (name == "web_search_requests").then_some(&mut self.web_searches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(json: &str) -> Option<(Usage, Service)> {
        Usage::decode(json, &mut Interner::default())
    }

    #[test]
    fn iterations_are_summed_when_present() {
        let plain = r#"{"input_tokens":1,"output_tokens":2,"cache_creation":{"ephemeral_1h_input_tokens":7},"iterations":null}"#;
        let (usage, _) = decode(plain).unwrap();
        assert_eq!((usage.input, usage.output, usage.cache_write_1h), (Tokens(1), Tokens(2), Tokens(7)));
        assert_eq!(usage.cache_write, Tokens(7), "without a total the split counts");
        let twice = r#"{"input_tokens":9,"iterations":[{"input_tokens":1,"output_tokens":5},{"input_tokens":2}]}"#;
        let (usage, service) = decode(twice).unwrap();
        assert_eq!((usage.input, usage.output), (Tokens(3), Tokens(5)));
        assert_eq!(service.iterations.len(), 2);
        assert_eq!(decode("null"), None);
    }

    #[test]
    fn what_cannot_be_read_is_told_and_hides_nothing() {
        let read = |json: &str| {
            let (usage, service) = decode(json).unwrap();
            (usage.input.0, service.unreadable, service.iterations.len())
        };
        for figure in ["18446744073709551616", "1e30", "\"5\"", "-5", "1.5", "[1]", "{}", "true"] {
            assert_eq!(read(&format!(r#"{{"input_tokens":{figure}}}"#)), (0, true, 0), "{figure}");
            let split = format!(r#"{{"input_tokens":3,"cache_creation":{{"ephemeral_1h_input_tokens":{figure}}}}}"#);
            assert_eq!(read(&split), (3, true, 0), "{figure}");
            let searches = format!(r#"{{"input_tokens":3,"server_tool_use":{{"web_search_requests":{figure}}}}}"#);
            assert_eq!(read(&searches), (3, true, 0), "{figure}");
        }
        for iterations in [r#"["x",5,{}]"#, "5", "{}", r#"[{"input_tokens":1},{"input_tokens":-1}]"#] {
            assert_eq!(
                read(&format!(r#"{{"input_tokens":9,"iterations":{iterations}}}"#)),
                (9, true, 0),
                "{iterations}"
            );
        }
        assert_eq!(read(r#"{"input_tokens":9,"iterations":[{"input_tokens":20},"x"]}"#), (20, true, 0));
        assert_eq!([read("[1]"), read("5"), read("\"none\"")], [(0, true, 0); 3]);
        for fine in [r#"{"input_tokens":null}"#, r#"{"iterations":null}"#, r#"{"iterations":[]}"#, "{}"] {
            assert_eq!(read(fine), (0, false, 0), "{fine}");
        }
    }

    #[test]
    fn what_the_split_leaves_open_is_told() {
        let unsplit = |json| decode(json).unwrap().1.unsplit_cache_write;
        assert_eq!(unsplit(r#"{"cache_creation_input_tokens":50}"#), Tokens(50));
        let split = r#"{"cache_creation_input_tokens":50,"cache_creation":{"ephemeral_5m_input_tokens":30,"ephemeral_1h_input_tokens":15}}"#;
        assert_eq!(unsplit(split), Tokens(5));
    }

    #[test]
    fn a_split_that_says_more_than_the_total_is_told() {
        let read = |total: &str| {
            let json = format!(
                r#"{{"cache_creation_input_tokens":{total},"cache_creation":{{"ephemeral_5m_input_tokens":90,"ephemeral_1h_input_tokens":30}}}}"#
            );
            let (usage, service) = decode(&json).unwrap();
            let beyond = service.cache_split.beyond(usage);
            [usage.cache_write, usage.cache_write_1h, beyond.five_minutes, beyond.one_hour].map(|tokens| tokens.0)
        };
        assert_eq!(read("100"), [100, 10, 0, 20]);
        assert_eq!(read("50"), [50, 0, 40, 30]);
        assert_eq!([read("null"), read("120"), read("150")], [[120, 30, 0, 0], [120, 30, 0, 0], [150, 30, 0, 0]]);
    }

    #[test]
    fn the_service_is_read() {
        let json = r#"{"speed":"fast","inference_geo":"us","server_tool_use":{"web_search_requests":3}}"#;
        let service = decode(json).unwrap().1;
        assert_eq!((service.fast, service.in_us, service.web_searches), (true, true, 3));
        let usual = r#"{"speed":"standard","inference_geo":"not_available","service_tier":"standard"}"#;
        assert_eq!(decode(usual).unwrap().1, Service::default());
    }
}
