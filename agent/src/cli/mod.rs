//! The command line: the whole of it on one screen here, one file per command beside it.
//!
//! The only place that prints. Results go to stdout, talk to stderr.
//! File names, hosts and labels come from outside: nothing that a terminal would obey goes through these doors.

mod config;
mod events;
mod export;
mod import;
mod man;
mod metrics;
mod names;
mod partitions;
mod run;
mod setup;
mod status;
mod weeks;

use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::report;

/// Watches production servers in business hours and keeps their weeks
#[derive(Debug, Parser)]
#[command(name = "weekline", version, propagate_version = true, max_term_width = 100)]
pub struct Cli {
    /// Configuration file; without it the one in WEEKLINE_CONFIG, or /etc/weekline/weekline.toml if it is there
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// History file, over the one in WEEKLINE_HISTORY and `path` in [history]
    #[arg(long, global = true, value_name = "FILE")]
    history: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The service: sample on schedule, keep the history, serve /metrics and the page
    Run(run::Args),
    /// Read files you already have into the history
    Import(import::Args),
    /// One line per week, Mon-Fri in business hours: chart and table
    Weeks(weeks::Args),
    /// Upgrades, restarts, crashes, changes of settings and hosts, findings, gaps
    Events(events::Args),
    /// Sources, last sample, history, overhead
    Status(status::Args),
    /// The catalog of metrics; --unknown lists what this server offers that no row claims
    Metrics(metrics::Args),
    /// The history out
    Export(export::Args),
    /// Check the configuration, or show it
    Config(config::Args),
    /// Man page and shell completions, for packages
    #[command(hide = true)]
    Man(man::Args),
}

/// What every command may need beside its own arguments.
#[derive(Debug)]
struct Common {
    config: Option<PathBuf>,
    history: Option<PathBuf>,
    json: bool,
}

/// Runs the command that was typed.
///
/// # Errors
/// Whatever kept it from its end, as a chain to be printed once.
pub fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    // A variable that is set to nothing is one that is not set.
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let common = Common {
        config: cli.config.or_else(|| variable("WEEKLINE_CONFIG")),
        history: cli.history.or_else(|| variable("WEEKLINE_HISTORY")),
        json: cli.json,
    };
    match cli.command {
        Command::Run(args) => run::run(&args, &common),
        Command::Import(args) => import::run(&args, &common),
        Command::Weeks(args) => weeks::run(&args, &common),
        Command::Events(args) => events::run(&args, &common),
        Command::Status(args) => status::run(&args, &common),
        Command::Metrics(args) => metrics::run(&args, &common),
        Command::Export(args) => export::run(&args, &common),
        Command::Config(args) => config::run(&args, &common),
        Command::Man(args) => man::run(&args),
    }
}

/// Whether the error is that nobody reads on (`weekline metrics | head`): no fault of anybody's.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .any(|cause| cause.downcast_ref::<std::io::Error>().is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe))
}

/// A result, to stdout.
fn print(text: &str) -> anyhow::Result<()> {
    print_styled(&report::printable_lines(text))
}

/// A result with colours in it, whose parts from outside went through [`report::printable`] before they were coloured.
fn print_styled(text: &str) -> anyhow::Result<()> {
    Ok(std::io::stdout().lock().write_all(text.as_bytes())?)
}

/// A result as JSON, to stdout. A program gets every character; those that a terminal would obey arrive as `\u001b`.
fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    let mut text = String::new();
    for c in serde_json::to_string_pretty(value)?.chars() {
        // Outside of strings there is none of them but the line end, and none of them takes more than four digits.
        if c != '\n' && report::is_obeyed(c) { write!(text, "\\u{:04x}", u32::from(c))? } else { text.push(c) }
    }
    text.push('\n');
    print_styled(&text)
}

/// Talk, to stderr; if nobody listens, nothing is lost.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", report::printable_lines(text));
}

/// What kept a command from its end, to stderr. If that is gone as well, the exit code still tells.
pub fn complain(error: &anyhow::Error) {
    say(&format!("weekline: {error:#}"));
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn every_command_and_argument_has_help() {
        fn walk(command: &clap::Command) {
            assert!(command.get_about().is_some(), "{} has no help", command.get_name());
            for argument in
                command.get_arguments().filter(|argument| argument.get_id() != "help" && argument.get_id() != "version")
            {
                assert!(argument.get_help().is_some(), "{} of {} has no help", argument.get_id(), command.get_name());
            }
            command.get_subcommands().for_each(walk);
        }
        let mut command = Cli::command();
        command.build();
        walk(&command);
        command.debug_assert();
    }
}
