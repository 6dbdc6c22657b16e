//! `weekline config`: the configuration checked, shown, or as it is without any.

use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use nix::unistd::User;

use super::{Common, print, print_json, say, setup};
use crate::config::{Config, DEFAULT, Partition, Registered, UsersUrl, Way};
use crate::history::{History, HistoryError};

/// Exit code where a problem was found.
const PROBLEM: u8 = 4;

/// Arguments of `weekline config`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Read the configuration and the files it names, and print every problem; exit code 4 if there is one. Programs, folders,
    /// files and users of partitions that are not there are told, too, and are no problem: they may come later
    Check,
    /// Print the embedded defaults, a file to begin with
    Default,
    /// Print the file in force as it stands, or the defaults where there is none
    Show,
}

pub(super) fn run(args: &Args, common: &Common) -> anyhow::Result<ExitCode> {
    match args.what {
        What::Default => print(DEFAULT)?,
        What::Show => {
            let loaded = setup::load(common)?;
            print(if loaded.path.is_some() { &loaded.text } else { DEFAULT })?;
        }
        What::Check => return check(common),
    }
    Ok(ExitCode::SUCCESS)
}

fn check(common: &Common) -> anyhow::Result<ExitCode> {
    let loaded = match setup::load(common) {
        Ok(loaded) => loaded,
        Err(error) => return tell(common, &[format!("{error:#}")]),
    };
    let config = match loaded.parse() {
        Ok(config) => config,
        Err(problems) => return tell(common, &problems),
    };
    let looked_up = || {
        let schedule = setup::schedule(&config.schedule)?;
        setup::opens(&schedule)?;
        let history = setup::history_path(common, &config)?;
        readable(&history)?;
        Ok::<_, anyhow::Error>((schedule, setup::host(&config)?, history))
    };
    let problems: Vec<String> = files(&config).map(|error| format!("{error:#}")).collect();
    match looked_up() {
        Err(error) => tell(common, &[vec![format!("{error:#}")], problems].concat()),
        Ok(_) if !problems.is_empty() || common.json => tell(common, &problems),
        Ok((schedule, host, history)) => {
            open_secrets(&config).chain(absent(&config, &host)).for_each(|note| say(&note));
            let file = loaded.path.map_or_else(|| "defaults alone, no file".to_owned(), |path| path.display().to_string());
            let next = match schedule.next_open(chrono::Utc::now()) {
                Some(next) => next.with_timezone(&schedule.zone()).to_string(),
                None => "none: it never closes".to_owned(),
            };
            print(&format!(
                "configuration  {file}\nhost           {host}\nschedule       {} ({}), every {} s\nnext opening   {next}\nhistory        {}\nlisten         {}\n{}",
                schedule,
                schedule.zone(),
                schedule.interval().as_secs(),
                history.display(),
                config.listen,
                config.partitions.iter().map(line).collect::<String>(),
            ))?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// A partition as one line of what is checked.
fn line(partition: &Partition) -> String {
    let way = partition.source.map_or("its tasks and notes.ini alone", Way::name);
    format!("partition      {}, {way}\n", partition.name)
}

/// What is wrong with the files that the partitions name, all of it.
fn files(config: &Config) -> impl Iterator<Item = anyhow::Error> {
    let users = config.partitions.iter().filter_map(|partition| setup::registered(partition).err());
    let certificates = config.partitions.iter().flat_map(|partition| {
        let users = counted(partition).and_then(|users| users.ca_file.as_deref());
        let own = named(partition, "ca_file", partition.ca_file.as_deref());
        own.into_iter().chain(named(partition, "registered_users.ca_file", users))
    });
    let filled = |(what, path)| filled(path).with_context(|| format!("cannot use {what}")).err();
    users.chain(secrets(config).into_iter().chain(certificates).filter_map(filled))
}

/// Every file with a secret, and which setting names it.
fn secrets(config: &Config) -> Vec<(String, &Path)> {
    let shared = config.push_token_file.iter().map(|path| ("`push_token_file` in [web]".to_owned(), path.as_path()));
    let own = config.partitions.iter().flat_map(|partition| {
        let users = counted(partition);
        [
            ("token_file", partition.token_file.as_deref()),
            ("basic_auth_file", partition.basic_auth_file.as_deref()),
            ("registered_users.token_file", users.and_then(|users| users.token_file.as_deref())),
            ("registered_users.basic_auth_file", users.and_then(|users| users.basic_auth_file.as_deref())),
        ]
        .into_iter()
        .filter_map(|(setting, path)| named(partition, setting, path))
    });
    shared.chain(own).collect()
}

/// Where the users of a partition are counted, if that is so.
fn counted(partition: &Partition) -> Option<&UsersUrl> {
    match &partition.registered_users {
        Some(Registered::Url(users)) => Some(users),
        Some(Registered::Figure(_) | Registered::File(_)) | None => None,
    }
}

fn named<'a>(partition: &Partition, setting: &str, path: Option<&'a Path>) -> Option<(String, &'a Path)> {
    Some((format!("`{setting}` of the partition `{}`", partition.name), path?))
}

/// Refuses a file that cannot be read or says nothing.
fn filled(path: &Path) -> anyhow::Result<()> {
    let text = std::fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    anyhow::ensure!(!text.trim_ascii().is_empty(), "`{}` is empty", path.display());
    Ok(())
}

/// A word about each secret that is none. It is no problem: whoever runs the machine may know why.
fn open_secrets(config: &Config) -> impl Iterator<Item = String> {
    let open = |path: &Path| std::fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o004 != 0);
    let open = secrets(config).into_iter().filter(move |(_, path)| open(path));
    open.map(|(what, path)| format!("{what}: everybody can read `{0}`; `chmod o-r {0}` keeps it a secret", path.display()))
}

/// A word about what partitions name and this host has not. It is no problem: it may be mounted or written later.
fn absent(config: &Config, host: &str) -> impl Iterator<Item = String> {
    config.partitions.iter().flat_map(move |partition| {
        // Elsewhere the folder is of no use but to a console, which is asked from here.
        let here = partition.host.as_deref().is_none_or(|name| name == host) || partition.source == Some(Way::Console);
        let data = partition.data.as_deref().filter(|_| here);
        let paths = [
            named(partition, "program", partition.program.as_deref()).and_then(|(what, path)| lacks(&what, path, "file")),
            named(partition, "data", data).and_then(|(what, path)| lacks(&what, path, "folder")),
            named(partition, "path", partition.path.as_deref()).and_then(|(what, path)| lacks(&what, path, "file")),
        ];
        let user = partition.user.as_deref().filter(|user| !matches!(User::from_name(user), Ok(Some(_))));
        let user = user.map(|user| {
            format!("`user` of the partition `{}`: this host has no user `{user}`, write one of `getent passwd`", partition.name)
        });
        paths.into_iter().flatten().chain(user)
    })
}

/// What is to be said of a path that leads to nothing of this kind.
fn lacks(what: &str, path: &Path, kind: &str) -> Option<String> {
    let shown = path.display();
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() == (kind == "folder") => None,
        Ok(_) => Some(format!("{what}: `{shown}` is no {kind}, name the {kind} itself")),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Some(format!("{what}: `{shown}` is not there, correct it unless it is mounted or written later"))
        }
        Err(error) => Some(format!("{what}: cannot look at `{shown}`: {error}; the agent's user must be able to")),
    }
}

/// Refuses a history that a service could not keep; one that is not there yet is made by the service.
fn readable(path: &Path) -> Result<(), HistoryError> {
    match History::open(path) {
        Ok(_) | Err(HistoryError::Absent { .. } | HistoryError::Empty { .. } | HistoryError::Busy { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

fn tell(common: &Common, problems: &[String]) -> anyhow::Result<ExitCode> {
    if common.json {
        print_json(&serde_json::json!({ "problems": problems }))?;
    } else {
        problems.iter().for_each(|problem| say(problem));
    }
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(PROBLEM) })
}
