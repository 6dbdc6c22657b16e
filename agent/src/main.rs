//! The program: parse, run, print what went wrong, and answer with an exit code.
//!
//! 0 done; 1 failed; 2 usage; 3 `compare --fail-on-worse` found something worse; 4 `config check` found a problem.

use std::process::ExitCode;

use clap::Parser;
use weekline::cli;

fn main() -> ExitCode {
    match cli::run(cli::Cli::parse()) {
        Ok(code) => code,
        Err(error) if cli::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            cli::complain(&error);
            ExitCode::FAILURE
        }
    }
}
