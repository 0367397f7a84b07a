use super::outcome::Class;
use super::step::{Start, Step, StepResult};
use crate::session::Backoff;
use crate::unit::{Span, Usd, counted};

/// Said to the model after a failure. Without the reason, on purpose: it is not the model's business.
pub(super) const RESUME_PROMPT: &str =
    "上一轮在中途被打断,没有跑完。检查一下工作台里已经落盘的东西,从中断处接着做,不要重头来过。";

/// When and how often a step is tried again (spec/runner.md, section 9).
#[derive(Debug, Clone, Copy)]
pub(super) struct Resilience {
    pub(super) enabled: bool,
    pub(super) backoff: Backoff,
    pub(super) probe_interval: Span,
    pub(super) max_offline: Span,
    pub(super) retry_unknown: bool,
}

impl Resilience {
    /// Flower's own values.
    pub(super) const FLOWER: Self = Self {
        enabled: true,
        backoff: Backoff::FLOWER,
        probe_interval: Span::from_millis(15_000),
        max_offline: Span::from_millis(3_600_000),
        retry_unknown: true,
    };

    fn tries_again(&self, class: Class, tries: u32) -> bool {
        let may_help = class == Class::Transient || class == Class::Unknown && self.retry_unknown;
        self.enabled && may_help && tries < self.backoff.attempts
    }
}

/// What one attempt is asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Order {
    /// Which attempt of the step it is, from 1. One that a person stopped has used up nothing and is not counted.
    pub(super) number: u32,
    /// The prompt.
    pub(super) prompt: String,
    /// Where it starts.
    pub(super) start: Start,
    /// Most that it may cost.
    pub(super) budget: Option<Usd>,
}

/// What one attempt did.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Attempted {
    /// How it ended.
    pub(super) class: Class,
    /// The session that it wrote to, once that is known.
    pub(super) session_id: Option<String>,
    /// What it cost.
    pub(super) cost: Usd,
    /// Turns as the CLI counts them.
    pub(super) turns: u64,
    /// What was said in the main thread.
    pub(super) text: String,
    /// Why it failed.
    pub(super) error: String,
    /// Largest context of the main thread.
    pub(super) context: u64,
    /// What a person said when they stopped it.
    pub(super) said: Option<String>,
    /// Answers that the CLI neither handed over nor wrote to its files.
    pub(super) lost: usize,
}

/// The runner was told to stop by this signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stopped(pub(super) i32);

/// What the machine needs of the world: attempts, the clock, chance, the network, and somebody to tell.
pub(super) trait World {
    /// Runs one attempt to its end. What it did until then is also there when it was stopped.
    fn attempt(&mut self, step: &Step, order: &Order) -> (Attempted, Option<Stopped>);
    /// Seconds since the epoch.
    fn now(&self) -> f64;
    /// Waits and tells how long is left; a signal ends it early.
    fn wait(&mut self, span: Span, reason: &str) -> Result<(), Stopped>;
    /// A place in the window of a wait, by chance.
    fn chance(&mut self) -> u16;
    /// Whether the API's host can be reached.
    fn is_online(&mut self) -> Result<bool, Stopped>;
    /// The API's host, as it is shown.
    fn host(&self) -> String;
    /// Whether the store holds anything of the session.
    fn has_session(&self, id: &str) -> bool;
    /// Tells a person about a retry.
    fn tell(&mut self, text: &str);
}

/// Runs a step: tries, waits, resumes, until it is done or trying again cannot help.
pub(super) fn run(step: &Step, resilience: &Resilience, world: &mut impl World) -> (StepResult, Option<Stopped>) {
    let session_id = step.start.session().map(str::to_owned);
    let mut result = StepResult { session_id, started_at: world.now(), ..StepResult::default() };
    let mut order = Order { number: 0, prompt: step.prompt.clone(), start: step.start.clone(), budget: step.budget };
    let stopped = attempts(step, resilience, world, &mut result, &mut order).err();
    if stopped.is_some() {
        result.error = Some(result.error.take().unwrap_or_else(|| "killed-by-signal".to_owned()));
    }
    result.ended_at = world.now();
    (result, stopped)
}

