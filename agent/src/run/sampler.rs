//! The loop: wait for a tick, read everything, keep it, show it.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use chrono::{SubsecRound, TimeDelta, Utc};

use super::clocks::{Clocks, Jump, thread_cpu_seconds};
use super::held::{Held, hold};
use super::keeper::Keeper;
use super::retention::Retention;
use super::state::{Pair, Shared};
use crate::catalog::Place;
use crate::history::HistoryError;
use crate::schedule::{Outside, Schedule, Tick};
use crate::snapshot::{Reading, Snapshot};
use crate::sources::{self, Settings, Watched, chain, read_all};
use crate::time::Timestamp;

/// The longest single wait: so long it takes to notice a clock that was set, or a zone that was changed.
const NAP: Duration = Duration::from_secs(20);

/// A word to the sampler.
pub enum Control {
    /// Go on with these settings.
    Reload(Setup),
    /// Finish.
    Stop,
}

/// What the sampler works by; a reload brings another.
pub struct Setup {
    /// When to sample.
    pub schedule: Arc<Schedule>,
    /// What to read.
    pub settings: Settings,
    /// Whose series these are.
    pub host: String,
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
    keeper: Keeper,
    shared: Arc<Shared>,
    /// The last snapshot.
    before: Option<Arc<Snapshot>>,
    /// Nothing may be computed from the last snapshot to the next.
    anew: bool,
    held: Held,
    /// The clocks at the last nap.
    clocks: Clocks,
    /// Jumps of time that no snapshot in the history tells of yet.
    untold: Vec<Jump>,
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
    pub fn new(setup: Setup, keeper: Keeper, shared: Arc<Shared>) -> Sampler {
        let (clocks, after) = (Clocks::read(), Utc::now());
        Sampler {
            sources: watched(&setup.settings),
            retention: Retention::new(clocks.boot),
            setup,
            keeper,
            shared,
            before: None,
            anew: false,
            held: Held::new(),
            clocks,
            untold: Vec::new(),
            after,
        }
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
            self.rest_while_closed();
            match self.wait(control) {
                Woken::Word(Control::Stop) => break,
                Woken::Word(Control::Reload(setup)) => self.reload(setup),
                Woken::Anew => self.after = Utc::now(),
                Woken::Due(tick) => self.due(tick),
            }
        }
        if let Some(Err(error)) = self.keeper.history().map(|history| history.end(Utc::now())) {
            tracing::warn!("{}; what was sampled is kept and is folded at the next start", chain(&error));
        }
    }

    /// Sleeps until the next tick, in naps short enough to notice what happens meanwhile.
    fn wait(&mut self, control: &Receiver<Control>) -> Woken {
        let tick = self.setup.schedule.next_tick(self.after);
        loop {
            let now = Utc::now();
            self.shared.update(|status| status.alive = now);
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
            self.untold.push(jump);
            self.anew = true;
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
        true
    }

    /// Between openings, where nothing is read, nothing is shown as if it were new.
    fn rest_while_closed(&mut self) {
        if self.setup.schedule.outside() == Outside::Idle && !self.setup.schedule.is_open(Utc::now()) {
            self.before = None;
            self.shared.publish(None);
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
        let mut now = Snapshot::new(Utc::now().trunc_subsecs(3), &self.setup.host, tick.every);
        read_all(&mut self.sources, &mut now);
        now.note(Place::System, "zone", &[], self.setup.schedule.zone().name());
        let last = self.before.take();
        let anew = std::mem::take(&mut self.anew);
        let before = last.clone().filter(|last| !anew && !now.breaks_from(last));
        // What the history was not told of is told with the first snapshot it keeps, and broken there.
        now.follows = before.is_some() && self.untold.is_empty();
        if !self.untold.is_empty() {
            let jumps: Vec<String> = self.untold.iter().map(ToString::to_string).collect();
            now.note(Place::Agent, "clock", &[], &jumps.join("; "));
        }
        let kept = self.keeper.keep(&now);
        if kept.is_ok() {
            self.untold.clear();
        }
        let fallen: Vec<&Reading> = last.iter().flat_map(|last| now.falls_from(last)).collect();
        self.record(&now, if before.is_some() { &fallen } else { &[] }, kept);
        // Prometheus knows nothing of breaks: what was shown before one is still what it compares with.
        self.held = last.as_deref().map(|last| hold(&self.held, last, &now, &fallen)).unwrap_or_default();
        let now = Arc::new(now);
        let pair = Pair { before, now: now.clone(), held: self.held.clone(), text: OnceLock::new() };
        self.shared.publish(Some(Arc::new(pair)));
        self.before = Some(now);
    }

    /// Tells how the sample went.
    fn record(&mut self, now: &Snapshot, fallen: &[&Reading], kept: Result<(), HistoryError>) {
        let points = now.readings.len() as u64;
        let bytes = self.keeper.history().and_then(|history| history.bytes());
        let sources = self.sources.iter().map(|watched| watched.health.clone()).collect();
        self.shared.update(|status| {
            status.sources = sources;
            status.unknown = now.unknown.len();
            for reading in fallen {
                *status.falls.entry(reading.metric.name).or_default() += 1;
            }
            status.history_bytes = bytes.unwrap_or_default();
            match &kept {
                Err(error) => *status.lost.entry(error.why()).or_default() += points,
                Ok(()) => status.history_points += points,
            }
            let text = kept.err().map(|error| chain(&error));
            if text != status.history_error {
                match &text {
                    Some(error) => tracing::error!("{error}; sampling and /metrics go on, the loss is counted"),
                    None => tracing::info!("the history is written again"),
                }
            }
            status.history_error = text;
        });
    }

    /// Lets go of what is too old or too much, now and then.
    fn forget(&mut self) {
        let boot = Clocks::read().boot;
        if !self.retention.due(boot) {
            return;
        }
        let Some(history) = self.keeper.history() else { return };
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
        match self.keeper.history().map(|history| history.totals()) {
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
        self.anew = true;
        self.after = Utc::now();
        let schedule = self.setup.schedule.clone();
        self.shared.update(|status| status.schedule = schedule);
    }
}

fn watched(settings: &Settings) -> Vec<Watched> {
    sources::all(settings).into_iter().map(Watched::new).collect()
}
