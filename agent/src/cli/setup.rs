//! From settings to things: the configuration file read, the zone and holidays looked up, the history found.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use chrono::{Datelike, Utc};
use chrono_tz::Tz;

use super::Common;
use crate::analysis::activity::Window;
use crate::analysis::registered;
use crate::config::{Config, Holidays, Partition, Registered, ScheduleSettings};
use crate::history::History;
use crate::schedule::{Schedule, holidays};

/// Where the configuration lies if nobody says.
const USUAL: &str = "/etc/weekline/weekline.toml";

/// What the system's zone is set by.
const LOCALTIME: &str = "/etc/localtime";

/// How many years ahead yearly rules of a calendar are followed; a service that runs longer is reloaded in between.
const YEARS_AHEAD: i32 = 10;

/// The configuration and where it came from.
pub(super) struct Loaded {
    /// The file; none: the defaults alone.
    pub(super) path: Option<PathBuf>,
    /// What it says.
    pub(super) text: String,
}

/// Reads the file named, or the usual one if it is there.
pub(super) fn load(common: &Common) -> anyhow::Result<Loaded> {
    let usual = Path::new(USUAL);
    let path = common.config.clone().or_else(|| usual.exists().then(|| usual.to_owned()));
    let text = match &path {
        None => String::new(),
        Some(path) => {
            std::fs::read_to_string(path).with_context(|| format!("cannot read the configuration `{}`", path.display()))?
        }
    };
    Ok(Loaded { path, text })
}

impl Loaded {
    /// Its settings, or every problem of the file.
    pub(super) fn parse(&self) -> Result<Config, Vec<String>> {
        let path = self.path.as_deref().unwrap_or(Path::new("defaults")).display();
        let parsed = Config::parse(&self.text);
        let mut config =
            parsed.map_err(|problems| problems.iter().map(|problem| format!("`{path}`: {problem}")).collect::<Vec<_>>())?;
        // A path in the file is meant as seen from the file, wherever the command is typed.
        if let Some(folder) = self.path.as_deref().and_then(Path::parent) {
            config.history = config.history.map(|path| folder.join(path));
            config.push_token_file = config.push_token_file.map(|path| folder.join(path));
            let holidays = match &mut config.schedule.holidays {
                Holidays::File(path) => Some(path),
                Holidays::Dates(_) => None,
            };
            for path in holidays.into_iter().chain(config.partitions.iter_mut().flat_map(Partition::paths_mut)) {
                *path = folder.join(&*path);
            }
        }
        Ok(config)
    }
}

/// The configuration in force for a command.
pub(super) fn config(common: &Common) -> anyhow::Result<Config> {
    load(common)?.parse().map_err(|problems| anyhow::anyhow!(problems.join("\n")))
}

/// The schedule of a configuration, with the system's zone and the holidays looked up.
pub(super) fn schedule(settings: &ScheduleSettings) -> anyhow::Result<Schedule> {
    let zone = settings.zone.map_or_else(system_zone, Ok)?;
    let dates = match &settings.holidays {
        Holidays::Dates(dates) => dates.clone(),
        Holidays::File(path) => {
            let said = || format!("cannot use `holidays` in [schedule]: `{}`", path.display());
            let text = std::fs::read_to_string(path).with_context(said)?;
            let year = Utc::now().year();
            holidays::parse(&text, year - YEARS_AHEAD..=year + YEARS_AHEAD).with_context(said)?
        }
    };
    Ok(Schedule::new(zone, settings.hours, settings.interval, settings.outside, dates))
}

/// The users registered on a partition, with its file read; none where nobody says how many there are.
pub(super) fn registered(partition: &Partition) -> anyhow::Result<Option<registered::Registered>> {
    let path = match &partition.registered_users {
        // What is counted is known by who counts.
        None | Some(Registered::Url(_)) => return Ok(None),
        Some(Registered::Figure(users)) => return Ok(Some(registered::Registered::always(*users))),
        Some(Registered::File(path)) => path,
    };
    let said = || format!("cannot use `registered_users` of the partition `{}`: `{}`", partition.name, path.display());
    let text = std::fs::read_to_string(path).with_context(said)?;
    match registered::Registered::parse_csv(&text, &partition.name) {
        Ok(registered) => Ok(Some(registered)),
        Err(refused) => {
            let lines = refused.iter().map(|refused| format!("{}: {refused}", said()));
            bail!(lines.collect::<Vec<_>>().join("\n"))
        }
    }
}