fn attempts(
    step: &Step,
    resilience: &Resilience,
    world: &mut impl World,
    result: &mut StepResult,
    order: &mut Order,
) -> Result<(), Stopped> {
    loop {
        order.number += 1;
        order.budget = step.budget.map(|budget| Usd::from_nanos(budget.nanos().saturating_sub(result.cost.nanos())));
        if order.budget.is_some_and(|left| left <= Usd::ZERO) {
            result.error = Some(format!("{}: the budget is used up", Class::Fatal));
            return Ok(());
        }
        let (attempted, stopped) = world.attempt(step, order);
        result.attempts = order.number;
        take(result, &attempted);
        if let Some(stopped) = stopped {
            result.error = None;
            return Err(stopped);
        }
        note_failure(result, &attempted);
        let tries = order.number;
        let next = match attempted.class {
            Class::Interrupted => Some(after_interrupt(&attempted, order, world)),
            Class::Transient | Class::Unknown if resilience.tries_again(attempted.class, tries) => {
                match after_failure(&attempted, order, resilience, world)? {
                    Ok(next) => Some(next),
                    Err(dead) => {
                        let error = result.error.take().unwrap_or_default();
                        result.error = Some(format!("{error} | {dead}"));
                        None
                    }
                }
            }
            Class::Ok | Class::Fatal | Class::Overflow | Class::Transient | Class::Unknown => None,
        };
        order.number -= u32::from(attempted.class == Class::Interrupted);
        match next {
            None => return Ok(()),
            Some(Next::Repeat { prompt }) => order.prompt = prompt,
            Some(Next::Resume { id, prompt }) => {
                (order.start, order.prompt) = (Start::Resume { id, at: None }, prompt);
                result.resumed = true;
            }
        }
    }
}

/// What the next attempt does.
enum Next {
    /// The same start again: nothing of this one is in the store.
    Repeat { prompt: String },
    /// Goes on where this one broke off.
    Resume { id: String, prompt: String },
}

/// Goes on with what the person said. Where they were so quick that nothing is stored, they said it beside the prompt.
fn after_interrupt(attempted: &Attempted, order: &Order, world: &impl World) -> Next {
    let said = attempted.said.as_deref().map(wrap);
    match stored(attempted, world) {
        Some(id) => Next::Resume { id, prompt: said.unwrap_or_else(|| RESUME_PROMPT.to_owned()) },
        None => {
            Next::Repeat { prompt: said.map_or(order.prompt.clone(), |said| format!("{}\n\n{said}", order.prompt)) }
        }
    }
}

/// The session of an attempt, if the store has it.
fn stored(attempted: &Attempted, world: &impl World) -> Option<String> {
    attempted.session_id.clone().filter(|id| world.has_session(id))
}

/// Waits for the network and then for the time that the number of tries asks for. The inner error says that the network
/// stayed dead.
fn after_failure(
    attempted: &Attempted,
    order: &Order,
    resilience: &Resilience,
    world: &mut impl World,
) -> Result<Result<Next, String>, Stopped> {
    let tries = order.number;
    world.tell(&format!("第 {tries} 次失败({}),准备重试", attempted.class));
    if !wait_online(resilience, world)? {
        return Ok(Err(format!("网络在 {} 分钟 内未恢复", resilience.max_offline.millis() / 60_000)));
    }
    let wait = resilience.backoff.jittered(tries, world.chance());
    world.wait(wait, "retry")?;
    let repeat = || Next::Repeat { prompt: order.prompt.clone() };
    Ok(Ok(stored(attempted, world).map_or_else(repeat, |id| Next::Resume { id, prompt: RESUME_PROMPT.to_owned() })))
}

/// Adds an attempt to the result of its step.
fn take(result: &mut StepResult, attempted: &Attempted) {
    result.cost += attempted.cost;
    result.turns = result.turns.saturating_add(attempted.turns);
    result.context = result.context.max(attempted.context);
    result.session_id = attempted.session_id.clone().or(result.session_id.take());
    if !attempted.text.is_empty() {
        result.text.clone_from(&attempted.text);
    }
    if attempted.lost > 0 {
        let answers = counted(attempted.lost, "answer");
        result
            .errors
            .push(format!("mirror_error: {answers} of the model did not reach the store: the CLI wrote none of it"));
    }
}

