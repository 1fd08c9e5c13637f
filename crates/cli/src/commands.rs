//! One file per verb: typed arguments in, output through the printer, an exit status out.

mod completions;
mod convert;
pub(crate) mod explain;
pub(crate) mod init;
pub(crate) mod lint;
mod man;
mod plan;
mod run;
pub(crate) mod simulate;
pub(crate) mod trace;

use crate::args::Command;
use crate::exit::ExitStatus;
use crate::printer::Printer;
use anyhow::Result;

/// Does what was asked.
pub(crate) fn run(command: Command, printer: &mut Printer) -> Result<ExitStatus> {
    match command {
        Command::Run(args) => run::run(args, printer),
        Command::Init(args) => init::init(&args, printer),
        Command::Plan(args) => plan::plan(&args, printer),
        Command::Lint(args) => lint::lint(&args, printer),
        Command::Convert(args) => convert::convert(&args, printer),
        Command::Simulate(args) => simulate::simulate(args, printer),
        Command::Trace(args) => trace::trace(args, printer),
        Command::Explain(args) => explain::explain(&args, printer),
        Command::Completions(args) => completions::completions(&args, printer),
        Command::Man(args) => man::man(&args, printer),
    }
}
