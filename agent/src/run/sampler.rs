//! The loop: wait for a tick, read everything, keep it, show it.

mod partitions;

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use chrono::{SubsecRound, TimeDelta, Utc};

use super::clocks::{Clocks, Jump, thread_cpu_seconds};
use super::daily::{Daily, is_activity};
use super::found::Found;
use super::keeper::Keeper;
use super::retention::Retention;
use super::state::Shared;
use super::taking::Taking;
use super::watchers::Watchers;
use crate::analysis::activity::Window;
use crate::analysis::registered::Registered;
use crate::catalog::Place;
use crate::history::HistoryError;
use crate::schedule::{Outside, Schedule, Tick};
use crate::snapshot::Snapshot;
use crate::sources::domino::discovery::Discovery;
use crate::sources::domino::{self, Report};
use crate::sources::{self, Health, Settings, Watched, chain, read_all};
use crate::time::Timestamp;

/// The longest single wait: so long it takes to notice a clock that was set, or a zone that was changed.
const NAP: Duration = Duration::from_secs(20);

/// A word to the sampler.
pub enum Control {
    /// What a partition brought.
    Read(Answer),
    /// The servers that run on this host.
    Found(Discovery),
    /// Go on with these settings.
    Reload(Setup),
    /// Finish.
    Stop,
}

/// What came of asking a partition.
pub struct Answer {
    /// What was read.
    pub report: Report,
    /// CPU seconds that took.
    pub cpu: f64,
    /// Who says so.
    pub number: u64,
}

/// What the sampler works by; a reload brings another.
pub struct Setup {
    /// When to sample.
    pub schedule: Arc<Schedule>,
    /// What to read.
    pub settings: Settings,
    /// The partitions.
    pub partitions: Vec<domino::Settings>,
    /// How many users are registered on them, where somebody says so.
    pub registered: BTreeMap<String, Registered>,
    /// Whose series these are.
    pub host: String,
    /// In which window users count as active; without it the widest that a server offers.
    pub window: Option<Window>,
    /// How long points are kept.
    pub keep: Duration,
    /// How large the history may grow, in bytes.
    pub keep_bytes: u64,
    /// Tells the system's zone, where the schedule follows it.
    pub system_zone: Option<fn() -> Option<chrono_tz::Tz>>,
}

/// The sampler's own state.
pub struct Sampler {
    setup: Setup,
    sources: Vec<Watched>,
    watchers: Watchers,
    /// Servers that run on this host.
    found: Found,
    /// The releases that servers said.
    said: BTreeMap<String, String>,
    taking: Taking,
    daily: Daily,
    shared: Arc<Shared>,
    /// The clocks at the last nap.
    clocks: Clocks,
    /// Ticks up to here are dealt with.
    after: Timestamp,
    retention: Retention,
}

/// Why the sampler woke.
enum Woken {
    Due(Tick),
    /// Something about time or its rules changed: the next tick has to be looked up again.
    Anew,
    Word(Control),
}

impl Sampler {
    /// Ready to run.
    ///
    /// `words` is where [`Sampler::run`] is spoken to: threads of partitions speak there, too, as long as somebody else can.
    pub fn new(setup: Setup, keeper: Keeper, shared: Arc<Shared>, words: Weak<Sender<Control>>) -> Sampler {
        let (clocks, after) = (Clocks::read(), Utc::now());
        let mut sampler = Sampler {
            sources: watched(&setup.settings),
            watchers: Watchers::new(words),
            found: Found::default(),
            said: BTreeMap::new(),
            taking: Taking::new(keeper, shared.clone()),
            daily: Daily::new(setup.schedule.clone(), setup.window, shared.clone()),
            retention: Retention::new(clocks.boot),
            setup,
            shared,
            clocks,
            after,
        };
        sampler.watch();
        sampler
    }

    /// Samples until told to stop, then closes the history.
    pub fn run(mut self, control: &Receiver<Control>) {
        self.measure_history();
        if let Some(tick) = self.setup.schedule.next_tick(self.after) {
            tracing::info!(
                "first sample at {}",
                tick.at.with_timezone(&self.setup.schedule.zone()).format("%Y-%m-%d %H:%M:%S %Z")
            );
        }
        loop {
            match self.wait(control) {
                Woken::Word(Control::Stop) => break,
                Woken::Word(Control::Reload(setup)) => self.reload(setup),
                Woken::Word(Control::Read(answer)) => self.read(answer),
                Woken::Word(Control::Found(discovery)) => self.found(discovery),
                Woken::Anew => self.after = Utc::now(),
                Woken::Due(tick) => self.due(tick),
            }
        }
        if let Some(Err(error)) = self.taking.keeper.history().map(|history| history.end(Utc::now())) {
            tracing::warn!("{}; what was sampled is kept and is folded at the next start", chain(&error));
        }
    }

