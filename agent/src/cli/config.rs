//! `weekline config`: the configuration checked, shown, or as it is without any.

use std::path::Path;
use std::process::ExitCode;

use super::{Common, print, print_json, say, setup};
use crate::config::DEFAULT;
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
    /// Read the configuration and everything it names, and print every problem; exit code 4 if there is one
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
    match looked_up() {
        Err(error) => tell(common, &[format!("{error:#}")]),
        Ok((schedule, host, history)) => {
            if common.json {
                return tell(common, &[]);
            }
            let file = loaded.path.map_or_else(|| "defaults alone, no file".to_owned(), |path| path.display().to_string());
            let next = match schedule.next_open(chrono::Utc::now()) {
                Some(next) => next.with_timezone(&schedule.zone()).to_string(),
                None => "none: it never closes".to_owned(),
            };
            print(&format!(
                "configuration  {file}\nhost           {host}\nschedule       {} ({}), every {} s\nnext opening   {next}\nhistory        {}\nlisten         {}\n",
                schedule,
                schedule.zone(),
                schedule.interval().as_secs(),
                history.display(),
                config.listen,
            ))?;
            Ok(ExitCode::SUCCESS)
        }
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