/// Notes how an attempt ended that came to its end. What a person stopped has not failed.
fn note_failure(result: &mut StepResult, attempted: &Attempted) {
    result.ok = attempted.class == Class::Ok;
    result.error = (!result.ok).then(|| format!("{}: {}", attempted.class, attempted.error));
    if !result.ok && attempted.class != Class::Interrupted {
        result.errors.push(attempted.error.clone());
    }
}

/// What a person said, with the way to take it.
fn wrap(said: &str) -> String {
    format!("人在这里打断了你,说:\n\n{said}\n\n按这句话调整,接着做 —— 不要重头开始。")
}

/// Waits until the API's host can be reached; false if that takes too long. A person hears of it twice at most.
fn wait_online(resilience: &Resilience, world: &mut impl World) -> Result<bool, Stopped> {
    let start = world.now();
    let host = world.host();
    let mut told = false;
    while !world.is_online()? {
        if !told {
            let minutes = resilience.max_offline.millis() / 60_000;
            world.tell(&format!("{host} 不可达,等待恢复(最多 {minutes} 分钟)"));
            told = true;
        }
        let waited = Span::from_seconds(world.now() - start).unwrap_or_default();
        if waited >= resilience.max_offline {
            return Ok(false);
        }
        world.wait(resilience.probe_interval, "offline")?;
    }
    if told {
        world.tell(&format!("{host} 恢复,继续"));
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A world in which time passes only by waiting.
    struct Script {
        outcomes: Vec<Attempted>,
        orders: Vec<Order>,
        waits: Vec<(i64, String)>,
        told: Vec<String>,
        /// Moments, in seconds, until which the network is dead.
        offline_until: f64,
        now: f64,
        stored: bool,
    }

    impl Script {
        fn new(outcomes: &[Attempted]) -> Self {
            let mut outcomes = outcomes.to_vec();
            outcomes.reverse();
            let (orders, waits, told) = (Vec::new(), Vec::new(), Vec::new());
            Self { outcomes, orders, waits, told, offline_until: 0.0, now: 1000.0, stored: true }
        }

        fn run(&mut self, step: &Step) -> StepResult {
            let (result, stopped) = run(step, &Resilience::FLOWER, self);
            assert_eq!(stopped, None);
            result
        }

        fn retries(&self) -> Vec<i64> {
            self.waits.iter().filter(|(_, reason)| reason == "retry").map(|(millis, _)| *millis).collect()
        }
    }

    impl World for Script {
        fn attempt(&mut self, _: &Step, order: &Order) -> (Attempted, Option<Stopped>) {
            self.orders.push(order.clone());
            (self.outcomes.pop().expect("no attempt more than there are outcomes"), None)
        }
        fn now(&self) -> f64 {
            self.now
        }
        fn wait(&mut self, span: Span, reason: &str) -> Result<(), Stopped> {
            self.now += span.seconds();
            self.waits.push((span.millis(), reason.to_owned()));
            Ok(())
        }
        fn chance(&mut self) -> u16 {
            u16::MAX / 2
        }
        fn is_online(&mut self) -> Result<bool, Stopped> {
            Ok(self.now >= self.offline_until)
        }
        fn host(&self) -> String {
            "api:443".to_owned()
        }
        fn has_session(&self, _: &str) -> bool {
            self.stored
        }
        fn tell(&mut self, text: &str) {
            self.told.push(text.to_owned());
        }
    }

    fn ended(class: Class, error: &str) -> Attempted {
        Attempted {
            class,
            session_id: Some("s".to_owned()),
            cost: Usd::from_nanos(10_000_000),
            turns: 2,
            text: String::new(),
            error: error.to_owned(),
            context: 7,
            said: None,
            lost: 0,
        }
    }

    fn step() -> Step {
        Step { prompt: "P".to_owned(), start: Start::Fresh { id: "s".to_owned() }, ..Step::default() }
    }

    #[test]
    fn a_failure_is_resumed_and_its_text_stays_with_us() {
        let mut world = Script::new(&[
            ended(Class::Transient, "500"),
            Attempted { text: "done".to_owned(), ..ended(Class::Ok, "") },
        ]);
        let result = world.run(&step());
        assert_eq!((result.ok, result.attempts, result.resumed, result.turns), (true, 2, true, 4));
        assert_eq!(
            (result.cost, result.text.as_str(), result.error.as_deref()),
            (Usd::from_nanos(20_000_000), "done", None)
        );
        assert_eq!(result.errors, ["500"]);
        let [first, second] = world.orders.as_slice() else { panic!() };
        assert_eq!((first.prompt.as_str(), &first.start), ("P", &step().start));
        assert_eq!(second.prompt, RESUME_PROMPT);
        assert_eq!(second.start, Start::Resume { id: "s".to_owned(), at: None });
        assert_eq!(world.told, ["第 1 次失败(transient),准备重试"]);
    }

    #[test]
    fn what_was_never_stored_is_repeated() {
        let mut world = Script::new(&[ended(Class::Unknown, "exit -9"), ended(Class::Ok, "")]);
        world.stored = false;
        let result = world.run(&step());
        assert!(!result.resumed);
        assert_eq!(world.orders[1], Order { number: 2, ..world.orders[0].clone() });
    }

    #[test]
    fn waits_double_and_six_attempts_are_all() {
        let mut world = Script::new(&vec![ended(Class::Transient, "529"); 6]);
        let result = world.run(&step());
        assert_eq!((result.attempts, result.errors.len(), result.ok), (6, 6, false));
        assert_eq!(result.error.as_deref(), Some("transient: 529"));
        for (wait, nominal) in world.retries().into_iter().zip([4_000, 8_000, 16_000, 32_000, 64_000]) {
            assert!((wait - nominal).abs() <= nominal / 4, "{wait} {nominal}");
        }
        assert_eq!(world.retries().len(), 5);
    }

    #[test]
    fn what_cannot_help_is_not_tried() {
        for class in [Class::Fatal, Class::Overflow] {
            let mut world = Script::new(&[ended(class, "no")]);
            assert_eq!((world.run(&step()).attempts, world.waits.len()), (1, 0));
        }
    }

    #[test]
    fn a_dead_network_is_waited_for_and_told_twice() {
        let mut world = Script::new(&[ended(Class::Transient, "dns"), ended(Class::Ok, "")]);
        world.offline_until = 1100.0;
        assert!(world.run(&step()).ok);
        assert_eq!(world.told[1..], ["api:443 不可达,等待恢复(最多 60 分钟)", "api:443 恢复,继续"]);
        assert_eq!(world.waits.iter().filter(|(_, reason)| reason == "offline").count(), 7);
    }

    #[test]
    fn a_network_that_stays_dead_ends_the_step() {
        let mut world = Script::new(&[ended(Class::Transient, "dns")]);
        world.offline_until = f64::INFINITY;
        let result = world.run(&step());
        assert_eq!(result.error.as_deref(), Some("transient: dns | 网络在 60 分钟 内未恢复"));
        assert_eq!(world.told.len(), 2, "{:?}", world.told);
    }

    #[test]
    fn the_budget_is_for_all_attempts() {
        let step = Step { budget: Some(Usd::from_nanos(15_000_000)), ..step() };
        let mut world = Script::new(&[ended(Class::Transient, "a"), ended(Class::Transient, "b")]);
        let result = world.run(&step);
        let budgets: Vec<i64> = world.orders.iter().filter_map(|order| order.budget).map(Usd::nanos).collect();
        assert_eq!(budgets, [15_000_000, 5_000_000]);
        assert_eq!(result.error.as_deref(), Some("fatal: the budget is used up"));
    }

    #[test]
    fn a_person_who_interrupts_is_heard() {
        let said = Attempted { said: Some("别动".to_owned()), ..ended(Class::Interrupted, "x") };
        let mut world = Script::new(&[said, ended(Class::Interrupted, "y"), ended(Class::Ok, "")]);
        let result = world.run(&step());
        assert_eq!((result.ok, result.resumed, result.errors.len()), (true, true, 0));
        assert_eq!(world.orders[1].prompt, "人在这里打断了你,说:\n\n别动\n\n按这句话调整,接着做 —— 不要重头开始。");
        assert_eq!(world.orders[2].prompt, RESUME_PROMPT);
        assert_eq!(world.waits, []);
    }
}
