//! `weekline man`: what packages ship beside the program, out of the same definition as the command line.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;

use super::Cli;

/// Arguments of `weekline man`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Folder to write the man pages and completions to
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    std::fs::create_dir_all(&args.folder).with_context(|| format!("cannot make `{}`", args.folder.display()))?;
    clap_mangen::generate_to(Cli::command(), &args.folder).context("cannot write the man pages")?;
    for shell in [Shell::Bash, Shell::Fish, Shell::Zsh] {
        clap_complete::generate_to(shell, &mut Cli::command(), "weekline", &args.folder)
            .context("cannot write the completions")?;
    }
    Ok(ExitCode::SUCCESS)
}
