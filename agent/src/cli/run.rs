//! `weekline run`: the service.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Context;
use chrono::{TimeDelta, Utc};
use sd_notify::NotifyState;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use tokio::net::UnixStream;
use weekline_exporter::serve;

use super::partitions::{self, About};
use super::{Common, setup};
use crate::config::{self, Config, ScheduleSettings};
use crate::run::{Control, Keeper, Sampler, Setup, Shared};
use crate::sources::Settings;
use crate::web::{self, Doors};

/// How long a request under way may take after the word to stop.
const GRACE: Duration = Duration::from_millis(400);
/// How long the sampler may take to end then, with the commands that its partitions are giving.
const SAMPLER_GRACE: Duration = Duration::from_millis(1500);
/// The sampler shows that it lives at least this often; else systemd is not told so, and restarts the service.
const ALIVE: TimeDelta = TimeDelta::seconds(90);

/// Arguments of `weekline run`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Sample around the clock, every day: for a try
    #[arg(long)]
    always: bool,
    /// Address and port to serve, over `listen` in [web]
    #[arg(long, value_name = "ADDR")]
    listen: Option<SocketAddr>,
    /// Time between two samples, like 1s, over `interval` in [schedule]
    #[arg(long, value_name = "TIME", value_parser = config::interval)]
    interval: Option<Duration>,
}

pub(super) fn run(args: &Args, common: &Common) -> anyhow::Result<ExitCode> {
    log_to_stderr();
    let config = setup::config(common)?;
    let doors = Arc::new(Doors::new());
    let prepared = prepare(args, common, &config, &doors)?;
    let path = setup::history_path(common, &config)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start the run-time")?;
    let shared = Arc::new(Shared::new(Utc::now(), prepared.schedule.clone()));
    let listen = args.listen.unwrap_or(config.listen);
    runtime.block_on(async {
        // The address first: a run that cannot serve leaves the history as it is.
        let listener = serve::listen(listen).await?;
        let listening = listener.local_addr().context("cannot tell the address served")?;
        let keeper = Keeper::begin(&path, &prepared.host)?;
        let (control, words) = channel();
        let control = Arc::new(control);
        let sampler = Sampler::new(prepared, keeper, shared.clone(), Arc::downgrade(&control));
        let sampler = std::thread::Builder::new()
            .name("sampler".to_owned())
            .spawn(move || sampler.run(&words))
            .context("cannot start the sampler")?;
        tracing::info!(history = %path.display(), "serving http://{listening}/metrics");
        let service = Service { args, common, shared, control, doors };
        service.serve(listener, sampler).await
    })
}

/// What the sampler works by; the doors for pushing are opened and closed as the configuration says.
fn prepare(args: &Args, common: &Common, config: &Config, doors: &Doors) -> anyhow::Result<Setup> {
    let interval = args.interval.unwrap_or(config.schedule.interval);
    let mut schedule = setup::schedule(&ScheduleSettings { interval, ..config.schedule.clone() })?;
    if args.always {
        schedule = schedule.always();
    }
    setup::opens(&schedule)?;
    let (host, root) = (setup::host(config)?, PathBuf::from("/"));
    let prepared = partitions::prepare(
        config,
        &About { host: &host, root: &root, history: &setup::history_path(common, config)?, schedule: &schedule },
        doors,
    )?;
    doors.replace(prepared.doors);
    Ok(Setup {
        schedule: Arc::new(schedule),
        settings: Settings { root, network_file_systems: config.network_file_systems },
        partitions: prepared.partitions,
        registered: prepared.registered,
        window: setup::window(config),
        host,
        keep: config.keep,
        keep_bytes: config.keep_bytes,
        system_zone: config.schedule.zone.is_none().then_some(|| setup::system_zone().ok()),
    })
}

/// What the running service needs to hear signals and reload.
struct Service<'a> {
    args: &'a Args,
    common: &'a Common,
    shared: Arc<Shared>,
    control: Arc<Sender<Control>>,
    doors: Arc<Doors>,
}

impl Service<'_> {
    async fn serve(&self, listener: tokio::net::TcpListener, sampler: JoinHandle<()>) -> anyhow::Result<ExitCode> {
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let stopped = async { drop(stopped.await) };
        let mut server = tokio::spawn(serve::serve(listener, web::router(self.shared.clone(), self.doors.clone()), stopped));
        let (terminate, hang_up) = (signals(&[SIGTERM, SIGINT])?, signals(&[SIGHUP])?);
        tell(&[NotifyState::Ready]);
        let mut pulse = tokio::time::interval(Duration::from_secs(5));
        loop {
            tokio::select! {
                heard = wait_for(&terminate) => { heard?; break }
                heard = wait_for(&hang_up) => { heard?; self.reload() }
                ended = &mut server => { ended.context("the server ended")?.context("the server failed")?; anyhow::bail!("the server ended by itself") }
                _ = pulse.tick() => {
                    anyhow::ensure!(!sampler.is_finished(), "the sampler ended by itself; the line above says why");
                    if Utc::now() - self.shared.alive() < ALIVE { tell(&[NotifyState::Watchdog]) }
                }
            }
        }
        tell(&[NotifyState::Stopping]);
        tracing::info!("stopping");
        let _ = self.control.send(Control::Stop);
        let _ = stop.send(());
        // A client that reads slowly, or a source that hangs, does not hold the service up: what is kept is safe at any moment.
        let _ = tokio::time::timeout(GRACE, &mut server).await;
        let ended = async {
            while !sampler.is_finished() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        if tokio::time::timeout(SAMPLER_GRACE, ended).await.is_err() {
            tracing::warn!("the sample under way did not end in time and is given up");
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Takes the configuration anew; a wrong one is refused and the old one stays.
    fn reload(&self) {
        let fresh = setup::config(self.common).and_then(|config| prepare(self.args, self.common, &config, &self.doors));
        match fresh {
            Ok(setup) => {
                let _ = self.control.send(Control::Reload(setup));
                self.shared.update(|status| (status.reload.at, status.reload.error) = (Utc::now(), None));
                tracing::info!("configuration taken anew; `listen` and `path` take effect at the next start");
            }
            Err(error) => {
                let error = format!("{error:#}");
                tracing::error!("configuration refused, the old one stays: {error}");
                self.shared.update(|status| status.reload.error = Some(error));
            }
        }
    }
}

/// A stream that gets a byte whenever one of these signals comes.
fn signals(which: &[i32]) -> anyhow::Result<UnixStream> {
    let (read, write) = UnixStream::pair().context("cannot listen for signals")?;
    let write = write.into_std().context("cannot listen for signals")?;
    for signal in which {
        signal_hook::low_level::pipe::register(*signal, write.try_clone()?).context("cannot listen for signals")?;
    }
    Ok(read)
}

async fn wait_for(signals: &UnixStream) -> anyhow::Result<()> {
    loop {
        signals.readable().await?;
        let mut bytes = [0; 64];
        match signals.try_read(&mut bytes) {
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// A word to systemd, if it started us.
fn tell(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::debug!("systemd was not told: {error}");
    }
}

fn log_to_stderr() {
    // journald stamps every line itself.
    let stamped = std::env::var_os("JOURNAL_STREAM").is_none();
    let log = tracing_subscriber::fmt().with_writer(std::io::stderr).with_target(false).with_ansi(false);
    if stamped { log.init() } else { log.without_time().init() }
}