/// Refuses a schedule under which nothing would ever be sampled.
pub(super) fn opens(schedule: &Schedule) -> anyhow::Result<()> {
    let now = Utc::now();
    anyhow::ensure!(
        schedule.is_open(now) || schedule.next_open(now).is_some(),
        "the schedule never opens: every day of the coming years is a holiday; see `holidays` in [schedule]"
    );
    Ok(())
}

/// The system's zone: `TZ` as tzset(3) reads it, else what the system is set to; without either it is UTC, as it is for every
/// other program. A rule like `CET-1CEST` is no zone: which days it stood for in other years, it does not say.
pub(super) fn system_zone() -> anyhow::Result<Tz> {
    let next = "set `zone` in [schedule] to an IANA name like \"Europe/Berlin\"";
    if let Some(set) = std::env::var_os("TZ") {
        let set = set.to_string_lossy();
        let name = set.strip_prefix(':').unwrap_or(&set);
        if name.is_empty() {
            return Ok(Tz::UTC);
        }
        if name != LOCALTIME {
            let name = name.strip_prefix("/usr/share/zoneinfo/").unwrap_or(name);
            return name.parse().ok().with_context(|| format!("TZ is `{set}`, which is no IANA name; change it, or {next}"));
        }
    }
    match iana_time_zone::get_timezone() {
        Ok(name) => name.parse().ok().with_context(|| format!("the system's zone `{name}` is no IANA name; {next}")),
        Err(_) if !Path::new(LOCALTIME).exists() => Ok(Tz::UTC),
        Err(_) => bail!("cannot tell the system's zone; {next}"),
    }
}

/// Where the history lies: the command line, the configuration, else the usual place of this user.
pub(super) fn history_path(common: &Common, config: &Config) -> anyhow::Result<PathBuf> {
    if let Some(path) = common.history.clone().or_else(|| config.history.clone()) {
        return Ok(path);
    }
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    // systemd separates several folders by a colon; the first is the one.
    if let Some(folders) = variable("STATE_DIRECTORY") {
        let folders = folders.to_string_lossy();
        return Ok(Path::new(folders.split(':').next().unwrap_or_default()).join("history.db"));
    }
    // A history that the service keeps is the one meant, by whoever may read it.
    let system = Path::new("/var/lib/weekline/history.db");
    if nix::unistd::geteuid().is_root() || system.exists() {
        return Ok(system.to_owned());
    }
    let state = variable("XDG_STATE_HOME").or_else(|| Some(variable("HOME")?.join(".local/state")));
    match state {
        Some(state) => Ok(state.join("weekline/history.db")),
        None => bail!("cannot tell where the history is to lie, since HOME is not set; name a file with `--history FILE`"),
    }
}

/// What the commands that look back need.
pub(super) struct Looking {
    pub(super) history: History,
    pub(super) schedule: Arc<Schedule>,
    pub(super) config: Config,
}

/// Opens the history for reading, with the schedule that tells its business hours.
pub(super) fn looking(common: &Common) -> anyhow::Result<Looking> {
    let config = config(common)?;
    let schedule = Arc::new(schedule(&config.schedule)?);
    Ok(Looking { history: History::open(&history_path(common, &config)?)?, schedule, config })
}

/// In which window users count as active; none: the widest that a server offers.
pub(super) fn window(config: &Config) -> Option<Window> {
    config.active_window.and_then(Window::named)
}

/// The name of this machine's series.
pub(super) fn host(config: &Config) -> anyhow::Result<String> {
    let named = config.host.clone().or_else(|| crate::sources::host_name(Path::new("/")));
    named.context("cannot tell the host's name; set `name` in [host]")
}