    /// Sleeps until the next tick, in naps short enough to notice what happens meanwhile.
    fn wait(&mut self, control: &Receiver<Control>) -> Woken {
        let tick = self.setup.schedule.next_tick(self.after);
        loop {
            let now = Utc::now();
            self.shared.update(|status| status.alive = now);
            self.rest_while_closed(now);
            if self.time_jumped() || self.zone_changed() {
                return Woken::Anew;
            }
            let left = tick.map_or(NAP, |tick| (tick.at - now).to_std().unwrap_or_default().min(NAP));
            match control.recv_timeout(left) {
                Ok(word) => return Woken::Word(word),
                // Whoever could say stop is gone, and so is the service.
                Err(RecvTimeoutError::Disconnected) => return Woken::Word(Control::Stop),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Some(tick) = tick.filter(|tick| tick.at <= Utc::now()) {
                return Woken::Due(tick);
            }
        }
    }

    /// Whether the clock was set; ticks before the new time never were. Time asleep was real, and its ticks are skipped ones.
    fn time_jumped(&mut self) -> bool {
        let clocks = Clocks::read();
        let jump = clocks.jump_since(&self.clocks);
        self.clocks = clocks;
        if let Some(jump) = jump {
            tracing::warn!("{jump}; nothing is computed across it");
            self.shared.update(|status| status.clock_jumps += 1);
            if matches!(jump, Jump::Stepped(_)) {
                self.retention.stepped(clocks.boot);
            }
            self.taking.break_all(Some(jump));
        }
        matches!(jump, Some(Jump::Stepped(_)))
    }

    /// Whether the system has another zone now; the schedule follows.
    fn zone_changed(&mut self) -> bool {
        let Some(zone) = self.setup.system_zone.and_then(|ask| ask()) else { return false };
        if zone == self.setup.schedule.zone() {
            return false;
        }
        tracing::warn!("the system's zone is {zone} now, the schedule follows");
        let schedule = Arc::new(Schedule::clone(&self.setup.schedule).in_zone(zone));
        self.setup.schedule = schedule.clone();
        self.shared.update(|status| status.schedule = schedule);
        self.watch();
        true
    }

    /// Between openings, where nothing is read, nothing is shown as if it were new.
    /// The tick at closing time is waited for where partitions are still being read.
    fn rest_while_closed(&mut self, now: Timestamp) {
        let idle = self.setup.schedule.outside() == Outside::Idle && !self.setup.schedule.is_open(now);
        if idle && !self.watchers.busy(now) {
            self.taking.rest();
        }
    }

    fn due(&mut self, tick: Tick) {
        self.after = tick.at;
        let late = (Utc::now() - tick.at).to_std().unwrap_or_default();
        if late > tick.every {
            self.shared.update(|status| status.ticks.skipped += 1);
            return;
        }
        let (start, cpu) = (Instant::now(), thread_cpu_seconds());
        self.sample(&tick);
        self.discover();
        self.forget();
        let (took, cpu) = (start.elapsed(), thread_cpu_seconds() - cpu);
        self.shared.update(|status| {
            let count = if late * 10 > tick.every { &mut status.ticks.late } else { &mut status.ticks.on_time };
            *count += 1;
            status.sample_took = took;
            status.sample_cpu_seconds += cpu;
        });
    }

    fn sample(&mut self, tick: &Tick) {
        self.time_jumped();
        let at = Utc::now().trunc_subsecs(3);
        // They begin now, and are done when they are.
        let behind = self.watchers.ask(at, tick.every);
        let mut now = Snapshot::new(at, &self.setup.host, tick.every);
        read_all(&mut self.sources, &mut now);
        now.note(Place::System, "zone", &[], self.setup.schedule.zone().name());
        let sources = self.sources.iter().map(|watched| watched.health.clone());
        let sources = sources.chain(self.found.health(&self.setup.partitions)).collect();
        self.shared.update(|status| {
            status.sources.insert(String::new(), sources);
            for behind in behind {
                let sources = status.sources.entry(behind.partition.clone()).or_default();
                if !sources.iter().any(|health| health.name == behind.source) {
                    sources.push(Health::new(behind.source, &behind.partition));
                }
                if let Some(health) = sources.iter_mut().find(|health| health.name == behind.source) {
                    health.judge(Err(behind.error), None);
                }
            }
        });
        self.taking.take(now);
        self.daily.turn(at);
        self.shared.withdraw(|stream, pair| {
            let age = (at - pair.now.at).to_std().unwrap_or_default();
            !stream.is_empty() && !is_activity(stream) && age > domino::limit(pair.now.every)
        });
    }

    /// Lets go of what is too old or too much, now and then.
    fn forget(&mut self) {
        let boot = Clocks::read().boot;
        if !self.retention.due(boot) {
            return;
        }
        let Some(history) = self.taking.keeper.history() else { return };
        let keep = TimeDelta::from_std(self.setup.keep).unwrap_or(TimeDelta::MAX);
        let (retention, limit) = (&self.retention, self.setup.keep_bytes);
        let mut prune = || {
            let now = Utc::now();
            let present = retention.present(history.believed()?.unwrap_or(now), now, boot);
            history.believe(present)?;
            let aged = history.prune(present.checked_sub_signed(keep).unwrap_or(Timestamp::MIN_UTC))?;
            Ok::<_, HistoryError>(aged + history.prune_to(limit)?)
        };
        let pruned = prune();
        match pruned {
            Ok(0) => {}
            Ok(points) => {
                tracing::info!(points, "forgot what [history] does not keep");
                self.measure_history();
            }
            Err(error) => tracing::warn!("{}; nothing was forgotten", chain(&error)),
        }
    }

    fn measure_history(&mut self) {
        match self.taking.keeper.history().map(|history| history.totals()) {
            Some(Ok(totals)) => {
                self.shared.update(|status| (status.history_bytes, status.history_points) = (totals.bytes, totals.points));
            }
            Some(Err(error)) => tracing::warn!("{}", chain(&error)),
            None => {}
        }
    }

    fn reload(&mut self, setup: Setup) {
        // Sources that go on remember what hangs, and are not asked to find it out again.
        if setup.settings != self.setup.settings {
            self.sources = watched(&setup.settings);
        }
        self.setup = setup;
        // Another interval or host begins a segment of its own.
        self.taking.break_all(None);
        self.watch();
        self.after = Utc::now();
        let schedule = self.setup.schedule.clone();
        self.shared.update(|status| status.schedule = schedule);
    }
}

fn watched(settings: &Settings) -> Vec<Watched> {
    sources::all(settings).into_iter().map(Watched::new).collect()
}
