//! One file per verb: typed arguments in, output through the printer, an exit status out.

pub(crate) mod apply;
mod attach;
mod completions;
mod convert;
pub(crate) mod exec;
pub(crate) mod explain;
pub(crate) mod get;
pub(crate) mod init;
pub(crate) mod inside;
pub(crate) mod lint;
pub(crate) mod logs;
mod man;
mod plan;
mod ps;
mod restart;
mod run;
pub(crate) mod simulate;
mod stop;
pub(crate) mod trace;

use crate::args::Command;
use crate::exit::ExitStatus;
use crate::printer::Printer;
use anyhow::Result;

/// Does what was asked.
pub(crate) fn run(command: Command, printer: &mut Printer) -> Result<ExitStatus> {
    match command {
        Command::Run(args) => run::run(args, printer),
        Command::Ps(args) => ps::ps(&args, printer),
        Command::Logs(args) => logs::logs(args, printer),
        Command::Stop(args) => stop::stop(&args, printer),
        Command::Restart(args) => restart::restart(&args, printer),
        Command::Apply(args) => apply::apply(&args, printer),
        Command::Exec(args) => exec::exec(args, printer),
        Command::Attach(args) => attach::attach(&args, printer),
        Command::Get(args) => get::get(&args, printer),
        Command::Ask(args) => inside::ask(args),
        Command::Notify(args) => inside::notify(&args),
        Command::Status(args) => inside::status(&args, printer),
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
